// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import LANDiscovery
import Testing

@Suite struct LinkedSymbolTests {
  private static let allowed: Set<String> = [
    "DNSServiceRegister", "DNSServiceBrowse", "DNSServiceResolve", "DNSServiceQueryRecord",
    "DNSServiceProcessResult", "DNSServiceRefSockFD", "DNSServiceRefDeallocate",
  ]

  /// The compatibility library exports stubs that always fail: nothing beyond the list may be used.
  @Test func `only the symbols that work are linked`() throws {
    let nm = Process()
    nm.executableURL = URL(fileURLWithPath: "/usr/bin/nm")
    nm.arguments = ["-D", "--undefined-only", "/proc/\(getpid())/exe"]
    let output = Pipe()
    nm.standardOutput = output
    try nm.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    nm.waitUntilExit()
    let used = Set(
      text.split(whereSeparator: \.isWhitespace).map(String.init).filter {
        $0.hasPrefix("DNSService") || $0.hasPrefix("TXTRecord")
      })
    #expect(used == Self.allowed)
  }
}
