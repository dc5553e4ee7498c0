// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel
import Roster
import WireCodec

/// What people may ask.
extension Engine {
  /// The other members with what is known of their links, ascending by device.
  /// - Complexity: O(members · sessions).
  package func peerStatuses(at now: Moment) -> [PeerStatus] {
    otherMembers.map { member in
      let row = row(of: member.device)
      let at = links.firstIndex { $0.device == member.device && $0.phase != .greeting }
      var status = PeerStatus(
        name: member.name.string, device: member.device, state: .neverMet,
        endpoint: row.endpoints.first, rtt: nil, toSend: 0, toGet: 0,
        lastContact: row.lastContact, version: row.version, clockOffsetMilliseconds: nil)
      if let at {
        fill(&status, from: at, now)
      } else {
        status.toSend = lacks(row)
        if dialling.isConnecting(member.device)
          || links.contains(where: { $0.device == member.device })
        {
          status.state = .connecting
        } else if isRelayed(member.device, row) {
          status.isRelayed = true
          status.state = status.toSend == 0 ? .inSync : .syncing
        } else if row.lastContact != nil {
          status.state = .offline
        }
      }
      return status
    }
  }

  /// A member that needs no link of its own and was there at its last visit, one turn of all ago at
  /// most. What it has acknowledged is as of then.
  private func isRelayed(_ device: DeviceID, _ row: PeerRow) -> Bool {
    guard !isPaused, !links.isEmpty, !dialling.isWanted(device), !dialling.isAway(device),
      let contact = row.lastContact
    else { return false }
    let turn = settings.visitInterval.wholeMilliseconds * UInt64(otherMembers.count)
    return wall.milliseconds - contact.milliseconds <= Int64(clamping: turn)
  }

  private func fill(_ status: inout PeerStatus, from at: Int, _ now: Moment) {
    let link = links[at]
    status.link = link.id
    status.endpoint = link.listening ?? link.endpoint
    status.rtt = link.liveness.rtt
    status.toSend = lacks(at)
    status.toGet = awaits(at)
    // What this disk refuses is not here yet, though it shows.
    let isSettled =
      status.toSend == 0 && status.toGet == 0 && link.inbound.snapshot == nil && !commit.hasFailed
    status.state = link.phase == .streaming && isSettled ? .inSync : .syncing
    let silence = Int64(now.since(link.liveness.lastHeard).wholeMilliseconds)
    status.lastContact = WallTime(milliseconds: wall.milliseconds - silence)
    if let hello = link.hello { status.version = hello.version.string }
    status.clockOffsetMilliseconds = link.clockOffset
  }

  /// What each other member is known to hold durably, by its own word.
  /// - Complexity: O(members · sessions).
  package func acknowledged() -> [(device: DeviceID, coverage: Coverage)] {
    otherMembers.map { member in
      var tips = row(of: member.device).acknowledged.tips
      if let link = links.first(where: { $0.device == member.device && $0.hello != nil }) {
        tips = link.outbound.told.tips
      }
      return (member.device, replica.coverage(of: VersionVector(tips: tips)))
    }
  }

  /// When each device was last linked that is or was a member, as of the end of its last link.
  package var lastContacts: [(device: DeviceID, at: WallTime)] {
    peers.compactMap { row in row.lastContact.map { (row.device, $0) } }
  }

  /// The last change that this device wrote.
  package var ownTip: Tip? { authoring.last }

  /// Changes of this space that are only on this machine: no member has acknowledged them.
  /// - Complexity: O(members · sessions).
  package func changesOnlyHere() -> UInt64 {
    let all = otherMembers.map { member -> UInt64 in
      if let at = links.firstIndex(where: { $0.device == member.device && $0.hello != nil }) {
        return lacks(at)
      }
      return lacks(row(of: member.device))
    }
    return all.min() ?? 0
  }

  /// How many changes a member has not acknowledged, as of its last link.
  private func lacks(_ row: PeerRow) -> UInt64 {
    let coverage = replica.coverage(of: row.acknowledged)
    return replica.missing(from: coverage).reduce(0) { $0 + $1.last - $1.first + 1 }
  }
}
