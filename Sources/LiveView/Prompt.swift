// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// A line that is being typed, and what becomes of it.
struct Prompt: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    /// Behind the item, or at the end of an empty list.
    case add(after: String?)
    case addOnTop
    case edit(id: String)
    case setColumns(id: String)
    case move(id: String)
    case find
    case addList
  }

  let kind: Kind
  var editor: LineEditor
  /// What somebody else wrote into the same text meanwhile.
  var theirs: (by: String, text: String)?
  /// Why the agent did not take the line as it stands.
  var refusal: String?

  init(_ kind: Kind, _ text: String = "") { (self.kind, editor) = (kind, LineEditor(text)) }

  /// The item whose text is being edited.
  var id: String? { if case .edit(let id) = kind { id } else { nil } }

  /// What stands in front of the line.
  var label: String {
    switch kind {
    case .add, .addOnTop: "add: "
    case .edit: "edit: "
    case .setColumns: "set: "
    case .move: "move to list: "
    case .find: "find: "
    case .addList: "new list: "
    }
  }

  static func == (a: Self, b: Self) -> Bool {
    a.kind == b.kind && a.editor == b.editor && a.theirs?.text == b.theirs?.text
      && a.refusal == b.refusal
  }

  func hash(into hasher: inout Hasher) { hasher.combine(kind) }
}
