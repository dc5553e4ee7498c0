// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import WireCodec
import EventLoop
import NodeEngine
import OpenSSLCrypto

/// One TCP connection to another agent and the TLS session on it. Belongs to the loop.
final class PeerLink {
  enum Phase {
    /// The connect is under way.
    case connecting
    /// TLS is judging keys; on the accepting side this holds a slot of the gate.
    case shaking
    /// The engine knows it.
    case up
    /// The engine is done with it; the last bytes go out.
    case closing
  }

  /// What waits in our buffer for a slow peer, at most; above the engine's windows.
  static let pendingBytesMax = 32 << 20
  /// A closing link that does not drain is cut after: 2 s.
  static let closingNanoseconds: UInt64 = 2_000_000_000

  let id: LinkID
  let token: UInt64
  let socket: StreamSocket
  let remote: Endpoint
  let tls: TLSSession
  var phase: Phase
  /// When the present phase must be over; `nil` while up, where the engine watches.
  var deadline: UInt64?
  var assembler = FrameAssembler()
  /// Bytes taken in before the peer has proven its key.
  var bytesBeforeAuth = 0
  /// Name of the interface it runs over, once it is up.
  var interface: String?
  /// Whether it holds a slot of the gate.
  var holdsSlot: Bool
  /// What the loop watches the socket for.
  var watched: Interest = []
  private(set) var bytesIn: UInt64 = 0
  private(set) var bytesOut: UInt64 = 0

  init(
    id: LinkID, token: UInt64, socket: StreamSocket, remote: Endpoint, tls: TLSSession,
    phase: Phase, deadline: UInt64, holdsSlot: Bool
  ) {
    (self.id, self.token, self.socket, self.remote) = (id, token, socket, remote)
    (self.tls, self.phase, self.deadline) = (tls, phase, deadline)
    self.holdsSlot = holdsSlot
  }

  /// Hands what TLS made to the socket. `false` if the connection is broken or the peer too slow.
  func pushOut() -> Bool {
    let output = tls.takeOutput()
    bytesOut &+= UInt64(output.count)
    return socket.send(output) == .accepted
  }

  func counted(received count: Int) { bytesIn &+= UInt64(count) }
}
