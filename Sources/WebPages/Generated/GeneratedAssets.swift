// swift-format-ignore-file
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// Made by `dev assets Sources/WebPages`.

/// The files of `Assets` by name.
enum GeneratedAssets {
  static let all: [(String, String)] = [
    ("actions.js", actionsJs),
    ("addbox.js", addboxJs),
    ("api.js", apiJs),
    ("app.css", appCss),
    ("app.js", appJs),
    ("chip.js", chipJs),
    ("dialogs.js", dialogsJs),
    ("dom.js", domJs),
    ("editor.js", editorJs),
    ("events.js", eventsJs),
    ("fields.js", fieldsJs),
    ("icon.svg", iconSvg),
    ("index.html", indexHtml),
    ("lists.js", listsJs),
    ("messages.js", messagesJs),
    ("model.js", modelJs),
    ("mover.js", moverJs),
    ("rowmenu.js", rowmenuJs),
    ("rows.js", rowsJs),
    ("stream.js", streamJs),
    ("views.js", viewsJs),
  ]
}
