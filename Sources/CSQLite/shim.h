// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors
#include <sqlite3.h>
// statfs(2), which Swift's Glibc module leaves out: the store asks on what file system it lies.
#include <sys/vfs.h>
