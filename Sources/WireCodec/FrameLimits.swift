// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// What one frame may hold; receivers refuse more (`docs/WIRE.md`, "Frames").
package enum FrameLimits {
  /// One frame without its length prefix.
  package static let frameBytesMax = 64 * 1024
  /// Payload of a run, a roster part or a part of a snapshot: leaves room for the rest of the frame.
  package static let payloadBytesMax = 60 * 1024
  package static let tipsMax = 700
  package static let rosterHeadsMax = 64
  package static let recordsMax = 1_024
  package static let addressesMax = 256
  package static let versionBytesMax = 32
  package static let nameBytesMax = 128
  package static let proofBytes = 32
  package static let keyBytes = 32
  package static let signatureBytes = 64
  package static let snapshotBlobsMax = 1 << 20
}
