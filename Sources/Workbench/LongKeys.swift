// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

extension PositionKey {
  /// A key a few bytes short of `Limits.positionBytesMax`, as if as many writers as fit had gone between
  /// each other's items; ascending by `last`.
  package static func nearlyFull(_ last: Int64) -> PositionKey {
    let levels = (1...158).map { PositionLevel(tag: WriterTag($0 * 7_919), integer: 0) }
    let bunch = PositionLevel(tag: WriterTag(5), integer: last)
    return PositionKey(
      bytes: PositionCodec.encode(PositionPath(root: 0, levels: levels + [bunch])))
  }
}
