// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import EventLoop
import Glibc
package import SystemServices

/// What `hedged` was told by its flags, with the defaults filled in.
package struct AgentOptions: Hashable, Sendable {
  /// Display name of this device: letters, digits, space, `-_.`; 1...32.
  package var name: String
  /// TCP port for peers; 0 = any free one.
  package var port: UInt16 = 7644
  /// Loopback port of API and page; 0 = any free one, `nil` = off.
  package var webPort: UInt16? = Self.defaultWebPort
  /// Whether `webPort` was asked for, so that another program on it is a failure. By itself the agent
  /// takes any free port then.
  package var isWebPortFixed = false
  /// Addresses to listen on for peers, without port; empty = all.
  package var bind: [String] = []
  package var usesDiscovery = true
  package var dataDirectory: String
  package var stateDirectory: String
  package var socketPath: String
  /// Executables here are told of every change that is on disk.
  package var hooksDirectory = ""
  /// Configuration files, the system's first; what is missing counts as empty.
  package var configurationFiles: [String] = []
  package var logLevel = Log.Level.info

  package static let nameCharactersMax = 32
  package static let defaultWebPort: UInt16 = 7643

  /// Reads flags (without the program's name).
  ///
  /// `--data D` alone also moves state, socket and configuration there (`D/state`, `D/agent.sock`,
  /// `D/config/hedgerow.conf`), so that an agent on other data never meets the one of the user.
  ///
  /// - Parameter environment: Looks up `HOME` and the XDG variables.
  /// - Throws: `StartFailure` with `badArguments`.
  package init(
    _ arguments: [String], environment: (String) -> String? = AgentOptions.fromProcess,
    hostName: String = AgentOptions.hostName()
  ) throws(StartFailure) {
    var rest = arguments[...]
    var (name, data, state, socket) = (String?.none, String?.none, String?.none, String?.none)
    (dataDirectory, stateDirectory, socketPath, self.name) = ("", "", "", "")
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let flag = String(parts[0])
      func value() throws(StartFailure) -> String {
        if parts.count == 2 { return String(parts[1]) }
        guard let next = rest.popFirst() else {
          throw StartFailure(.badArguments, "\(flag) needs a value")
        }
        return next
      }
      switch flag {
      case "--name": name = try value()
      case "--data": data = Self.absolute(try value())
      case "--state": state = Self.absolute(try value())
      case "--socket": socket = Self.absolute(try value())
      case "--port": port = try Self.port(flag, try value())
      case "--web-port":
        let text = try value()
        webPort = text == "off" ? nil : try Self.port(flag, text)
        isWebPortFixed = true
      case "--bind": bind.append(try Self.address(try value()))
      case "--log": logLevel = try Self.level(try value())
      case "--no-discovery": usesDiscovery = false
      case "--foreground": break
      default:
        throw StartFailure(
          .badArguments, "unknown argument \(flag); hedge help agent lists what there is")
      }
    }
    self.name = try Self.deviceName(name, hostName: hostName)
    try place(data: data, state: state, socket: socket, environment: environment)
  }

  private mutating func place(
    data: String?, state: String?, socket: String?, environment: (String) -> String?
  ) throws(StartFailure) {
    func directory(_ variable: String, _ fallback: String) throws(StartFailure) -> String {
      if let path = environment(variable), path.hasPrefix("/") { return path + "/hedgerow" }
      guard let home = environment("HOME"), home.hasPrefix("/") else {
        throw StartFailure(.badArguments, "HOME is not set; give --data DIRECTORY")
      }
      return "\(home)/\(fallback)/hedgerow"
    }
    if let data {
      dataDirectory = data
    } else {
      dataDirectory = try directory("XDG_DATA_HOME", ".local/share")
    }
    // With data of its own an agent has hooks of its own: those of the user are not for a throw-away.
    if let data {
      hooksDirectory = data + "/config/hooks.d"
    } else {
      hooksDirectory = try directory("XDG_CONFIG_HOME", ".config") + "/hooks.d"
    }
    if let state {
      stateDirectory = state
    } else if let data {
      stateDirectory = data + "/state"
    } else {
      stateDirectory = try directory("XDG_STATE_HOME", ".local/state")
    }
    let own =
      data.map { [$0 + "/config"] }
      ?? [try? directory("XDG_CONFIG_HOME", ".config")].compactMap(\.self)
    configurationFiles = (["/etc/hedgerow"] + own).map { $0 + "/hedgerow.conf" }
    if let socket {
      socketPath = socket
    } else if let data {
      socketPath = data + "/agent.sock"
    } else if let runtime = environment("XDG_RUNTIME_DIR"), runtime.hasPrefix("/") {
      socketPath = runtime + "/hedgerow/agent.sock"
    } else {
      socketPath = stateDirectory + "/agent.sock"
    }
  }

  // MARK: Values

  private static func absolute(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    guard let raw = unsafe getcwd(nil, 0) else { return path }
    defer { unsafe free(raw) }
    return unsafe String(cString: raw) + "/" + path
  }

  private static func port(_ flag: String, _ text: String) throws(StartFailure) -> UInt16 {
    guard let port = UInt16(text) else {
      throw StartFailure(.badArguments, "\(flag) wants a number from 0 to 65535, not \(text)")
    }
    return port
  }

  private static func address(_ text: String) throws(StartFailure) -> String {
    guard SocketAddress(host: text, port: 0) != nil else {
      throw StartFailure(.badArguments, "--bind wants an IP address, not \(text)")
    }
    return text
  }

  private static func level(_ text: String) throws(StartFailure) -> Log.Level {
    guard let level = Log.Level(text) else {
      throw StartFailure(
        .badArguments, "--log wants error, warning, notice, info or debug, not \(text)")
    }
    return level
  }

  private static func isNameScalar(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      || " -_.".unicodeScalars.contains(scalar)
  }

  private static func deviceName(
    _ given: String?, hostName: String
  ) throws(StartFailure) -> String {
    if let given {
      guard !given.isEmpty, given.count <= nameCharactersMax,
        given.unicodeScalars.allSatisfy(isNameScalar)
      else {
        throw StartFailure(
          .badArguments, "--name wants 1 to 32 letters, digits, spaces, dots, dashes")
      }
      return given
    }
    let usable = hostName.unicodeScalars.prefix { $0 != "." }.filter(isNameScalar)
    let name = String(String.UnicodeScalarView(usable.prefix(nameCharactersMax)))
    return name.isEmpty ? "device" : name
  }

  /// An environment variable of this process.
  package static func fromProcess(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// The name of this machine.
  package static func hostName() -> String {
    var room = [CChar](repeating: 0, count: 256)
    // The last byte stays 0 whatever the kernel does.
    guard unsafe gethostname(&room, 255) == 0 else { return "" }
    return String(decoding: room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
