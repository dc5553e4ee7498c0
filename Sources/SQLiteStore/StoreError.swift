// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Why the store could not do what it was asked; says what to do where somebody can.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// No space, or a quota.
    case full
    /// The file or its file system cannot be written.
    case readOnly
    /// Files or directories belong to somebody else, or their modes are too open.
    case permission
    /// Another agent holds the data directory.
    case locked(pid: Int32?)
    /// Written by a newer version of hedgerow.
    case newer(found: Int32, known: Int32)
    /// The file is not a database or is damaged.
    case corrupt
    /// A network file system: its locks cannot be trusted.
    case networkFileSystem
    case io
  }

  package let code: Code
  /// One sentence for people.
  package let message: String
  /// What the library or the system said.
  package let cause: String

  package init(_ code: Code, _ message: String, cause: String = "") {
    (self.code, self.message, self.cause) = (code, message, cause)
  }

  package var description: String { cause.isEmpty ? message : "\(message) (\(cause))" }
}
