// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// SHA-256 (FIPS 180-4), so that vectors can be checked without a crypto library. Workshop only:
/// the product hashes through its `CryptoSuite`.
package struct SHA256: Sendable {
  private var state: [UInt32] = Self.roots(2, of: 8)
  private var pending: [UInt8] = []
  private var lengthBytes: UInt64 = 0

  /// The hash of nothing yet.
  package init() {}

  /// The 32 bytes for `message` in one call.
  package static func digest(_ message: [UInt8]) -> [UInt8] {
    var hash = SHA256()
    hash.update(message)
    return hash.finish()
  }

  /// Takes the next part of the message.
  package mutating func update(_ part: [UInt8]) {
    lengthBytes += UInt64(part.count)
    pending += part
    var at = 0
    while pending.count - at >= 64 {
      compress(at)
      at += 64
    }
    pending.removeFirst(at)
  }

  /// The 32 bytes; the value is spent afterwards.
  package mutating func finish() -> [UInt8] {
    let bits = lengthBytes &* 8
    var tail: [UInt8] = [0x80]
    while (pending.count + tail.count) % 64 != 56 { tail.append(0) }
    for shift in stride(from: 56, through: 0, by: -8) {
      tail.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
    }
    update(tail)
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) }
    }
  }

  private mutating func compress(_ start: Int) {
    var w = [UInt32](repeating: 0, count: 64)
    for t in 0..<16 {
      for k in 0..<4 { w[t] = w[t] << 8 | UInt32(pending[start + 4 * t + k]) }
    }
    for t in 16..<64 {
      let s0 = Self.rotated(w[t - 15], 7) ^ Self.rotated(w[t - 15], 18) ^ (w[t - 15] >> 3)
      let s1 = Self.rotated(w[t - 2], 17) ^ Self.rotated(w[t - 2], 19) ^ (w[t - 2] >> 10)
      w[t] = w[t - 16] &+ s0 &+ w[t - 7] &+ s1
    }
    var v = state
    for t in 0..<64 {
      let s1 = Self.rotated(v[4], 6) ^ Self.rotated(v[4], 11) ^ Self.rotated(v[4], 25)
      let choice = (v[4] & v[5]) ^ (~v[4] & v[6])
      let t1 = v[7] &+ s1 &+ choice &+ Self.constants[t] &+ w[t]
      let s0 = Self.rotated(v[0], 2) ^ Self.rotated(v[0], 13) ^ Self.rotated(v[0], 22)
      let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
      v = [t1 &+ s0 &+ majority, v[0], v[1], v[2], v[3] &+ t1, v[4], v[5], v[6]]
    }
    for k in 0..<8 { state[k] &+= v[k] }
  }

  private static func rotated(_ word: UInt32, _ by: UInt32) -> UInt32 {
    word >> by | word << (32 - by)
  }

  private static let constants = roots(3, of: 64)

  /// The first 32 bits of the fractional parts of the roots of the first `count` primes.
  private static func roots(_ degree: Int, of count: Int) -> [UInt32] {
    var primes: [UInt64] = []
    var candidate: UInt64 = 2
    while primes.count < count {
      if primes.allSatisfy({ !candidate.isMultiple(of: $0) }) { primes.append(candidate) }
      candidate += 1
    }
    return primes.map { prime in
      // The greatest r with r^degree <= prime · 2^(32 · degree): bit by bit, in wide arithmetic.
      var root: UInt128 = 0
      for bit in stride(from: 35, through: 0, by: -1) {
        let trial = root | (1 << bit)
        let power = (0..<degree).reduce(UInt128(1)) { product, _ in product * trial }
        if power <= UInt128(prime) << UInt128(32 * degree) { root = trial }
      }
      return UInt32(truncatingIfNeeded: root)
    }
  }
}
