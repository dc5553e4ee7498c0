// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CDesktopShim
import Glibc

/// Notifications of the user's desktop, over D-Bus. Blocks for seconds: not for the loop.
package enum Desktop {
  /// What became of a notification.
  package enum Shown: Hashable, Sendable {
    /// With the number that a later one can replace.
    case shown(UInt32)
    /// There is no bus, or nobody on it who shows notifications.
    case nobody
    case failed
  }

  /// Shows plain text; where the desktop reads markup, it is escaped.
  package static func show(title: String, body: String, replaces: UInt32) -> Shown {
    var id: UInt32 = 0
    switch unsafe hd_notify(title, body, escaped(body), replaces, &id) {
    case 0: return .shown(id)
    case -ENOTCONN: return .nobody
    default: return .failed
    }
  }

  private static func escaped(_ text: String) -> String {
    var out = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      default: out.unicodeScalars.append(character)
      }
    }
    return out
  }
}
