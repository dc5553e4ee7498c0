// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI

/// The live view of the lists as a pure machine: keys, answers and events in, questions and a screen
/// out. Time comes in as milliseconds of a monotonic clock.
///
/// What is on the agent is never guessed: after an event of the shown list the rows are asked for
/// again, at most once in `refreshPause`. The selection follows the item, not the line.
package struct LiveView: Sendable {
  /// What an answer is for.
  package enum Purpose: Hashable, Sendable {
    case lists, rows, peers
    /// Which items and lists have a notification rule; the message that is shown with it.
    case notify(message: String?)
    /// A write; the message that is shown when it is done, and whether to select what it touched.
    case write(message: String, selectsTouched: Bool)
  }

  package enum Input: Sendable {
    case key(Key)
    /// The size of the terminal.
    case resized(height: Int, width: Int)
    /// One line of the event stream.
    case event([UInt8])
    /// The event stream opened, or broke off.
    case streamUp, streamDown
    /// An answer of the agent to what `purpose` asked.
    case answered(Purpose, status: Int, body: [UInt8])
    /// The agent did not answer.
    case unanswered(Purpose)
    /// `nextDeadline` has passed.
    case deadline
  }

  package enum Effect: Hashable, Sendable {
    case ask(RequestForm, Purpose)
    /// Give the terminal back to the shell for a while.
    case suspend
    case quit
  }

  /// Milliseconds for which a row that somebody else changed stays marked, and a message is shown.
  package static let markTime: UInt64 = 3_000
  package static let messageTime: UInt64 = 6_000
  /// Milliseconds between two questions for the rows.
  package static let refreshPause: UInt64 = 40
  /// Milliseconds between two looks at the peers.
  package static let peersPause: UInt64 = 2_000

  /// A mark on a row: who changed it, by how much, and until when it is shown.
  struct Mark: Hashable, Sendable {
    var by: String
    var delta: String?
    var until: UInt64
  }

  /// What the keys go to.
  enum Mode: Hashable, Sendable {
    case browsing
    case typing(Prompt)
    case help
    /// A question about the deletion of an item with children.
    case confirming(id: String, text: String, count: Int)
  }

  // What the agent told.
  var lists: [LiveList] = []
  var rows: [LiveRow] = []
  var peers: [LivePeer] = []
  /// Whether the first answer about the rows is here.
  var isLoaded = false
  var isConnected = false
  /// Items with a rule that makes this device tell of changes.
  var watched: Set<String> = []

  // What the person chose.
  var listID: String?
  var wantedList: String?
  var selectedID: String?
  /// Where the selection was last, for when its item goes.
  var selectedIndex = 0
  var showsDone = true
  var isSorted = false
  var words: [String] = []
  var mode = Mode.browsing
  /// What was typed last and is not yet answered: a refusal gives it back.
  var sent: Prompt?

  // What is on the screen.
  var height = 24
  var width = 80
  var firstLine = 0
  var marks: [String: Mark] = [:]
  var message: (text: String, until: UInt64)?
  let hasUnicode: Bool
  /// Sent with writes, so that their own events mark nothing.
  package let client: String

  // What is due.
  var rowsAt: UInt64?
  var listsAt: UInt64?
  var peersAt: UInt64?
  var lastRows: UInt64 = 0

  /// - Parameters:
  ///   - list: Name or handle of the list to start with; `nil`: the first.
  ///   - client: The name under which this view writes.
  package init(list: String?, client: String, hasUnicode: Bool) {
    (wantedList, self.client, self.hasUnicode) = (list, client, hasUnicode)
  }

  // MARK: Inputs

  /// Takes an input at a moment; returns what is to be done now, in order.
  package mutating func handle(_ input: Input, at now: UInt64) -> [Effect] {
    var effects: [Effect] = []
    switch input {
    case .key(let key): take(key, now, &effects)
    case .resized(let height, let width):
      (self.height, self.width) = (max(height, 1), max(width, 1))
    case .event(let line):
      if let event = LiveDecoding.event(line) { take(event, now) }
    case .streamUp:
      isConnected = true
      (rowsAt, listsAt, peersAt) = (now, now, now)
      effects.append(.ask(RequestForm(.notify(.show)), .notify(message: nil)))
    case .streamDown: isConnected = false
    case .answered(let purpose, let status, let body): answer(purpose, status, body, now)
    case .unanswered(.write):
      sent = nil
      say("the agent does not answer: nothing was changed", now)
    case .unanswered: break
    case .deadline: break
    }
    due(now, &effects)
    return effects
  }

  /// When `.deadline` wants to come; `nil` for never.
  package var nextDeadline: UInt64? {
    var times = marks.values.map(\.until)
    if let message { times.append(message.until) }
    if isConnected { times += [rowsAt, listsAt, peersAt].compactMap { $0 } }
    return times.min()
  }

  private mutating func due(_ now: UInt64, _ effects: inout [Effect]) {
    marks = marks.filter { $0.value.until > now }
    if let until = message?.until, until <= now { message = nil }
    guard isConnected else { return }
    if let at = listsAt, at <= now {
      listsAt = nil
      effects.append(.ask(RequestForm(.lists), .lists))
    }
    if let at = rowsAt, at <= now, let list {
      (rowsAt, lastRows) = (nil, now)
      effects.append(.ask(RequestForm(.items(query(list))), .rows))
    }
    if let at = peersAt, at <= now {
      peersAt = now + Self.peersPause
      effects.append(.ask(RequestForm(.peers(name: nil)), .peers))
    }
  }

  private func query(_ list: LiveList) -> ItemsQuery {
    ItemsQuery(
      list: ListSelector(path: [list.handle]), words: words, show: showsDone ? .all : .open,
      sort: isSorted ? [SortKey(column: "text")] : [], shape: .tree)
  }

  mutating func refreshRows(_ now: UInt64) {
    rowsAt = min(rowsAt ?? .max, max(now, lastRows + Self.refreshPause))
  }

  mutating func say(_ text: String, _ now: UInt64) {
    message = (text, now + Self.messageTime)
  }

  // MARK: What the agent says

  private mutating func take(_ event: LiveEvent, _ now: UInt64) {
    switch event.kind {
    case "hello", "item", "live": return
    case "gap":
      (rowsAt, listsAt) = (now, now)
      return
    default: break
    }
    listsAt = listsAt ?? now + Self.refreshPause
    guard let list, event.list == list.name else { return }
    refreshRows(now)
    guard event.client != client, let id = event.id else { return }
    let isNumber = list.columns.first { $0.name == event.column }?.isNumeric ?? false
    let delta = isNumber ? Self.delta(event, hasUnicode) : nil
    marks[id] = Mark(by: event.by, delta: delta ?? marks[id]?.delta, until: now + Self.markTime)
    say(Self.sentence(event, rows.first { $0.id == id }?.text ?? "", hasUnicode), now)
    if case .typing(var prompt) = mode, prompt.id == id, event.kind == "set",
      event.column == "text", let theirs = event.new
    {
      prompt.theirs = (event.by, theirs)
      mode = .typing(prompt)
    }
  }

  private mutating func answer(
    _ purpose: Purpose, _ status: Int, _ body: [UInt8], _ now: UInt64
  ) {
    switch purpose {
    case .lists: if let lists = LiveDecoding.lists(body) { take(lists, now) }
    case .rows:
      if status == 404 { listsAt = now }
      guard let (id, rows) = LiveDecoding.rows(body), id == listID else { return }
      (self.rows, isLoaded) = (rows, true)
      followSelection()
    case .peers: if let peers = LiveDecoding.peers(body) { self.peers = peers }
    case .notify(let message):
      if status >= 400 { return say(LiveDecoding.problem(body) ?? "refused: \(status)", now) }
      if let watched = LiveDecoding.watched(body) { self.watched = watched }
      if let message { say(message, now) }
    case .write(let message, let selectsTouched):
      let typed = sent
      sent = nil
      if status >= 400 {
        let why = LiveDecoding.problem(body) ?? "the agent refused: \(status)"
        say(why, now)
        if var typed, mode == .browsing {
          typed.refusal = why
          mode = .typing(typed)
        }
      } else {
        if selectsTouched, let id = LiveDecoding.touched(body) { selectedID = id }
        say(message, now)
      }
      refreshRows(now)
      listsAt = now
    }
  }

  private mutating func take(_ lists: [LiveList], _ now: UInt64) {
    self.lists = lists
    if let wanted = wantedList {
      wantedList = nil
      let match =
        lists.first { sameBytes($0.name, wanted) || $0.handle == wanted }
        ?? lists.first { $0.name.lowercased().hasPrefix(wanted.lowercased()) }
      if let match { listID = match.id } else { say("no list \"\(wanted)\"", now) }
    }
    if list == nil {
      listID = lists.first?.id
      (rows, isLoaded, rowsAt) = ([], lists.isEmpty, now)
    }
  }

  // MARK: The selection

  var list: LiveList? { lists.first { $0.id == listID } }

  var selected: LiveRow? { rows.indices.contains(selectedIndex) ? rows[selectedIndex] : nil }

  /// Finds the selected item again in rows that may have moved.
  mutating func followSelection() {
    if let id = selectedID, let index = rows.firstIndex(where: { $0.id == id }) {
      selectedIndex = index
    } else {
      selectedIndex = min(max(selectedIndex, 0), max(rows.count - 1, 0))
      selectedID = selected?.id
    }
  }

  mutating func select(_ index: Int) {
    selectedIndex = min(max(index, 0), max(rows.count - 1, 0))
    selectedID = selected?.id
  }
}
