// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import Foundation
import ListModel

/// A file of test vectors for position keys, as decoded. One property per section.
package struct PositionVectors: Decodable, Sendable {
  /// The `format` that a file of this form names.
  package static let formatName = "hedgerow position vectors 1"

  struct TagCase: Decodable {
    let session: String
    let tag: String
  }
  struct EncodeCase: Decodable {
    let key: PathText
    let hex: String
  }
  struct InvalidCase: Decodable {
    let hex: String
    let reason: String
  }
  struct BetweenCase: Decodable {
    let a: String?
    let b: String?
    let t: String
    let after: [String]?
    let key: String
    let rule: String
  }
  struct BulkCase: Decodable {
    let a: String?
    let b: String?
    let t: String
    let n: Int
    let first: String
    let last: String
    let sha256: String
    let rule: String
  }

  let format: String
  let tag: [TagCase]
  let encode: [EncodeCase]
  let invalid: [InvalidCase]
  let order: [[String]]
  let between: [BetweenCase]
  let bulk: [BulkCase]

  /// Reads a vector file. Throws Foundation's decoding errors, and one for a foreign `format`.
  package init(json: Data) throws {
    self = try JSONDecoder().decode(Self.self, from: json)
    guard format == Self.formatName else {
      throw VectorError(message: "format is \"\(format)\", expected \"\(Self.formatName)\"")
    }
  }
}

/// A path as vectors write it: `[root, [tag, integer], …]`, integers as decimal strings.
struct PathText: Decodable {
  let path: PositionPath

  init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    let root = try Self.integer(list.decode(String.self))
    var levels: [PositionLevel] = []
    while !list.isAtEnd {
      let pair = try list.decode([String].self)
      guard pair.count == 2 else { throw VectorError(message: "a level is [tag, integer]") }
      levels.append(
        PositionLevel(tag: try Hex.tag(pair[0]), integer: try Self.integer(pair[1])))
    }
    path = PositionPath(root: root, levels: levels)
  }

  private static func integer(_ text: String) throws -> Int64 {
    guard let value = Int64(text) else { throw VectorError(message: "no integer: \(text)") }
    return value
  }
}

/// Why a vector file could not be used; for people.
package struct VectorError: Error, CustomStringConvertible, Sendable {
  package let message: String
  package var description: String { message }
}

/// Lower-case hex ⇄ bytes.
package enum Hex {
  /// Throws `VectorError` unless `text` is an even number of hex digits.
  package static func bytes(_ text: String) throws -> [UInt8] {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { throw VectorError(message: "odd hex: \(text)") }
    return try stride(from: 0, to: digits.count, by: 2).map { at in
      guard let byte = UInt8(String(decoding: digits[at..<at + 2], as: UTF8.self), radix: 16)
      else { throw VectorError(message: "no hex: \(text)") }
      return byte
    }
  }

  /// Two digits a byte.
  package static func text(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  static func tag(_ text: String) throws -> WriterTag {
    guard let value = UInt32(text, radix: 16), text.utf8.count == 8 else {
      throw VectorError(message: "no tag: \(text)")
    }
    return WriterTag(value)
  }

  static func key(_ text: String) throws -> PositionKey { PositionKey(bytes: try bytes(text)) }
}
