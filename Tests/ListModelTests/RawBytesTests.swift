// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import Testing

@Suite struct RawBytesTests {
  @Test func `ids are read from as many bytes as they have, and from no other count`() {
    let bytes = (1...33 as ClosedRange<UInt8>).map(\.self)
    #expect(SessionID(bytes.prefix(16))?.bytes == Array(bytes.prefix(16)))
    #expect(DeviceID(bytes.prefix(32))?.bytes == Array(bytes.prefix(32)))
    #expect(DeviceID(bytes.prefix(32))?.prefix32 == 0x0102_0304)
    for count in [0, 15, 17, 32] { #expect(SessionID(bytes.prefix(count)) == nil) }
    for count in [0, 16, 31, 33] { #expect(DeviceID(bytes.prefix(count)) == nil) }
  }
}
