// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Who says that an agent may listen somewhere. No source is believed, all are tried.
package enum CandidateSource: UInt8, Hashable, Sendable {
  /// `hedge peers add HOST:PORT`: kept until taken back.
  case fixed
  /// Worked on an earlier connection.
  case remembered
  /// A member told us over an authenticated link.
  case toldByPeer
  /// mDNS; only those whose tag a member could make, see `DiscoveryTag`.
  case discovered
}
