// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Who asks and in which form the answer is wanted: the headers of a request.
public struct RequestContext: Hashable, Sendable {
  public static let terminalHeader = "X-Hedge-Terminal"
  public static let clientHeader = "X-Hedge-Client"
  /// In replies: the exit code for the command line.
  public static let exitHeader = "X-Hedge-Exit"
  /// In replies: how many bytes of the body go to standard output; the rest goes to standard error.
  public static let outHeader = "X-Hedge-Out"

  /// The list that the environment names, for requests that name none.
  public static let listHeader = "X-Hedge-List"
  /// In replies to writes: how many items are changed.
  public static let changedHeader = "X-Hedge-Changed"

  /// In the reply to an invite: the name by which its joiner is waited for.
  public static let inviteHeader = "X-Hedge-Invite"

  /// Names the terminal whose shown numbers are meant; `nil` outside a terminal.
  public var terminal: String?
  /// What `listHeader` says.
  public var list: String?
  /// Given back in events, so that a client can skip its own echo.
  public var client: String?
  /// `nil`: plain JSON, without exit code and split.
  public var display: Display?
  /// The revision that must still hold, else `stale`.
  public var ifMatch: String?
  public var ifNoneMatch: String?
  /// The media types that the client takes, as it wrote them.
  public var accept: String?
  /// The page that a plain form came from: the answer leads back there. `nil` for all other requests.
  public var formPath: String?

  public init(
    terminal: String? = nil, client: String? = nil, display: Display? = nil,
    ifMatch: String? = nil, ifNoneMatch: String? = nil
  ) {
    (self.terminal, self.client, self.display) = (terminal, client, display)
    (self.ifMatch, self.ifNoneMatch) = (ifMatch, ifNoneMatch)
  }
}

/// Everything that can be asked of an agent over its local API.
public enum Request: Hashable, Sendable {
  /// The lists and one line about the peers: `hedge` without arguments.
  case overview
  case lists
  case items(ItemsQuery)
  case show(ListSelector?, ItemSelector)
  case transact(Transaction)
  case undo(UndoRequest)
  case columns(ListSelector?)
  case find(FindQuery)
  case use(UseRequest)
  case log(LogQuery)
  /// Answered when the changes are stored durably elsewhere.
  case wait(WaitRequest)
  case members
  case changeMember(MemberChange)
  case undoSteps
  case trash(TrashQuery)
  case conflicts(ListSelector?)
  /// Writes the value that a merge decision dropped.
  case takeConflict(id: String, isDryRun: Bool)
  case status(isCheck: Bool)
  case peers(name: String?)
  /// A static address `HOST:PORT`.
  case addPeer(address: String)
  case removePeer(address: String)
  /// Exchanges with one peer or all now; answered when equal or out of reach.
  case sync(peer: String?)
  case pause
  case resume
  case invite(InviteRequest)
  /// Answered when somebody has joined with that code, or it has expired.
  case awaitJoiner(invite: String)
  case join(JoinRequest)
  case inspect(InspectTarget)
  case importFile(ImportRequest)
  case export(ExportRequest)
  case events(EventsQuery)
  /// What happened since a cursor, at once.
  case changes(since: String?, lists: [ListSelector])
  case version
  case agentStatus
  case stopAgent
  case reloadAgent
  case web(WebRequest)
  case notify(NotifyRequest)
  case health
  case readiness
  case metrics
  case openAPI
}

/// Who may use the page and the API over TCP: only asked over the socket file.
public enum WebRequest: Hashable, Sendable {
  /// An address that opens the page once, perhaps as a QR code too.
  case link(hasQR: Bool)
  case tokens
  /// A token for a script, which may be kept from writing.
  case addToken(name: String, isReadOnly: Bool)
  case removeToken(name: String)
  /// Opens the page to other devices of the LAN, or closes it to them; kept over restarts.
  case lan(isOn: Bool, hasQR: Bool)
  case guests
  /// A link to one list, for somebody who has no access otherwise.
  case addGuest(GuestRequest)
  case removeGuest(name: String)
}

/// What a guest may do with the list of its link.
public enum GuestRole: String, CaseIterable, Hashable, Sendable {
  /// Read, tick and untick.
  case tick
  case readOnly = "ro"
}

/// What `hedge web --guest` asks for.
public struct GuestRequest: Hashable, Sendable {
  public static let secondsDefault: Int64 = 86_400
  public static let secondsRange: ClosedRange<Int64> = 60...7_776_000
  public var list: ListSelector?
  public var role: GuestRole
  /// How long the link is good, in `secondsRange`.
  public var seconds: Int64
  public var hasQR: Bool
  public init(
    list: ListSelector?, role: GuestRole, seconds: Int64 = secondsDefault, hasQR: Bool = false
  ) {
    (self.list, self.role, self.seconds, self.hasQR) = (list, role, seconds, hasQR)
  }
}

