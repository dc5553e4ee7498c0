// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CSystemShim
import Glibc

/// One end of a byte stream, non-blocking, with a bounded buffer of what the kernel did not take yet.
///
/// Belongs to one loop. Watch `interest` and call `flush` when it is writable. The descriptor is
/// closed by `close` or with the last reference.
package final class StreamSocket {
  /// What one `receive` brought.
  package enum Received: Equatable, Sendable {
    case bytes(Int)
    /// Nothing more now; wait for the next event.
    case nothingYet
    /// The other side is done, or the connection failed.
    case ended
  }

  /// What became of a `send` or `flush`.
  package enum Sent: Equatable, Sendable {
    /// Everything is with the kernel or waits in the buffer.
    case accepted
    /// The buffer would outgrow its limit: the reader is too slow, nothing of it was taken.
    case full
    case failed
  }

  package let fd: Int32
  /// How many bytes may wait here before `send` says `.full`.
  package let pendingBytesMax: Int
  private var pending: [UInt8] = []
  private var sentOfPending = 0
  private var isClosed = false

  /// Takes `fd` over, which must be non-blocking.
  package init(fd: Int32, pendingBytesMax: Int) {
    (self.fd, self.pendingBytesMax) = (fd, pendingBytesMax)
  }

  deinit { close() }

  /// Starts to connect; done when writable, then ask `connectFailure`.
  package static func dial(
    _ address: SocketAddress, pendingBytesMax: Int
  ) throws(SystemError) -> StreamSocket {
    var raw = address.raw
    let fd = try unsafe SystemError.check(hs_tcp_dial(&raw), "connecting")
    return StreamSocket(fd: fd, pendingBytesMax: pendingBytesMax)
  }

  /// Why a finished connect did not succeed; `nil` if it did.
  package var connectFailure: SystemError? {
    let result = hs_socket_error(fd)
    return result == 0 ? nil : SystemError(.init(-result), "connecting")
  }

  /// Switches off Nagle's delay, and lets the kernel give a silent peer up after `userTimeout`.
  package func tune(userTimeoutMilliseconds: UInt32) { hs_tcp_tune(fd, userTimeoutMilliseconds) }

  package var localAddress: SocketAddress? {
    var raw = hs_address()
    return unsafe hs_local_address(fd, &raw) == 0 ? SocketAddress(raw) : nil
  }

  package var pendingBytes: Int { pending.count - sentOfPending }

  /// What to watch for: reading always, writing while bytes wait.
  package var interest: Interest { pendingBytes == 0 ? [.readable] : [.readable, .writable] }

  /// Appends at most `room` bytes to `buffer`.
  package func receive(into buffer: inout [UInt8], room: Int) -> Received {
    let before = buffer.count
    var result = 0
    // One append of uninitialised memory, filled in place.
    let chunk = unsafe [UInt8](unsafeUninitializedCapacity: room) { target, count in
      repeat {
        result = unsafe hs_receive(fd, target.baseAddress, room)
      } while result == -Int(EINTR)
      count = max(0, result)
    }
    if result > 0 {
      if before == 0 { buffer = chunk } else { buffer.append(contentsOf: chunk) }
      return .bytes(result)
    }
    return result == -Int(EAGAIN) ? .nothingYet : .ended
  }

  /// Writes what the kernel takes and keeps the rest.
  package func send(_ bytes: [UInt8]) -> Sent {
    if bytes.isEmpty { return .accepted }
    guard pendingBytes + bytes.count <= pendingBytesMax else { return .full }
    var start = 0
    if pendingBytes == 0 {
      switch write(bytes, from: 0) {
      case .some(let written): start = written
      case nil: return .failed
      }
    }
    if start < bytes.count { pending.append(contentsOf: bytes[start...]) }
    return .accepted
  }

  /// Writes what waits; call it when the socket is writable.
  package func flush() -> Sent {
    guard pendingBytes > 0 else { return .accepted }
    guard let written = write(pending, from: sentOfPending) else { return .failed }
    sentOfPending += written
    if sentOfPending == pending.count {
      pending.removeAll(keepingCapacity: pending.capacity <= 256 * 1024)
      sentOfPending = 0
    } else if sentOfPending > 256 * 1024 {
      pending.removeFirst(sentOfPending)
      sentOfPending = 0
    }
    return .accepted
  }

  /// Ends the stream at once; what still waits is dropped. Idempotent.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    _ = Glibc.close(fd)
  }

  /// Returns the number of bytes that the kernel took; `nil` for a broken connection.
  private func write(_ bytes: [UInt8], from start: Int) -> Int? {
    var done = start
    while done < bytes.count {
      let result = unsafe bytes.withUnsafeBytes { raw in
        unsafe hs_send(fd, raw.baseAddress.map { unsafe $0 + done }, bytes.count - done)
      }
      if result >= 0 {
        done += result
      } else if result == -Int(EAGAIN) {
        break
      } else if result != -Int(EINTR) {
        return nil
      }
    }
    return done - start
  }
}
