// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel

/// Small texts that many renderings share.
package struct Phrases {
  let display: Display
  /// Milliseconds since 1970.
  let now: Int64

  /// `now`, `4 min ago`, `3 h ago`, `6 days ago`; a date beyond 60 days; a moment with `--abs`.
  func when(_ at: Int64) -> String {
    if display.isAbsolute { return moment(at) }
    let seconds = (now - at) / 1000
    switch seconds {
    case ..<(-60): return moment(at)
    case ..<5: return "now"
    case ..<60: return "\(seconds) s ago"
    case ..<3600: return "\(seconds / 60) min ago"
    case ..<86_400: return "\(seconds / 3600) h ago"
    case ..<(60 * 86_400):
      return seconds < 2 * 86_400 ? "1 day ago" : "\(seconds / 86_400) days ago"
    default: return String(moment(at).prefix(10))
    }
  }

  /// `2026-11-30 18:05` where the reader is.
  func moment(_ at: Int64) -> String {
    CivilTime.localDateAndClock(at, offsetMinutes: display.utcOffsetMinutes)
  }

  /// `loft (never met), den (offline)`: who is not in step, of the form of `peers` for pipes.
  package static func behind(_ peers: [UInt8]) -> String {
    let rows = String(decoding: peers, as: UTF8.self).split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false)
    }
    return rows.compactMap { row -> String? in
      guard row.count > 2, let state = PeerState(rawValue: String(row[1])), state != .inSync else {
        return nil
      }
      let unsent = row[2] == "0" || row[2] == "?" ? "" : ", \(row[2]) to send"
      return "\(row[0]) (\(state.words)\(unsent))"
    }.joined(separator: ", ")
  }

  /// `6 days`, `3 h`, `5 min`, `12 s`.
  static func span(_ seconds: Int64) -> String {
    switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3600: "\(seconds / 60) min"
    case ..<86_400: "\(seconds / 3600) h"
    default: seconds < 2 * 86_400 ? "1 day" : "\(seconds / 86_400) days"
    }
  }

  /// `1 list`, `3 lists`.
  static func count(_ count: Int, _ one: String, _ many: String? = nil) -> String {
    "\(count) \(count == 1 ? one : many ?? one + "s")"
  }

  /// Printable text of data.
  static func text(_ text: Text) -> String {
    var out: [UInt8] = []
    PrintSafety.append(text.utf8, to: &out)
    return String(decoding: out, as: UTF8.self)
  }

  static func text(_ text: String) -> String { PrintSafety.printable(text) }

  static func value(_ value: Value?) -> String {
    guard let value else { return "" }
    if case .text(let text) = value { return self.text(text) }
    return PrintSafety.printable(ValueText.print(value))
  }

  var dot: String { display.hasUnicode ? " · " : " - " }
  var arrow: String { display.hasUnicode ? "→" : "->" }
  var none: String { display.hasUnicode ? "–" : "-" }

  func bold(_ text: String) -> String { display.hasColor ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}
