// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Names one connection for as long as the agent runs; never used again.
///
/// The engine numbers the connections it asks for (`Effect.dial`), the shell those that it accepts;
/// the role is part of the name, so the two never meet.
package struct LinkID: Hashable, Comparable, Sendable {
  package let role: LinkRole
  package let number: UInt64

  package init(_ role: LinkRole, _ number: UInt64) { (self.role, self.number) = (role, number) }

  package static func < (a: Self, b: Self) -> Bool {
    (a.number, a.role.rawValue) < (b.number, b.role.rawValue)
  }
}

/// Which side opened a connection.
package enum LinkRole: UInt8, Hashable, Sendable {
  case dialled
  case accepted
}

/// What a connection is for; decides the ALPN.
package enum LinkPurpose: Hashable, Sendable {
  /// ALPN `hedgerow/1`: both sides are members.
  case member
  /// ALPN `hedgerow-pair/1`: one side holds an invite, the other its code.
  case pairing
}
