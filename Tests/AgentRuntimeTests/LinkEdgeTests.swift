// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import Testing
import WireCodec

@testable import AgentRuntime

@Suite struct FrameAssemblerTests {
  @Test(arguments: [1, 2, 3, 5, 1_000]) func `frames arrive whole, however the bytes are cut`(
    size: Int
  ) {
    let frames: [[UInt8]] = [[1], [2, 3, 4], [UInt8](repeating: 9, count: 700)]
    let stream = FrameAssembler.welcome + frames.flatMap { FrameAssembler.framed($0) }
    var assembler = FrameAssembler()
    var out: [[UInt8]] = []
    for start in stride(from: 0, to: stream.count, by: size) {
      let piece = Array(stream[start..<min(start + size, stream.count)])
      #expect(assembler.receive(piece, into: &out) == true)
    }
    #expect(out == frames)
  }

  @Test func `a frame beyond the limit is refused at its length`() {
    var assembler = FrameAssembler()
    var out: [[UInt8]] = []
    #expect(assembler.receive([0, 1, 0, 1], into: &out) == false)
    var other = FrameAssembler()
    #expect(other.receive([255, 255, 255, 255], into: &out) == false)
    #expect(out.isEmpty)
  }
}

@Suite struct PreAuthGateTests {
  @Test func `strangers leave a reserve for members`() {
    var gate = PreAuthGate()
    for number in 0..<8 { #expect(gate.admit([UInt8(number)], isMembers: false) == true) }
    #expect(gate.admit([9], isMembers: false) == false)
    #expect(gate.admit([10], isMembers: true) == true)
    #expect(gate.admit([11], isMembers: true) == true)
    #expect(gate.admit([12], isMembers: true) == false)
    gate.release([3])
    gate.release([10])
    #expect(gate.count == 8)
    #expect(gate.admit([9], isMembers: false) == false)
    gate.release([4])
    #expect(gate.admit([9], isMembers: false) == true)
  }

  @Test func `one address gets few slots`() {
    var gate = PreAuthGate()
    for _ in 0..<4 { #expect(gate.admit([1], isMembers: true) == true) }
    #expect(gate.admit([1], isMembers: true) == false)
    #expect(gate.admit([2], isMembers: true) == true)
  }
}

@Suite struct PeerRowCodecTests {
  private func row() -> PeerRow {
    var row = PeerRow(device: DeviceID(1, 2, 3, 4))
    row.endpoints = [
      Endpoint(address: [198, 18, 0, 1], port: 7644), Endpoint(address: [1, 2, 3, 4], port: 1),
    ].compactMap(\.self)
    row.acknowledged = VersionVector(tips: [
      Tip(session: SessionID(high: 5, low: 6), seq: 7, hash: ChangeHash(8, 9, 10, 11))
    ])
    row.lastContact = WallTime(milliseconds: 1_700_000_000_000)
    row.version = "0.1.0"
    return row
  }

  @Test func `a row comes back as it was`() throws {
    #expect(try PeerRowCodec.decode(PeerRowCodec.encode(row())) == row())
    let plain = PeerRow(device: .zero)
    #expect(try PeerRowCodec.decode(PeerRowCodec.encode(plain)) == plain)
  }

  @Test func `a row that is cut or longer is refused`() {
    let bytes = PeerRowCodec.encode(row())
    for count in 0..<bytes.count {
      #expect(throws: DecodeError.self) { try PeerRowCodec.decode(Array(bytes[..<count])) }
    }
    #expect(throws: DecodeError.self) { try PeerRowCodec.decode(bytes + [0]) }
  }
}

@Suite struct CheckpointPolicyTests {
  @Test func `the write-ahead log moves when it is quiet, the image later`() {
    var policy = CheckpointPolicy()
    #expect(policy.deadline(isBusy: false) == nil)
    policy.wrote(changes: 3, isCheckpoint: false, at: 10)
    #expect(policy.deadline(isBusy: true) == nil)
    #expect(policy.due(at: 10) == nil)
    #expect(policy.due(at: 10 + CheckpointPolicy.logQuiet) == .log)
    #expect(policy.due(at: 10 + CheckpointPolicy.logQuiet) == nil)
    #expect(policy.due(at: 10 + CheckpointPolicy.imageQuiet) == .image)
    policy.wrote(changes: 0, isCheckpoint: true, at: 50)
    #expect(policy.due(at: 50 + CheckpointPolicy.logQuiet) == .log)
    #expect(policy.deadline(isBusy: false) == nil)
  }

  @Test func `a long log calls for an image under load`() {
    var policy = CheckpointPolicy()
    policy.wrote(changes: CheckpointPolicy.changesMax, isCheckpoint: false, at: 10)
    #expect(policy.due(at: 10) == .image)
  }
}
