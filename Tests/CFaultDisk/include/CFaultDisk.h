// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

#ifndef CFaultDisk_h
#define CFaultDisk_h

#include <stdint.h>

// A file layer for SQLite over the usual one that fails when told to and loses what was not synced,
// for the store's tests. One thread at a time; never linked into the product.

typedef struct fault_disk fault_disk;

// Registers the layer under `name`, which must live as long as it.
fault_disk *fault_disk_new(const char *name);
void fault_disk_free(fault_disk *disk);

// Operations that change a file, since the start: open, write, truncate, sync, delete.
int fault_disk_operations(const fault_disk *disk);
// The operation with that number (counted from now, 1 = next) fails with the SQLite result `code`;
// with `stays`, all later ones too. 0 disarms.
void fault_disk_arm(fault_disk *disk, int number, int code, int stays);

// The power goes: every operation fails from now on.
void fault_disk_cut(fault_disk *disk);
// The power is back: each file has what was synced, and of later writes each sector of 512 bytes by
// the draw of `seed` or not; seed 0: none of them. All connections must be closed.
void fault_disk_restore(fault_disk *disk, uint64_t seed);

#endif
