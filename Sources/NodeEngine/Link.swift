// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import WireCodec

/// One authenticated connection to a member, and how far the exchange on it has come.
///
/// Nothing of it outlives the connection: a new one starts from the two durable vectors.
struct Link: Sendable {
  enum Phase: Hashable, Sendable {
    /// Our hello is out, theirs is awaited.
    case greeting
    /// The heads of the rosters differ: our records are out, theirs are awaited.
    case exchangingRoster
    /// Changes flow both ways.
    case streaming
  }

  let id: LinkID
  let device: DeviceID
  /// The other end; of an accepted link its port says nothing.
  let endpoint: Endpoint
  let openedAt: Moment
  var phase = Phase.greeting
  /// What was sent to the peer as greeting, and what it sent.
  var greeted: Hello?
  var hello: Hello?
  /// What the peer had acknowledged before this link; `nil` once it was reminded of it.
  var confirmed: VersionVector?
  /// When this side ends it if it still wishes for other links instead.
  var surplusAt: Moment?
  /// The peer's wall clock minus ours at its greeting, then at its last pong.
  var clockOffset: Int64?
  var liveness: Liveness
  var outbound = Outbound()
  var inbound = Inbound()

  init(id: LinkID, device: DeviceID, endpoint: Endpoint, openedAt: Moment) {
    (self.id, self.device, self.endpoint, self.openedAt) = (id, device, endpoint, openedAt)
    liveness = Liveness(openedAt: openedAt)
  }

  /// The peer's wall clock minus ours, in milliseconds. What a peer says of its clock is any number:
  /// it is cut to some 30,000 years, so that nobody who reckons with it comes to an end.
  static func offset(_ theirs: WallTime, from ours: WallTime) -> Int64 {
    let max: Int64 = 1_000_000_000_000_000
    let (offset, isTooLarge) = theirs.milliseconds.subtractingReportingOverflow(ours.milliseconds)
    if isTooLarge { return theirs < ours ? -max : max }
    return Swift.min(max, Swift.max(-max, offset))
  }

  /// Where the peer listens, as far as this link shows.
  var listening: Endpoint? {
    if id.role == .dialled { return endpoint }
    guard let hello, hello.listenPort != 0 else { return nil }
    return endpoint.with(port: hello.listenPort)
  }
}

/// Pings, silence and round trip time of one link.
struct Liveness: Sendable {
  var lastHeard: Moment
  var nextPing: Moment
  /// The ping whose answer is awaited.
  var ping: (nonce: UInt64, sentAt: Moment)?
  var rtt: Delay?
  /// The vector that the peer was last told.
  var told: VersionVector?

  init(openedAt: Moment) {
    (lastHeard, nextPing) = (openedAt, openedAt)
  }

  /// An answer came: takes the time if it belongs to the last ping.
  mutating func heard(pong nonce: UInt64, at now: Moment) {
    guard let ping, ping.nonce == nonce else { return }
    let sample = now.since(ping.sentAt)
    rtt = rtt.map { min($0, sample) } ?? sample
    self.ping = nil
  }
}

/// What the peer has of ours, as it said and as we hope.
struct Outbound: Sendable {
  /// What the peer said is on its disk.
  var told = HeldTips()
  /// What is on its way to it on this link, or came from it.
  var underWay = HeldTips()
  /// `told` and `underWay` together, in terms of our sessions; `nil` when it must be made anew.
  var sent: Coverage?
  /// Last dot and bytes of each frame that is not acknowledged, oldest first.
  var frames: [(last: Dot, bytes: Int)] = []
  var frameBytes = 0
  /// The oldest of `frames` at the peer's last ping.
  var firstAtPing: Dot?
  /// When to look for something to send; `nil`: nothing is known to be lacking.
  var pumpAt: Moment?
  var reading: ReadToken?
  /// Devices of tips that the peer has and we have not: what we hold of their earlier sessions it
  /// may well have too, so it waits until then.
  var heldDevices: [DeviceID] = []
  var heldUntil = Moment(nanoseconds: 0)
  var snapshot: SnapshotSending?
  /// The log behind a snapshot that is out.
  var tail: LogTail?

  /// Books a frame that goes out.
  mutating func book(_ last: Tip, bytes: Int) {
    underWay.raise(last)
    frames.append((last.dot, bytes))
    frameBytes += bytes
  }

  /// The peer has these on disk.
  /// - Returns: Whether that freed room in the window.
  mutating func acknowledged(_ tips: [Tip]) -> Bool {
    told.raise(tips)
    var freed = 0
    while freed < frames.count, told.seq(of: frames[freed].last.session) >= frames[freed].last.seq {
      frameBytes -= frames[freed].bytes
      freed += 1
    }
    frames.removeFirst(freed)
    return freed > 0
  }

  /// Start over from what the peer acknowledged.
  mutating func rewind() {
    underWay = HeldTips()
    sent = nil
    frames = []
    frameBytes = 0
  }
}

/// What came from the peer and is not settled yet.
struct Inbound: Sendable {
  /// Highest change per session that came on this link and was not acknowledged yet.
  var owed = HeldTips()
  /// Runs that came before what they need.
  var parked: [[UInt8]] = []
  var askAgainAt: Moment?
  var snapshot: SnapshotReceiving?
  /// The log behind a snapshot that is in.
  var log: LogReceiving?
}
