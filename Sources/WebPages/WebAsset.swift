// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI

/// A fixed file of the page, as it is sent.
package struct WebAsset: Hashable, Sendable {
  /// The last part of its path: `app.js`.
  package let name: String
  package let contentType: String
  package let bytes: [UInt8]
  /// Entity tag without quotes; follows the bytes.
  package let tag: String

  init(name: String, text: String) {
    self.name = name
    bytes = Array(text.utf8)
    tag = "a-" + EntityTag.of(bytes)
    contentType =
      switch name.split(separator: ".").last {
      case "css": "text/css; charset=utf-8"
      case "js": "text/javascript; charset=utf-8"
      case "svg": "image/svg+xml"
      case "webmanifest": "application/manifest+json"
      default: "text/html; charset=utf-8"
      }
  }

  /// Everything below `Assets`, in order of name; `dev assets` makes the code that holds it.
  package static let all: [WebAsset] = GeneratedAssets.all.map { WebAsset(name: $0.0, text: $0.1) }

  /// The file that is served under that name; the page's own template is not among them.
  package static func served(_ name: String) -> WebAsset? {
    all.first {
      $0.name.utf8.elementsEqual(name.utf8) && !name.utf8.elementsEqual("index.html".utf8)
    }
  }
}
