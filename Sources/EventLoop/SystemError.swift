// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Glibc

/// A refused system call: what was tried and why it failed.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The `errno` of a call, comparable in patterns.
  package struct Code: Equatable, Sendable {
    package let value: Int32
    package init(_ value: Int32) { self.value = value }
    package static let inUse = Code(EADDRINUSE)
    package static let notAvailable = Code(EADDRNOTAVAIL)
    package static let wouldBlock = Code(EAGAIN)
    package static let notPermitted = Code(EPERM)
    package static let accessDenied = Code(EACCES)
    package static let noDescriptors = Code(EMFILE)
    package static let noSpace = Code(ENOSPC)
  }

  package let code: Code
  /// What was tried, in words; never item text, never an address of a peer.
  package let attempt: String

  package init(_ code: Code, _ attempt: String) {
    self.code = code
    self.attempt = attempt
  }

  package var description: String {
    unsafe "\(attempt): \(String(cString: strerror(code.value)))"
  }

  /// Returns `result` if it is no negated errno, else throws.
  package static func check(
    _ result: Int32, _ attempt: @autoclosure () -> String
  ) throws(SystemError) -> Int32 {
    guard result < 0 else { return result }
    throw SystemError(Code(-result), attempt())
  }
}
