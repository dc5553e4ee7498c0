// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors
#include <sqlite3.h>
// statfs(2), which Swift's Glibc module leaves out: the store asks on what file system it lies.
#include <sys/vfs.h>

// sqlite3_db_config is variadic, so the two uses of it stand here.

// 1: the write-ahead log stays as it is when the connection closes.
static inline int hs_sqlite_keeps_log(sqlite3 *db, int keeps) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps, (int *)0);
}

// SQL cannot write into the file's own structures.
static inline int hs_sqlite_defend(sqlite3 *db) {
  return sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}
