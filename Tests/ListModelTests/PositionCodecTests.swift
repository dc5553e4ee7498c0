// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import FormatVectors
import ListModel
import Testing

@Suite struct PositionCodecTests {
  private func refusal(_ hex: String) throws -> PositionError? {
    let bytes = try Hex.bytes(hex)
    do {
      _ = try PositionCodec.decode(bytes)
      return nil
    } catch { return error }
  }

  @Test func `each way to be no key has its own error and offset`() throws {
    #expect(try refusal("") == .truncated(at: 0))
    #expect(try refusal("80") == .noLevel)
    #expect(try refusal("06") == .reservedHead(at: 0))
    #expect(try refusal("f9") == .reservedHead(at: 0))
    #expect(try refusal("f8ffffffffffffff") == .integerOutOfRange(at: 0))
    #expect(try refusal("8000") == .reservedLevel(at: 1))
    #expect(try refusal("8001") == .unknownTag(at: 1))
    #expect(try refusal("8087") == .unknownTag(at: 1))
    #expect(try refusal("80ff0a0b0c0d800180") == .notCanonical(at: 7))
    #expect(try refusal("80ff0a0b0c0d80ff0a0b0c0d80") == .notCanonical(at: 7))
    #expect(try refusal("80ff0a0b0c0d80ff0a0b0c") == .truncated(at: 11))
    #expect(try refusal("80ff0a0b0c0d80") == nil)
  }

  @Test func `a key longer than the cap is refused before it is read`() {
    let levels = [PositionLevel](
      repeating: PositionLevel(tag: WriterTag(7), integer: 0), count: Limits.positionBytesMax - 5)
    let path = PositionPath(root: 0, levels: levels)
    let bytes = PositionCodec.encode(path)
    #expect(bytes.count == Limits.positionBytesMax + 1)
    #expect(throws: PositionError.tooLong(bytes: bytes.count)) {
      try PositionCodec.decode(bytes)
    }
    #expect(PositionCodec.isValid(Array(bytes.dropLast())))
  }

  @Test func `the sixteenth tag of a key has no back reference`() throws {
    let tags = (1...17).map { WriterTag($0) }
    let levels = (tags + [tags[14], tags[15], tags[0]]).map { PositionLevel(tag: $0, integer: 1) }
    let path = PositionPath(root: 0, levels: levels)
    let bytes = PositionCodec.encode(path)
    #expect(Hex.text(Array(bytes.suffix(10))) == "0f81ff00000010810181")
    #expect(try PositionCodec.decode(bytes) == path)
  }
}
