// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Roster
import WireCodec
package import Workbench

/// What must hold for any bytes: each body reads them, and says what is wrong, if anything.
///
/// A trap is a failure of its own. Bodies are plain functions, for tests and for `dev fuzz`.
package enum WireFuzz {
  /// A body and bytes to start from.
  package struct Target: Sendable {
    package let name: String
    package let seeds: [[UInt8]]
    /// A sentence about what is wrong with the reading of these bytes, else `nil`.
    package let body: @Sendable ([UInt8]) -> String?

    package init(
      name: String, seeds: [[UInt8]], body: @escaping @Sendable ([UInt8]) -> String?
    ) {
      (self.name, self.seeds, self.body) = (name, seeds, body)
    }
  }

  /// All bodies, in a fixed order.
  package static var targets: [Target] {
    [
      Target(name: "change", seeds: [ChangeCodec.encode(WireSamples.everyOp)], body: change),
      Target(name: "run", seeds: [RunCodec.encode(WireSamples.run.map(\.bytes))], body: run),
      Target(
        name: "record", seeds: WireSamples.records.map { Array($0.record.bytes.dropLast(64)) },
        body: record),
      Target(name: "frame", seeds: WireSamples.frames.map(\.frame.bytes), body: frame),
      Target(name: "header", seeds: [WireSamples.headerColumns], body: header),
      Target(
        name: "chunk", seeds: [WireSamples.chunkColumns, WireSamples.coldColumns], body: chunk),
      Target(name: "cold-chunk", seeds: [WireSamples.coldColumns], body: coldChunk),
    ]
  }

  /// `bytes` with a few bytes changed, put in, taken out or repeated, or an end cut off.
  package static func mutated(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var out = bytes
    for _ in 0...random.below(3) {
      guard !out.isEmpty else { return [UInt8(random.below(256))] }
      let at = random.below(out.count)
      switch random.below(8) {
      case 0: out[at] = UInt8(random.below(256))
      case 1: out[at] ^= 1 << UInt8(random.below(8))
      case 2: out[at] = random.pick([0, 1, 0x7F, 0x80, 0xFF])
      case 3: out.insert(UInt8(random.below(256)), at: at)
      case 4: out.remove(at: at)
      case 5: out.removeLast(random.below(out.count))
      case 6: out.insert(contentsOf: [UInt8](repeating: 0xFF, count: 9), at: at)
      default:
        let end = min(at + 1 + random.below(16), out.count)
        out.insert(contentsOf: out[at..<end], at: random.below(out.count))
      }
    }
    return out
  }

  // MARK: Bodies

  /// A body decodes to what encodes to the same bytes, and folding it leaves an image that reads.
  @Sendable private static func change(_ bytes: [UInt8]) -> String? {
    guard let change = try? ChangeCodec.decode(bytes) else { return nil }
    let isKnown = !change.ops.contains { if case .unknown = $0 { true } else { false } }
    if isKnown && ChangeCodec.encode(change) != bytes { return "a second encoding was taken" }
    return folded(change)
  }

  private static func folded(_ change: Change) -> String? {
    var replica = WireSamples.replica
    var events: [ReplicaEvent] = []
    var change = change
    if change.seq == 1 {
      let head = SessionHead(device: WireSamples.crypto.deviceID, salt: 10, predecessor: nil)
      (change.head, change.prev) = (head, .zero)
      change.session = WireSamples.crypto.sessionID(head)
    }
    let hash: ChangeHash = WireSamples.crypto.hash32(ChangeCodec.encode(change))
    guard replica.fold(change, hash: hash, events: &events) == .folded else { return nil }
    let chunks = (0..<replica.chunkCount).map { replica.chunk(at: $0) }
    do throws(ImageDefect) {
      _ = try Replica(header: replica.header(), chunks: chunks)
    } catch {
      return "a folded change makes an image that nobody reads: \(error)"
    }
    for written in chunks {
      let block = ImageCodec.seal(
        ImageCodec.columns(of: written), crypto: WireSamples.crypto, packer: PlainPacker())
      let read = try? ImageCodec.decodeChunk(
        block, crypto: WireSamples.crypto, packer: PlainPacker())
      if read != written { return "a chunk does not come back" }
    }
    return nil
  }

  @Sendable private static func run(_ bytes: [UInt8]) -> String? {
    guard let changes = try? RunCodec.decode(bytes, crypto: WireSamples.crypto) else { return nil }
    return RunCodec.encode(changes.map(\.bytes)) == bytes ? nil : "a second encoding was taken"
  }

  /// The content of a record; signed here, so that it is the content that is tried.
  @Sendable private static func record(_ content: [UInt8]) -> String? {
    let crypto = WireSamples.crypto
    let bytes = content + crypto.sign(Array("hedgerow member 1".utf8) + content)
    guard let record = try? MembershipRecord(decoding: bytes, crypto: crypto) else { return nil }
    let again = MembershipRecord(signing: record.body, parents: record.parents, crypto: crypto)
    if again.bytes != bytes { return "a second encoding was taken" }
    guard var graph = try? MembershipGraph(genesis: WireSamples.records[0].record, crypto: crypto)
    else { return "the sample is no genesis" }
    for known in WireSamples.records.dropFirst().map(\.record) + [record] {
      _ = try? graph.take(known, crypto: crypto)
    }
    return nil
  }

  @Sendable private static func frame(_ bytes: [UInt8]) -> String? {
    guard let frame = try? Frame(decoding: bytes) else { return nil }
    if case .unknown = frame { return nil }
    return frame.bytes == bytes ? nil : "a second encoding was taken"
  }

  @Sendable private static func header(_ columns: [UInt8]) -> String? {
    let crypto = WireSamples.crypto
    let block = ImageCodec.seal(columns, crypto: crypto, packer: PlainPacker())
    guard
      let header = try? ImageCodec.decodeHeader(block, crypto: crypto, packer: PlainPacker())
    else { return nil }
    let again = ImageCodec.encode(header, crypto: crypto, packer: PlainPacker())
    let reread = try? ImageCodec.decodeHeader(again, crypto: crypto, packer: PlainPacker())
    if reread != header { return "a header does not come back" }
    _ = try? Replica(header: header, chunks: [WireSamples.replica.chunk(at: 0)])
    return nil
  }

  @Sendable private static func chunk(_ columns: [UInt8]) -> String? {
    let crypto = WireSamples.crypto
    let block = ImageCodec.seal(columns, crypto: crypto, packer: PlainPacker())
    guard let chunk = try? ImageCodec.decodeChunk(block, crypto: crypto, packer: PlainPacker())
    else { return nil }
    let again = ImageCodec.encode(chunk, crypto: crypto, packer: PlainPacker())
    let reread = try? ImageCodec.decodeChunk(again, crypto: crypto, packer: PlainPacker())
    if reread != chunk { return "a chunk does not come back" }
    var replica = WireSamples.replica
    var events: [ReplicaEvent] = []
    guard (try? replica.join(replica.header(), [chunk], events: &events)) != nil else {
      return nil
    }
    let chunks = (0..<replica.chunkCount).map { replica.chunk(at: $0) }
    let loaded = try? Replica(header: replica.header(), chunks: chunks)
    return loaded == nil ? "a joined chunk makes an image that nobody reads" : nil
  }

  /// A cold chunk that a snapshot brings is refused, or can be brought back at any time.
  @Sendable private static func coldChunk(_ columns: [UInt8]) -> String? {
    let crypto = WireSamples.crypto
    let block = ImageCodec.seal(columns, crypto: crypto, packer: PlainPacker())
    guard let chunk = try? ImageCodec.decodeChunk(block, crypto: crypto, packer: PlainPacker())
    else { return nil }
    let packing = ColdPacking(PlainPacker())
    if packing.unpack(packing.pack(chunk)) != chunk { return "a chunk is packed wrongly" }
    var replica = Replica()
    replica.pack(with: packing)
    var events: [ReplicaEvent] = []
    let header = WireSamples.coldReplica.header()
    guard (try? replica.join(header, [chunk], events: &events)) != nil else { return nil }
    replica.settleLog()
    let warm = replica.thawed
    warm.checkInvariants()
    let isWhole = replica.coldItems.allSatisfy { warm.exists($0) && warm.status(of: $0) == .hidden }
    return isWhole && warm.coldItemCount == 0 ? nil : "a cold chunk does not come back whole"
  }
}
