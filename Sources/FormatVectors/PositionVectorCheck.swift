// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Workbench

/// What a section of a vector file came to.
package struct VectorSection: Sendable {
  package let name: String
  package private(set) var cases = 0
  /// One sentence for each case that came out differently: which, expected, found.
  package private(set) var differences: [String] = []

  init(_ name: String) { self.name = name }

  /// Counts one case; `found` describes what differs, `nil` if nothing does.
  mutating func note(_ found: String?) {
    if let found { differences.append("\(name)[\(cases)]: \(found)") }
    cases += 1
  }
}

extension PositionVectors {
  /// Runs every case of the file, section by section in the order of the file.
  ///
  /// Throws `VectorError` for hex or integers that cannot be read.
  package func check() throws -> [VectorSection] {
    [
      try checkTags(), try checkEncoding(), try checkInvalid(), try checkOrder(),
      try checkBetween(), try checkBulk(),
    ]
  }

  private func checkTags() throws -> VectorSection {
    var section = VectorSection("tag")
    for one in tag {
      let digest = SHA256.digest(Array("hedgerow tag".utf8) + (try Hex.bytes(one.session)))
      section.note(Self.difference(expected: one.tag, found: Hex.text(Array(digest.prefix(4)))))
    }
    return section
  }

  private func checkEncoding() throws -> VectorSection {
    var section = VectorSection("encode")
    for one in encode {
      let bytes = try Hex.bytes(one.hex)
      let encoded = Hex.text(PositionCodec.encode(one.key.path))
      if let difference = Self.difference(expected: one.hex, found: encoded) {
        section.note(difference)
        continue
      }
      do {
        let decoded = try PositionCodec.decode(bytes)
        section.note(decoded == one.key.path ? nil : "\(one.hex) decodes to \(decoded)")
      } catch { section.note("\(one.hex) is refused: \(error)") }
    }
    return section
  }

  private func checkInvalid() throws -> VectorSection {
    var section = VectorSection("invalid")
    for one in invalid {
      let accepted = PositionCodec.isValid(try Hex.bytes(one.hex))
      section.note(accepted ? "\(one.hex) is accepted, expected: \(one.reason)" : nil)
    }
    return section
  }

  private func checkOrder() throws -> VectorSection {
    var section = VectorSection("order")
    for list in order {
      let keys = try list.map(Hex.key)
      let paths = try keys.map { try PositionCodec.decode($0.bytes) }
      let wrong = keys.indices.dropFirst().first { at in
        !(keys[at - 1] < keys[at]) || !PositionOrder.precedes(paths[at - 1], paths[at])
      }
      section.note(wrong.map { "\(list[$0 - 1]) does not precede \(list[$0])" })
    }
    return section
  }

  private func checkBetween() throws -> VectorSection {
    var section = VectorSection("between")
    for one in between {
      let after = try (one.after ?? []).map(Hex.key)
      let key = PositionGenerator.between(
        try one.a.map(Hex.key), try one.b.map(Hex.key), tag: try Hex.tag(one.t)
      ) { key in after.first { $0 > key } }
      let difference = Self.difference(expected: one.key, found: Hex.text(key.bytes))
      section.note(difference.map { "rule \(one.rule): \($0)" })
    }
    return section
  }

  private func checkBulk() throws -> VectorSection {
    var section = VectorSection("bulk")
    for one in bulk {
      let first = PositionGenerator.run(
        of: one.n, between: try one.a.map(Hex.key), try one.b.map(Hex.key),
        tag: try Hex.tag(one.t)
      ) { _ in nil }
      let run = try PositionRun(first: first, count: one.n)
      var hash = SHA256()
      for index in 0..<one.n { hash.update(run.key(at: index).bytes) }
      let expected = [one.first, one.last, one.sha256].joined(separator: " ")
      let found = [
        Hex.text(first.bytes), Hex.text(run.key(at: one.n - 1).bytes), Hex.text(hash.finish()),
      ].joined(separator: " ")
      let difference = Self.difference(expected: expected, found: found)
      section.note(difference.map { "rule \(one.rule): \($0)" })
    }
    return section
  }

  private static func difference(expected: String, found: String) -> String? {
    Array(expected.utf8) == Array(found.utf8) ? nil : "expected \(expected), found \(found)"
  }
}
