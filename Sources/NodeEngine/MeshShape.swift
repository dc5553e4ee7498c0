// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ListModel

/// Which members to keep links to when there are too many for a link to each.
///
/// Members stand on a ring in the order of their ids. Each wishes for its nearest neighbours on both
/// sides and for some far ones, at distances that are the same for everybody, so that wishes are
/// mutual. Where somebody cannot be reached, the wish moves on around the ring to the next who can.
/// So the ring of those who can be reached is whole, and with it the graph; the far links make it
/// shallow and hold it together while the ring heals.
enum MeshShape {
  /// How a member can be reached, as far as this node knows.
  enum Reach: Hashable, Sendable {
    case linked
    /// There is an address, and nothing speaks against it.
    case untried
    /// No address, or the last round of dials failed.
    case away
  }

  /// The members to be linked to, those among them who are away included: they are tried on.
  ///
  /// - Parameters:
  ///   - others: All other members, ascending by id.
  ///   - links: Links wished for, a multiple of four.
  /// - Complexity: O(members · links).
  static func wanted(
    by device: DeviceID, among others: [DeviceID], links: Int, reach: (DeviceID) -> Reach
  ) -> Set<DeviceID> {
    let start = others.firstIndex { $0 > device } ?? 0
    var wanted = Set<DeviceID>()
    var found = Set<DeviceID>()
    for distance in distances(members: others.count + 1, links: links) {
      for isForward in [true, false] {
        for step in 0..<others.count {
          let place = (distance - 1 + step) % others.count
          let at = isForward ? place : others.count - 1 - place
          let other = others[(start + at) % others.count]
          guard !found.contains(other) else { continue }
          wanted.insert(other)
          if reach(other) == .away { continue }
          found.insert(other)
          break
        }
      }
    }
    return wanted
  }

  /// Distances on the ring in one direction, near ones first: half of them are the nearest, the
  /// others are spread over what is left of half the ring.
  static func distances(members: Int, links: Int) -> [Int] {
    let near = links / 4
    let far = links / 2 - near
    let room = max(0, members / 2 - near)
    return Array(1...near) + (1...far).map { near + max($0, room * $0 / (far + 1)) }
  }
}
