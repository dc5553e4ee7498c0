// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import WireCodec

/// Ops of newer versions, once this one knows them (`core.md` 9).
extension Engine {
  /// Folds what waited for a version like this one.
  /// - Returns: Whether there was any.
  @discardableResult
  mutating func awakeWaiting(_ events: inout [ReplicaEvent]) -> Bool {
    replica.foldWaiting(events: &events) { [crypto, settings] bytes in
      guard let signed = try? SignedChange(decoding: bytes, crypto: crypto) else { return nil }
      return signed.change.read(at: settings.foldLevel)
    } > 0
  }

  /// Tells once what the start itself folded, and puts it on the disk together with that.
  mutating func tellOpening(_ turn: inout Turn) {
    guard hasOpening else { return }
    hasOpening = false
    tell(opening, .upgrade, &turn)
    opening = []
    addCheckpoint()
  }
}
