// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import NodeEngine
import Simulator

/// What `dev sim` is asked to do.
struct SimArguments: Sendable {
  static let usage =
    "sim --seeds A..B | --seed S [--minimise] | --hours H [--from S]   [--jobs N] [--nodes N] "
    + "[--copies yes] [--removals yes] [--safety SECONDS] [--without TRAIT,…] [--skip-edits A-B,…] [--skip-faults A-B,…]"

  enum Task: Sendable {
    case one(UInt64)
    case many(UInt64, UInt64)
    case hours(Double, from: UInt64)
    /// A part of many, with results for a parent to read.
    case worker(UInt64, UInt64, step: UInt64)
  }

  private(set) var task = Task.one(1)
  private(set) var isMinimising = false
  private(set) var jobs = ProcessInfo.processInfo.activeProcessorCount
  private var nodes: Int?
  private var hasCopies = false
  private var hasRemovals = false
  private var safety: UInt64?
  private var without: [SimulationTrait] = []
  private var skippedEdits: [ClosedRange<Int>] = []
  private var skippedFaults: [ClosedRange<Int>] = []
  /// The words that make runs what they are, for children and for commands to paste.
  private(set) var shaping: [String] = []

  init?(_ words: [String]) {
    var from: UInt64 = 1
    var hasTask = false
    var rest = words[...]
    while let word = rest.popFirst() {
      if word == "--minimise" {
        isMinimising = true
        continue
      }
      guard let value = rest.popFirst() else { return nil }
      switch word {
      case "--seed", "--seeds", "--hours", "--worker":
        guard let task = Self.task(word, value) else { return nil }
        (self.task, hasTask) = (task, true)
        continue
      case "--from":
        guard let seed = UInt64(value) else { return nil }
        from = seed
        continue
      case "--jobs":
        guard let number = Int(value), number > 0 else { return nil }
        jobs = number
        continue
      default: break
      }
      guard shape(word, value) else { return nil }
      shaping += [word, value]
    }
    guard hasTask else { return nil }
    if case .hours(let hours, _) = task { task = .hours(hours, from: from) }
  }

  private mutating func shape(_ word: String, _ value: String) -> Bool {
    switch word {
    case "--nodes": nodes = Int(value).flatMap { (3...6).contains($0) ? $0 : nil }
    case "--copies": hasCopies = value == "yes"
    case "--removals": hasRemovals = value == "yes"
    case "--safety": safety = UInt64(value)
    case "--without":
      let names = value.split(separator: ",").map { SimulationTrait(rawValue: String($0)) }
      without = names.compactMap(\.self)
      return without.count == names.count
    case "--skip-edits": skippedEdits = Self.ranges(value)
    case "--skip-faults": skippedFaults = Self.ranges(value)
    default: return false
    }
    return true
  }

  private static func task(_ word: String, _ value: String) -> Task? {
    let numbers = value.split(separator: ".").compactMap { UInt64($0) }
    switch (word, numbers.count) {
    case ("--seed", 1): return .one(numbers[0])
    case ("--seeds", 2) where numbers[0] <= numbers[1]: return .many(numbers[0], numbers[1])
    case ("--worker", 3): return .worker(numbers[0], numbers[1], step: numbers[2])
    case ("--hours", _): return Double(value).map { .hours($0, from: 1) }
    default: return nil
    }
  }

  private static func ranges(_ text: String) -> [ClosedRange<Int>] {
    text.split(separator: ",").compactMap { part in
      let ends = part.split(separator: "-").compactMap { Int($0) }
      guard let first = ends.first, let last = ends.last, first <= last else { return nil }
      return first...last
    }
  }

  /// The options of a seed, as these arguments shape them.
  func options(_ seed: UInt64) -> SimulationOptions {
    var options =
      hasCopies
      ? .copies(seed: seed)
      : hasRemovals ? .removals(seed: seed) : SimulationOptions(seed: seed)
    if let nodes { options.nodeCount = nodes }
    if let safety { options.safetyTime = .seconds(safety) }
    for trait in without { options.traits.remove(trait) }
    options.skippedEdits = skippedEdits
    options.skippedFaults = skippedFaults
    return options
  }

  /// What to paste to run a seed again.
  func command(_ seed: UInt64) -> String {
    (["swift run -c release dev sim --seed \(seed)"] + shaping).joined(separator: " ")
  }
}
