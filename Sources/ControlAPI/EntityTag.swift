// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Entity tags as `If-Match` and `If-None-Match` write them (RFC 9110 13.1).
public enum EntityTag {
  /// A tag that follows the bytes: FNV-1a of 64 bits, which tells versions apart, no more.
  public static func of(_ bytes: [UInt8]) -> String {
    String(bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }, radix: 16)
  }

  /// Whether the header names `tag`: `*`, or a list of `"tag"`, `W/"tag"`; the bare tag counts too.
  public static func matches(_ header: String?, _ tag: String) -> Bool {
    guard let header else { return false }
    for part in header.split(separator: ",") {
      var text = part.drop { $0 == " " || $0 == "\t" }
      while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
      if sameBytes(String(text), "*") { return true }
      if text.hasPrefix("W/") { text = text.dropFirst(2) }
      if text.count >= 2, text.first == "\"", text.last == "\"" {
        text = text.dropFirst().dropLast()
      }
      if sameBytes(String(text), tag) { return true }
    }
    return false
  }
}
