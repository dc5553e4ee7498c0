// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import Testing
import ZstdPacking

@testable import WebPages

@Suite struct AssetTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Sources/WebPages/Assets")

  @Test func `the embedded files are those of the folder, byte for byte`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
    #expect(WebAsset.all.map(\.name) == names, "run: swift run dev assets Sources/WebPages")
    for asset in WebAsset.all {
      let file = try Data(contentsOf: Self.folder.appendingPathComponent(asset.name))
      #expect(
        asset.bytes == Array(file), "\(asset.name): run: swift run dev assets Sources/WebPages")
    }
  }

  @Test func `all of it together is small`() {
    let bytes = WebAsset.all.reduce(0) { $0 + $1.bytes.count }
    #expect(bytes > 1_000 && bytes < 150 * 1024)
    // What most browsers get, see `WebDesk.file`.
    let packed = WebAsset.all.reduce(0) { $0 + ZstdPacker(level: 12).pack($1.bytes).count }
    #expect(packed < 50 * 1024)
  }

  @Test func `every file has its type and a tag that follows its bytes`() throws {
    let script = try #require(WebAsset.served("app.js"))
    #expect(script.contentType.hasPrefix("text/javascript"))
    #expect(try #require(WebAsset.served("app.css")).contentType.hasPrefix("text/css"))
    #expect(WebAsset(name: "app.js", text: "1").tag != WebAsset(name: "app.js", text: "2").tag)
    #expect(WebAsset.served("index.html") == nil && WebAsset.served("../app.js") == nil)
  }

  @Test func `the page has no inline script and no inline style`() {
    let page = String(decoding: WebAsset.all.flatMap(\.bytes), as: UTF8.self)
    for spelling in ["onclick=", "onload=", "style=\"", "<script>", "javascript:", "//cdn"] {
      #expect(!page.contains(spelling), "\(spelling)")
    }
  }
}
