// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CommandLineUI
import ControlAPI
import Testing

@Suite struct ParseTests {
  static func command(_ words: String...) throws -> Command {
    try Invocation.parse(words).command
  }

  static func op(_ words: String...) throws -> ItemOp? {
    guard case .request(.transact(let transaction)) = try Invocation.parse(words).command else {
      return nil
    }
    return transaction.ops.first
  }

  static func problem(_ words: String...) -> Problem? {
    do throws(Problem) {
      _ = try Invocation.parse(words)
      return nil
    } catch {
      return error
    }
  }

  @Test func `words join into one item and a comma starts the next`() throws {
    #expect(
      try Self.op("add", "@gro", "milk", "qty=2,", "eggs,", "oat", "milk", "price=2.10")
        == .add(
          AddItems(
            list: ListSelector(path: ["gro"]),
            items: [
              NewItem(text: "milk", cells: [CellWrite(column: "qty", input: .text("2"))]),
              NewItem(text: "eggs"),
              NewItem(text: "oat milk", cells: [CellWrite(column: "price", input: .text("2.10"))]),
            ])))
  }

  @Test func `an export takes the format of its file's ending, and refuses one it does not know`()
    throws
  {
    func format(_ words: String...) throws -> FileFormat? {
      guard case .export(let export, _) = try Invocation.parse(["export"] + words).command else {
        return nil
      }
      return export.format
    }
    #expect(try format("@good", "@gro", "-o", "x.lines") == .lines)
    #expect(try format("-o", "x.TXT") == .lines)
    #expect(try format("-o", "a.d/x.csv") == .csv)
    #expect(try format("-o", "a.d/x") == .json)
    #expect(try format("-o", "-") == .json)
    #expect(try format("-o", "x.xml", "--format", "json") == .json)
    let problem = Self.problem("export", "@good", "-o", "x.xml")
    #expect(problem?.kind.exit == 2)
    #expect(problem?.title == "no format is known for the ending .xml")
  }

  @Test func `words of other programs lead to the verb, and help takes what a verb does`() throws {
    #expect(Self.problem("list")?.suggest == "ls")
    #expect(Self.problem("delete", "1")?.suggest == "rm")
    for (_, verb) in CommandTable.otherWords { #expect(CommandTable.verb(verb) != nil) }
    #expect(try Self.command("help", "agent", "run") == .help(topic: "agent"))
    #expect(Self.problem("help", "agent", "fly")?.kind == .usage)
  }

  @Test func `commas inside a word and = behind a double dash are text`() throws {
    #expect(
      try Self.op("add", "1,5 l water") == .add(AddItems(items: [NewItem(text: "1,5 l water")])))
    #expect(
      try Self.op("add", "--", "a=b", "@c")
        == .add(AddItems(items: [NewItem(text: "a=b @c")])))
  }

  @Test func `flags stand anywhere, before the verb too`() throws {
    let invocation = try Invocation.parse(["-q", "--json=1", "done", "2-4", "-l", "gro", "k7m"])
    #expect(invocation.options.isQuiet)
    #expect(invocation.options.json == 1)
    #expect(
      invocation.command
        == .request(
          .transact(
            Transaction([
              .tick(
                TickItems(list: ListSelector(path: ["gro"]), items: [.range(2, 4), .word("k7m")]))
            ]))))
  }

  @Test func `a move takes a position, a flag or a list`() throws {
    #expect(
      try Self.op("mv", "3", "1") == .move(MoveItems(items: [.number(3)], place: .position(1))))
    #expect(
      try Self.op("m", "3", "4", "--after", "k7m")
        == .move(MoveItems(items: [.number(3), .number(4)], place: .after(.word("k7m")))))
    #expect(
      try Self.op("mv", "3", "--to", "@later")
        == .move(
          MoveItems(items: [.number(3)], place: .bottom, to: ListSelector(path: ["later"]))))
    #expect(Self.problem("mv", "3")?.kind == .usage)
    #expect(Self.problem("mv", "3", "--top", "--bottom")?.kind == .usage)
  }

  @Test func `standard input stands for items, lines, codes and files`() throws {
    #expect(try Self.command("add", "-") == .addFromInput(AddItems(items: []), isDryRun: false))
    #expect(
      try Self.command("done", "-") == .itemsFromInput(.tick(TickItems(items: [])), isDryRun: false)
    )
    #expect(try Self.command("join", "-") == .join(code: nil, address: nil))
    #expect(
      try Self.command("import", "@p", "-", "--format", "csv", "-n")
        == .importFile(
          ImportRequest(list: ListSelector(path: ["p"]), format: .csv, isDryRun: true), path: "-"))
    #expect(Self.problem("import", "-")?.kind == .usage)
  }

  @Test func `lists stand in front or behind the flag, and a word too many is refused`() throws {
    #expect(
      try Self.command("watch", "@gro", "@tod")
        == .watch(
          EventsQuery(lists: [ListSelector(path: ["gro"]), ListSelector(path: ["tod"])])))
    #expect(
      try Self.command("watch", "-l", "gro")
        == .watch(EventsQuery(lists: [ListSelector(path: ["gro"])])))
    #expect(Self.problem("watch", "-l", "gro", "milk")?.kind == .usage)
    #expect(Self.problem("export", "--list", "gro", "milk")?.kind == .usage)
  }

  @Test func `a removal of more than ten items is asked for`() throws {
    guard case .confirmed(_, let count) = try Self.command("rm", "1-12") else {
      Issue.record("not asked")
      return
    }
    #expect(count == 12)
    #expect(try Self.op("rm", "1-10") == .remove(nil, [.range(1, 10)]))
  }

  @Test func `unknown words and flags are refused with the nearest known one`() {
    #expect(Self.problem("lss")?.suggest == "ls")
    #expect(Self.problem("ls", "--wher", "x=1")?.suggest == "--where")
    #expect(Self.problem("--json=2", "ls")?.kind == .usage)
    #expect(Self.problem("agent", "runn")?.suggest == "run")
    #expect(Self.problem("invite", "--role", "menber")?.suggest == "member")
  }

  @Test func `a list that stands behind other words is asked to the front`() throws {
    for line in [
      ["add", "milk", "@todo"], ["done", "k7m", "@todo"], ["import", "x.csv", "@todo"],
    ] {
      do throws(Problem) {
        _ = try Invocation.parse(line)
        Issue.record("accepted: \(line)")
      } catch { #expect(error.title.hasPrefix("put @todo first")) }
    }
    #expect(
      try Self.op("add", "@todo", "call", "@bob")
        == .add(
          AddItems(list: ListSelector(path: ["todo"]), items: [NewItem(text: "call @bob")])))
  }

  @Test func `a column where the name of a list belongs is told from a name`() throws {
    #expect(Self.problem("new", "x:int")?.detail?.contains("hedge new NAME x:int") ?? false)
    #expect(Self.problem("new", "12:30") == nil)
    #expect(try Self.op("new", "--", "x:int") == .newList(NewList(name: "x:int")))
  }

  @Test func `a cursor has a shape`() {
    #expect(Self.problem("watch", "--since", "bogus")?.kind.exit == 2)
    #expect(Self.problem("watch", "--since", "c-12") == nil)
  }

  @Test func `nothing to write is refused with the usage`() {
    for words in [["add"], ["add", " "], ["done"], ["set", "2"], ["edit", "2"], ["new"]] {
      do throws(Problem) {
        _ = try Invocation.parse(words)
        Issue.record("accepted: \(words)")
      } catch {
        #expect(error.kind.exit == 2)
      }
    }
    #expect(Self.problem("new", " ")?.kind == .emptyText)
  }

  @Test func `help is found by flag, by verb and by alias`() throws {
    #expect(try Self.command("ls", "--help") == .help(topic: "ls"))
    #expect(try Self.command("-h") == .help(topic: nil))
    #expect(try Self.command("help", "exit-codes") == .help(topic: "exit-codes"))
    #expect(try Help.text("l").hasPrefix("hedge ls "))
    #expect(throws: Problem.self) { try Help.text("jsn") }
  }

  @Test func `every verb of the table is parsed and helped`() throws {
    for verb in CommandTable.verbs {
      #expect(try Invocation.parse([verb.name, "--help"]).command == .help(topic: verb.name))
      for example in verb.examples {
        #expect(example.line.contains("hedge \(verb.name)"))
        let words = example.line.split(separator: " ").count
        #expect(words >= 2)
      }
      for line in Help.text(of: verb).split(separator: "\n") {
        #expect(line.count <= 110, "\(line)")
      }
    }
  }
}
