// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI
import Glibc

/// One connection to the agent's socket: a request out, a response in. Blocking, unless it is asked
/// to `receive` when its descriptor is readable.
package final class Connection {
  /// For waiting until there is something to `receive`.
  package let descriptor: Int32
  private var pending: [UInt8] = []

  /// Connects.
  /// - Throws: `unreachable` where nobody listens, `notAllowed` on somebody else's socket.
  package init(path: String, timeoutSeconds: Int?) throws(Problem) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw Problem(.usage, "the socket path has \(bytes.count) bytes, 107 are possible")
    }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
    let code = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if code != 0 {
      let reason = errno
      close(descriptor)
      if reason == EACCES || reason == EPERM {
        throw Problem(
          .notAllowed, "the agent at \(path) belongs to another user",
          detail: "run hedge as that user, or start your own: hedge agent run")
      }
      throw Problem(
        .unreachable, "the agent is not running", detail: "start it: hedge agent run",
        suggest: nil)
    }
    if let timeoutSeconds { limit(milliseconds: timeoutSeconds * 1_000) }
  }

  /// Waits so long for each part of an answer.
  package func limit(milliseconds: Int) {
    var limit = timeval(tv_sec: milliseconds / 1_000, tv_usec: milliseconds % 1_000 * 1_000)
    unsafe setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// Sends a request; an agent that answers before it has read all is not an error.
  package func send(_ form: RequestForm, _ headers: [(String, String)]) throws(Problem) {
    var head = "\(form.method) \(form.target) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if let type = form.contentType { head += "Content-Type: \(type)\r\n" }
    if form.method != "GET" { head += "Content-Length: \(form.body.count)\r\n" }
    let bytes = Array((head + "\r\n").utf8) + form.body
    var at = 0
    while at < bytes.count {
      let sent = unsafe bytes[at...].withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if sent < 0 && errno == EINTR { continue }
      // The agent may have answered (too large) before it read all.
      if sent <= 0 { return }
      at += sent
    }
  }

  /// The head of the response.
  package struct Head {
    package var status = 0
    package var headers: [(name: String, value: String)] = []

    /// A head without anything.
    package init() {}

    /// The first header of that name, whatever its case.
    package func value(_ name: String) -> String? {
      headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
  }

  /// Reads status and headers.
  /// - Throws: `failed` where the answer breaks off, `timeout`.
  package func head() throws(Problem) -> Head {
    var head = Head()
    let words = try line().split(separator: " ")
    guard words.count >= 2, let status = Int(words[1]) else { throw Self.broken }
    head.status = status
    while true {
      let text = try line()
      if text.isEmpty { return head }
      guard let colon = text.firstIndex(of: ":") else { throw Self.broken }
      let value = text[text.index(after: colon)...].drop { $0 == " " }
      head.headers.append((String(text[..<colon]), String(value)))
    }
  }

  /// Calls `take` with the body piece by piece until it ends or `take` returns `false`.
  package func body(_ head: Head, _ take: ([UInt8]) -> Bool) throws(Problem) {
    if head.value("Transfer-Encoding")?.lowercased() == "chunked" {
      while true {
        guard let size = Int(try line().prefix { $0 != ";" }, radix: 16) else { throw Self.broken }
        if size == 0 { return }
        let bytes = try exactly(size)
        _ = try line()
        if !take(bytes) { return }
      }
    }
    if let length = head.value("Content-Length").flatMap({ Int($0) }) {
      _ = take(try exactly(length))
      return
    }
    while try fill() {
      let bytes = pending
      pending = []
      if !take(bytes) { return }
    }
    if !pending.isEmpty { _ = take(pending) }
  }

  /// Waits until something has come in, at most `milliseconds`; whether it has.
  package func hasAnswer(within milliseconds: Int) -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&wanted, 1, Int32(clamping: milliseconds)) > 0
  }

  /// What has come in, once the descriptor is readable; `nil` at the end of the stream.
  package func receive() throws(Problem) -> [UInt8]? {
    if pending.isEmpty, try !fill() { return nil }
    defer { pending = [] }
    return pending
  }

  private static var broken: Problem {
    Problem(.failed, "the agent's answer broke off", detail: "see its log, then try again")
  }

  private func line() throws(Problem) -> String {
    while true {
      if let end = pending.firstIndex(of: 10) {
        var bytes = pending[..<end]
        if bytes.last == 13 { bytes = bytes.dropLast() }
        let text = String(decoding: bytes, as: UTF8.self)
        pending.removeFirst(end + 1)
        return text
      }
      guard try fill() else { throw Self.broken }
    }
  }

  private func exactly(_ count: Int) throws(Problem) -> [UInt8] {
    while pending.count < count {
      guard try fill() else { throw Self.broken }
    }
    defer { pending.removeFirst(count) }
    return Array(pending[..<count])
  }

  /// Reads more; `false` at the end.
  private func fill() throws(Problem) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      if count > 0 {
        pending += buffer[..<count]
        return true
      }
      if count == 0 { return false }
      if errno == EINTR { continue }
      if errno == EAGAIN { throw Problem(.timeout, "no answer within the time limit") }
      return false
    }
  }
}
