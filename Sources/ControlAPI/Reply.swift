// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

public import ListModel

/// What an agent answers to a request that was not refused.
public enum Reply: Hashable, Sendable {
  case overview(OverviewReply)
  case lists([ListRow])
  case items(ItemsPage)
  case item(ItemDetail)
  case result(TransactionResult)
  case status(StatusReply)
  case peers(PeersReply)
  case sync(SyncReply)
  case invite(InviteReply)
  case joiner(JoinerReply)
  case joined(JoinReply)
  /// Raw facts for bug reports: lines of name and value, in order.
  case inspection(Inspection)
  case imported(ImportReport)
  case exported(ExportReply)
  case changes([Event], cursor: String)
  case notify(NotifyReply)
  case webLink(WebLinkReply)
  case webTokens([WebTokenRow])
  case webGuests([WebGuestRow])
  case webGuest(WebGuestReply)
  /// A new token with its secret, which nobody can ask for again.
  case webToken(WebTokenRow, secret: String)
  case version(VersionReply)
  case agent(AgentReply)
  case undone(UndoReply)
  case columns(ListRef, [Column])
  case found(FoundReply)
  /// The list that this terminal uses where none is named.
  case using(ListRef?)
  /// The newest changes first.
  case log([LogRow])
  /// Names of the peers that hold what was waited for.
  case stored([String])
  case members([MemberRow])
  /// A device was removed.
  case revoked(RemovalRow)
  /// The transactions that can be taken back or redone, newest first.
  case undoSteps([UndoStepRow])
  case trash(TrashReply)
  /// The merge journal, newest first.
  case conflicts([ConflictRow])
  /// Something simple was done: `stopping`, `reloaded`, `added`, `removed`, and what it was done to.
  case done(verb: String, subject: String)

  /// The exit code that the command line ends with.
  public var exit: Int {
    switch self {
    case .imported(let report): report.skips.isEmpty ? ExitCode.done : ExitCode.partial
    case .status(let status):
      status.isCheck && !status.findings.isEmpty ? ExitCode.checkFailed : ExitCode.done
    case .result(let result): result.rejects.isEmpty ? ExitCode.done : ExitCode.partial
    case .undone(let reply): reply.stays.isEmpty ? ExitCode.done : ExitCode.conflict
    default: ExitCode.done
    }
  }
}

/// Facts of `inspect`, nested as they are told.
public struct Inspection: Hashable, Sendable {
  public indirect enum Fact: Hashable, Sendable {
    case text(String)
    case number(Int64)
    case flag(Bool)
    case value(Value)
    case none
    case object([Member])
    case array([Fact])
  }
  public struct Member: Hashable, Sendable {
    public var name: String
    public var fact: Fact
    public init(_ name: String, _ fact: Fact) { (self.name, self.fact) = (name, fact) }
  }
  /// `store`, `list`, `item`, `peer`.
  public var target: String
  public var members: [Member]
  public init(target: String, members: [Member]) { (self.target, self.members) = (target, members) }
}
