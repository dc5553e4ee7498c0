// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import Glibc
import ListFormats
import ListModel
import SystemServices

/// What `hedged` does as a child that delivers one notice: calls that block, apart from the loop.
enum DeliveryChild {
  static let desktopVerb = "deliver-desktop"
  static let postVerb = "deliver-post"
  /// The exit status where nobody is there to be told.
  static let nobodyThere: Int32 = 3

  /// `nil` unless these are the arguments of a delivery.
  static func run(_ arguments: [String]) -> Int32? {
    guard arguments.count == 2 else { return nil }
    switch arguments[0] {
    case desktopVerb: return desktop(replaces: UInt32(arguments[1]) ?? 0)
    case postVerb: return WebHook(arguments[1])?.post(input()) ?? false ? 0 : 1
    default: return nil
    }
  }

  private static func input() -> [UInt8] {
    var out: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(STDIN_FILENO, &room, room.count)
      if count <= 0 { return out }
      out += room[..<count]
    }
  }

  private static func desktop(replaces: UInt32) -> Int32 {
    guard case .object(let members)? = try? JSONReader.read(input()) else { return 1 }  // not ours
    func text(_ name: String) -> String {
      for (key, value) in members where sameBytes(key.string, name) {
        if case .string(let text) = value { return text.string }
      }
      return ""
    }
    switch Desktop.show(title: text("title"), body: text("body"), replaces: replaces) {
    case .shown(let id):
      let digits = Array("\(id)".utf8)
      unsafe _ = write(STDOUT_FILENO, digits, digits.count)
      return 0
    case .nobody: return nobodyThere
    case .failed: return 1
    }
  }
}

/// `http://HOST[:PORT]/PATH`, to which a notice is posted.
struct WebHook: Hashable, Sendable {
  let host: String
  let port: String
  let path: String

  /// `nil` for anything else, such as `https`, which needs a program of its own.
  init?(_ text: String) {
    guard text.hasPrefix("http://"), text.utf8.count <= 2_000,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return nil }
    let rest = text.dropFirst(7)
    let place = rest.prefix { $0 != "/" }
    path = rest.count == place.count ? "/" : String(rest.dropFirst(place.count))
    if place.hasPrefix("["), let end = place.lastIndex(of: "]") {
      host = String(place[place.index(after: place.startIndex)..<end])
      let tail = place[place.index(after: end)...]
      port = tail.hasPrefix(":") ? String(tail.dropFirst()) : tail.isEmpty ? "80" : ""
    } else {
      let parts = place.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count <= 2 else { return nil }
      host = String(parts[0])
      port = parts.count == 2 ? String(parts[1]) : "80"
    }
    guard !host.isEmpty, !host.contains("@"), UInt16(port) ?? 0 > 0 else { return nil }
  }

  /// Posts JSON; whether it was taken (2xx). Blocks.
  func post(_ json: [UInt8]) -> Bool {
    guard let socket = connected() else { return false }
    defer { close(socket) }
    let shown = host.contains(":") ? "[\(host)]" : host
    let head =
      "POST \(path) HTTP/1.1\r\nHost: \(shown):\(port)\r\nContent-Type: application/json\r\n"
      + "Content-Length: \(json.count)\r\nConnection: close\r\n\r\n"
    let bytes = Array(head.utf8) + json
    var at = 0
    while at < bytes.count {
      let sent = unsafe bytes[at...].withUnsafeBytes {
        unsafe send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if sent <= 0 { return false }
      at += sent
    }
    var answer: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 1_024)
    while answer.count < 12 {
      let count = unsafe recv(socket, &room, room.count, 0)
      if count <= 0 { return false }
      answer += room[..<count]
    }
    let words = String(decoding: answer.prefix(12), as: UTF8.self).split(separator: " ")
    return words.count == 2 && words[0].hasPrefix("HTTP/1.") && words[1].hasPrefix("2")
  }

  private func connected() -> Int32? {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(host, port, &hints, &list) == 0 else { return nil }
    defer { unsafe freeaddrinfo(list) }
    var next = unsafe list
    while let info = unsafe next {
      let found = unsafe socket(info.pointee.ai_family, info.pointee.ai_socktype, 0)
      if found >= 0 {
        if unsafe connect(found, info.pointee.ai_addr, info.pointee.ai_addrlen) == 0 {
          return found
        }
        close(found)
      }
      unsafe next = info.pointee.ai_next
    }
    return nil
  }
}
