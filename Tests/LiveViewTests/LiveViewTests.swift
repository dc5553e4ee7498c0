// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import LiveView
import Testing

/// A view with two lists and three rows, fed by hand.
private struct Stage {
  var view = LiveView(list: nil, client: "tui-1", hasUnicode: true)
  var now: UInt64 = 1_000
  var isFinished = false
  /// Everything that was asked, oldest first.
  var asked: [(form: RequestForm, purpose: LiveView.Purpose)] = []

  static let lists = """
    {"v":1,"kind":"lists","lists":[
     {"id":"aa0000000000000000000001","handle":"gro","name":"groceries","open":2,"done":1,
      "columns":[{"name":"qty","type":"int"},{"name":"price","type":"num"}]},
     {"id":"aa0000000000000000000002","handle":"tod","name":"todo","open":0,"done":0,"columns":[]}]}
    """
  static func row(
    _ id: Int, _ text: String, done: Bool = false, depth: Int = 0, cols: String = "{}",
    children: Int = 0
  ) -> String {
    """
    {"id":"bb000000000000000000000\(id)","handle":"h\(id)","state":"\(done ? "done" : "open")",
    "text":"\(text)","parent":null,"depth":\(depth),"cols":\(cols),"children":\(children)}
    """
  }
  static let rows = [
    row(1, "milk", cols: #"{"qty":2,"price":"1.2"}"#), row(2, "eggs"), row(3, "bread", done: true),
  ]

  init(height: Int = 24, width: Int = 80) {
    tell(.resized(height: height, width: width))
    tell(.streamUp)
    answer(.lists, Self.lists)
    answer(.rows, Self.page(Self.rows))
  }

  static func page(_ rows: [String]) -> String {
    """
    {"v":1,"kind":"items","list":{"id":"aa0000000000000000000001","name":"groceries"},"items":[
    \(rows.joined(separator: ","))]}
    """
  }

  mutating func tell(_ input: LiveView.Input) {
    for effect in view.handle(input, at: now) {
      switch effect {
      case .ask(let form, let purpose): asked.append((form, purpose))
      case .quit: isFinished = true
      case .suspend: break
      }
    }
  }

  mutating func answer(_ purpose: LiveView.Purpose, status: Int = 200, _ body: String) {
    tell(.answered(purpose, status: status, body: Array(body.utf8)))
  }

  mutating func event(_ text: String) { tell(.event(Array(text.utf8))) }

  mutating func type(_ text: String) {
    for character in text { tell(.key(.character(character))) }
  }

  var lastBody: String { asked.last.map { String(decoding: $0.form.body, as: UTF8.self) } ?? "" }
  mutating func lines() -> [String] { view.draw().text }
  mutating func line(with part: String) -> String? { lines().first { $0.contains(part) } }
}

@Suite struct LiveViewTests {
  @Test func `it shows lists, rows with their columns, and how current it is`() {
    var stage = Stage()
    stage.answer(.peers, #"{"peers":[{"name":"den","state":"in_sync","to_send":0}]}"#)
    let lines = stage.lines()
    #expect(lines[0].contains("groceries · 2 open, 1 done"))
    #expect(lines[1].contains(">groceries") && lines[1].contains(">[ ] milk"))
    #expect(lines[1].hasSuffix("2  1.2"))
    stage.answer(
      .rows, Stage.page([Stage.rows[0], Stage.row(2, "eggs", cols: #"{"price":"13.45"}"#)]))
    #expect(stage.lines()[1].hasSuffix("2   1.20"))
    #expect(stage.lines()[2].hasSuffix("   13.45"))
    stage.answer(.rows, Stage.page(Stage.rows))
    #expect(lines[3].contains("[✓] bread"))
    #expect(lines[23].contains("live · den in sync"))
  }

  @Test func `a text column is the text only where the agent says so`() {
    var stage = Stage()
    func lists(_ title: String) -> String {
      """
      {"v":1,"kind":"lists","lists":[{"id":"aa0000000000000000000001","handle":"gro",
       "name":"groceries","open":2,"done":1,"title":\(title),
       "columns":[{"name":"foo","type":"text"}]}]}
      """
    }
    stage.answer(.rows, Stage.page([Stage.row(1, "kale", cols: #"{"foo":"bar"}"#)]))
    stage.answer(.lists, lists("null"))
    #expect(stage.line(with: "kale")?.contains("bar") ?? false)
    stage.answer(.lists, lists("\"foo\""))
    #expect(!(stage.line(with: "kale")?.contains("bar") ?? true))
  }

  @Test func `a narrow terminal leaves the list column out and keeps every line in its width`() {
    var stage = Stage(height: 12, width: 40)
    let lines = stage.lines()
    #expect(lines.count == 12)
    #expect(lines[0].hasPrefix("groceries"))
    #expect(lines[1].hasPrefix(">[ ] milk"))
    #expect(lines.allSatisfy { CellText.columns($0) <= 40 })
  }

  @Test func `space ticks the selected item and says so`() {
    var stage = Stage()
    stage.type("j ")
    #expect(stage.lastBody.contains(#""op":"done""#))
    #expect(stage.lastBody.contains("bb0000000000000000000002"))
    stage.answer(stage.asked.last!.purpose, #"{"items":[]}"#)  // asked just above
    #expect(stage.line(with: "done: eggs") != nil)
  }

  @Test func `the selection follows the item when others move it`() {
    var stage = Stage()
    stage.type("j")
    stage.answer(.rows, Stage.page([Stage.rows[2], Stage.rows[0], Stage.rows[1]]))
    #expect(stage.line(with: ">[ ] eggs") != nil)
    stage.answer(.rows, Stage.page([Stage.rows[2], Stage.rows[0]]))
    #expect(stage.line(with: ">[ ] milk") != nil)
  }

  @Test func `a change by another device is marked for three seconds with its author and distance`()
  {
    var stage = Stage()
    let set = #"""
      {"ev":"set","list":"groceries","id":"bb0000000000000000000001","col":"price","old":"1.20",
      "new":"1.40","by":"den","client":null,"mine":false}
      """#
    stage.event(set)
    #expect(stage.line(with: "milk")?.contains("▲ +0.2 den  2  1.2") == true)
    #expect(stage.line(with: "den: milk, price 1.20 → 1.40") != nil)
    stage.now += LiveView.markTime
    stage.tell(.deadline)
    #expect(stage.line(with: "▲") == nil)
    #expect(stage.asked.last?.purpose == .peers || stage.asked.last?.purpose == .rows)
  }

  @Test func `its own writes come back unmarked`() {
    var stage = Stage()
    stage.event(
      #"{"ev":"done","list":"groceries","id":"bb0000000000000000000001","by":"me","client":"tui-1"}"#
    )
    #expect(stage.line(with: "me ticked") == nil)
  }

  @Test func `events come in floods but rows are asked for once in a pause`() {
    var stage = Stage()
    let before = stage.asked.filter { $0.purpose == .rows }.count
    for _ in 0..<100 {
      stage.event(#"{"ev":"add","list":"groceries","id":"bb0000000000000000000009","by":"den"}"#)
    }
    stage.now += LiveView.refreshPause
    stage.tell(.deadline)
    #expect(stage.asked.filter { $0.purpose == .rows }.count == before + 1)
  }

  @Test func `an open editor is never overwritten and can take the other text`() {
    var stage = Stage()
    stage.type("e")
    stage.type("!")
    stage.event(
      #"""
      {"ev":"set","list":"groceries","id":"bb0000000000000000000001","col":"text","old":"milk",
      "new":"oat milk","by":"den"}
      """#)
    #expect(stage.line(with: "edit: milk!") != nil)
    #expect(stage.line(with: "changed by den: oat milk") != nil)
    stage.tell(.key(.control("r")))
    #expect(stage.line(with: "edit: oat milk") != nil)
    stage.tell(.key(.enter))
    #expect(stage.lastBody.contains(#""text":"oat milk""#))
  }

  @Test func `escape leaves an editor without a write`() {
    var stage = Stage()
    let before = stage.asked.count
    stage.type("e")
    stage.type("xyz")
    stage.tell(.key(.escape))
    #expect(stage.asked.count == before)
    #expect(stage.line(with: "edit:") == nil)
  }

  @Test func `adding goes below the selection and selects what was added`() {
    var stage = Stage()
    stage.type("atea")
    stage.tell(.key(.enter))
    #expect(stage.lastBody.contains(#""after":"bb0000000000000000000001""#))
    stage.answer(
      stage.asked.last!.purpose, #"{"items":[{"id":"bb0000000000000000000004"}]}"#)  // just asked
    stage.answer(.rows, Stage.page([Stage.rows[0], Stage.row(4, "tea"), Stage.rows[1]]))
    #expect(stage.line(with: ">[ ] tea") != nil)
  }

  @Test func `a line to add means what it means behind hedge add`() {
    var stage = Stage()
    stage.type(#"amilk qty=2, "Smith, Ada", eggs"#)
    stage.tell(.key(.enter))
    #expect(
      stage.lastBody.contains(
        #""rows":[{"text":"milk","cols":{"qty":"2"}},{"text":"Smith, Ada"},{"text":"eggs"}]"#))
    stage.answer(
      stage.asked.last!.purpose, #"{"items":[{"id":"bb0000000000000000000004"}]}"#)  // just asked
    #expect(stage.line(with: "added 3 items") != nil)
  }

  @Test func `a line that is refused comes back with the reason`() {
    var stage = Stage()
    stage.type("amilk qyt=2")
    stage.tell(.key(.enter))
    stage.answer(
      stage.asked.last!.purpose, status: 422, #"{"title":"no column qyt"}"#)  // just asked
    #expect(stage.line(with: "no column qyt") != nil)
    #expect(stage.line(with: "add: milk qyt=2") != nil)
    stage.tell(.key(.backspace))
    #expect(stage.line(with: "no column qyt") == nil)
    stage.tell(.key(.escape))
    stage.type(" ")
    stage.answer(stage.asked.last!.purpose, status: 403, #"{"title":"no"}"#)  // the tick just asked
    #expect(stage.line(with: "add:") == nil)
  }

  @Test func `n switches notices about a row on and off, and a mark says so`() {
    var stage = Stage()
    let on = #"{"rules":[{"list":"groceries","id":"bb0000000000000000000001","text":"milk"}]}"#
    stage.type("n")
    #expect(stage.asked.last?.form.target == "/api/v1/notify")
    #expect(stage.lastBody.contains("bb0000000000000000000001"))
    stage.answer(stage.asked.last!.purpose, on)  // just asked
    #expect(stage.line(with: "milk ♪") != nil)
    #expect(stage.line(with: "tells of changes to milk") != nil)
    stage.type("n")
    #expect(stage.asked.last?.form.target == "/api/v1/notify/off")
    stage.answer(stage.asked.last!.purpose, #"{"rules":[]}"#)  // just asked
    #expect(stage.line(with: "♪") == nil)
  }

  @Test func `columns are set by name and only what changed is written`() {
    var stage = Stage()
    stage.type("=")
    #expect(stage.line(with: "set: qty=2  price=1.2") != nil)
    stage.tell(.key(.backspace))
    stage.type("35")
    stage.tell(.key(.enter))
    #expect(stage.lastBody.contains(#""cols":{"price":"1.35"}"#))
  }

  @Test func `deleting an item with children asks first`() {
    var stage = Stage()
    stage.answer(.rows, Stage.page([Stage.row(1, "trip", children: 3)]))
    let before = stage.asked.count
    stage.type("x")
    #expect(stage.line(with: "delete trip with 3 items under it?") != nil)
    stage.type("n")
    #expect(stage.asked.count == before)
    stage.type("xy")
    #expect(stage.lastBody.contains(#""op":"rm""#))
  }

  @Test func `a sorted view refuses to move rows`() {
    var stage = Stage()
    stage.type("s")
    let before = stage.asked.filter { $0.form.method == "POST" }.count
    stage.type("J")
    #expect(stage.asked.filter { $0.form.method == "POST" }.count == before)
    #expect(stage.line(with: "the view is sorted") != nil)
  }

  @Test func `a stopped agent is said and writes that got no answer are not called done`() {
    var stage = Stage()
    stage.tell(.streamDown)
    #expect(stage.lines()[23].contains("agent stopped"))
    stage.type(" ")
    stage.tell(.unanswered(stage.asked.last!.purpose))  // the tick just asked
    #expect(stage.line(with: "nothing was changed") != nil)
  }

  @Test func `a refused write shows the agent's sentence`() {
    var stage = Stage()
    stage.type(" ")
    stage.answer(
      stage.asked.last!.purpose, status: 403,  // the tick just asked
      #"{"title":"readers cannot write","detail":"ask an admin"}"#)
    #expect(stage.line(with: "readers cannot write: ask an admin") != nil)
  }

  @Test func `every size from one by one upwards draws inside the screen`() {
    for (height, width) in [(1, 1), (2, 3), (3, 10), (5, 59), (5, 60), (60, 300)] {
      var stage = Stage(height: height, width: width)
      for mode in ["", "a", "?"] {
        stage.type(mode)
        let lines = stage.lines()
        #expect(lines.count == height)
        #expect(lines.allSatisfy { CellText.columns($0) <= width }, "\(height) x \(width) \(mode)")
        stage.tell(.key(.escape))
      }
    }
  }

  @Test func `q leaves, ? shows every key`() {
    var stage = Stage(height: 24)
    stage.type("?")
    #expect(stage.line(with: "move to another list") != nil)
    stage.type("?")
    #expect(!stage.isFinished)
    stage.type("q")
    #expect(stage.isFinished)
  }
}
