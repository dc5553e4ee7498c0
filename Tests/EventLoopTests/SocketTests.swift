// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import EventLoop
import Glibc
import Testing

@Suite struct SocketTests {
  private func accepted(_ listener: TCPListener, limit: Int) async -> StreamSocket? {
    var socket: StreamSocket?
    _ = await eventually {
      if case .connection(let found, _) = listener.accept(pendingBytesMax: limit) {
        socket = found
      }
      return socket != nil
    }
    return socket
  }

  private func received(_ socket: StreamSocket, count: Int) async -> [UInt8] {
    var all: [UInt8] = []
    _ = await eventually {
      _ = socket.receive(into: &all, room: 65_536)
      return all.count >= count
    }
    return all
  }

  @Test func `bytes sent over loopback arrive whole, and an end is seen`() async throws {
    let listener = try TCPListener(.loopback(port: 0))
    let dialled = try StreamSocket.dial(.loopback(port: listener.port), pendingBytesMax: 1 << 22)
    let taken = try #require(await accepted(listener, limit: 1024))
    #expect(await eventually { dialled.connectFailure == nil })
    let message = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    #expect(dialled.send(message) == .accepted)
    var all: [UInt8] = []
    #expect(
      await eventually {
        _ = dialled.flush()
        _ = taken.receive(into: &all, room: 1 << 20)
        return all.count == message.count
      })
    #expect(all == message && dialled.pendingBytes == 0)
    dialled.close()
    #expect(await eventually { taken.receive(into: &all, room: 10) == .ended })
  }

  @Test func `a reader that does not read fills a bounded buffer`() async throws {
    let listener = try TCPListener(.loopback(port: 0))
    let dialled = try StreamSocket.dial(.loopback(port: listener.port), pendingBytesMax: 100_000)
    let taken = try #require(await accepted(listener, limit: 0))
    let piece = [UInt8](repeating: 1, count: 65_536)
    var outcome = StreamSocket.Sent.accepted
    for _ in 0..<1_000 where outcome == .accepted { outcome = dialled.send(piece) }
    #expect(outcome == .full)
    #expect(dialled.pendingBytes <= 100_000 && dialled.interest.contains(.writable))
    #expect(taken.interest == [.readable])
  }

  @Test func `a connection knows the interface that it runs over`() async throws {
    let listener = try TCPListener(.loopback(port: 0))
    let dialled = try StreamSocket.dial(.loopback(port: listener.port), pendingBytesMax: 10)
    let taken = try #require(await accepted(listener, limit: 10))
    #expect(taken.interfaceName == "lo")
    #expect(await eventually { dialled.interfaceName == "lo" })
    dialled.close()
    #expect(dialled.interfaceName == nil)
  }

  @Test func `a refused dial says so`() async throws {
    let port = try TCPListener(.loopback(port: 0)).port
    let dialled = try StreamSocket.dial(.loopback(port: port), pendingBytesMax: 10)
    var bytes: [UInt8] = []
    #expect(
      await eventually {
        dialled.connectFailure != nil || dialled.receive(into: &bytes, room: 1) == .ended
      })
  }

  @Test func `a taken port is a named failure`() throws {
    let first = try TCPListener(.loopback(port: 0))
    let failure = #expect(throws: SystemError.self) {
      try TCPListener(.loopback(port: first.port))
    }
    #expect(failure?.code == .inUse)
  }

  @Test(arguments: [
    ("192.0.2.7", "192.0.2.7:9"), ("192.0.2.7:80", "192.0.2.7:80"), ("[::1]:80", "[::1]:80"),
    ("::1", "[::1]:9"), ("fe80::1%1", "[fe80::1%1]:9"),
  ]) func `addresses are read and written`(text: String, written: String) throws {
    let address = try #require(SocketAddress(text, defaultPort: 9))
    #expect(address.description == written)
  }

  @Test(arguments: ["", "host", "1.2.3", "1.2.3.4:70000", "[::1", "[::1]80", "1.2.3.4:", ":1"])
  func `what is no address is refused`(text: String) {
    #expect(SocketAddress(text, defaultPort: 9) == nil)
  }

  @Test func `the socket file is private from its first moment`() throws {
    let directory = PrivateDirectory()
    defer { directory.remove() }
    let path = "\(directory.path)/s"
    let fd = try UnixListener.open(path: path)
    defer { close(fd) }
    var info = stat()
    unsafe #expect(lstat(path, &info) == 0)
    #expect(info.st_mode & 0o777 == 0o600)
    // A leftover of a dead agent is replaced.
    let again = try UnixListener.open(path: path)
    close(again)
  }

  @Test func `a socket directory that others can enter is refused`() {
    let directory = PrivateDirectory()
    defer { directory.remove() }
    unsafe _ = chmod(directory.path, 0o755)
    let failure = #expect(throws: SystemError.self) {
      try UnixListener.open(path: "\(directory.path)/s")
    }
    #expect(failure?.code == .notPermitted)
  }

  @Test func `a child talks over its descriptor and its end is collected`() async throws {
    let child = try ChildProcess(
      path: "/bin/sh", arguments: ["-c", "read word <&3; echo got $word >&3; exit 7"])
    #expect(child.collect() == nil)
    #expect(child.socket.send(Array("hello\n".utf8)) == .accepted)
    let reply = await received(child.socket, count: 10)
    #expect(reply == Array("got hello\n".utf8))
    var code: Int32?
    #expect(
      await eventually {
        code = child.collect()
        return code != nil
      })
    #expect(code == 7)
  }
}
