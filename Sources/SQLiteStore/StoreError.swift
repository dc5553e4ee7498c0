// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Why the store could not do what it was asked; says what to do where somebody can.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Code: Hashable, Sendable {
    /// No space, or a quota.
    case full
    /// The file or its file system cannot be written.
    case readOnly
    /// Files or directories belong to somebody else, or others may change them.
    case permission
    /// Another agent holds the data directory, or another program the file.
    case locked(pid: Int32?)
    /// Written by a newer version of hedgerow.
    case newer(found: Int32, known: Int32)
    /// Written by an older version, and asked for reading only, so it cannot be brought up to date.
    case older(found: Int32, known: Int32)
    /// The file is not a database of hedgerow's, or is damaged.
    case corrupt
    /// The files were removed or replaced while they were open, or are missing where there was data.
    case removed
    /// A network file system: its locks cannot be trusted.
    case networkFileSystem
    /// The disk or its driver failed. Nothing of the batch counts as written.
    case io
  }

  package let code: Code
  /// One sentence for people.
  package let message: String
  /// What the library or the system said; may be empty.
  package let cause: String
  /// File and line of ours that noticed it.
  package let location: String

  package init(
    _ code: Code, _ message: String, cause: String = "", file: StaticString = #fileID,
    line: UInt = #line
  ) {
    (self.code, self.message, self.cause) = (code, message, cause)
    location = "\(file):\(line)"
  }

  /// The sentence and, in brackets, what is for developers.
  package var description: String {
    "\(message) (\(cause.isEmpty ? "" : cause + ", ")at \(location))"
  }
}
