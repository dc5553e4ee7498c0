// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import FormatVectors
import Foundation
import Testing

@Suite struct PositionVectorTests {
  @Test func `every vector of every section comes out as written`() throws {
    let url = try #require(
      Bundle.module.url(
        forResource: "position-vectors", withExtension: "json", subdirectory: "Vectors"))
    let sections = try PositionVectors(json: Data(contentsOf: url)).check()
    #expect(sections.flatMap(\.differences) == [])
    #expect(sections.map(\.name) == ["tag", "encode", "invalid", "order", "between", "bulk"])
    for section in sections { #expect(section.cases > 0, "\(section.name) is empty") }
  }
}
