// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import EventLoop
import QRCodes
import SystemServices
import Testing

@Suite struct LogTests {
  @Test func `a line is level, event and escaped fields`() {
    let lines = Locked<[String]>([])
    let log = Log(
      level: .info, isJournal: true, write: { line in lines.withLock { $0.append(line) } },
      seconds: { 0 })
    log(.info, "link.up", ["peer": "D4MK-7Q2X", "why": "a \"b\"\n\u{1B}[2J\u{202E}"])
    log(.debug, "not.shown")
    #expect(
      lines.withLock { $0 } == [
        "<6>link.up peer=D4MK-7Q2X why=\"a \\\"b\\\"\\u{a}\\u{1b}[2J\\u{202e}\"\n"
      ])
  }

  @Test func `a flood of one event is counted, not written`() {
    let lines = Locked<[String]>([])
    let now = Locked<Int64>(100)
    let log = Log(
      level: .info, burst: 3, isJournal: true,
      write: { line in lines.withLock { $0.append(line) } },
      seconds: { now.withLock { $0 } })
    for _ in 0..<10 { log(.warning, "flood") }
    log(.warning, "other")
    now.withLock { $0 += 60 }
    log(.warning, "flood")
    #expect(
      lines.withLock { $0 } == [
        "<4>flood\n", "<4>flood\n", "<4>flood\n", "<4>other\n", "<4>flood held-back=7\n",
      ])
  }
}

@Suite struct QRCodeTests {
  @Test func `a code is drawn as a square of half blocks`() throws {
    let code = try #require(QRCode("7QF2K-9XMVD-4TRHA-B3NEW"))
    #expect(code.side >= 21 && code.modules.count == code.side * code.side)
    let lines = code.halfBlocks.split(separator: "\n")
    #expect(lines.count == (code.side + 5) / 2)
    #expect(lines.allSatisfy { $0.count == code.side + 4 })
    // The three corner marks are dark at their outer edge.
    #expect(code.modules[0] && code.modules[code.side - 1])
    #expect(QRCode("") == nil)
    #expect(QRCode(String(repeating: "x", count: 3_000)) == nil)
  }
}
