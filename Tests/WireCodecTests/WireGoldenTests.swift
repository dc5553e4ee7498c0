// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import Simulator
import Testing

/// The bytes of every format against the files under `Golden`, which only `dev golden wire` writes.
@Suite struct WireGoldenTests {
  @Test(arguments: WireSamples.all.map(\.name))
  func `bytes are those of the golden file`(_ name: String) throws {
    let sample = try #require(WireSamples.all.first { $0.name == name })
    let url = try #require(
      Bundle.module.url(forResource: name, withExtension: "hex", subdirectory: "Golden"))
    #expect(try String(contentsOf: url, encoding: .utf8) == sample.goldenText)
  }

  @Test func `every golden file belongs to a sample`() throws {
    let urls = Bundle.module.urls(forResourcesWithExtension: "hex", subdirectory: "Golden") ?? []
    let names = urls.compactMap { $0.lastPathComponent.map { String($0.dropLast(4)) } }
    #expect(Set(names) == Set(WireSamples.all.map(\.name)))
  }
}
