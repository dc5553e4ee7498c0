// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

extension WireSamples.Sample {
  /// The text of the sample's golden file: 32 bytes a line as hex, so that a review shows what moved.
  package var goldenText: String {
    let digits = Array("0123456789abcdef".utf8)
    var out: [UInt8] = []
    for (at, byte) in bytes.enumerated() {
      if at > 0 && at % 32 == 0 { out.append(UInt8(ascii: "\n")) }
      out.append(digits[Int(byte >> 4)])
      out.append(digits[Int(byte & 15)])
    }
    return String(decoding: out + [UInt8(ascii: "\n")], as: UTF8.self)
  }
}
