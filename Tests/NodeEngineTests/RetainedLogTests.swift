// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing
import WireCodec

@testable import NodeEngine

/// The log behind a snapshot: in what portions it comes, and what becomes of one that does not, or that is
/// not what the snapshot stands for.
@Suite struct RetainedLogTests {
  /// Two members with 40 rows; a guest that will be sent a snapshot and its log.
  private static func join(
    text: String = "row", _ change: (inout EngineSettings) -> Void = { _ in },
    _ tamper: ((Neighbourhood, Int, inout [UInt8]) -> Void)? = nil
  ) -> (Neighbourhood, list: ItemID) {
    var hood = Neighbourhood.keeping(days: 30, nodes: 2)
    let list = hood.create(0, ["list"])[0]
    for number in 0..<40 { hood.create(number % 2, ["\(number) \(text)"], in: list) }
    hood.advance(milliseconds: 60_000)
    change(&hood.nodes[0].settings)
    #expect(throws: Never.self) { try hood.restart(0) }
    hood.give(1, .pause)
    hood.tamper = tamper
    hood.add("guest", Neighbourhood.settings(30, 60))
    hood.sent = []
    hood.pair(0, 2)
    hood.advance(milliseconds: 30_000)
    return (hood, list)
  }

  @Test func `the log comes window by window, each after an answer`() {
    let (hood, list) = Self.join(text: String(repeating: "x", count: 10_000)) {
      $0.snapshotWindowBytes = 50_000
    }
    #expect(hood.texts(2, in: list).count == 40)
    #expect(hood.logged(2) == 41)
    #expect(hood.nodes[2].engine.replica.awaitedLog == [])
    var (ahead, most, total) = (0, 0, 0)
    for (from, frame) in hood.sent ?? [] {
      switch frame {
      case .snapshotLog(let run) where from == 0:
        ahead += run.count
        total += run.count
      case .pong where from == 2: ahead = 0
      default: break
      }
      most = max(most, ahead)
    }
    #expect(total > 400_000)
    #expect(most <= 50_000 + FrameLimits.payloadBytesMax)
  }

  @Test func `changes that fill a frame each come one by one`() {
    var hood = Neighbourhood.keeping(days: 30, nodes: 1)
    let list = hood.create(0, ["list"])[0]
    for number in 0..<10 {
      let long = "\(number)" + String(repeating: "x", count: 13_000)
      hood.create(0, number % 2 == 0 ? [long, long] : [long, long, long], in: list)
    }
    for number in 0..<10 { hood.create(0, ["row \(number)"], in: list) }
    hood.advance(milliseconds: 20_000)
    hood.add("guest", Neighbourhood.settings(30, 60))
    hood.sent = []
    hood.pair(0, 1)
    hood.advance(milliseconds: 20_000)
    let sizes = (hood.sent ?? []).compactMap {
      if case .snapshotLog(let run) = $0.frame { run.count } else { nil }
    }
    #expect(sizes.count > 10 && sizes.allSatisfy { $0 <= FrameLimits.payloadBytesMax })
    #expect(hood.logged(1) == 21 && hood.texts(1, in: list).count == 35)
  }

  @Test func `a log that never comes is done without after five minutes`() {
    var (hood, list) = Self.join { _ in
    } _: { _, node, bytes in
      if node == 0, case .snapshotLog? = try? Frame(decoding: bytes) { bytes = [200] }
    }
    #expect(hood.texts(2, in: list).count == 40)
    #expect(hood.nodes[2].engine.replica.awaitedLog != [])
    hood.advance(milliseconds: 400_000)
    #expect(hood.nodes[2].engine.replica.awaitedLog == [])
    #expect(hood.logged(2) == 0)
    #expect(hood.texts(2, in: list).count == 40)
  }

  @Test func `a log of another line than the snapshot, or of nobody, ends the link`() throws {
    for number in 0..<3 {
      var forged: [SignedChange] = []
      let (hood, list) = Self.join { _ in
      } _: { hood, node, bytes in
        guard node == 0, case .snapshotLog(let run)? = try? Frame(decoding: bytes),
          let changes = try? RunCodec.decode(run, crypto: hood.nodes[0].crypto),
          let last = changes.last, last.change.seq > 3
        else { return }
        switch number {
        case 0:  // another last change than the snapshot names
          guard
            let author = (0..<2).first(where: {
              hood.nodes[$0].disk.own?.session == last.change.session
            })
          else { return }
          let before = changes[changes.count - 2]
          forged =
            Array(changes.dropLast())
            + hood.forged(
              by: author,
              behind: Tip(
                session: before.change.session, seq: before.change.seq, hash: before.hash),
              ["forged"], in: .root)
        case 1:  // one of a session that nobody knows
          forged = [changes.last!]
          let tip = Tip(session: SessionID(high: 9, low: 9), seq: 4, hash: last.hash)
          forged = hood.forged(by: 0, behind: tip, ["forged"], in: .root)
        default:  // what does not follow what came before
          forged = Array(changes.prefix(1)) + changes.suffix(1)
          bytes = Frame.snapshotLog([1, 2, 3]).bytes
          return
        }
        bytes = Frame.snapshotLog(RunCodec.encode(forged.map(\.bytes))).bytes
      }
      let isTold = hood.sent?.contains {
        $0.from == 2 && $0.frame == .bye(code: CloseReason.invalidSnapshot.rawValue)
      }
      #expect(isTold == true, "case \(number)")
      #expect(!hood.texts(2, in: list).contains("forged"))
      let known = Set((0..<2).flatMap { hood.nodes[$0].disk.written.map(\.bytes) })
      #expect(hood.nodes[2].disk.written.allSatisfy { known.contains($0.bytes) }, "case \(number)")
    }
  }

  @Test func `a run of the log that does not continue the one before ends the link`() {
    let (hood, _) = Self.join(text: String(repeating: "x", count: 10_000)) { _ in
    } _: { hood, node, bytes in
      guard node == 0, case .snapshotLog(let run)? = try? Frame(decoding: bytes),
        let first = try? RunCodec.decode(run, crypto: hood.nodes[0].crypto).first?.change,
        first.seq > 1,
        let author = (0..<2).first(where: { hood.nodes[$0].disk.own?.session == first.session })
      else { return }
      let other = Tip(session: first.session, seq: first.seq - 1, hash: ChangeHash(9, 9, 9, 9))
      let forged = hood.forged(by: author, behind: other, ["forged"], in: .root)
      bytes = Frame.snapshotLog(RunCodec.encode(forged.map(\.bytes))).bytes
    }
    let isTold = hood.sent?.contains {
      $0.from == 2 && $0.frame == .bye(code: CloseReason.invalidSnapshot.rawValue)
    }
    #expect(isTold == true)
    let known = Set((0..<2).flatMap { hood.nodes[$0].disk.written.map(\.bytes) })
    #expect(hood.nodes[2].disk.written.allSatisfy { known.contains($0.bytes) })
  }
}