/// What `hedge invite` asks for.
public struct InviteRequest: Hashable, Sendable {
  /// `admin`, `member` or `reader`.
  public var role: String
  public init(role: String = "member") { self.role = role }
}

/// What `hedge join` asks for.
public struct JoinRequest: Hashable, Sendable {
  /// As typed: case and dashes do not count.
  public var code: String
  /// `HOST:PORT` of the inviter; `nil`: found over mDNS.
  public var address: String?
  public init(code: String, address: String? = nil) { (self.code, self.address) = (code, address) }
}

/// What `inspect` looks at.
public enum InspectTarget: Hashable, Sendable {
  /// Vector, floor, sessions, sizes, fingerprint.
  case store
  case list(ListSelector)
  case item(ListSelector?, ItemSelector)
  case peer(String)
}

/// File formats of import and export.
public enum FileFormat: String, CaseIterable, Sendable {
  case lines, csv, json

  /// The format that a file's name ends in; `nil` if that says nothing.
  public init?(fileName: String) {
    switch Self.ending(of: fileName)?.lowercased() {
    case "csv"?: self = .csv
    case "json"?: self = .json
    case "txt"?, "md"?, "list"?, "lines"?: self = .lines
    default: return nil
    }
  }

  /// What stands behind the last point of a file's name, its folders not counted; `nil` without one.
  public static func ending(of path: String) -> String? {
    let name = path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...]
    return name.lastIndex(of: ".").map { String(name[name.index(after: $0)...]) }
  }
}

/// What `hedge import` asks for.
public struct ImportRequest: Hashable, Sendable {
  public var list: ListSelector?
  public var format: FileFormat
  /// Pairs of a heading of the file and the column it goes to.
  public var map: [(heading: String, column: String)]
  /// The column that tells whether a row is there already; `nil`: every row is new.
  public var key: String?
  /// Remove items whose key is not in the file.
  public var removesMissing: Bool
  public var isDryRun: Bool
  public var bytes: [UInt8]
  public init(
    list: ListSelector? = nil, format: FileFormat, map: [(heading: String, column: String)] = [],
    key: String? = nil, removesMissing: Bool = false, isDryRun: Bool = false, bytes: [UInt8] = []
  ) {
    (self.list, self.format, self.map, self.key) = (list, format, map, key)
    (self.removesMissing, self.isDryRun, self.bytes) = (removesMissing, isDryRun, bytes)
  }

  public static func == (a: Self, b: Self) -> Bool {
    a.list == b.list && a.format == b.format && a.key == b.key && a.bytes == b.bytes
      && a.removesMissing == b.removesMissing && a.isDryRun == b.isDryRun
      && a.map.elementsEqual(b.map) { $0 == $1 }
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(list)
    hasher.combine(bytes)
  }
}

/// What `hedge export` asks for.
public struct ExportRequest: Hashable, Sendable {
  /// Empty: the list that the agent chooses for the terminal.
  public var lists: [ListSelector]
  public var isAll: Bool
  public var format: FileFormat
  /// Do not say which fields the format drops.
  public var acceptsLoss: Bool
  public init(
    lists: [ListSelector] = [], isAll: Bool = false, format: FileFormat = .json,
    acceptsLoss: Bool = false
  ) {
    (self.lists, self.isAll, self.format) = (lists, isAll, format)
    self.acceptsLoss = acceptsLoss
  }
}

/// A stream of events: `hello`, the items as they are, `live`, then every change.
public struct EventsQuery: Hashable, Sendable {
  /// Empty: all lists.
  public var lists: [ListSelector]
  /// Start behind this cursor instead of with the items.
  public var since: String?
  public var hasInitial: Bool
  /// Leave out what this device did.
  public var onlyOthers: Bool
  /// Only these kinds; empty: all.
  public var kinds: [String]
  /// End after that many changes.
  public var count: Int?
  /// End when an item that changed fulfils this.
  public var until: Filter?
  /// Whether a word has the shape of a cursor, as events carry it.
  public static func isCursor(_ text: String) -> Bool {
    text.hasPrefix("c-") && UInt64(text.dropFirst(2)) != nil
  }
  public init(
    lists: [ListSelector] = [], since: String? = nil, hasInitial: Bool = true,
    onlyOthers: Bool = false, kinds: [String] = [], count: Int? = nil, until: Filter? = nil
  ) {
    (self.lists, self.since, self.hasInitial) = (lists, since, hasInitial)
    (self.onlyOthers, self.kinds, self.count, self.until) = (onlyOthers, kinds, count, until)
  }
}
