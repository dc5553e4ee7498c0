// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Glibc

/// Lines on stderr: one event a line, a stable name, then fields. The journal gets its level prefix.
///
/// Item text is never logged, addresses of peers only at `debug`. Each event name may write
/// `burst` lines a minute; what was held back is counted on the next line that passes, so that no
/// flood fills a disk (catalogue O2). Not Sendable: it belongs to the loop.
package final class Log {
  /// The numbers are those of syslog(3), which the journal understands.
  package enum Level: Int, Comparable, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

    /// Reads the word of a flag or a configuration line.
    package init?(_ word: String) {
      switch word {
      case "error": self = .error
      case "warning": self = .warning
      case "notice": self = .notice
      case "info": self = .info
      case "debug": self = .debug
      default: return nil
      }
    }

    var word: String {
      switch self {
      case .error: "error"
      case .warning: "warning"
      case .notice: "notice"
      case .info: "info"
      case .debug: "debug"
      }
    }
  }

  private struct Budget {
    var windowStart: Int64
    var written: Int
    var heldBack: Int
  }

  /// Lines up to this level are written.
  package var level: Level
  /// Lines per event name and minute.
  package let burst: Int
  private let isJournal: Bool
  private let write: (String) -> Void
  private let seconds: () -> Int64
  private var budgets: [String: Budget] = [:]

  /// - Parameters:
  ///   - isJournal: Whether to write `<n>` prefixes instead of the time; by default as the
  ///     environment says.
  ///   - write: Takes one line with its newline.
  ///   - seconds: The wall clock.
  package init(
    level: Level, burst: Int = 60, isJournal: Bool = unsafe getenv("JOURNAL_STREAM") != nil,
    write: @escaping (String) -> Void = Log.toStandardError,
    seconds: @escaping () -> Int64 = { Int64(time(nil)) }
  ) {
    (self.level, self.burst, self.isJournal) = (level, burst, isJournal)
    (self.write, self.seconds) = (write, seconds)
  }

  /// Writes one event.
  ///
  /// - Parameters:
  ///   - event: A stable name such as `link.up`: small letters, digits, dots, dashes.
  ///   - fields: Names and values; control characters and spaces are escaped.
  package func callAsFunction(
    _ level: Level, _ event: String, _ fields: KeyValuePairs<String, String> = [:]
  ) {
    guard level <= self.level else { return }
    let now = seconds()
    var budget = budgets[event] ?? Budget(windowStart: now, written: 0, heldBack: 0)
    if now - budget.windowStart >= 60 || now < budget.windowStart {
      budget = Budget(windowStart: now, written: 0, heldBack: budget.heldBack)
    }
    defer { budgets[event] = budget }
    guard budget.written < burst else {
      budget.heldBack += 1
      return
    }
    budget.written += 1
    var line = isJournal ? "<\(level.rawValue)>" : "\(Self.clock(now)) \(level.word) "
    line += event
    for (name, value) in fields { line += " \(name)=\(Self.escaped(value))" }
    if budget.heldBack > 0 { line += " held-back=\(budget.heldBack)" }
    budget.heldBack = 0
    write(line + "\n")
  }

  /// The usual sink: one `write` a line, failures ignored, for there is nowhere to report them.
  package static func toStandardError(_ line: String) {
    let bytes = Array(line.utf8)
    unsafe _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
  }

  private static func clock(_ seconds: Int64) -> String {
    var moment = time_t(seconds)
    var parts = unsafe tm()
    unsafe localtime_r(&moment, &parts)
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return unsafe "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
  }

  /// Quotes values that hold a space, and escapes what could forge a line or move a cursor.
  private static func escaped(_ value: String) -> String {
    var out = ""
    var mustQuote = value.isEmpty
    for scalar in value.unicodeScalars {
      switch scalar.value {
      case 0x22, 0x5C:
        mustQuote = true
        out += "\\\(scalar)"
      case 0x20:
        mustQuote = true
        out += " "
      case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069:
        out += "\\u{\(String(scalar.value, radix: 16))}"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return mustQuote ? "\"\(out)\"" : out
  }
}
