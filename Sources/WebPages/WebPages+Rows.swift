// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel

/// The rows of a list as forms: what the page does where no script runs.
extension WebPages {
  /// Rows on one page without script; the next ones follow by a link.
  package static let rowsMax = 200

  static func addBox(_ page: ItemsPage, _ html: inout HTML) {
    form(page.list, &html)
    html.raw("<label><span>Add to <span dir=\"auto\">")
    html.text(page.list.name)
    html.raw("</span></span> <input name=\"text\" autocomplete=\"off\" required></label>\n")
    for column in page.columns where column.type != .counter {
      html.raw("<label><span dir=\"auto\">")
      html.text(column.name)
      html.raw("</span> <input class=\"cell-field\" autocomplete=\"off\" name=\"col:")
      html.text(column.name)
      html.raw("\" value=\"")
      html.text(column.defaultText ?? "")
      html.raw(column.isRequired ? "\" required></label>\n" : "\"></label>\n")
    }
    html.raw("<button name=\"do\" value=\"add\">Add</button></form>\n")
  }

  static func rows(_ page: ItemsPage, _ guest: GuestRole?, _ html: inout HTML) {
    html.raw("<ul class=\"rows\" role=\"list\">\n")
    for row in page.rows.prefix(rowsMax) { self.row(row, page, guest, &html) }
    html.raw("</ul>\n")
  }

  /// The way to the rows behind the last one shown.
  static func more(_ snapshot: PageSnapshot, _ html: inout HTML) {
    guard let page = snapshot.page, page.rows.count > rowsMax else { return }
    html.raw("<p><a href=\"/lists/")
    html.text(page.list.handle)
    html.raw("?after=")
    html.text(page.rows[rowsMax - 1].id.hex)
    html.raw("\">The next rows</a></p>\n")
  }

  private static func row(
    _ row: ItemRow, _ page: ItemsPage, _ guest: GuestRole?, _ html: inout HTML
  ) {
    html.raw(row.isDone ? "<li class=\"done depth-" : "<li class=\"depth-")
    html.text(String(min(row.depth, 4)))
    html.raw("\" data-item=\"")
    html.text(row.id.hex)
    html.raw("\">")
    if guest == .readOnly {
      html.raw(row.isDone ? "<span class=\"cell\">done</span> " : "")
    } else {
      form(page.list, &html)
      item(row, &html)
      html.raw("<button name=\"do\" value=\"")
      html.raw(row.isDone ? "undone\">Reopen" : "done\">Tick")
      named(row, &html)
      html.raw("</button></form> ")
    }
    html.raw("<span class=\"text\" dir=\"auto\">")
    html.text(row.text.string)
    html.raw("</span>")
    for (column, value) in zip(page.columns, row.cells) {
      guard let value, value != .null else { continue }
      html.raw(" <span class=\"cell\">")
      html.text(column.name)
      html.raw(" ")
      html.text(ValueText.print(value))
      html.raw("</span>")
    }
    if guest == nil { change(row, page, &html) }
    html.raw("</li>\n")
  }

  private static func change(_ row: ItemRow, _ page: ItemsPage, _ html: inout HTML) {
    html.raw("<details><summary>Change")
    named(row, &html)
    html.raw("</summary>")
    form(page.list, &html)
    item(row, &html)
    if row.text.utf8.contains(0x0A) {
      // A field of one line would glue the words of several; the first line end after it is not text.
      html.raw("<label>Text <textarea name=\"text\" required>\n")
      html.text(row.text.string)
      html.raw("</textarea></label>")
    } else {
      html.raw("<label>Text <input name=\"text\" autocomplete=\"off\" required value=\"")
      html.text(row.text.string)
      html.raw("\"></label>")
    }
    html.raw(
      """
       <button name="do" value="edit">Save</button> <button name="do" value="up">Up</button> \
      <button name="do" value="down">Down</button> <button name="do" value="rm">Delete</button>\
      </form></details>
      """)
  }

  /// Says to whom a button belongs, for those who only hear it.
  private static func named(_ row: ItemRow, _ html: inout HTML) {
    html.raw("<span class=\"out-of-sight\"> ")
    html.text(row.text.string)
    html.raw("</span>")
  }

  private static func item(_ row: ItemRow, _ html: inout HTML) {
    html.raw("<input type=\"hidden\" name=\"item\" value=\"")
    html.text(row.id.hex)
    html.raw("\">")
  }

  static func form(_ list: ListRef, _ html: inout HTML) {
    html.raw("<form method=\"post\" action=\"/lists/")
    html.text(list.handle)
    html.raw("\">")
  }
}
