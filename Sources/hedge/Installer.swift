// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CommandLineUI
import ControlAPI
import Glibc

/// `hedge agent install` and `uninstall`: units of the person's own service manager.
struct Installer {
  let options: GlobalOptions

  /// Writes the units and starts the agent; doing it again changes only what differs.
  ///
  /// - Parameter flags: What `agent run` shall get.
  /// - Throws: `failed` where systemd does not run or refuses.
  func install(_ flags: [String], isDryRun: Bool) throws(Problem) -> Int {
    let service = ServiceUnits.service(
      command: [try Programs.path("hedge"), "agent", "run"] + flags)
    let folder = try folder()
    let units = [
      (folder + "/" + ServiceUnits.serviceName, service),
      (folder + "/" + ServiceUnits.socketName, ServiceUnits.socket),
    ]
    if isDryRun {
      for (path, text) in units { say("# \(path)\n\(text)") }
      return 0
    }
    try needSystemd()
    try Files.makeFolders(folder)
    var changed = 0
    for (path, text) in units {
      if let bytes = try? Files.read(path), bytes == Array(text.utf8) { continue }
      try Files.replace(path, Array(text.utf8))
      changed += 1
    }
    try manage(["daemon-reload"])
    try manage(["enable", "--quiet", ServiceUnits.socketName, ServiceUnits.serviceName])
    // The socket first: a running service would keep it from starting.
    let start = changed > 0 ? "restart" : "start"
    if changed > 0 { try manage(["stop", ServiceUnits.serviceName]) }
    try manage([start, ServiceUnits.socketName])
    try manage(["start", ServiceUnits.serviceName])
    say(
      changed > 0
        ? "installed in \(folder), running now and after each login"
        : "already installed, running")
    if !lingers {
      say("it ends when you log out; to run it from boot on:   loginctl enable-linger")
    }
    return 0
  }

  /// Stops the agent and removes the units. Lists and keys stay.
  func uninstall(isDryRun: Bool) throws(Problem) -> Int {
    let folder = try folder()
    let paths = [ServiceUnits.serviceName, ServiceUnits.socketName].map { folder + "/" + $0 }
      .filter { unsafe access($0, F_OK) == 0 }
    guard !paths.isEmpty else {
      say("nothing is installed in \(folder)")
      return 0
    }
    if isDryRun {
      for path in paths { say("would remove \(path)") }
      return 0
    }
    try needSystemd()
    try manage(["disable", "--quiet", "--now", ServiceUnits.serviceName, ServiceUnits.socketName])
    for path in paths {
      guard unsafe unlink(path) == 0 else { throw Problem(.failed, "\(path) cannot be removed") }
    }
    try manage(["daemon-reload"])
    say("the agent is stopped and no longer started; your lists stay where they are")
    return 0
  }

  private func say(_ text: String) {
    if !options.isQuiet { Output.write(Array("\(text)\n".utf8), to: STDOUT_FILENO) }
  }

  // MARK: Places

  private func folder() throws(Problem) -> String {
    if let config = Terminal.variable("XDG_CONFIG_HOME"), config.hasPrefix("/") {
      return config + "/systemd/user"
    }
    guard let home = Terminal.variable("HOME"), home.hasPrefix("/") else {
      throw Problem(.failed, "HOME is not set", detail: "units lie below it")
    }
    return home + "/.config/systemd/user"
  }

  // MARK: systemd

  private func needSystemd() throws(Problem) {
    guard unsafe access("/run/systemd/system", F_OK) == 0, Programs.onPath("systemctl") != nil
    else {
      throw Problem(
        .failed, "systemd does not run on this machine",
        detail: "start the agent your own way: hedge agent run")
    }
  }

  private func manage(_ words: [String]) throws(Problem) {
    guard let program = Programs.onPath("systemctl") else { return try needSystemd() }
    let (status, _) = try Child.run(program, ["systemctl", "--user"] + words)
    guard status == 0 else {
      throw Problem(
        .failed, "systemctl --user \(words.joined(separator: " ")) ended with \(status)",
        detail: "see journalctl --user -u \(ServiceUnits.serviceName)")
    }
  }

  /// Whether this user's services run without a login.
  private var lingers: Bool {
    guard let entry = unsafe getpwuid(getuid()), let name = unsafe entry.pointee.pw_name else {
      return false
    }
    let path = unsafe "/var/lib/systemd/linger/" + String(cString: name)
    return unsafe access(path, F_OK) == 0
  }
}
