// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// The version of this build, told to peers and clients.
package enum AgentVersion {
  package static let text = "0.1.0"
}
