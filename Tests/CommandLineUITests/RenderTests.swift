// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CommandLineUI
import ControlAPI
import ListModel
import Testing

@Suite struct RenderTests {
  static let now: Int64 = 1_777_882_262_000
  static let list = ListRef(
    id: ItemID(nonce: 5, index: 0), handle: "g4n", name: "groceries", revision: 3)

  static func row(
    _ number: Int?, _ handle: String, _ text: String, _ cells: [Value?], isDone: Bool = false,
    children: (Int, Int) = (0, 0)
  ) -> ItemRow {
    ItemRow(
      id: ItemID(nonce: 9, index: UInt32(number ?? 99)), handle: handle, isDone: isDone,
      text: Text(text), cells: cells, childCount: children.0, doneChildCount: children.1, at: now,
      by: "den", number: number)
  }

  static let page = ItemsPage(
    list: list, columns: [Column(name: "qty", type: .int), Column(name: "price", type: .num)],
    rows: [
      row(1, "k7m", "milk", [.int(2), .decimal(mantissa: 12, scale: 1)]),
      row(2, "p2x", "eggs", [.int(12), nil]),
      row(3, "r9d", "oat milk", [.int(1), .decimal(mantissa: 215, scale: 2)]),
      row(4, "t4c", "party", [nil, nil], children: (3, 1)),
      row(5, "w8q", "bread", [nil, .null], isDone: true),
    ], openCount: 4, doneCount: 1, syncNote: "on all 3 peers")

  static func text(_ reply: Reply, _ display: Display) -> String {
    String(decoding: Renderer(display, now: now).render(reply).out, as: UTF8.self)
  }

