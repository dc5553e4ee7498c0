// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// How a reply shall look: data for programs, or text made ready for a terminal or a pipe.
///
/// Sent by `hedge` in the header `X-Hedge-Display`; without it a reply is plain JSON.
public struct Display: Hashable, Sendable {
  public enum Format: Hashable, Sendable {
    /// One JSON document, or JSON Lines for a stream, of that version.
    case json(version: Int)
    /// Aligned, truncated to the width, perhaps coloured.
    case table
    /// Tab-separated, complete, without header and colour.
    case plain
  }

  public static let headerName = "X-Hedge-Display"
  /// The newest stable version of the JSON contract.
  public static let jsonVersion = 1

  public var format: Format
  /// Columns of the terminal, 20...1000; 0 means no truncation.
  public var width: Int
  public var hasColor: Bool
  /// Whether glyphs outside ASCII may be used.
  public var hasUnicode: Bool
  /// Show moments, not distances in time.
  public var isAbsolute: Bool
  public var isQuiet: Bool
  public var isVerbose: Bool
  /// Minutes east of UTC of the person who reads.
  public var utcOffsetMinutes: Int

  public init(
    _ format: Format, width: Int = 80, hasColor: Bool = false, hasUnicode: Bool = true,
    isAbsolute: Bool = false, isQuiet: Bool = false, isVerbose: Bool = false,
    utcOffsetMinutes: Int = 0
  ) {
    (self.format, self.width, self.hasColor) = (format, width, hasColor)
    (self.hasUnicode, self.isAbsolute, self.isQuiet) = (hasUnicode, isAbsolute, isQuiet)
    (self.isVerbose, self.utcOffsetMinutes) = (isVerbose, utcOffsetMinutes)
  }

  public static let json = Display(.json(version: jsonVersion))

  public var isJSON: Bool {
    if case .json = format { true } else { false }
  }

  /// The header's value: words separated by spaces.
  public var header: String {
    var words: [String] = []
    switch format {
    case .json(let version): words.append("json=\(version)")
    case .table: words.append("table")
    case .plain: words.append("plain")
    }
    words.append("width=\(width)")
    if hasColor { words.append("color") }
    if hasUnicode { words.append("utf8") }
    if isAbsolute { words.append("abs") }
    if isQuiet { words.append("quiet") }
    if isVerbose { words.append("verbose") }
    if utcOffsetMinutes != 0 { words.append("offset=\(utcOffsetMinutes)") }
    return words.joined(separator: " ")
  }

  /// Reads the header's value; unknown words are ignored.
  public init(header: String) {
    self.init(.json(version: Self.jsonVersion), hasUnicode: false)
    for word in header.split(separator: " ") {
      let parts = word.split(separator: "=", maxSplits: 1)
      let number = parts.count > 1 ? Int(parts[1]) : nil
      switch String(parts[0]) {
      case "json": format = .json(version: number ?? Self.jsonVersion)
      case "table": format = .table
      case "plain": format = .plain
      case "width": width = number.map { $0 == 0 ? 0 : min(max($0, 20), 1000) } ?? width
      case "color": hasColor = true
      case "utf8": hasUnicode = true
      case "abs": isAbsolute = true
      case "quiet": isQuiet = true
      case "verbose": isVerbose = true
      case "offset": utcOffsetMinutes = min(max(number ?? 0, -1440), 1440)
      default: break
      }
    }
  }
}
