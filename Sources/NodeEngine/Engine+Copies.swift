// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel

/// Copies of this process: the image of a running machine that was started twice (reliability R1).
extension Engine {
  /// How often in a row a peer may close a link as the second one to this process before that is
  /// believed: 3. Two links that cross, or one that died on this side only, do so once or twice.
  static var displacedMax: Int { 3 }

  /// A peer has closed a link as the second one to this process, and there is no first one here.
  ///
  /// If that goes on, a copy of this process holds the first. From then on the two are told apart, by
  /// all peers, and this one writes nothing more in the session that the other may write in as well.
  mutating func displaced(by device: DeviceID, _ turn: inout Turn) {
    if links.contains(where: { $0.device == device }) { return }
    let count = displacements[device, default: 0] + 1
    displacements[device] = count
    guard count >= Self.displacedMax else { return }
    displacements = [:]
    bootNonce = entropy.next()
    authoring.abandon()
    for id in links.map(\.id) { close(id, .goingAway, &turn) }
  }
}