  @Test func `a list on a terminal is aligned, numbers at their points`() {
    #expect(
      Self.text(.items(Self.page), Display(.table)) == """
        groceries · 4 open, 1 done · on all 3 peers
         #  id   item              qty  price
         1  k7m  milk                2   1.20
         2  p2x  eggs               12
         3  r9d  oat milk            1   2.15
         4  t4c  ▸ party (2 of 3)
         5  w8q  ✓ bread

        """)
  }

  @Test func `a ticked item above an open one is shown in every form, and marked in JSON`() {
    var page = Self.page
    page.rows = [Self.row(nil, "t4c", "party", [nil, nil], isDone: true, children: (3, 0))]
    page.rows[0].isContext = true
    #expect(Self.text(.items(page), Display(.table)).contains("    t4c  ▸ ✓ party (3 of 3)\n"))
    #expect(Self.text(.items(page), Display(.plain)) == "t4c\tdone\tparty\t\t\n")
    #expect(Self.text(.items(page), .json).contains(#""context":true}]"#))
    page.rows.append(Self.row(1, "k7m", "drinks", [nil, nil]))
    (page.isTree, page.rows[1].depth) = (true, 1)
    #expect(Self.text(.items(page), Display(.plain)).contains("\nk7m\topen\t  drinks\t"))
  }

  @Test func `what was made of a wish is told, and the list that items went to`() {
    let item = TransactionResult.Touched(
      id: ItemID(nonce: 9, index: 1), handle: "k7m", text: Text("milk"), verb: .move, position: 5,
      siblingCount: 5)
    var result = TransactionResult(list: Self.list, transaction: "t-1", touched: [item])
    #expect(Self.text(.result(result), Display(.table)) == "moved k7m milk to 5 of 5\n")
    (result.notes, result.hasChangedList) = (["it ends at 5"], true)
    #expect(
      Self.text(.result(result), Display(.table))
        == "moved k7m milk to 5 of 5 in groceries\nit ends at 5\n")
    var found = FoundReply(rows: [], count: 0)
    #expect(Self.text(.found(found), Display(.table)) == "nothing found\n")
    found.doneCount = 2
    #expect(Self.text(.found(found), Display(.table)).contains("2 done: --all"))
  }

  @Test func `what a dry run would make is told by its text`() {
    let item = TransactionResult.Touched(id: nil, handle: "", text: Text("milk"), verb: .add)
    let result = TransactionResult(
      list: Self.list, transaction: nil, touched: [item], isDryRun: true)
    #expect(
      Self.text(.result(result), Display(.table)) == "would have added 1 to groceries: milk\n")
    #expect(Self.text(.result(result), Display(.plain)) == "-\tadd\tmilk\n")
    let json = Self.text(.result(result), .json)
    #expect(json.contains(#""changed":1,"dry_run":true"#))
    #expect(json.contains(#"{"id":null,"handle":null,"op":"add","text":"milk"}"#))
  }

  @Test func `a list in a pipe is tab-separated, complete and without heading`() {
    #expect(
      Self.text(.items(Self.page), Display(.plain)) == """
        k7m\topen\tmilk\t2\t1.2
        p2x\topen\teggs\t12\t
        r9d\topen\toat milk\t1\t2.15
        t4c\topen\tparty\t\t
        w8q\tdone\tbread\t\t

        """)
  }

  @Test func `a narrow terminal cuts the text, not the numbers`() {
    var page = Self.page
    page.rows = [Self.row(1, "k7m", String(repeating: "long ", count: 30), [.int(2), nil])]
    let lines = Self.text(.items(page), Display(.table, width: 40)).split(separator: "\n")
    #expect(lines.dropFirst().allSatisfy { $0.count <= 40 })
    #expect(lines[2].contains("…"))
    #expect(lines[2].hasSuffix("  2"))
  }

  @Test func `text of data cannot steer the terminal`() {
    var page = Self.page
    page.rows = [Self.row(1, "k7m", "a\u{1B}[2Jb\tc\nd\u{202E}e\u{9B}", [nil, nil])]
    for format in [Display.Format.table, .plain, .json(version: 1)] {
      let bytes = Renderer(Display(format), now: 0).render(.items(page)).out
      #expect(!bytes.contains(0x1B))
      #expect(bytes.filter { $0 == 0x0A }.count <= 3)
      #expect(!String(decoding: bytes, as: UTF8.self).unicodeScalars.contains("\u{202E}"))
    }
  }

  @Test func `wide characters keep the columns in line`() {
    var page = Self.page
    page.rows = [
      Self.row(1, "k7m", "日本", [.int(1), nil]), Self.row(2, "p2x", "e\u{301}a", [.int(2), nil]),
    ]
    #expect(
      Self.text(.items(page), Display(.table)) == """
        groceries · 4 open, 1 done · on all 3 peers
         #  id   item  qty  price
         1  k7m  日本    1
         2  p2x  e\u{301}a      2

        """)
  }

  @Test func `a write says what happened with handles`() {
    let touched = [
      TransactionResult.Touched(
        id: ItemID(nonce: 1, index: 1), handle: "k7m", text: Text("milk"), verb: .add),
      TransactionResult.Touched(
        id: ItemID(nonce: 1, index: 2), handle: "p2x", text: Text("eggs"), verb: .add),
    ]
    let result = TransactionResult(list: Self.list, transaction: "t-1", touched: touched)
    #expect(
      Self.text(.result(result), Display(.table))
        == "added 2 to groceries: k7m milk · p2x eggs          undo: hedge undo\n")
    #expect(Self.text(.result(result), Display(.plain)) == "k7m\tadd\tmilk\np2x\tadd\teggs\n")
    #expect(Self.text(.result(result), Display(.plain, isQuiet: true)).isEmpty)
  }

  @Test func `a problem is one line on standard error, or one object`() {
    let problem = Problem(
      .unknownItem, "no item \"oatt\" in groceries", suggest: "r9d oat milk")
    let text = Renderer(Display(.plain), now: 0).render(problem)
    #expect(text.out.isEmpty)
    #expect(text.exit == 3)
    #expect(
      String(decoding: text.err, as: UTF8.self)
        == "hedge: no item \"oatt\" in groceries. Did you mean r9d oat milk?\n")
    let json = Renderer(Display.json, now: 0).render(problem)
    #expect(json.out.isEmpty)
    #expect(json.err.last == 0x0A)
  }

  @Test func `what is unknown about a peer is shown as unknown`() {
    let peer = PeerRow(name: "loft", device: "8ZCP-3WNE-KF56-GT0A", state: .offline, toSend: 14)
    let status = StatusReply(
      device: "00", deviceGroups: "D4MK-7Q2X-0VHB-91TR", name: "study", space: "home",
      version: "1.4.0", uptimeSeconds: 518_400, changesOn: 0, peers: [peer])
    #expect(
      Self.text(.status(status), Display(.table)) == """
        hedgerow on study · space home · agent 1.4.0, up 6 days
        all my changes are on 0 of 1 peer
         peer  state    to send  to get  last contact  via  version
         loft  offline       14       ?  never         –    ?

        """)
  }

  private static let kitchen = PeerRow(
    name: "kitchen", device: "8ZCP-3WNE-KF56-GT0A", state: .inSync, address: "192.0.2.7:7644",
    interface: "wlan0", via: "direct", rttMicroseconds: 1_530, toSend: 0, toGet: 0,
    lastContact: now, role: "member", version: "1.4.0", clockOffsetMilliseconds: -250)

  @Test func `peers fit eighty columns, and one by its name tells everything`() {
    let all = PeersReply(peers: [Self.kitchen])
    for (width, isWide) in [(80, false), (110, true), (0, true)] {
      let text = Self.text(.peers(all), Display(.table, width: width))
      #expect(text.contains("8ZCP-3WNE-KF56-GT0A") == isWide, "\(width)")
      #expect(!text.contains("…"))
    }
    let one = PeersReply(peers: [Self.kitchen], addresses: ["192.0.2.9:7644"], isDetail: true)
    #expect(
      Self.text(.peers(one), Display(.table, width: 80)) == """
        kitchen · in sync · member
         device        8ZCP-3WNE-KF56-GT0A
         address       192.0.2.7:7644 on wlan0 direct
         round trip    1.53 ms
         last contact  now
         to send       0 changes
         to get        0 changes
         version       1.4.0
         clock         -0.250 s from ours

        """)
    #expect(Self.text(.peers(one), Display(.plain)) == Self.text(.peers(all), Display(.plain)))
  }

  @Test func `who is behind is told from what a pipe gets`() {
    let loft = PeerRow(name: "loft", device: "8ZCP-3WNE-KF56-GT0B", state: .neverMet)
    let den = PeerRow(name: "den", device: "8ZCP-3WNE-KF56-GT0C", state: .offline, toSend: 3)
    let peers = Self.text(.peers(PeersReply(peers: [Self.kitchen, loft, den])), Display(.plain))
    #expect(Phrases.behind(Array(peers.utf8)) == "loft (never met), den (offline, 3 to send)")
    #expect(Phrases.behind([]) == "")
  }

  @Test func `what a list has already is told once, with the way around it`() {
    let item = TransactionResult.Touched(
      id: ItemID(nonce: 9, index: 1), handle: "k7m", text: Text("milk"), verb: .add)
    let result = TransactionResult(
      list: Self.list, transaction: "t-1", touched: [item], maybeSame: [item])
    for format in [Display.Format.table, .plain] {
      let err = Renderer(Display(format), now: Self.now).render(.result(result)).err
      #expect(
        String(decoding: err, as: UTF8.self)
          == "hedge: the list had it already: k7m milk; --unique leaves such out\n")
    }
  }

  @Test func `an event tells who, where and what`() {
    let event = Event(
      kind: .set, cursor: "c-1", list: "stocks", item: ItemID(nonce: 1, index: 1), handle: "m2k",
      text: Text("ACME"), by: "den", at: Self.now,
      detail: .set(
        column: "price", old: .decimal(mantissa: 1014, scale: 1),
        new: .decimal(mantissa: 1021, scale: 1)))
    #expect(
      String(decoding: Renderer(Display(.table), now: 0).render(event), as: UTF8.self)
        == "08:11:02 den      stocks  ACME  price 101.4 → 102.1  ▲ +0.7\n")
  }

  @Test(arguments: [
    (0, "now"), (59, "59 s ago"), (120, "2 min ago"), (7200, "2 h ago"), (90_000, "1 day ago"),
    (600_000, "6 days ago"),
  ])
  func `times are told as a distance`(seconds: Int64, text: String) {
    let row = ListRow(list: Self.list, at: Self.now - seconds * 1000, by: "den")
    #expect(Self.text(.lists([row]), Display(.table)).contains("  \(text)  "))
  }
}
