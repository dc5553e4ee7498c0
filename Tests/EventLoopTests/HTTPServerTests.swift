// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import EventLoop
import Glibc
import HTTPServer
import Testing

/// A server on a socket file, pumped by the test itself, and raw clients.
private final class Fixture {
  let directory = PrivateDirectory()
  let server: HTTPServer
  var requests: [HTTPRequest] = []
  var left: [RequestID] = []
  /// Answers inside `received`; `nil` leaves the request waiting.
  var answer: (HTTPRequest) -> HTTPReply? = { _ in .text(200, "fine") }

  init(settings: HTTPServer.Settings = .init()) throws {
    server = try #require(HTTPServer(settings: settings))
    #expect(server.serve(listener: try UnixListener.open(path: "\(directory.path)/s")))
    server.received = { [unowned self] request in
      requests.append(request)
      if let reply = answer(request) { server.reply(to: request.id, reply) }
    }
    server.clientLeft = { [unowned self] id in left.append(id) }
  }

  deinit {
    server.clientLeft = { _ in }
    server.stop()
    directory.remove()
  }

  /// Connects; a Unix connect to a listening socket is done at once.
  func client() -> StreamSocket {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let path = Array("\(directory.path)/s".utf8)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
    let fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let result = unsafe withUnsafePointer(to: &address) {
      unsafe connect(
        fd, UnsafeRawPointer($0).assumingMemoryBound(to: sockaddr.self),
        socklen_t(MemoryLayout<sockaddr_un>.size))
    }
    #expect(result == 0)
    _ = fcntl(fd, F_SETFL, O_NONBLOCK)
    return StreamSocket(fd: fd, pendingBytesMax: 8 << 20)
  }

  func pumped(until condition: () -> Bool) async -> Bool {
    await eventually {
      server.pump()
      return condition()
    }
  }

  /// Sends and pumps until the answer holds `end`.
  func exchange(_ client: StreamSocket, _ text: String, until end: String) async -> String {
    #expect(client.send(Array(text.utf8)) == .accepted)
    return await read(client, until: end)
  }

