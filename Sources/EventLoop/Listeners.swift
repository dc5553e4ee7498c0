// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CSystemShim
import Glibc

/// A TCP port that accepts connections, without blocking.
package final class TCPListener {
  /// What one `accept` brought.
  package enum Accepted {
    case connection(StreamSocket, from: SocketAddress)
    case nothing
    /// No descriptors left: stop watching for a moment, or the loop spins (catalogue S4).
    case exhausted
  }

  package let fd: Int32
  /// The port that was bound, also when 0 was asked for.
  package let port: UInt16

  /// Binds and listens. Port 0 = any free one.
  package init(_ address: SocketAddress, backlog: Int32 = 64) throws(SystemError) {
    var raw = address.raw
    fd = try unsafe SystemError.check(
      hs_tcp_listen(&raw, backlog), "listening on TCP port \(address.port)")
    var bound = hs_address()
    let result = unsafe hs_local_address(fd, &bound)
    precondition(result == 0, "a bound socket has an address")
    port = bound.port
  }

  deinit { close(fd) }

  /// Takes the next waiting connection.
  package func accept(pendingBytesMax: Int) -> Accepted {
    while true {
      var from = hs_address()
      let result = unsafe hs_tcp_accept(fd, &from)
      if result >= 0 {
        let socket = StreamSocket(fd: result, pendingBytesMax: pendingBytesMax)
        return .connection(socket, from: SocketAddress(from))
      }
      switch -result {
      case EAGAIN: return .nothing
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
      default: continue  // this connection died before it was taken: try the next one
      }
    }
  }
}

/// The socket file of the local API.
package enum UnixListener {
  /// Binds `path` with mode `mode` and returns the listening descriptor.
  ///
  /// Call it only while holding the data lock: that makes a file already there a leftover, which is
  /// removed (catalogue L2). The directory must be ours with mode 0700 (L1).
  package static func open(
    path: String, mode: UInt32 = 0o600, backlog: Int32 = 64
  ) throws(SystemError) -> Int32 {
    let directory = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    _ = try unsafe SystemError.check(
      hs_private_directory(directory),
      "the socket directory \(directory) must be yours with mode 0700")
    unsafe _ = unlink(path)
    return try unsafe SystemError.check(
      hs_unix_listen(path, mode, backlog), "creating the socket \(path)")
  }

  /// The user at the other end of a Unix connection; `nil` if the kernel does not say.
  package static func peerUser(of fd: Int32) -> UInt32? {
    var uid: UInt32 = 0
    return unsafe hs_peer_uid(fd, &uid) == 0 ? uid : nil
  }
}

/// The ports of web page and API.
package enum PageListener {
  /// Binds and listens; port 0 = any free one. The descriptor belongs to the caller.
  package static func open(_ address: SocketAddress) throws(SystemError) -> (
    fd: Int32, port: UInt16
  ) {
    var raw = address.raw
    let fd = try unsafe SystemError.check(
      hs_tcp_listen(&raw, 128), "listening on TCP port \(address.port) for the web page")
    var bound = hs_address()
    let result = unsafe hs_local_address(fd, &bound)
    precondition(result == 0, "a bound socket has an address")
    return (fd, bound.port)
  }
}
