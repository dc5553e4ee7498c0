// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// The stamps of all cells as rows; a cell holds a row number. Row 0 is "never written".
///
/// All cells that one op writes share a row. Rows decide by their content, never by their number.
struct StampTable: Sendable {
  private(set) var sessions: ContiguousArray<UInt32> = [0]
  private(set) var seqs: ContiguousArray<UInt32> = [0]
  private(set) var clocks: ContiguousArray<UInt64> = [0]
  private(set) var ops: ContiguousArray<UInt16> = [0]

  var count: Int { sessions.count }

  mutating func append(session: UInt32, seq: UInt32, h: UInt64, op: UInt16) -> UInt32 {
    sessions.append(session)
    seqs.append(seq)
    clocks.append(h)
    ops.append(op)
    return UInt32(sessions.count - 1)
  }

  /// Moves the changes behind `point` of one session to another. Their order stays as it is.
  mutating func relabel(_ session: UInt32, beyond point: UInt32, as other: UInt32) {
    for row in sessions.indices where sessions[row] == session && seqs[row] > point {
      sessions[row] = other
    }
  }

  func session(_ row: UInt32) -> UInt32 { sessions[Int(row)] }
  func seq(_ row: UInt32) -> UInt32 { seqs[Int(row)] }
  func h(_ row: UInt32) -> UInt64 { clocks[Int(row)] }

  /// The order of `Stamp` on two rows: negative, 0, positive. Row 0 is below all others.
  func order(_ a: UInt32, _ b: UInt32, _ table: borrowing SessionTable) -> Int {
    let (x, y) = (Int(a), Int(b))
    if clocks[x] != clocks[y] { return clocks[x] < clocks[y] ? -1 : 1 }
    if a == b { return 0 }
    if sessions[x] != sessions[y] {
      let one = table[sessions[x]].head
      let two = table[sessions[y]].head
      if let one, let two, one.device != two.device { return one.device < two.device ? -1 : 1 }
      if let one, let two, one.salt != two.salt { return one.salt < two.salt ? -1 : 1 }
    }
    if seqs[x] != seqs[y] { return seqs[x] < seqs[y] ? -1 : 1 }
    if ops[x] != ops[y] { return ops[x] < ops[y] ? -1 : 1 }
    return 0
  }
}
