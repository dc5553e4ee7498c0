// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

#include "CFaultDisk.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR 512

typedef struct image {
  struct image *next;
  char path[512];
  uint8_t *bytes;  // what was synced
  sqlite3_int64 count;
} image;

struct fault_disk {
  sqlite3_vfs vfs;
  sqlite3_vfs *real;
  image *images;
  int operations, armed, code, stays, is_cut;
};

typedef struct {
  sqlite3_file base;
  fault_disk *disk;
  const char *path;  // owned by SQLite, lives as long as the file is open
  sqlite3_file *real;
} file;

static int fails(fault_disk *disk) {
  disk->operations++;
  if (disk->is_cut) return SQLITE_IOERR;
  if (disk->armed == 0) return SQLITE_OK;
  if (disk->armed > 1) {
    disk->armed--;
    return SQLITE_OK;
  }
  if (!disk->stays) disk->armed = 0;
  return disk->code;
}

static image *image_of(fault_disk *disk, const char *path) {
  for (image *i = disk->images; i; i = i->next)
    if (strcmp(i->path, path) == 0) return i;
  image *made = calloc(1, sizeof *made);
  snprintf(made->path, sizeof made->path, "%s", path);
  made->next = disk->images;
  return disk->images = made;
}

static void keep(fault_disk *disk, const char *path) {
  image *i = image_of(disk, path);
  FILE *f = fopen(path, "rb");
  if (!f) return;
  fseek(f, 0, SEEK_END);
  i->count = ftell(f);
  rewind(f);
  free(i->bytes);
  i->bytes = malloc((size_t)i->count + 1);
  i->count = (sqlite3_int64)fread(i->bytes, 1, (size_t)i->count, f);
  fclose(f);
}

static int f_close(sqlite3_file *base) {
  file *f = (file *)base;
  return f->real->pMethods ? f->real->pMethods->xClose(f->real) : SQLITE_OK;
}
static int f_read(sqlite3_file *base, void *out, int count, sqlite3_int64 at) {
  file *f = (file *)base;
  if (f->disk->is_cut) return SQLITE_IOERR_READ;
  return f->real->pMethods->xRead(f->real, out, count, at);
}
static int f_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 at) {
  file *f = (file *)base;
  int code = fails(f->disk);
  return code ? code : f->real->pMethods->xWrite(f->real, bytes, count, at);
}
static int f_truncate(sqlite3_file *base, sqlite3_int64 count) {
  file *f = (file *)base;
  int code = fails(f->disk);
  return code ? code : f->real->pMethods->xTruncate(f->real, count);
}
static int f_sync(sqlite3_file *base, int flags) {
  file *f = (file *)base;
  (void)flags;
  int code = fails(f->disk);
  if (code == SQLITE_OK && f->path) keep(f->disk, f->path);
  return code;
}
static int f_size(sqlite3_file *base, sqlite3_int64 *out) {
  file *f = (file *)base;
  return f->real->pMethods->xFileSize(f->real, out);
}
static int f_lock(sqlite3_file *base, int level) {
  file *f = (file *)base;
  return f->real->pMethods->xLock(f->real, level);
}
static int f_unlock(sqlite3_file *base, int level) {
  file *f = (file *)base;
  return f->real->pMethods->xUnlock(f->real, level);
}
static int f_reserved(sqlite3_file *base, int *out) {
  file *f = (file *)base;
  return f->real->pMethods->xCheckReservedLock(f->real, out);
}
static int f_control(sqlite3_file *base, int op, void *argument) {
  file *f = (file *)base;
  return f->real->pMethods->xFileControl(f->real, op, argument);
}
static int f_sector(sqlite3_file *base) {
  (void)base;
  return SECTOR;
}
static int f_traits(sqlite3_file *base) {
  (void)base;
  return SQLITE_IOCAP_POWERSAFE_OVERWRITE;
}

static const sqlite3_io_methods methods = {
    1,      f_close,  f_read,     f_write,   f_truncate, f_sync,  f_size,
    f_lock, f_unlock, f_reserved, f_control, f_sector,   f_traits,
    0,      0,        0,          0,         0,          0};

