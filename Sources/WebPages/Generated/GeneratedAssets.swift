// swift-format-ignore-file
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// Made by `Packaging/page-assets`.

/// The files of `Assets` by name.
enum GeneratedAssets {
  static let all: [(String, String)] = [
    ("app.css", appCss),
    ("app.js", appJs),
    ("icon.svg", iconSvg),
    ("index.html", indexHtml),
  ]
}
