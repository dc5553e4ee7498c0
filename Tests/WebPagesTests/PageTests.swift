// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import Testing
import WebPages

@Suite struct PageTests {
  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private func snapshot(_ list: String, _ row: String) -> PageSnapshot {
    let reference = ListRef(id: ItemID(nonce: 1, index: 0), handle: "g4n", name: list)
    let item = ItemRow(
      id: ItemID(nonce: 2, index: 0), handle: "k7m", text: Text(row),
      cells: [.text("<b>"), nil], at: 0, by: "den")
    return PageSnapshot(
      device: "study", version: "1", lists: [ListRow(list: reference)],
      page: ItemsPage(
        list: reference,
        columns: [Column(name: "store", type: .text), Column(name: "qty", type: .int)],
        rows: [item]))
  }

  @Test func `a list can be read and written without a script`() {
    let page = text(WebPages.page(snapshot("groceries", "milk")))
    #expect(page.contains(">milk<") && page.contains("Add to <span dir=\"auto\">groceries</span>"))
    #expect(page.contains("<form method=\"post\" action=\"/lists/g4n\">"))
    #expect(page.contains("aria-current=\"page\"") && !page.contains("<!--hedge:"))
  }

  @Test(arguments: [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'&amp;<!--hedge:main-->",
  ])
  func `hostile text stays text`(hostile: String) {
    let page = text(WebPages.page(snapshot(hostile, hostile)))
    #expect(!page.contains(hostile) && !page.contains("<img") && !page.contains("<b>"))
    #expect(page.components(of: "<script") == 1 && page.contains("&lt;b&gt;"))
  }

  @Test func `who is not signed in is told how to`() {
    #expect(text(WebPages.signIn()).contains("<code>hedge web</code>"))
    #expect(text(WebPages.linkIsOver()).contains("hedge web"))
    #expect(text(WebPages.entered()).contains("url=/"))
    #expect(text(WebPages.refused("no <b>", backTo: "/lists/\"")).contains("no &lt;b&gt;"))
  }

  @Test func `a row can be changed, moved and deleted by forms of its own`() {
    let page = text(WebPages.page(snapshot("groceries", "milk")))
    for action in ["done", "edit", "up", "down", "rm"] {
      #expect(page.contains("name=\"do\" value=\"\(action)\""), "\(action)")
    }
    #expect(page.components(of: "name=\"item\" value=\"\(ItemID(nonce: 2, index: 0).hex)\"") == 2)
  }

  @Test func `a text of several lines is changed in a field that has them`() {
    let page = text(WebPages.page(snapshot("groceries", "one\ntwo")))
    #expect(page.contains("<textarea name=\"text\" required>\none\ntwo</textarea>"))
    #expect(!page.contains("value=\"one"))
  }

  @Test func `a long list is shown in parts`() throws {
    var long = snapshot("groceries", "milk")
    let row = try #require(long.page?.rows.first)
    long.page?.rows = (0...WebPages.rowsMax).map { number in
      var copy = row
      copy.id = ItemID(nonce: 3, index: UInt32(number))
      return copy
    }
    let page = text(WebPages.page(long))
    let last = ItemID(nonce: 3, index: UInt32(WebPages.rowsMax - 1)).hex
    #expect(page.components(of: "data-item=") == WebPages.rowsMax)
    #expect(page.contains("<a href=\"/lists/g4n?after=\(last)\">"))
  }

  @Test func `without lists the page says how to make one`() {
    let page = text(WebPages.page(PageSnapshot(device: "a", version: "1", lists: [])))
    #expect(page.contains("hedge new"))
  }
}

extension String {
  fileprivate func components(of part: String) -> Int {
    var (count, rest) = (0, self[...])
    while let range = rest.firstRange(of: part) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}
