// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import EventLoop
import OpenSSLCrypto
import SQLiteStore

/// How the agent ends; the numbers are those of sysexits.h where it has one.
package enum AgentExit: Int32, Hashable, Sendable {
  case clean = 0
  case badArguments = 64
  /// A port or the socket is in use.
  case unavailable = 69
  case internalError = 70
  case cannotCreate = 73
  case cannotWrite = 74
  /// Another agent holds the data directory.
  case locked = 75
  case permission = 77
  case badConfiguration = 78
}

/// Why the agent did not start: what to print, and the exit code.
package struct StartFailure: Error, Hashable, Sendable {
  package let exit: AgentExit
  /// One sentence that says what to do.
  package let message: String
  /// File and line of ours, told only to whoever asked for more.
  let location: String?

  package init(_ exit: AgentExit, _ message: String, location: String? = nil) {
    (self.exit, self.message, self.location) = (exit, message, location)
  }

  init(_ error: StoreError) {
    let exit: AgentExit =
      switch error.code {
      case .locked: .locked
      case .permission: .permission
      case .newer, .older, .networkFileSystem, .removed: .badConfiguration
      case .full, .readOnly, .corrupt: .cannotWrite
      case .io: .cannotCreate
      }
    self.init(exit, error.sentence, location: error.location)
  }

  init(_ error: DeviceKeyFile.Failure) {
    let exit: AgentExit =
      switch error {
      case .tooOpen, .foreign: .permission
      case .malformed: .badConfiguration
      case .io: .cannotCreate
      }
    self.init(exit, error.message)
  }

  /// - Parameter flag: What chooses another port.
  init(_ error: SystemError, flag: String? = nil) {
    switch error.code {
    case .inUse:
      let other = flag.map { "choose another port: \($0) N; 0 is any" } ?? "choose another"
      self.init(.unavailable, "\(error); stop the other program or \(other)")
    case .notPermitted, .accessDenied: self.init(.permission, "\(error)")
    default: self.init(.internalError, "\(error)")
    }
  }
}

extension StoreError {
  /// What went wrong, for people: without the place in our sources, which logs have.
  var sentence: String { cause.isEmpty ? message : "\(message) (\(cause))" }
}
