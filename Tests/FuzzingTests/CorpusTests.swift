// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import Fuzzing
import Simulator
import Testing
import Workbench

/// Inputs that a fuzzer kept because they reached new code, or because they failed once.
@Suite struct CorpusTests {
  /// `Corpus/TARGET`: one input a line, in hexadecimal, so that a diff shows what came.
  private static func corpus(_ name: String) throws -> [[UInt8]] {
    let file = try #require(
      Bundle.module.url(forResource: name, withExtension: "hex", subdirectory: "Corpus"),
      "no corpus for \(name)")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
      let digits = Array(line.utf8)
      try #require(digits.count % 2 == 0)
      return try stride(from: 0, to: digits.count, by: 2).map {
        try #require(UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16))
      }
    }
  }

  @Test(arguments: FuzzTargets.all.map(\.name))
  func `every kept input is read without a finding`(_ name: String) throws {
    let target = try #require(FuzzTargets.named(name))
    let inputs = try Self.corpus(name)
    #expect(!inputs.isEmpty)
    for input in inputs + target.seeds { #expect(target.body(input) == nil, "\(input)") }
  }

  @Test(arguments: FuzzTargets.all.map(\.name))
  func `blindly changed seeds are read without a finding`(_ name: String) throws {
    let target = try #require(FuzzTargets.named(name))
    var random = SplitMix64(seed: 30, stream: name)
    for _ in 0..<300 {
      let bytes = WireFuzz.mutated(random.pick(target.seeds), &random)
      #expect(target.body(bytes) == nil, "\(bytes)")
    }
  }
}
