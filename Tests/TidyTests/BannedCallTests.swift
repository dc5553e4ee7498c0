// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import Testing

/// A spelling that is not used here, where, and what to write instead.
private struct Ban: Sendable {
  let spelling: String
  let instead: String
  let applies: @Sendable (SourceFile) -> Bool
  /// A line with this, or right below one with it, is fine.
  var unless: String?
}

@Suite struct BannedCallTests {
  private static let bans: [Ban] = [
    Ban(
      spelling: "for unsafe", instead: "forEach: the formatter drops the space behind `unsafe`",
      applies: { _ in true }),
    Ban(spelling: "import XCTest", instead: "Swift Testing", applies: { _ in true }),
    Ban(
      spelling: "Task.sleep", instead: "nextDeadline; in tests poll a condition",
      applies: { $0.target != "LiveTests" }),
    Ban(
      spelling: "usleep(", instead: "nextDeadline; in tests poll a condition",
      applies: { !["LiveTests", "EventLoopTests", "dev", "hedge"].contains($0.target) }),
    Ban(
      spelling: "Task.detached", instead: "a synchronous handler: the pool ticks for ever",
      applies: isProduct),
    Ban(
      spelling: "AsyncStream", instead: "effects in the same call: hidden buffers",
      applies: isProduct
    ),
    Ban(spelling: "Mutex(", instead: "Locked: TSan does not see Mutex", applies: isProduct),
    Ban(
      spelling: ".random(", instead: "random(in:using:) with a generator that was handed in",
      applies: isSource, unless: "using:"),
    Ban(
      spelling: ".shuffled()", instead: "shuffled(using:)", applies: isSource),
    Ban(
      spelling: ".randomElement()", instead: "randomElement(using:)", applies: isSource),
    Ban(spelling: "SystemRandomNumberGenerator", instead: "a seed from outside", applies: isPure),
    Ban(spelling: "ContinuousClock", instead: "Moment, handed in", applies: isPure),
    Ban(spelling: "Date()", instead: "WallTime, handed in", applies: isPure),
    Ban(spelling: "print(", instead: "a value that the caller prints", applies: isLibrary),
    Ban(spelling: "try!", instead: "a typed error", applies: isProduct, unless: "//"),
    Ban(spelling: " as!", instead: "a conditional cast", applies: isProduct),
    Ban(
      spelling: "fatalError(", instead: "precondition with state and value", applies: isProduct,
      unless: "//"),
  ]

  private static let isSource: @Sendable (SourceFile) -> Bool = { $0.path.hasPrefix("Sources/") }
  private static let isProduct: @Sendable (SourceFile) -> Bool = {
    $0.path.hasPrefix("Sources/") && Layer.product.contains($0.target)
  }
  private static let isPure: @Sendable (SourceFile) -> Bool = {
    $0.path.hasPrefix("Sources/") && Layer.pure.contains($0.target)
  }
  private static let isLibrary: @Sendable (SourceFile) -> Bool = {
    $0.path.hasPrefix("Sources/") && Layer.pure.union(Layer.adapters).contains($0.target)
  }

  @Test func `calls that have a better replacement here are not used`() {
    var findings: [Finding] = []
    for file in Repository.swift where file.target != "TidyTests" {
      for ban in Self.bans where ban.applies(file) {
        for (index, line) in file.code.enumerated() where line.contains(ban.spelling) {
          if ban.spelling == "print(" && !isPlainPrint(line) { continue }
          if let unless = ban.unless {
            let next = min(index + 1, file.lines.count - 1)
            if file.lines[max(0, index - 1)...next].contains(where: { $0.contains(unless) }) {
              continue
            }
          }
          findings.append(
            Finding(
              path: file.path, line: index + 1, text: "\(ban.spelling): use \(ban.instead)"))
        }
      }
    }
    #expect(findings.isEmpty, "\(findings)")
  }

  /// Whether the call is `print` itself, not a name that ends so.
  private func isPlainPrint(_ line: String) -> Bool {
    guard let range = line.range(of: "print(") else { return false }
    guard range.lowerBound > line.startIndex else { return true }
    let before = line[line.index(before: range.lowerBound)]
    return !before.isLetter && before != "." && before != "_" && !line.contains("func print(")
  }

  /// Swift compares strings by canonical equivalence: two replicas would disagree with their bytes.
  @Test func `replicated layers do not compare strings`() {
    let layers: Set = ["ListModel", "WireCodec", "Roster", "NodeEngine"]
    var findings: [Finding] = []
    for file in Repository.sources where layers.contains(file.target) {
      for (index, line) in file.code.enumerated() {
        for spelling in ["== \"", "!= \"", "\" ==", "\" !=", ".lowercased()", ".uppercased()"]
        where line.contains(spelling) {
          findings.append(
            Finding(path: file.path, line: index + 1, text: "compare UTF-8 bytes (`Text`)"))
        }
      }
    }
    #expect(findings.isEmpty, "\(findings)")
  }
}
