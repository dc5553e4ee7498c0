// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// A desktop that shows nothing and remembers what it was asked to show last.
#ifndef CFakeDesktop_h
#define CFakeDesktop_h

#include <stdint.h>

typedef struct {
  char title[128];
  char body[256];
  uint32_t replaces;
  uint32_t count;
} fd_shown;

// Owns the desktop's name on the bus and serves it on a thread of its own; 0 or -errno.
int fd_start(const char *address, int reads_markup);
// Ends the thread and tells what was shown last.
fd_shown fd_stop(void);

#endif
