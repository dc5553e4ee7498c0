// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
package import ListModel

extension ListReader {
  /// Names the state of an item's own cells: equal as long as nothing was written to it, here or on
  /// another machine, and different after any write (64 bits of a hash over the writers).
  /// - Complexity: O(fields of the item).
  package func revision(of item: ItemID) -> String {
    var hash = Revision()
    for written in [replica.placed(item), replica.lifeWritten(item)] { hash.take(written) }
    for field in replica.fields(of: item) {
      hash.take(replica.written(of: item, field))
      // A counter has a writer for each session: its sum stands for them.
      if let total = replica.counterTotal(of: item, field) { hash.take(UInt64(bitPattern: total)) }
    }
    return "i-" + String(hash.state, radix: 16)
  }
}

/// FNV-1a over what was written last.
private struct Revision {
  private(set) var state: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func take(_ number: UInt64) {
    for shift in stride(from: 0, to: UInt64(64), by: 8) {
      state = (state ^ (number >> shift & 0xFF)) &* 0x100_0000_01B3
    }
  }

  mutating func take(_ written: Written?) {
    guard let written else { return take(0) }
    take(written.h)
    take(written.dot.session.high)
    take(written.dot.seq)
  }
}
