// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel

/// The pages as the agent sends them: whole documents that work without a script.
package enum WebPages {
  /// The page of a list, or of none.
  /// - Complexity: O(bytes written).
  package static func page(_ snapshot: PageSnapshot) -> [UInt8] {
    var title = HTML()
    title.text(snapshot.page?.list.name ?? "Lists")
    title.raw(" – ")
    title.text(snapshot.device)
    var main = HTML()
    if let page = snapshot.page {
      main.raw("<main id=\"list\" aria-labelledby=\"name\" data-list=\"")
      main.text(page.list.id.hex)
      main.raw("\" data-cursor=\"")
      main.text(page.cursor)
      if let guest = snapshot.guest {
        main.raw("\" data-guest=\"")
        main.text(guest.rawValue)
      }
      main.raw("\">\n<h1 id=\"name\" dir=\"auto\">")
      main.text(page.list.name)
      main.raw("</h1>\n")
      notice(snapshot.notice, &main)
      switch snapshot.guest {
      case nil: addBox(page, &main)
      case .tick: main.raw("<p class=\"sum\">As a guest you may tick what is done.</p>\n")
      case .readOnly: main.raw("<p class=\"sum\">As a guest you may read this list.</p>\n")
      }
      rows(page, snapshot.guest, &main)
      more(snapshot, &main)
    } else {
      main.raw("<main id=\"list\">\n<h1>Lists</h1>\n")
      notice(snapshot.notice, &main)
      main.raw("<p>There is no list yet. Make one: <code>hedge new groceries</code></p>\n")
    }
    main.raw("</main>")
    return document(title, lists(snapshot), main)
  }

  /// What somebody sees who is not signed in.
  package static func signIn() -> [UInt8] {
    explanation(
      "Sign in", "This page shows the lists of this machine to whoever may use its hedge command.",
      "Run <code>hedge web</code> in a terminal here, and open the address that it prints.")
  }

  /// What somebody sees whose one-time link was used before, or is too old.
  package static func linkIsOver() -> [UInt8] {
    explanation(
      "This link is over", "A link of hedge web opens the page once, within ten minutes.",
      "Run <code>hedge web</code> again, and open the new address.")
  }

  /// What a guest sees whose link is over, or was taken back.
  package static func guestIsOver() -> [UInt8] {
    explanation(
      "This link is over", "A guest link opens one list until its time is over.",
      "Ask whoever gave it to you for another one.")
  }

  /// Follows a one-time link: the cookie is set, the browser goes on to the page by itself.
  ///
  /// Not a redirect: a strict cookie would stay away from one that another site began.
  package static func entered() -> [UInt8] {
    var html = HTML()
    html.raw(
      """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><title>hedgerow</title>
      <link rel="icon" href="/icon.svg" type="image/svg+xml">
      <meta http-equiv="refresh" content="0;url=/"></head>
      <body><p><a href="/">Go on to the lists</a></p></body></html>

      """)
    return html.bytes
  }

  /// A page that only says why a form was refused.
  package static func refused(_ problem: String, backTo path: String) -> [UInt8] {
    var title = HTML()
    title.raw("Not done")
    var main = HTML()
    main.raw("<main>\n<h1>Not done</h1>\n")
    notice(problem, &main)
    main.raw("<p><a href=\"")
    main.text(path)
    main.raw("\">Back to the list</a></p>\n</main>")
    return document(title, HTML(), main)
  }

  // MARK: Parts

  private static func document(_ title: HTML, _ lists: HTML, _ main: HTML) -> [UInt8] {
    var html = HTML()
    let template = WebAsset.all.first { $0.name.utf8.elementsEqual("index.html".utf8) }
    html.fill(
      String(decoding: template?.bytes ?? [], as: UTF8.self),
      [("title", title), ("lists", lists), ("main", main)])
    return html.bytes
  }

  private static func explanation(
    _ heading: StaticString, _ why: StaticString, _ what: StaticString
  ) -> [UInt8] {
    var title = HTML()
    title.raw(heading)
    var main = HTML()
    main.raw("<main class=\"explanation\">\n<h1>")
    main.raw(heading)
    main.raw("</h1>\n<p>")
    main.raw(why)
    main.raw("</p>\n<p>")
    main.raw(what)
    main.raw("</p>\n</main>")
    return document(title, HTML(), main)
  }

  private static func lists(_ snapshot: PageSnapshot) -> HTML {
    var html = HTML()
    html.raw("<ul>\n")
    for row in snapshot.lists {
      html.raw("<li><a dir=\"auto\" href=\"/lists/")
      html.text(row.list.handle)
      html.raw("\"")
      if row.list.id == snapshot.page?.list.id { html.raw(" aria-current=\"page\"") }
      html.raw(">")
      html.text(row.list.name)
      html.raw("</a></li>\n")
    }
    html.raw("</ul>")
    if let lan = snapshot.lan {
      html.raw("\n<details class=\"lan\"><summary>Other devices</summary><p>")
      html.text(lan.url)
      html.raw("</p><p>Certificate SHA-256 <span class=\"print\">")
      html.text(lan.fingerprint)
      html.raw("</span></p></details>")
    }
    return html
  }

  private static func notice(_ text: String?, _ html: inout HTML) {
    guard let text else { return }
    html.raw("<p class=\"notice\" role=\"alert\">")
    html.text(text)
    html.raw("</p>\n")
  }
}
