// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import HTTPServer

/// The forms of a page that runs without its script: `do=add&text=milk&col:qty=2`, `do=done&item=…`.
enum PageForm {
  /// What a posted form asks for.
  static func transaction(_ request: HTTPRequest, list name: String) throws(Problem) -> Transaction
  {
    let type = request.headers[.contentType]?.split(separator: ";").first?.lowercased() ?? ""
    guard sameBytes(type, "application/x-www-form-urlencoded") else {
      throw Problem(.unsupportedMedia, "the body is no form")
    }
    guard let fields = HTTPQueryItem.form(request.body) else {
      throw Problem(.malformed, "the form cannot be read")
    }
    // A form ends its lines with CR LF whatever they ended with.
    func field(_ name: String) -> String? {
      fields.last { sameBytes($0.name, name) }?.value.split(
        separator: "\r\n", omittingEmptySubsequences: false
      ).joined(separator: "\n")
    }
    let list = ListSelector(path: [name])
    let text = field("text") ?? ""
    func item() throws(Problem) -> ItemSelector {
      try ItemSelector(parsing: field("item") ?? "")
    }
    func move(_ place: PlaceSelector) throws(Problem) -> ItemOp {
      .move(MoveItems(list: list, items: [try item()], place: place))
    }
    switch field("do") {
    case "add":
      let item = NewItem(text: text, cells: cells(fields).filter { $0.input != .clear })
      return Transaction([.add(AddItems(list: list, items: [item]))])
    case "edit":
      return Transaction([
        .edit(
          EditItems(
            list: list, items: [try item()], text: field("text"), cells: cells(fields)))
      ])
    case "done": return Transaction([.tick(TickItems(list: list, items: [try item()]))])
    case "undone":
      return Transaction([.tick(TickItems(list: list, items: [try item()], isDone: false))])
    case "rm": return Transaction([.remove(list, [try item()])])
    case "restore": return Transaction([.restore(list, [try item()])])
    case "up": return Transaction([try move(.up(1))])
    case "down": return Transaction([try move(.down(1))])
    case "top": return Transaction([try move(.top)])
    case "bottom": return Transaction([try move(.bottom)])
    case let other:
      throw Problem(
        .malformed, "no action \(other ?? "in the form")",
        detail: "known: add, edit, done, undone, rm, restore, up, down, top, bottom")
    }
  }

  /// The columns of a form: `col:NAME`, an empty value clears.
  private static func cells(_ fields: [HTTPQueryItem]) -> [CellWrite] {
    fields.filter { $0.name.hasPrefix("col:") }.map { field in
      CellWrite(
        column: String(field.name.dropFirst(4)),
        input: field.value.isEmpty ? .clear : .text(field.value))
    }
  }
}
