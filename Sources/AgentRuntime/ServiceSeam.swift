// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import HTTPServer
package import ListModel
package import NodeEngine
package import SQLiteStore
package import WireCodec

/// The service: everything between requests of clients and the engine. The loop owns it, feeds it and
/// carries out what it orders, in order; it holds no socket, no descriptor and no clock.
///
/// The engine is passed for reading: `replica`, `roster`, `peerStatuses` and so on, as of now. Keep no
/// copy of it, or the next fold copies the columns.
package protocol AgentService {
  /// Kinds of local rows that it keeps; they come back in `restored`.
  static var keptKinds: [String] { get }

  /// The largest body that a route takes, in bytes.
  func bodyLimit(_ method: HTTPMethod, _ path: [String]) -> Int

  /// Takes one input and appends what is to be done, in order.
  ///
  /// Each request gets exactly one of `reply` and `openStream`, now or in a later call.
  mutating func handle(
    _ input: ServiceInput, engine: borrowing Engine, agent: AgentFacts,
    into orders: inout [ServiceOrder])
}

/// What happens to the service.
package enum ServiceInput: Sendable {
  /// Once, before anything else: rows of the local tables that the service keeps.
  case restored([LocalRow], journal: [NumberedEntry])
  /// Right behind `restored`: what viewers were told before, by cursor. Empty where the data may be a
  /// copy: another agent may have given out the same cursors.
  case restoredEvents([EventRow])
  /// Not all that was on disk could be read, at this start or an earlier one; `copy` is where it is kept
  /// as it was, if that went well.
  case damaged(copy: String?, isNow: Bool)
  case request(HTTPRequest)
  /// The client of a waiting request or a stream is gone, or its stream was ended because it did not
  /// keep up; the id means nothing any more.
  case clientLeft(RequestID)
  /// The answer to `ServiceOrder.edit`; comes after the changes are on disk.
  case edited(token: UInt64, EditResult)
  /// What a fold changed, in order. A local edit's comes before its `edited`.
  case changed([ReplicaEvent], Origin)
  case peersChanged
  case rosterChanged
  case pairing(PairingEvent)
  case alarm(Alarm)
  case discovery(DiscoveryHealth)
  /// The answer to `ServiceOrder.measureStore`.
  case storeMeasured(token: UInt64, StoreSizes)
  /// A page of the change log that `readChanges` asked for, newest first.
  case changesRead(token: UInt64, [ArrivedChange])
  /// An act on the roster is on disk, or was refused.
  case amended(token: UInt64, isDone: Bool)
  /// The answer to `setLANPage`; `why` is `nil` where it was done.
  case lanPageSet(why: String?)
  /// A program or hook has ended; `why` says what went wrong, behind its name.
  case told(Told, why: String?)
  /// The moment of the last `wakeAt` has come.
  case due
  /// The agent stops: end streams; no order after this call is carried out but replies and ends.
  case stopping
}

/// An entry of the merge journal under the number that it has on disk.
package struct NumberedEntry: Hashable, Sendable {
  /// From 1, ascending; the order in which losses were told.
  package let number: Int64
  package let entry: JournalEntry
  package init(number: Int64, entry: JournalEntry) { (self.number, self.entry) = (number, entry) }
}

/// What the service wants done.
package enum ServiceOrder: Sendable {
  case reply(RequestID, HTTPReply)
  case openStream(RequestID, contentType: String, headers: [HTTPReplyHeader])
  case push(RequestID, [UInt8])
  case endStream(RequestID)
  /// Tokens are the service's own; each comes back once in `edited`.
  case edit(EditRequest)
  /// Invite, join, nudge, pause, resume: the inputs that a person causes.
  case engine(Input)
  /// Replaces the list of fixed peer addresses, kept over restarts.
  case setFixedPeers([Endpoint])
  /// Writes rows of this machine's own tables, with the next batch; not waited for.
  case keep([LocalRow])
  /// Writes events with the batch that holds their changes, and forgets all up to a cursor.
  case keepEvents([EventRow], forgetThrough: UInt64?)
  /// Gives every hook a document, once all that was folded before is on disk.
  case runHooks([UInt8])
  /// Gives a program JSON on its standard input; answered by `told` when it has ended.
  case tell(Told, [UInt8])
  /// Opens the page for other devices, on that port if it is free, else on any; `nil` closes it. In
  /// force when `lanPageSet` comes.
  case setLANPage(port: UInt16?)
  case measureStore(token: UInt64)
  /// Reads changes that arrived before that number, newest first.
  case readChanges(token: UInt64, before: Int64, limit: Int)
  /// Sends `due` at this moment; replaces the former one, `nil` for never.
  case wakeAt(Moment?)
  case reload
  /// Replies that were ordered before still go out.
  case stop
}

/// Whether this machine's mDNS works, for `status` and `doctor`.
package enum DiscoveryHealth: Hashable, Sendable {
  /// Switched off by a flag.
  case off
  case starting
  case running
  /// The daemon or the child is away; tried again by itself. The text names the cause.
  case unavailable(String)
}

/// The page as other devices of the LAN reach it.
package struct LANPage: Hashable, Sendable {
  package var port: UInt16
  /// SHA-256 of its certificate, as browsers show it.
  package var fingerprint: String
  /// What a browser may write into `Host`: addresses and names of this machine with the port, in
  /// lower case.
  package var hosts: [String]
  /// Such a one that most likely leads here from the LAN.
  package var host: String

  /// Without a slash at its end.
  var origin: String { "https://\(host)" }
}

/// What the service may want to know of the agent around it, as of this call.
package struct AgentFacts: Hashable, Sendable {
  package var now: Moment
  package var wall: WallTime
  /// When the agent started; `nil` while it does not run and its store is only read.
  package var started: Moment?
  package var version: String
  /// Display name of this device by its flags; the roster may know another.
  package var name: String
  package var dataDirectory: String
  package var stateDirectory: String
  package var socketPath: String
  /// The TCP port that is bound for peers; 0 if none.
  package var peerPort: UInt16
  /// The loopback port of web page and API; `nil` if off.
  package var webPort: UInt16?
  /// The page for other devices of the LAN; `nil` while it is closed.
  package var lanPage: LANPage?
  package var discovery: DiscoveryHealth
  package var fixedPeers: [Endpoint]
  package var isPaused: Bool
  /// Why writes are refused; `nil` while the disk is fine.
  package var storeTrouble: String?
  /// Connections with TLS up, to members.
  package var links: Int
  /// Names of the interfaces that links run over, where known.
  package var interfaces: [LinkID: String] = [:]
  /// How long it took to take in each frame that brought changes of a peer.
  package var applyTimes = Histogram()
  /// Whether there is a folder of hooks.
  package var hasHooks = false
  /// Minute of the local day.
  package var localMinute = 0

  /// Whole seconds since the start; `nil` while the agent does not run.
  var uptimeSeconds: Int64? {
    started.map { Int64(clamping: (now.nanoseconds - $0.nanoseconds) / 1_000_000_000) }
  }
}
