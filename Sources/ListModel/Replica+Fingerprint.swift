// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// A 128-bit sum over what viewers see: equal on replicas with equal version vectors.
public struct Fingerprint: Hashable, Sendable {
  public var high: UInt64
  public var low: UInt64
  public init(high: UInt64 = 0, low: UInt64 = 0) {
    self.high = high
    self.low = low
  }

  mutating func add(_ other: Fingerprint) {
    let (sum, carry) = low.addingReportingOverflow(other.low)
    low = sum
    high = high &+ other.high &+ (carry ? 1 : 0)
  }
}

extension Replica {
  /// Sums the hashes of all visible and Recovered items, modulo 2^128 (`core.md` 9).
  ///
  /// One hash per item over all its cells in a fixed order, with their stamps and the parent as
  /// written. Parts are kept per list, so that only lists that changed are read again.
  ///
  /// - Parameter sha256: The first 16 bytes of SHA-256, big endian.
  /// - Complexity: O(items of the lists that changed since the last call).
  public mutating func fingerprint(
    sha256: (_ bytes: [UInt8]) -> (UInt64, UInt64)
  ) -> Fingerprint {
    var sum = Fingerprint()
    var lists: [UInt32] = []
    order.forEach(ItemTable.root) {
      if !items[$0].isDead { lists.append($0) }
      return true
    }
    for list in lists {
      if subtotals[list] == nil { subtotals[list] = subtotal(of: [list], sha256) }
      sum.add(subtotals[list]!)  // set on the line above
    }
    settleRecovered()
    sum.add(subtotal(of: recoveredCache ?? [], sha256))
    return sum
  }

  private func subtotal(
    of tops: [UInt32], _ sha256: (_ bytes: [UInt8]) -> (UInt64, UInt64)
  ) -> Fingerprint {
    var sum = Fingerprint()
    var open = tops
    var bytes: [UInt8] = []
    let names = fieldOrder()
    while let item = open.popLast() {
      bytes.removeAll(keepingCapacity: true)
      appendCells(of: item, names, to: &bytes)
      let (high, low) = sha256(bytes)
      sum.add(Fingerprint(high: high, low: low))
      order.forEach(item) {
        if !items[$0].isDead { open.append($0) }
        return true
      }
    }
    return sum
  }

  private func appendCells(
    of item: UInt32, _ names: [(ordinal: UInt32, bytes: [UInt8])], to out: inout [UInt8]
  ) {
    items.id(item).append(to: &out)
    appendStamp(items[item].create, to: &out)
    out.append(contentsOf: heldPlace(item).bytes)
    appendStamp(items[item].place, to: &out)
    appendStamp(items[item].life, to: &out)
    for name in names {
      let field = name.ordinal
      let row = fields.stamp(field, item)
      guard row != 0, let value = fields.value(field, item) else { continue }
      out.append(contentsOf: name.bytes)
      value.append(to: &out)
      appendStamp(row, to: &out)
    }
    for name in names {
      guard let total = counters.total(item: item, field: name.ordinal) else { continue }
      out.append(contentsOf: name.bytes)
      appendBigEndian(total, to: &out)
    }
  }

  /// Fields by name, so that ordinals decide nothing.
  private func fieldOrder() -> [(ordinal: UInt32, bytes: [UInt8])] {
    fields.names.enumerated().sorted { $0.element < $1.element }.map { number, name in
      switch name {
      case .text: (UInt32(number), [3])
      case .named(let text): (UInt32(number), [4] + text.utf8 + [0])
      }
    }
  }

  private func appendStamp(_ row: UInt32, to out: inout [UInt8]) {
    guard let stamp = stamp(row) else { return out.append(0) }
    appendBigEndian(stamp.h, to: &out)
    stamp.device.append(to: &out)
    appendBigEndian(stamp.salt, to: &out)
    appendBigEndian(stamp.seq, to: &out)
    appendBigEndian(stamp.op, to: &out)
  }
}
