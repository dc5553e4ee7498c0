// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

public import ListModel

/// Lower-case hex, as ids are written in JSON and paths.
public enum Hex {
  /// The digit of 0...15.
  static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

  /// Returns two digits a byte.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    var out: [UInt8] = []
    for byte in bytes {
      out.append(digit(byte >> 4))
      out.append(digit(byte & 15))
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Reads digits of either case; `nil` for an odd count or another character.
  public static func decode(_ text: String) -> [UInt8]? {
    let digits = text.utf8.map(value)
    guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map {
      (digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0)
    }
  }

  static func value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x61...0x66: byte - 0x57
    case 0x41...0x46: byte - 0x37
    default: nil
    }
  }
}

extension ItemID {
  /// The 24 hex digits of this id, as in JSON.
  public var hex: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return Hex.encode(bytes)
  }

  /// Reads 24 hex digits; `nil` for anything else.
  public init?(hex: String) {
    guard hex.utf8.count == 24, let bytes = Hex.decode(hex) else { return nil }
    let nonce = bytes[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
    let index = bytes[8...].reduce(0) { $0 << 8 | UInt32($1) }
    self.init(nonce: nonce, index: index)
  }
}

extension Bytes16 {
  /// 32 hex digits.
  public var hex: String { Hex.encode(bytes) }
}

extension Bytes32 {
  /// 64 hex digits.
  public var hex: String { Hex.encode(bytes) }
}
