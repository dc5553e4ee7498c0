// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import WireCodec

/// What the resolver asks of a record graph: the order of its records, who signed them, and who had
/// seen what. Grows with the graph, so that a long roster is not worked through again for each record.
struct Ancestry: Sendable {
  /// Numbers of the records by depth, then by hash: parents before children, equal on equal graphs.
  private(set) var order: [Int] = []
  /// By number of the record.
  private(set) var signers: [DeviceID] = []
  /// The device that an `add` adds, by number of the record; elsewhere the signer.
  private(set) var added: [DeviceID] = []
  private var depths: [Int] = []
  private var hashes: [RecordHash] = []
  /// By number of the record: bit n says that record n is an ancestor of it.
  private var ancestors: [[UInt64]] = []

  /// Appends the record with the next number.
  /// - Parameter parents: Their numbers.
  /// - Complexity: O(records + parents · records / 64).
  mutating func append(_ record: MembershipRecord, parents: [Int], crypto: some CryptoSuite) {
    let number = signers.count
    var seen = [UInt64](repeating: 0, count: number / 64 + 1)
    for parent in parents {
      for word in ancestors[parent].indices { seen[word] |= ancestors[parent][word] }
      seen[parent / 64] |= 1 << UInt64(parent % 64)
    }
    ancestors.append(seen)
    let signer: DeviceID = crypto.hash32(record.signer)
    signers.append(signer)
    if case .add(let publicKey, _, _) = record.body {
      added.append(crypto.hash32(publicKey))
    } else {
      added.append(signer)
    }
    depths.append((parents.map { depths[$0] }.max() ?? -1) + 1)
    hashes.append(record.hash)
    order.insert(number, at: place(of: number))
  }

  private func place(of number: Int) -> Int {
    var (low, high) = (0, order.count)
    while low < high {
      let middle = (low + high) / 2
      let other = order[middle]
      if (depths[other], hashes[other]) < (depths[number], hashes[number]) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  /// Whether the record at `at` was known to whoever signed the record at `other`.
  func isAncestor(_ at: Int, of other: Int) -> Bool {
    let word = at / 64
    return word < ancestors[other].count && ancestors[other][word] >> UInt64(at % 64) & 1 == 1
  }
}
