// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Key=value strings in DNS TXT record data (RFC 6763 section 6): one length byte before each.
package enum TXTRecord {
  /// One string: key in lower case ASCII, value as raw bytes.
  package struct Entry: Equatable, Sendable {
    package let key: [UInt8]
    package let value: [UInt8]

    package init(key: [UInt8], value: [UInt8]) {
      self.key = key
      self.value = value
    }

    /// Spells an entry with text, for constants: `.init("v", "1")`.
    package init(_ key: String, _ value: String) {
      self.init(key: Array(key.utf8), value: Array(value.utf8))
    }
  }

  /// Builds record data of `entries`, in order.
  ///
  /// - Returns: `nil` if a key is empty, holds "=" or anything beyond printable ASCII, if a string
  ///   is longer than 255 bytes, or all of them than `DiscoveryLimits.ownTXTBytesMax`.
  package static func data(_ entries: [Entry]) -> [UInt8]? {
    var out: [UInt8] = []
    for entry in entries {
      let isKey = entry.key.allSatisfy { $0 >= 0x20 && $0 <= 0x7E && $0 != UInt8(ascii: "=") }
      let count = entry.key.count + 1 + entry.value.count
      if entry.key.isEmpty || !isKey || count > 255 { return nil }
      out.append(UInt8(count))
      out.append(contentsOf: entry.key)
      out.append(UInt8(ascii: "="))
      out.append(contentsOf: entry.value)
    }
    return out.count <= DiscoveryLimits.ownTXTBytesMax ? out : nil
  }

  /// Reads record data of anybody on the LAN: never fails, skips what is malformed.
  ///
  /// Strings without "=" and with an empty key are skipped, of equal keys the first counts
  /// (RFC 6763 6.4), keys are folded to lower case, and a string that runs past the end ends the
  /// record. At most 32 entries are read.
  package static func entries(in data: [UInt8]) -> [Entry] {
    var entries: [Entry] = []
    var rest = data[...]
    while let length = rest.popFirst(), length <= rest.count, entries.count < 32 {
      let string = rest.prefix(Int(length))
      rest.removeFirst(Int(length))
      guard let equals = string.firstIndex(of: UInt8(ascii: "=")), equals > string.startIndex
      else { continue }
      let key = string[..<equals].map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
      if entries.contains(where: { $0.key == key }) { continue }
      entries.append(Entry(key: key, value: Array(string[(equals + 1)...])))
    }
    return entries
  }
}
