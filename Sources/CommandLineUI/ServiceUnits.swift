// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// The units with which a person's own service manager runs the agent.
package enum ServiceUnits {
  package static let serviceName = "hedgerow.service"
  package static let socketName = "hedgerow.socket"

  /// The service: started at login, restarted when it fails, watched.
  ///
  /// Nothing in it needs user namespaces, which some machines switch off.
  /// - Parameter command: The words that start the agent; the first is an absolute path.
  package static func service(command: [String]) -> String {
    """
    [Unit]
    Description=hedgerow: shared lists in step with your other machines
    Documentation=man:hedge(1)
    Requires=\(socketName)
    After=\(socketName)
    StartLimitIntervalSec=300
    StartLimitBurst=10

    [Service]
    Type=notify
    ExecStart=\(command.map(quoted).joined(separator: " "))
    ExecReload=kill -HUP $MAINPID
    Restart=on-failure
    RestartSec=5
    RestartPreventExitStatus=64 75 78
    TimeoutStopSec=20
    WatchdogSec=30
    UMask=0077
    NoNewPrivileges=yes
    LockPersonality=yes
    MemoryDenyWriteExecute=yes
    RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
    RestrictNamespaces=yes
    RestrictRealtime=yes
    RestrictSUIDSGID=yes
    SystemCallArchitectures=native
    SystemCallErrorNumber=EPERM
    SystemCallFilter=@system-service

    [Install]
    WantedBy=default.target
    Also=\(socketName)

    """
  }

  /// The socket: the first command starts the agent, and none is lost while it restarts.
  package static let socket = """
    [Unit]
    Description=hedgerow: the socket of the agent
    Documentation=man:hedge(1)

    [Socket]
    ListenStream=%t/hedgerow/agent.sock
    SocketMode=0600
    DirectoryMode=0700

    [Install]
    WantedBy=sockets.target

    """

  /// A word of a command line in a unit: `%` and `$` doubled, in quotes where it needs them.
  static func quoted(_ word: String) -> String {
    var out = ""
    var mustQuote = word.isEmpty
    for scalar in word.unicodeScalars {
      switch scalar {
      case "%", "$": out += "\(scalar)\(scalar)"
      case "\"", "\\":
        out += "\\\(scalar)"
        mustQuote = true
      case " ", "'", ";":
        out.unicodeScalars.append(scalar)
        mustQuote = true
      case "\t", "\n", "\r":
        out += scalar == "\t" ? "\\t" : scalar == "\n" ? "\\n" : "\\r"
        mustQuote = true
      default: out.unicodeScalars.append(scalar)
      }
    }
    return mustQuote ? "\"\(out)\"" : out
  }
}
