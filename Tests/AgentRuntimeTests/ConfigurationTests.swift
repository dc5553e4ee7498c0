// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Testing

@testable import AgentRuntime

@Suite struct ConfigurationTests {
  private func read(_ text: String) throws -> Configuration {
    var configuration = Configuration()
    try configuration.read(text, from: "/c")
    return configuration
  }

  @Test func `keys stand in sections or carry them`() throws {
    let text = "# kept\n; too\n\n[history]\n  days = 0\n[members]\nsilent_days=7\r\n"
    #expect(try read(text).historyDays == 0)
    #expect(try read(text).silentDays == 7)
    #expect(try read("invite.minutes = 3").inviteMinutes == 3)
    #expect(try read("") == Configuration())
  }

  @Test(arguments: [
    ("\nhistory.day = 3", "line 2: there is no key history.day"),
    ("[history]\ndays = many", "line 2: history.days wants a number from 0 to 36500"),
    ("invite.minutes = 0", "line 1: invite.minutes wants a number from 1 to 1440"),
    ("[history", "line 1: a section wants [name]"), ("days", "line 1: a line wants key = value"),
  ]) func `what cannot be meant names its line, exit 78`(text: String, message: String) {
    let failure = #expect(throws: StartFailure.self) { try read(text) }
    #expect(failure?.exit == .badConfiguration)
    #expect(failure?.message == "/c, " + message)
  }
}
