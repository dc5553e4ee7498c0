// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// The schema, as steps that are only ever appended (`docs/STORAGE.md`, "Tables").
///
/// `PRAGMA user_version` counts the steps that a file has seen. A step that was released is never
/// changed: its text is what files out there were made with.
package enum Migrations {
  static let steps: [String] = [step0001]

  /// The format that this version writes.
  package static var version: Int32 { Int32(steps.count) }

  /// `PRAGMA application_id`: "hedg". `file` shows it, and another program's file is told by it.
  static let applicationID: Int64 = 0x6865_6467
}