static int v_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *base, int flags, int *out) {
  fault_disk *disk = vfs->pAppData;
  file *f = (file *)base;
  f->base.pMethods = NULL;
  int code = flags & SQLITE_OPEN_CREATE ? fails(disk) : disk->is_cut ? SQLITE_CANTOPEN : SQLITE_OK;
  if (code) return code == SQLITE_FULL ? code : SQLITE_CANTOPEN;
  f->disk = disk;
  f->path = path;
  f->real = (sqlite3_file *)(f + 1);
  memset(f->real, 0, (size_t)disk->real->szOsFile);
  code = disk->real->xOpen(disk->real, path, f->real, flags, out);
  if (f->real->pMethods) f->base.pMethods = &methods;
  if (code == SQLITE_OK && path) image_of(disk, path);
  return code;
}
static int v_delete(sqlite3_vfs *vfs, const char *path, int sync) {
  fault_disk *disk = vfs->pAppData;
  int code = fails(disk);
  if (code) return SQLITE_IOERR_DELETE;
  image *i = image_of(disk, path);
  free(i->bytes);
  i->bytes = NULL;
  i->count = 0;
  return disk->real->xDelete(disk->real, path, sync);
}
static int v_access(sqlite3_vfs *vfs, const char *path, int flags, int *out) {
  fault_disk *disk = vfs->pAppData;
  return disk->real->xAccess(disk->real, path, flags, out);
}
static int v_full(sqlite3_vfs *vfs, const char *path, int room, char *out) {
  fault_disk *disk = vfs->pAppData;
  return disk->real->xFullPathname(disk->real, path, room, out);
}

fault_disk *fault_disk_new(const char *name) {
  fault_disk *disk = calloc(1, sizeof *disk);
  disk->real = sqlite3_vfs_find(NULL);
  disk->vfs = *disk->real;
  disk->vfs.iVersion = 1;
  disk->vfs.pNext = NULL;
  disk->vfs.szOsFile = (int)sizeof(file) + disk->real->szOsFile;
  disk->vfs.zName = name;
  disk->vfs.pAppData = disk;
  disk->vfs.xOpen = v_open;
  disk->vfs.xDelete = v_delete;
  disk->vfs.xAccess = v_access;
  disk->vfs.xFullPathname = v_full;
  sqlite3_vfs_register(&disk->vfs, 0);
  return disk;
}

void fault_disk_free(fault_disk *disk) {
  sqlite3_vfs_unregister(&disk->vfs);
  while (disk->images) {
    image *next = disk->images->next;
    free(disk->images->bytes);
    free(disk->images);
    disk->images = next;
  }
  free(disk);
}

int fault_disk_operations(const fault_disk *disk) { return disk->operations; }

void fault_disk_arm(fault_disk *disk, int number, int code, int stays) {
  disk->armed = number;
  disk->code = code;
  disk->stays = stays;
}

void fault_disk_cut(fault_disk *disk) { disk->is_cut = 1; }

static uint64_t draw(uint64_t *state) {  // SplitMix64
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

static void restore(image *i, uint64_t *state) {
  FILE *f = fopen(i->path, "rb");
  if (!f) return;  // deleted meanwhile, which counts as done
  fseek(f, 0, SEEK_END);
  long now_count = ftell(f);
  rewind(f);
  uint8_t *now = malloc((size_t)now_count + 1);
  now_count = (long)fread(now, 1, (size_t)now_count, f);
  fclose(f);
  long count = i->count > now_count ? i->count : now_count;
  uint8_t *mix = calloc(1, (size_t)count + 1);
  if (i->bytes) memcpy(mix, i->bytes, (size_t)i->count);
  long last = i->count;
  for (long at = 0; *state && at < now_count; at += SECTOR) {
    if (draw(state) & 1) continue;
    long part = now_count - at < SECTOR ? now_count - at : SECTOR;
    memcpy(mix + at, now + at, (size_t)part);
    if (at + part > last) last = at + part;
  }
  f = fopen(i->path, "wb");
  fwrite(mix, 1, (size_t)last, f);
  fclose(f);
  free(mix);
  free(now);
}

void fault_disk_restore(fault_disk *disk, uint64_t seed) {
  for (image *i = disk->images; i; i = i->next) {
    restore(i, &seed);
    keep(disk, i->path);
  }
  disk->is_cut = 0;
  disk->armed = 0;
}
