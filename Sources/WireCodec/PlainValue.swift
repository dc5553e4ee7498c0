// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// A value by itself: its tag, then the bytes of `docs/WIRE.md`, "Values", references in plain form.
extension ByteWriter {
  package mutating func value(_ value: Value) {
    byte(ValueCodec.tag(value))
    ValueCodec.write(plain: value, to: &self)
  }
}

extension ByteReader {
  /// What `ByteWriter.value` wrote.
  package mutating func value() throws(DecodeError) -> Value {
    let tag = try byte()
    return try ValueCodec.read(plain: tag, &self)
  }
}
