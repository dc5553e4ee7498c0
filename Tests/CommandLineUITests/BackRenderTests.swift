// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CommandLineUI
import ControlAPI
import ListModel
import Testing

/// Undo, trash, merge decisions, log and members as people and pipes see them.
@Suite struct BackRenderTests {
  private func item(
    _ text: String, _ verb: TransactionResult.Verb
  ) -> TransactionResult.Touched {
    TransactionResult.Touched(
      id: ItemID(nonce: 9, index: 1), handle: "k7m", text: Text(text), verb: verb)
  }

  private func rendered(_ reply: Reply, _ display: Display) -> Rendered {
    Renderer(display, now: RenderTests.now).render(reply)
  }

  private func err(_ rendered: Rendered) -> String { String(decoding: rendered.err, as: UTF8.self) }
  private func out(_ rendered: Rendered) -> String { String(decoding: rendered.out, as: UTF8.self) }

  @Test func `an undo names what it did and what it left, on their own streams`() {
    let result = TransactionResult(
      list: RenderTests.list, transaction: "t-2-3", touched: [item("eggs", .undone)])
    let stay = UndoReply.Stay(
      id: ItemID(nonce: 9, index: 1), handle: "k7m", text: Text("milk"), column: "done", by: "den",
      reason: "changed by den since")
    let reply = Reply.undone(
      UndoReply(isRedo: false, undone: "t-1-2", result: result, stays: [stay]))
    let table = rendered(reply, Display(.table))
    #expect(out(table) == "undid t-1-2\nopen again k7m eggs\n")
    #expect(
      err(table) == """
        hedge: left as it is: k7m milk done: changed by den since
        hedge: to do it all the same: hedge undo --force t-1-2

        """)
    #expect(table.exit == ExitCode.conflict)
    let plain = rendered(reply, Display(.plain))
    #expect(out(plain) == "k7m\tundone\teggs\n")
    #expect(out(rendered(reply, .json)).contains(#""stayed":[{"id":"#))
  }

  @Test func `nothing to undo is success`() {
    let nothing = TransactionResult(list: nil, transaction: nil, touched: [])
    let reply = Reply.undone(UndoReply(isRedo: true, undone: nil, result: nothing))
    #expect(out(rendered(reply, Display(.table))) == "nothing to redo\n")
    #expect(out(rendered(reply, Display(.plain))).isEmpty)
    #expect(rendered(reply, Display(.plain)).exit == ExitCode.done)
  }

  @Test func `the number of many stands in front, where a narrow terminal does not cut it off`() {
    let touched = (1...9).map { item("milk \($0)", .done) }
    let list = ListRef(id: ItemID(nonce: 9, index: 0), handle: "g4c", name: "groceries")
    let result = TransactionResult(list: list, transaction: nil, touched: touched)
    let line = out(rendered(.result(result), Display(.table)))
    #expect(line.hasPrefix("done 9: k7m milk 1"))
    #expect(line.hasSuffix(" and 1 more\n"))
  }

  @Test func `steps tell what was done, or what redo will do`() {
    var row = UndoStepRow(
      transaction: "t-1-2", at: RenderTests.now, source: nil, isUndone: false, hasStayed: false,
      itemCount: 3, alikeCount: 3, items: [item("milk", .add)], listName: "groceries")
    #expect(
      out(rendered(.undoSteps([row]), Display(.plain)))
        == "t-1-2\tdone\t2026-05-04T08:11:02Z\t3\tadded 3 to groceries: k7m milk and 2 more\n")
    row.alikeCount = 1
    #expect(
      out(rendered(.undoSteps([row]), Display(.plain)))
        .hasSuffix("\twith 2 other changes: added 1 to groceries: k7m milk\n"))
    row.isUndone = true
    row.items = [item("milk", .restore)]
    row.itemCount = 1
    #expect(
      out(rendered(.undoSteps([row]), Display(.table))).contains("undone; redo: restored k7m milk"))
  }

  @Test func `trash and merge decisions say how to get the other thing`() {
    var row = TrashRow(
      id: ItemID(nonce: 9, index: 1), handle: "k7m", text: Text("a\u{1B}[1mb"), list: "trips",
      parent: "Rome", isRecovered: true, hiddenCount: 2, at: RenderTests.now, by: "den")
    row.number = 1
    let trash = out(rendered(.trash(TrashReply(rows: [row], count: 3)), Display(.table)))
    #expect(trash.contains("trips/Rome") && trash.contains("recovered"))
    #expect(trash.contains("(+2)") && trash.contains("and 2 more"))
    #expect(!trash.contains("\u{1B}[1mb"))
    let conflict = ConflictRow(
      id: "c-12", list: "groceries", item: row.id, handle: "k7m", text: Text("milk"),
      column: "price",
      kept: ConflictRow.Side(
        value: .decimal(mantissa: 12, scale: 1), by: "den", at: RenderTests.now),
      dropped: ConflictRow.Side(value: .null, by: "loft", at: RenderTests.now), isTaken: false)
    let line = out(rendered(.conflicts([conflict]), Display(.table)))
    #expect(line.hasPrefix("c-12 groceries k7m milk price: kept 1.2 (den, now), dropped"))
    #expect(line.hasSuffix("other value: hedge conflicts take c-12\n"))
    #expect(
      out(rendered(.conflicts([conflict]), Display(.plain)))
        == "c-12\tgroceries\tk7m\tprice\t1.2\tden\t\tloft\t\n")
  }

  @Test func `the log tells a write of several columns in one breath`() {
    let row = LogRow(
      transaction: "t-1-2", at: RenderTests.now, by: "den", listName: "groceries",
      items: [
        LogRow.Item(touched: item("milk", .set), column: "qty", value: "2"),
        LogRow.Item(touched: item("milk", .set), column: "n", value: "+3"),
      ], itemCount: 3, alikeCount: 3)
    #expect(
      out(rendered(.log([row]), Display(.plain)))
        == "2026-05-04T08:11:02Z\tden\tgroceries\tt-1-2\t3\twith 1 other change: k7m milk: qty=2, n=+3\n"
    )
  }

  @Test func `a removal says what the device keeps and who has not heard of it`() {
    let row = RemovalRow(
      name: "tablet", device: "AAAA-BBBB", by: "study", unconfirmed: ["loft", "den"])
    let table = out(rendered(.revoked(row), Display(.table)))
    #expect(table.hasPrefix("removed tablet (AAAA-BBBB)\nIt keeps what it has received; "))
    #expect(table.contains("not yet confirmed by loft, den: "))
    #expect(out(rendered(.revoked(row), Display(.plain))) == "tablet\tAAAA-BBBB\tloft,den\n")
    let peers = PeersReply(peers: [], removals: [row])
    let line = "tablet was removed by study: not yet confirmed by loft, den\n"
    #expect(out(rendered(.peers(peers), Display(.table))).hasSuffix(line))
    let told = out(rendered(.peers(PeersReply(peers: [], removedBy: "study")), Display(.table)))
    #expect(told == "this device was removed from the space by study\n")
    let member = MemberRow(
      name: "tablet", device: "AAAA-BBBB", role: "member", state: .removed, addedBy: nil, at: nil,
      isSelf: false,
      removal: RemovalRow(name: "tablet", device: "AAAA-BBBB", by: "study", unconfirmed: []))
    #expect(
      out(rendered(.members([member]), Display(.table)))
        .hasSuffix("tablet was removed by study: confirmed by all\n"))
  }

  @Test func `members show roles and who is gone`() {
    let rows = [
      MemberRow(
        name: "study", device: "AAAA-BBBB", role: "admin", state: .active, addedBy: nil, at: nil,
        isSelf: true),
      MemberRow(
        name: "loft", device: "CCCC-DDDD", role: "member", state: .removed, addedBy: "study",
        at: RenderTests.now, isSelf: false),
    ]
    let table = out(rendered(.members(rows), Display(.table)))
    #expect(table.contains("study (this one)") && table.contains("removed"))
    #expect(
      out(rendered(.members(rows), Display(.plain)))
        == "study\tAAAA-BBBB\tadmin\tactive\t\t\nloft\tCCCC-DDDD\tmember\tremoved\tstudy\t2026-05-04T08:11:02Z\n"
    )
  }

  @Test func `guest links and tokens are tables on a terminal`() {
    let guest = WebGuestRow(
      name: "g-3f09ac", list: "groceries", role: .tick, created: RenderTests.now,
      expires: RenderTests.now)
    #expect(
      out(rendered(.webGuests([guest]), Display(.table))) == """
         link      list       may    until
         g-3f09ac  groceries  ticks  2026-05-04 08:11

        """)
    #expect(
      out(rendered(.webGuests([guest]), Display(.plain)))
        == "g-3f09ac\tgroceries\tticks\tuntil 2026-05-04 08:11\n")
    let token = WebTokenRow(name: "kitchen", isReadOnly: true, created: RenderTests.now)
    #expect(
      out(rendered(.webTokens([token]), Display(.table))) == """
         token    may    made
         kitchen  reads  now

        """)
    #expect(out(rendered(.webTokens([]), Display(.plain))).isEmpty)
    #expect(out(rendered(.webGuests([]), Display(.table))).contains("hedge web --guest"))
  }
}
