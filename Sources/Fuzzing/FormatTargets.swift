// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListFormats
import ListModel
import NodeEngine
import Simulator

/// Files that people import, codes that they type.
extension FuzzTargets {
  static let formats: [WireFuzz.Target] = [
    WireFuzz.Target(
      name: "csv",
      seeds: ["a,b\n1,\"x, \"\"y\"\"\"\n", "\u{FEFF}a\r\n\"l\n2\"\r\n", "a;b\n\n"].map(bytes),
      body: csv),
    WireFuzz.Target(
      name: "lines", seeds: ["- [x] milk\n* eggs\n  12. tea\n"].map(bytes), body: lines),
    WireFuzz.Target(
      name: "json",
      seeds: [#"{"a":[1,-2.5e3,"x\u00e4\ud83d\ude00",true,null],"b":{"c":""}}"#].map(bytes),
      body: json),
    WireFuzz.Target(
      name: "export", seeds: [LosslessJSON.write(WireSamples.replica, [.root])],
      body: { bytes in
        _ = try? LosslessJSON.read(bytes)  // any refusal is fine, a trap is not
        return nil
      }),
    WireFuzz.Target(
      name: "code", seeds: ["K7Q2M-9XWTA-4RB8C-ZN3HE", "k7q2m 9xwta 4rb8c zn3he"].map(bytes),
      body: code),
  ]

  static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// What was read is written and read back the same.
  @Sendable private static func csv(_ bytes: [UInt8]) -> String? {
    guard let rows = try? CSV.rows(bytes) else { return nil }
    var written: [UInt8] = []
    for row in rows { CSV.append(row.fields, to: &written) }
    guard let again = try? CSV.rows(written) else { return "written rows cannot be read" }
    return again.map(\.fields) == rows.map(\.fields) ? nil : "rows do not come back"
  }

  @Sendable private static func lines(_ bytes: [UInt8]) -> String? {
    guard let lines = try? PlainLines.lines(bytes) else { return nil }
    return lines.allSatisfy { !$0.text.utf8.contains(10) } ? nil : "a line has a line feed"
  }

  @Sendable private static func json(_ bytes: [UInt8]) -> String? {
    guard let value = try? JSONReader.read(bytes) else { return nil }
    // White space around a document changes nothing.
    return (try? JSONReader.read([32, 10] + bytes + [9])) == value ? nil : "white space counts"
  }

  @Sendable private static func code(_ bytes: [UInt8]) -> String? {
    guard let text = Text(utf8: bytes), let code = PairingCode(text.string) else { return nil }
    return PairingCode(code.text) == code ? nil : "a code does not read back as it is printed"
  }
}
