// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import AgentRuntime
import Testing

@Suite struct AgentOptionsTests {
  private func read(
    _ arguments: [String], _ environment: [String: String] = ["HOME": "/home/u"],
    host: String = "study.lan"
  ) throws -> AgentOptions {
    try AgentOptions(arguments, environment: { environment[$0] }, hostName: host)
  }

  @Test func `without flags the XDG places and the host's name hold`() throws {
    let options = try read(
      [],
      ["HOME": "/home/u", "XDG_RUNTIME_DIR": "/run/user/7", "XDG_STATE_HOME": "/elsewhere"])
    #expect(options.dataDirectory == "/home/u/.local/share/hedgerow")
    #expect(options.stateDirectory == "/elsewhere/hedgerow")
    #expect(options.socketPath == "/run/user/7/hedgerow/agent.sock")
    #expect(
      options.configurationFiles
        == ["/etc/hedgerow/hedgerow.conf", "/home/u/.config/hedgerow/hedgerow.conf"])
    #expect(options.name == "study" && options.port == 7644 && options.usesDiscovery)
  }

  @Test func `data of its own brings state and socket along`() throws {
    let options = try read(["--data", "/d", "--no-discovery", "--port=0", "--name", "den 2"])
    #expect(options.stateDirectory == "/d/state" && options.socketPath == "/d/agent.sock")
    #expect(options.name == "den 2" && options.port == 0 && !options.usesDiscovery)
    #expect(options.configurationFiles.last == "/d/config/hedgerow.conf")
    let apart = try read(["--data=/d", "--state=/s", "--socket=/k/a.sock"])
    #expect(apart.stateDirectory == "/s" && apart.socketPath == "/k/a.sock")
  }

  @Test(arguments: [
    ["--port", "70000"], ["--port"], ["--what"], ["--bind", "host"], ["--name", "a/b"],
    ["--name", ""], ["--name", String(repeating: "x", count: 33)], ["--log", "loud"],
  ]) func `what cannot be meant is refused with exit 64`(arguments: [String]) {
    let failure = #expect(throws: StartFailure.self) { try read(arguments) }
    #expect(failure?.exit == .badArguments)
  }

  @Test func `a host name that nobody could type becomes a plain word`() throws {
    #expect(try read([], host: "").name == "device")
    #expect(try read([], host: "büro\u{202E}/1.lan").name == "büro1")
  }
}
