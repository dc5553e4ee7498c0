// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

extension Migrations {
  /// The first format.
  static let step0001 = """
    PRAGMA application_id=\(applicationID);

    -- Small facts by name: the clock, the own tip, identity tokens, where the checkpoint stands.
    CREATE TABLE facts (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;

    -- The change log in order of arrival, so that replaying it meets no gap. Numbers of removed rows
    -- are not given out again: the checkpoint names one.
    -- session 16 bytes; hash 32; bytes = body and signature as received; verified = 1 when this
    -- agent checked that signature. A dot may be here twice with two hashes: the branches of a fork.
    CREATE TABLE changes (
      arrival INTEGER PRIMARY KEY AUTOINCREMENT,
      session BLOB NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL,
      bytes BLOB NOT NULL, verified INTEGER NOT NULL) STRICT;
    CREATE UNIQUE INDEX changes_by_dot ON changes (session, seq, hash);

    -- The checkpoint: number -1 is the header, the others from 0 hold about 1,000 items each.
    CREATE TABLE chunks (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;

    -- Signed membership records in an order in which they can be replayed.
    CREATE TABLE roster (ordinal INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;

    -- What is known of other members: acknowledged vector, addresses, last contact. The row's bytes
    -- belong to the shell.
    CREATE TABLE peers (device BLOB PRIMARY KEY, row BLOB NOT NULL) STRICT, WITHOUT ROWID;

    -- Invites that were used or closed: 32-byte hashes of their codes.
    CREATE TABLE spent (hash BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;

    -- The merge journal of this machine, newest last.
    CREATE TABLE journal (number INTEGER PRIMARY KEY AUTOINCREMENT, entry BLOB NOT NULL) STRICT;

    -- What viewers were told, by cursor, so that they can go on where they were. The oldest go.
    CREATE TABLE events (cursor INTEGER PRIMARY KEY, event BLOB NOT NULL) STRICT;

    -- What belongs to this machine alone: typed addresses, what terminals last showed.
    CREATE TABLE local (kind TEXT, key BLOB, value BLOB NOT NULL, PRIMARY KEY (kind, key))
      STRICT, WITHOUT ROWID;
    """
}
