// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// The schema, as steps that are only ever appended (`docs/STORAGE.md`, "Tables").
///
/// `PRAGMA user_version` counts the steps that a file has seen.
enum Migrations {
  static let steps: [String] = [first]

  static var version: Int32 { Int32(steps.count) }

  private static let first = """
    -- Small facts by name: clock, own tip, tokens, space, where the checkpoint stands.
    CREATE TABLE facts (name BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;

    -- The change log in order of arrival, so that replaying it meets no gap.
    -- bytes: body and signature; verified: whether this agent checked that signature.
    CREATE TABLE changes (
      arrival INTEGER PRIMARY KEY AUTOINCREMENT,
      session BLOB NOT NULL, seq INTEGER NOT NULL,
      hash BLOB NOT NULL, bytes BLOB NOT NULL, verified INTEGER NOT NULL);
    CREATE UNIQUE INDEX changes_by_dot ON changes (session, seq);

    -- The checkpoint: chunk -1 is the header, the others hold about 1,000 items each.
    CREATE TABLE chunks (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);

    -- Membership records in an order in which they can be replayed.
    CREATE TABLE roster (ordinal INTEGER PRIMARY KEY, bytes BLOB NOT NULL);

    -- What is known of other members: acknowledged vector, addresses, last contact.
    CREATE TABLE peers (device BLOB PRIMARY KEY, row BLOB NOT NULL) WITHOUT ROWID;

    -- Invites that were used or closed: 32-byte hashes of their codes.
    CREATE TABLE spent (hash BLOB PRIMARY KEY) WITHOUT ROWID;

    -- The merge journal of this machine, newest last.
    CREATE TABLE journal (number INTEGER PRIMARY KEY AUTOINCREMENT, entry BLOB NOT NULL);

    -- What belongs to this machine alone: static addresses, what terminals last showed.
    CREATE TABLE local (kind BLOB, key BLOB, value BLOB NOT NULL, PRIMARY KEY (kind, key))
      WITHOUT ROWID;
    """
}