  func read(_ client: StreamSocket, until end: String) async -> String {
    var bytes: [UInt8] = []
    _ = await pumped {
      _ = client.flush()
      _ = client.receive(into: &bytes, room: 65_536)
      return String(decoding: bytes, as: UTF8.self).contains(end)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

private func get(_ target: String, _ headers: String = "") -> String {
  "GET \(target) HTTP/1.1\r\nHost: agent\r\n\(headers)\r\n"
}

@Suite struct HTTPServerTests {
  @Test func `a request arrives decoded, and its reply arrives whole`() async throws {
    let fixture = try Fixture()
    let reply = await fixture.exchange(
      fixture.client(), get("/api/v1/lists/a%2Fb?where=price%3E1+0&x", "Accept: text/plain\r\n"),
      until: "fine")
    #expect(reply.hasPrefix("HTTP/1.1 200") && reply.contains("nosniff"))
    let request = try #require(fixture.requests.first)
    #expect(request.path == ["api", "v1", "lists", "a/b"])
    #expect(request.query("where") == "price>1 0" && request.query("x") == "")
    #expect(request.headers[.accept] == "text/plain" && request.method == .get)
    #expect(request.door == .local(user: geteuid()))
  }

  @Test func `one connection carries many requests`() async throws {
    let fixture = try Fixture()
    let client = fixture.client()
    for _ in 0..<3 {
      let reply = await fixture.exchange(client, get("/"), until: "fine")
      #expect(reply.hasPrefix("HTTP/1.1 200"))
    }
    #expect(fixture.requests.count == 3)
  }

  @Test func `pipelined requests are all answered, also when each waits`() async throws {
    let fixture = try Fixture()
    fixture.answer = { _ in nil }
    let client = fixture.client()
    #expect(client.send(Array((get("/1") + get("/2")).utf8)) == .accepted)
    #expect(await fixture.pumped { fixture.requests.count == 1 })
    fixture.server.reply(to: fixture.requests[0].id, .text(200, "first"))
    #expect(await fixture.pumped { fixture.requests.count == 2 })
    fixture.server.reply(to: fixture.requests[1].id, .text(200, "second"))
    #expect(await fixture.read(client, until: "second").contains("first"))
    #expect(fixture.left.isEmpty)
  }

  @Test func `a body within the limit of its route is handed out`() async throws {
    let fixture = try Fixture()
    fixture.server.bodyLimit = { _, path in path == ["big"] ? 100_000 : 10 }
    let body = String(repeating: "x", count: 70_000)
    let reply = await fixture.exchange(
      fixture.client(),
      "POST /big HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)",
      until: "fine")
    #expect(reply.hasPrefix("HTTP/1.1 200"))
    #expect(fixture.requests.first?.body.count == 70_000)
  }

  @Test(arguments: [
    "POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\nxxxxxxxxxxx",
    "POST /small HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nb\r\nxxxxxxxxxxx\r\n0\r\n\r\n",
  ]) func `a body beyond the limit of its route is refused`(text: String) async throws {
    let fixture = try Fixture()
    fixture.server.bodyLimit = { _, _ in 10 }
    let reply = await fixture.exchange(fixture.client(), text, until: "\r\n\r\n")
    #expect(reply.hasPrefix("HTTP/1.1 413"))
    #expect(fixture.requests.isEmpty)
  }

  @Test(arguments: [
    ("GET /%zz HTTP/1.1", "400"), ("GET /%ff HTTP/1.1", "400"), ("GET /a%00b HTTP/1.1", "400"),
  ]) func `what cannot be read is refused and never handed out`(
    line: String, status: String
  ) async throws {
    let fixture = try Fixture()
    let reply = await fixture.exchange(
      fixture.client(), "\(line)\r\nHost: a\r\n\r\n", until: "\r\n\r\n")
    #expect(reply.hasPrefix("HTTP/1.1 \(status)"))
    #expect(fixture.requests.isEmpty)
  }

  @Test func `a method that no route has is handed out as such`() async throws {
    let fixture = try Fixture()
    _ = await fixture.exchange(
      fixture.client(), "BREW / HTTP/1.1\r\nHost: a\r\n\r\n", until: "fine")
    #expect(fixture.requests.map(\.method) == [.other])
  }

  @Test func `a stream delivers what is pushed, then ends`() async throws {
    let fixture = try Fixture()
    fixture.answer = { _ in nil }
    let client = fixture.client()
    #expect(client.send(Array(get("/events").utf8)) == .accepted)
    #expect(await fixture.pumped { fixture.requests.count == 1 })
    let id = fixture.requests[0].id
    fixture.server.openStream(for: id, contentType: "application/x-ndjson")
    #expect(fixture.server.push(Array("one\n".utf8), to: id) == .accepted)
    #expect(await fixture.read(client, until: "one\n").contains("application/x-ndjson"))
    #expect(fixture.server.push(Array("two\n".utf8), to: id) == .accepted)
    #expect(await fixture.read(client, until: "two\n").contains("two"))
    fixture.server.end(id)
    #expect(await fixture.read(client, until: "0\r\n").contains("0\r\n"))
    #expect(fixture.server.push([1], to: id) == .gone)
    #expect(fixture.left.isEmpty)
  }

  @Test(arguments: [false, true]) func `a client that leaves is noticed without a write`(
    isStream: Bool
  ) async throws {
    let fixture = try Fixture()
    fixture.answer = { _ in nil }
    let client = fixture.client()
    #expect(client.send(Array(get("/wait").utf8)) == .accepted)
    #expect(await fixture.pumped { fixture.requests.count == 1 })
    let id = fixture.requests[0].id
    if isStream {
      fixture.server.openStream(for: id, contentType: "text/event-stream")
      fixture.server.pump()
    }
    client.close()
    #expect(await fixture.pumped { fixture.left == [id] })
    fixture.server.reply(to: id, .text(200, "too late"))
    #expect(fixture.server.push([1], to: id) == .gone)
  }

  @Test func `a reader that does not keep up loses its stream, not our memory`() async throws {
    var settings = HTTPServer.Settings()
    settings.streamBytesMax = 100_000
    let fixture = try Fixture(settings: settings)
    fixture.answer = { _ in nil }
    let client = fixture.client()
    #expect(client.send(Array(get("/events").utf8)) == .accepted)
    #expect(await fixture.pumped { fixture.requests.count == 1 })
    let id = fixture.requests[0].id
    fixture.server.openStream(for: id, contentType: "text/event-stream")
    let piece = [UInt8](repeating: 0x61, count: 50_000)
    var pushed = HTTPServer.Pushed.accepted
    for _ in 0..<100 where pushed == .accepted { pushed = fixture.server.push(piece, to: id) }
    #expect(pushed == .overflowed)
    #expect(fixture.server.pendingBytes(of: id) <= 100_000)
  }

  @Test func `a server that stops lets nobody wait`() async throws {
    let fixture = try Fixture()
    fixture.answer = { _ in nil }
    let client = fixture.client()
    #expect(client.send(Array(get("/wait").utf8)) == .accepted)
    #expect(await fixture.pumped { fixture.requests.count == 1 })
    fixture.server.stop()
    var bytes: [UInt8] = []
    #expect(await eventually { client.receive(into: &bytes, room: 100) == .ended })
  }
}
