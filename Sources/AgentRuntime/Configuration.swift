// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import SQLiteStore

/// What configuration files say: `key = value` lines, `[section]` before them or in the key
/// (`history.days`), comments behind `#` or `;` at the start of a line.
struct Configuration: Hashable, Sendable {
  /// A change may leave the log when it is so many local days old; 0 is allowed.
  var historyDays: UInt32 = 30
  /// A member that was silent for so many local days no longer holds the log; with 0 only those that
  /// are connected do.
  var silentDays: UInt32 = 60
  /// An invite is good for so many minutes.
  var inviteMinutes: UInt32 = 10

  static let fileBytesMax = 64 * 1024

  /// The defaults.
  init() {}

  /// Reads the files that exist; a later one overrules an earlier one.
  /// - Throws: `badConfiguration`, naming file and line.
  init(files: [String]) throws(StartFailure) {
    for path in files {
      guard let bytes = DataDirectory.read(path, bytesMax: Self.fileBytesMax) else { continue }
      try read(String(decoding: bytes, as: UTF8.self), from: path)
    }
  }

  /// Takes the lines of one file.
  mutating func read(_ text: String, from path: String) throws(StartFailure) {
    var section = ""
    for (number, raw) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let line = Self.trimmed(raw)
      if line.isEmpty || line.first == "#" || line.first == ";" { continue }
      let place = "\(path), line \(number + 1)"
      if line.first == "[" {
        guard line.last == "]" else {
          throw StartFailure(.badConfiguration, "\(place): a section wants [name]")
        }
        section = String(Self.trimmed(line.dropFirst().dropLast()))
        continue
      }
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else {
        throw StartFailure(.badConfiguration, "\(place): a line wants key = value")
      }
      let key = String(Self.trimmed(parts[0]))
      try set(section.isEmpty ? key : "\(section).\(key)", Self.trimmed(parts[1]), place)
    }
  }

  private mutating func set(
    _ key: String, _ value: Substring, _ place: String
  ) throws(StartFailure) {
    func number(_ range: ClosedRange<UInt32>) throws(StartFailure) -> UInt32 {
      guard let number = UInt32(value), range.contains(number) else {
        throw StartFailure(
          .badConfiguration,
          "\(place): \(key) wants a number from \(range.lowerBound) to \(range.upperBound)")
      }
      return number
    }
    switch key {
    case "history.days": historyDays = try number(0...36_500)
    case "members.silent_days": silentDays = try number(0...36_500)
    case "invite.minutes": inviteMinutes = try number(1...1_440)
    default: throw StartFailure(.badConfiguration, "\(place): there is no key \(key)")
    }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text
  }
}
