// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CommandLineUI
import ControlAPI
import ControlJSON
import ListModel
import Simulator

/// What a client sends, what a person types, and what comes out on their terminal.
extension FuzzTargets {
  static let surfaces: [WireFuzz.Target] = [
    WireFuzz.Target(name: "request", seeds: requestSeeds, body: request),
    WireFuzz.Target(
      name: "command",
      seeds: [
        "add\n@gro\nmilk\nqty=2,\neggs", "mv\n3\n--before\nk7m", "ls\n--where\nprice>1\n--json=1",
        "watch\n--since\nc-1\n--only\nadd,rm", "import\n--map\na=b\n-", "agent\nrun\n--port\n0",
      ].map(bytes), body: command),
    WireFuzz.Target(
      name: "printer", seeds: ["milk", "a\u{1B}[31mb\u{202E}c\u{9B}", "日本\t👨‍👩‍👧"].map(bytes),
      body: printer),
  ]

  private static var requestSeeds: [[UInt8]] {
    let requests: [Request] = [
      .transact(
        Transaction([
          .add(AddItems(items: [NewItem(text: "milk", note: "x")], place: .top)),
          .move(MoveItems(items: [.number(2)], place: .up(1))),
          .tick(TickItems(items: [.word("eggs")], withChildren: true)),
        ])),
      .items(ItemsQuery(words: ["a b"], sort: [SortKey(column: "price")], shape: .tree)),
      .events(EventsQuery(since: "c-9", kinds: ["add"], count: 2)),
      .join(JoinRequest(code: "K7Q2M", address: "192.0.2.1:7644")),
    ]
    return requests.map { request in
      let form = RequestForm(request)
      return bytes("\(form.method) \(form.target)\n") + form.body
    }
  }

  /// `METHOD TARGET`, a line feed, the body. What is understood says the same when it is asked again.
  @Sendable private static func request(_ bytes: [UInt8]) -> String? {
    guard let form = form(bytes), let request = try? RequestDecoder.request(form) else {
      return nil
    }
    guard let again = try? RequestDecoder.request(RequestForm(request)) else {
      return "a request that was understood is refused when it is asked again"
    }
    return again == request ? nil : "a request means something else when it is asked again"
  }

  private static func form(_ bytes: [UInt8]) -> RequestForm? {
    let head = bytes.prefix { $0 != 10 }
    guard let text = Text(utf8: Array(head))?.string else { return nil }
    let words = text.split(separator: " ", maxSplits: 1)
    guard words.count == 2 else { return nil }
    let parts = words[1].split(separator: "?", maxSplits: 1)
    guard let target = parts.first else { return nil }
    var form = RequestForm(
      String(words[0]), target.split(separator: "/").map { decoded(String($0)) },
      body: Array(bytes.dropFirst(head.count + 1)), contentType: "application/json")
    for item in parts.dropFirst().first?.split(separator: "&") ?? [] {
      let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      form.query.append(
        .init(decoded(String(pair[0])), pair.count > 1 ? decoded(String(pair[1])) : ""))
    }
    return form
  }

  /// `%41` as `A`; what is no such triple stays.
  private static func decoded(_ text: String) -> String {
    var out: [UInt8] = []
    let bytes = Array(text.utf8)
    var at = 0
    while at < bytes.count {
      if bytes[at] == UInt8(ascii: "%"), at + 2 < bytes.count,
        let byte = UInt8(String(decoding: bytes[at + 1...at + 2], as: UTF8.self), radix: 16)
      {
        out.append(byte)
        at += 3
      } else {
        out.append(bytes[at])
        at += 1
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Words, one a line. A command that was understood asks for a target that is one word of ASCII.
  @Sendable private static func command(_ bytes: [UInt8]) -> String? {
    guard let text = Text(utf8: bytes)?.string else { return nil }
    let words = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let invocation = try? Invocation.parse(words),
      case .request(let request) = invocation.command
    else { return nil }
    let target = RequestForm(request).target
    return target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } ? nil : "a target with \(target)"
  }

  /// Text as name, item, cell and reason: no format lets a control byte or a change of direction out.
  @Sendable private static func printer(_ bytes: [UInt8]) -> String? {
    guard let text = Text(utf8: bytes) else { return nil }
    let name = text.string
    let list = ListRef(id: ItemID(nonce: 1, index: 0), handle: "gro", name: name)
    let row = ItemRow(
      id: ItemID(nonce: 2, index: 0), handle: "k7m", text: text, cells: [.text(text)], at: 0,
      by: name, number: 1)
    let page = ItemsPage(
      list: list, title: name, columns: [Column(name: name, type: .text)], rows: [row],
      syncNote: name)
    let event = Event(
      kind: .set, cursor: "c-1", list: name, item: row.id, handle: "k7m", text: text, by: name,
      detail: .set(column: name, old: .text(text), new: .text(text)))
    let displays = [
      Display(.plain, width: 0), Display(.table, width: 40),
      Display(.json(version: 1), hasUnicode: true),
    ]
    for display in displays {
      let renderer = Renderer(display, now: 0)
      let shown = renderer.render(.items(page))
      let refused = renderer.render(Problem(.failed, name, detail: name, suggest: name))
      for bytes in [shown.out, refused.err, renderer.render(event)] where !isSafe(bytes) {
        return "a control character comes out of \(display.format)"
      }
    }
    return nil
  }

  private static func isSafe(_ bytes: [UInt8]) -> Bool {
    bytes.indices.allSatisfy { at in
      bytes[at] == 10 || bytes[at] == 9 || PrintSafety.unsafeScalar(in: bytes, at: at) == nil
    }
  }
}
