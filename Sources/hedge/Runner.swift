// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import AgentClient
import CommandLineUI
import ControlAPI
import Glibc
import ListFormats
import ListModel

/// Runs one command against the agent.
struct Runner {
  let options: GlobalOptions
  let display: Display

  init(_ options: GlobalOptions) {
    self.options = options
    display = Terminal.display(options)
  }

  func run(_ command: Command) throws(Problem) -> Int {
    switch command {
    case .request(.stopAgent): return try stopAgent()
    case .request(.wait(let wait)): return try self.wait(wait)
    case .request(.items(let query)): return try items(query)
    case .request(let request): return try ask(request)
    case .addFromInput(var add, let isDryRun):
      do {
        add.items = try PlainLines.lines(Terminal.input()).map {
          NewItem(text: $0.text.string, isDone: $0.isDone ?? false, depth: $0.depth)
        }
      } catch {
        throw Problem(.invalidText, error.message, detail: "nothing was added")
      }
      return try ask(.transact(Transaction([.add(add)], isDryRun: isDryRun)))
    case .itemsFromInput(let op, let isDryRun):
      return try ask(.transact(Transaction([try op.with(inputSelectors())], isDryRun: isDryRun)))
    case .confirmed(let request, let count):
      try confirm("remove \(count) items?")
      return try ask(request)
    case .counted(let op, let question): return try counted(op, question)
    case .revoke(let peer, let isDryRun): return try revoke(peer, isDryRun: isDryRun)
    case .drop(let list): return try drop(list)
    case .showAndWatch(let query):
      let code = try items(query)
      guard code == 0 else { return code }
      let lists = query.list.map { [$0] } ?? []
      return try stream(.events(EventsQuery(lists: lists, hasInitial: false)))
    case .watch(let query): return try stream(.events(query))
    case .invite(let request): return try invite(request)
    case .web(let isOpened, let hasQR): return try web(isOpened: isOpened, hasQR: hasQR)
    case .join(let code, let address): return try join(code, address)
    case .importFile(var request, let path):
      request.bytes = try path == "-" ? Terminal.input() : Files.read(path)
      return try ask(.importFile(request))
    case .export(let request, let output): return try export(request, output)
    case .runAgent(let arguments): throw Programs.execute("hedged", arguments)
    case .installAgent(let flags, let isDryRun):
      return try Installer(options: options).install(flags, isDryRun: isDryRun)
    case .uninstallAgent(let isDryRun):
      return try Installer(options: options).uninstall(isDryRun: isDryRun)
    case .liveView(let list): throw Programs.execute("hedge-tui", liveViewArguments(list))
    case .demo(let action): return try Demo(options).run(action)
    case .completion(let shell):
      Output.write(Array(try Completion.script(shell).utf8), to: STDOUT_FILENO)
      return 0
    case .manual(let folder): return try manual(folder)
    case .help(let topic):
      Output.write(Array(try Help.text(topic).utf8), to: STDOUT_FILENO)
      return 0
    case .version: return try version()
    }
  }
}

extension ItemOp {
  /// The same operation on other items.
  fileprivate func with(_ items: [ItemSelector]) -> ItemOp {
    switch self {
    case .edit(var edit):
      edit.items = items
      return .edit(edit)
    case .tick(var tick):
      tick.items = items
      return .tick(tick)
    case .move(var move):
      move.items = items
      return .move(move)
    case .remove(let list, _): return .remove(list, items)
    case .restore(let list, _): return .restore(list, items)
    case .newList, .add, .clear, .rename, .drop, .columns: return self
    }
  }
}
