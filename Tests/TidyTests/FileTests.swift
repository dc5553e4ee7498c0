// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import Testing

@Suite struct FileTests {
  @Test func `no file grows beyond six hundred lines`() {
    let long = Repository.swift.filter { $0.lines.count > 300 }
    for file in long where file.lines.count <= 600 {
      print("tidy: \(file.path) has \(file.lines.count) lines; is it one thing?")
    }
    let findings = long.filter { $0.lines.count > 600 }.map {
      Finding(path: $0.path, line: $0.lines.count, text: "split it by concern")
    }
    #expect(findings.isEmpty, "\(findings)")
  }

  @Test func `every source file names licence and holders`() {
    let files =
      Repository.files(
        in: ["Sources", "Tests"], suffixes: [".swift", ".c", ".h", ".py", ".modulemap"]
      )
      .filter { !$0.path.hasSuffix("module.modulemap") }
    let findings = files.filter { file in
      let head = file.lines.prefix(3).joined(separator: "\n")
      return !head.contains("SPDX-License-Identifier: Apache-2.0")
        || !head.contains("SPDX-FileCopyrightText: the hedgerow authors")
    }.map { Finding(path: $0.path, line: 1, text: "the two SPDX lines are missing") }
    #expect(findings.isEmpty, "\(findings)")
  }

  @Test func `open points name their issue`() {
    var findings: [Finding] = []
    for file in Repository.swift where file.target != "TidyTests" {
      for (index, line) in file.lines.enumerated() {
        for word in ["TODO", "FIXME", "XXX:"] where line.contains(word) && !line.contains("(#") {
          findings.append(
            Finding(path: file.path, line: index + 1, text: "write \(word)(#issue) or do it"))
        }
      }
    }
    #expect(findings.isEmpty, "\(findings)")
  }

  @Test func `type names say more than manager, helper or utils`() {
    var findings: [Finding] = []
    for file in Repository.sources {
      for (index, line) in file.code.enumerated() {
        for keyword in ["struct ", "class ", "enum ", "actor ", "protocol "] {
          guard let range = line.range(of: keyword) else { continue }
          let name = line[range.upperBound...].prefix { $0.isLetter || $0.isNumber }
          // What systemd is, in its own words.
          if name == "ServiceManager" { continue }
          if ["Manager", "Helper", "Helpers", "Utils", "Util"].contains(where: name.hasSuffix) {
            findings.append(Finding(path: file.path, line: index + 1, text: "rename \(name)"))
          }
        }
      }
    }
    #expect(findings.isEmpty, "\(findings)")
  }
}
