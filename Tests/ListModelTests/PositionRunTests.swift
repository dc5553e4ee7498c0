// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import Workbench

@Suite struct PositionRunTests {
  private static let tag = WriterTag(0xEFA6_ADC0)

  private func key(_ root: Int64, _ integers: Int64...) -> PositionKey {
    let levels = integers.map { PositionLevel(tag: Self.tag, integer: $0) }
    return PositionKey(bytes: PositionCodec.encode(PositionPath(root: root, levels: levels)))
  }

  @Test func `each key of a run is the one before with its last integer one stride further`() throws
  {
    for first in [key(0, 0), key(0, -6400), key(5, 3, -320), key(-9, 1, 96)] {
      let run = try PositionRun(first: first, count: 500)
      let start = try PositionCodec.decode(first.bytes)
      for index in 0..<run.count {
        var path = start
        let level = path.levels.removeLast()
        let integer = level.integer + Int64(index) * 32
        path.levels.append(PositionLevel(tag: level.tag, integer: integer))
        #expect(run.key(at: index).bytes == PositionCodec.encode(path))
        #expect(run.integer(at: index) == integer)
      }
    }
  }

  @Test func `a run that would leave the integers or the length cap is refused`() {
    let last = key(0, (1 << 56) - 32)
    #expect(throws: Never.self) { try PositionRun(first: last, count: 1) }
    #expect(throws: PositionError.integerOutOfRange(at: 6)) {
      try PositionRun(first: last, count: 2)
    }
    #expect(throws: PositionError.integerOutOfRange(at: 6)) {
      try PositionRun(first: last, count: .max)
    }
    let levels = [PositionLevel](
      repeating: PositionLevel(tag: Self.tag, integer: 0), count: Limits.positionBytesMax - 6)
    let long = PositionKey(bytes: PositionCodec.encode(PositionPath(root: 0, levels: levels)))
    #expect(throws: Never.self) { try PositionRun(first: long, count: 4) }
    #expect(throws: PositionError.tooLong(bytes: Limits.positionBytesMax + 1)) {
      try PositionRun(first: long, count: 5)
    }
    #expect(throws: PositionError.noLevel) { try PositionRun(first: PositionKey(bytes: [0x80])) }
  }

  @Test func `stepping goes both ways and stops at the ends`() {
    let start = key(4, -3200, 64)
    for steps in [-200, -4, -1, 0, 1, 3, 500] {
      #expect(start.stepped(by: steps) == key(4, -3200, 64 + 32 * Int64(steps)))
      #expect(start.stepped(by: steps)?.stepped(by: -steps) == start)
    }
    #expect(key(0, -(1 << 56)).stepped(by: -1) == nil)
    #expect(key(0, 0).stepped(by: .max) == nil)
    #expect(PositionKey(bytes: [1, 2, 3]).stepped(by: 1) == nil)
    // Greater integers are longer: the last keys that are short enough have none behind them.
    let full = PositionKey.nearlyFull(0)
    #expect(full.stepped(by: 1) == .nearlyFull(Limits.stride))
    #expect(full.stepped(by: 1 << 40) == nil)
  }
}
