// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel
import NodeEngine
import WireCodec

/// What a test does on a node as its user, and what it sees there.
extension Neighbourhood {
  /// Makes items under `parent`; returns what came of it.
  @discardableResult
  mutating func create(_ node: Int, _ texts: [String], in parent: ItemID = .root) -> [ItemID] {
    let rows = texts.map { NewRow([(FieldName.text, Value.text($0))]) }
    return edit(node, [.create(rows, parent: parent, at: .bottom)])?.created ?? []
  }

  /// One transaction; `nil` if it was refused or is not on disk yet.
  @discardableResult
  mutating func edit(_ node: Int, _ edits: [Edit], nonce: UInt64? = nil) -> EditReceipt? {
    let token = UInt64(nodes[node].seen.count + 1)
    give(node, .edit(EditRequest(token: token, edits: edits, nonce: nonce)))
    settle()
    for effect in nodes[node].seen.reversed() {
      if case .edited(token: token, .done(let receipt)) = effect { return receipt }
    }
    return nil
  }

  func state(_ node: Int, of other: Int) -> PeerStatus.State? {
    nodes[node].engine.peerStatuses(at: now)
      .first { $0.device == nodes[other].crypto.deviceID }?.state
  }

  func texts(_ node: Int, in parent: ItemID = .root) -> [String] {
    nodes[node].engine.replica.children(of: parent).map {
      if case .text(let text)? = nodes[node].engine.replica.value(of: $0, .text) {
        text.string
      } else {
        "?"
      }
    }
  }

  func alarms(_ node: Int) -> [Alarm] {
    nodes[node].seen.compactMap { if case .alarm(let alarm) = $0 { alarm } else { nil } }
  }

  func pairingEvents(_ node: Int) -> [PairingEvent] {
    nodes[node].seen.compactMap { if case .pairing(let event) = $0 { event } else { nil } }
  }
}
