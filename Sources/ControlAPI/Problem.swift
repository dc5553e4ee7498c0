// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Exit codes of `hedge`: the contract of `hedge help exit-codes`.
public enum ExitCode {
  public static let done = 0
  public static let failed = 1
  public static let usage = 2
  public static let notFound = 3
  public static let notAllowed = 4
  public static let conflict = 5
  public static let unreachable = 6
  public static let timeout = 7
  public static let partial = 8
  public static let checkFailed = 9
  public static let declined = 10
}

/// Why a request was refused or failed: an RFC 9457 problem object with an exit code.
public struct Problem: Error, Hashable, Sendable {
  /// The closed set of reasons; the raw value is the last part of `type`.
  public enum Kind: String, CaseIterable, Sendable {
    case usage = "usage"
    case malformed = "malformed-request"
    case unknownField = "unknown-field"
    case unknownColumn = "unknown-column"
    case invalidValue = "invalid-value"
    case invalidName = "invalid-name"
    case invalidText = "invalid-text"
    case emptyText = "empty-text"
    case missingValue = "missing-value"
    case noList = "no-list-chosen"
    case noView = "no-numbers-shown"
    case unknownList = "unknown-list"
    case unknownItem = "unknown-item"
    case unknownPeer = "unknown-peer"
    case unknownTransaction = "unknown-transaction"
    case unknownConflict = "unknown-conflict"
    case unknownRoute = "unknown-route"
    case notAllowed = "not-allowed"
    case notSignedIn = "not-signed-in"
    case codeRefused = "code-refused"
    case ambiguous = "ambiguous"
    case nameTaken = "name-taken"
    case conflict = "conflict"
    case stale = "stale"
    case unreachable = "agent-not-reachable"
    case timeout = "time-limit"
    /// What was waited for cannot come any more.
    case over = "over"
    case partial = "partial"
    case checkFailed = "check-failed"
    case needsAnswer = "needs-answer"
    case declined = "declined"
    case tooLarge = "too-large"
    case methodNotAllowed = "method-not-allowed"
    case unsupportedMedia = "unsupported-media-type"
    case busy = "busy"
    case tooMany = "too-many-requests"
    case storage = "storage"
    case failed = "failed"

    /// The exit code of the command line.
    public var exit: Int {
      switch self {
      case .failed, .storage: ExitCode.failed
      case .usage, .malformed, .unknownField, .unknownColumn, .invalidValue, .invalidName,
        .invalidText, .emptyText, .missingValue, .noList, .noView, .tooLarge, .methodNotAllowed,
        .unsupportedMedia:
        ExitCode.usage
      case .unknownList, .unknownItem, .unknownPeer, .unknownRoute, .unknownTransaction,
        .unknownConflict:
        ExitCode.notFound
      case .notAllowed, .notSignedIn, .codeRefused: ExitCode.notAllowed
      case .ambiguous, .nameTaken, .conflict, .stale: ExitCode.conflict
      case .unreachable: ExitCode.unreachable
      case .timeout, .over, .busy, .tooMany: ExitCode.timeout
      case .partial: ExitCode.partial
      case .checkFailed: ExitCode.checkFailed
      case .needsAnswer, .declined: ExitCode.declined
      }
    }

    /// The status code over HTTP.
    public var status: Int {
      switch self {
      case .usage, .malformed, .needsAnswer, .declined, .noList, .noView: 400
      case .unknownField, .unknownColumn, .invalidValue, .invalidName, .invalidText, .emptyText,
        .missingValue, .partial:
        422
      case .notSignedIn: 401
      case .notAllowed, .codeRefused: 403
      case .unknownList, .unknownItem, .unknownPeer, .unknownRoute, .unknownTransaction,
        .unknownConflict:
        404
      case .methodNotAllowed: 405
      case .ambiguous, .nameTaken, .conflict, .checkFailed: 409
      case .over: 410
      case .stale: 412
      case .tooLarge: 413
      case .unsupportedMedia: 415
      case .tooMany: 429
      case .failed: 500
      case .unreachable, .busy: 503
      case .timeout: 504
      case .storage: 507
      }
    }
  }

  public var kind: Kind
  /// What is wrong, in a few words and without a final stop: "no column pric".
  public var title: String
  /// What would be right, as a sentence; what to do next.
  public var detail: String?
  /// The one value that was probably meant.
  public var suggest: String?

  public init(_ kind: Kind, _ title: String, detail: String? = nil, suggest: String? = nil) {
    (self.kind, self.title, self.detail, self.suggest) = (kind, title, detail, suggest)
  }

  /// Appends `{"v":1,"type":…,"title":…,"detail":…,"suggest":…,"exit":…}`; absent parts are left out.
  public func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("v", int: 1)
    json.member("type", "/problems/\(kind.rawValue)")
    json.member("title", title)
    if let detail { json.member("detail", detail) }
    if let suggest { json.member("suggest", suggest) }
    json.member("exit", count: kind.exit)
    json.endObject()
  }

  /// The problem object as one line without its line feed.
  public var json: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }
}

/// Finds what a mistyped word was probably meant to be.
public enum Suggestion {
  /// Returns the candidate with the fewest edits (insert, delete, replace, swap), at most a third of
  /// the word's length and at least one; the first of equals. Case does not count.
  /// - Complexity: O(candidates · length²).
  public static func nearest(to word: String, among candidates: [String]) -> String? {
    let wanted = Array(word.lowercased().unicodeScalars)
    let limit = max(1, (wanted.count + 1) / 3)
    var best: (distance: Int, candidate: String)?
    for candidate in candidates {
      let other = Array(candidate.lowercased().unicodeScalars)
      guard abs(other.count - wanted.count) <= limit else { continue }
      let distance = distance(wanted, other)
      if distance <= limit, distance < (best?.distance ?? .max) { best = (distance, candidate) }
    }
    return best?.candidate
  }

  /// As `nearest`, for texts of several words: where none is near as a whole, one of which a word or
  /// the beginning is near.
  /// - Complexity: O(candidates · words · length²).
  public static func nearestText(to words: String, among candidates: [String]) -> String? {
    if let whole = nearest(to: words, among: candidates) { return whole }
    var parts: [String] = []
    var owners: [String] = []
    let length = words.unicodeScalars.count
    for candidate in candidates.prefix(candidatesMax) {
      let beginning = String(String.UnicodeScalarView(candidate.unicodeScalars.prefix(length)))
      for part in [beginning] + candidate.split(separator: " ").map(String.init) {
        parts.append(part)
        owners.append(candidate)
      }
    }
    guard let part = nearest(to: words, among: parts),
      let at = parts.firstIndex(where: { sameBytes($0, part) })
    else { return nil }
    return owners[at]
  }

  /// So many texts are looked at word by word.
  static let candidatesMax = 2_000

  /// Optimal string alignment distance.
  private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          cost = min(cost, beforeLast[j - 1] + 1)
        }
        row.append(cost)
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }
}
