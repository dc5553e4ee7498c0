// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

public import ListModel

/// Which list is meant: a path of names or handles, in a space if one is named.
///
/// `@gro` is the list whose name or handle is or starts with `gro`; `@party/drinks` the child list
/// of an item of it. What a name means is the agent's business, this is only the reading.
public struct ListSelector: Hashable, Sendable {
  /// The space before a colon: `@home:orders`. There is one; any other colon belongs to the name.
  public var space: String?
  /// At least one step, none empty.
  public var path: [String]

  public init(space: String? = nil, path: [String]) { (self.space, self.path) = (space, path) }

  /// Reads `@gro`, `gro`, `party/drinks`, `home:orders`.
  ///
  /// - Throws: `usage` for an empty name or step.
  public init(parsing text: String) throws(Problem) {
    var rest = text[...]
    if rest.utf8.first == 0x40 { rest = rest.dropFirst() }
    if let colon = rest.firstIndex(of: ":"), sameBytes(String(rest[..<colon]), "home") {
      space = String(rest[..<colon])
      rest = rest[rest.index(after: colon)...]
    }
    path = rest.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard !path.contains(where: \.isEmpty) else {
      throw Problem(
        .usage, "\"\(text)\" names no list", detail: "write @NAME, or @NAME/ITEM for a child list")
    }
  }

  /// The selector as it is typed, with `@`.
  public var spelling: String {
    "@" + (space.map { "\($0):" } ?? "") + path.joined(separator: "/")
  }
}

/// Which item is meant; resolved by the agent in this order: number or range, id, handle, exact
/// text, unique prefix of the text (case does not count).
public enum ItemSelector: Hashable, Sendable {
  /// The row that this terminal last showed with that number, from 1.
  case number(Int)
  /// Rows `first` to `last`, both inclusive.
  case range(Int, Int)
  /// The 24 hex digits of an id.
  case id(ItemID)
  /// A handle, a prefix of one, or text.
  case word(String)

  /// Reads what a person typed for an item.
  ///
  /// - Throws: `usage` for an empty word or a reversed range.
  public init(parsing text: String) throws(Problem) {
    if let number = Self.number(text[...]) {
      self = .number(number)
    } else if let dash = text.firstIndex(of: "-"), let first = Self.number(text[..<dash]),
      let last = Self.number(text[text.index(after: dash)...])
    {
      guard first <= last else {
        throw Problem(.usage, "the range \(text) is reversed", suggest: "\(last)-\(first)")
      }
      self = .range(first, last)
    } else if let id = ItemID(hex: text) {
      self = .id(id)
    } else {
      guard !text.isEmpty else {
        throw Problem(
          .usage, "an empty word names no item", detail: "give a handle, number or text")
      }
      self = .word(text)
    }
  }

  /// The selector as it is typed.
  public var spelling: String {
    switch self {
    case .number(let number): String(number)
    case .range(let first, let last): "\(first)-\(last)"
    case .id(let id): id.hex
    case .word(let word): word
    }
  }

  private static func number(_ text: Substring) -> Int? {
    guard (1...9).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int(text)
  }
}

/// Where an item shall go among its siblings.
public enum PlaceSelector: Hashable, Sendable {
  case top
  case bottom
  case up(Int)
  case down(Int)
  case before(ItemSelector)
  case after(ItemSelector)
  /// As the last child of that item.
  case under(ItemSelector)
  /// Behind its parent, one level out.
  case out
  /// The position that it has afterwards, from 1.
  case position(Int)
}
