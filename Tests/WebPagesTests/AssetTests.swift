// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Testing
import ZstdPacking

@testable import WebPages

@Suite struct AssetTests {
  @Test func `all of it together is small`() {
    let bytes = WebAsset.all.reduce(0) { $0 + $1.bytes.count }
    #expect(bytes > 1_000 && bytes < 100_000)
    // What most browsers get, see `WebDesk.file`.
    let packed = WebAsset.all.reduce(0) { $0 + ZstdPacker(level: 12).pack($1.bytes).count }
    #expect(packed < 40_000)
    #expect(WebAsset.all.map(\.name) == ["app.css", "app.js", "icon.svg", "index.html"])
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
