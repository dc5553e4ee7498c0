// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import Testing

@Suite struct LayerTests {
  private static let system: Set = [
    "Foundation", "FoundationEssentials", "Glibc", "Dispatch", "Synchronization", "Musl", "Darwin",
    "RegexBuilder", "Observation", "Distributed",
  ]

  private func allowed(in target: String) -> Set<String> {
    if Layer.pure.contains(target) || target == "Simulator" { return [] }
    if target == "ControlJSON" { return ["FoundationEssentials"] }
    if Layer.adapters.contains(target) || Layer.shell.contains(target) {
      return ["Glibc", "Synchronization", "Dispatch"]
    }
    return Self.system
  }

  @Test func `each layer imports only the system modules it may`() {
    var findings: [Finding] = []
    for file in Repository.sources {
      let allowed = allowed(in: file.target)
      for (index, line) in file.code.enumerated() where line.contains("import ") {
        let words = line.split(separator: " ").map(String.init)
        guard let keyword = words.firstIndex(of: "import"), keyword + 1 < words.count,
          words[..<keyword].allSatisfy({
            $0.hasPrefix("@") || ["public", "package", "internal"].contains($0)
          })
        else { continue }
        let module = String(words[keyword + 1].split(separator: ".")[0])
        if Self.system.contains(module) && !allowed.contains(module) {
          findings.append(
            Finding(
              path: file.path, line: index + 1, text: "\(file.target) may not import \(module)"))
        }
      }
    }
    #expect(findings.isEmpty, "\(findings)")
  }

  /// Concurrency the compiler cannot check lives at the edge, each with its reason.
  @Test func `unchecked concurrency lives in adapters and says why it is safe`() {
    var findings: [Finding] = []
    for file in Repository.sources where Layer.product.contains(file.target) {
      for (index, line) in file.code.enumerated() {
        guard line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") else {
          continue
        }
        if Layer.pure.contains(file.target) {
          findings.append(
            Finding(path: file.path, line: index + 1, text: "unchecked concurrency in a pure layer")
          )
        }
        let nearby = file.lines[max(0, index - 6)...min(index + 1, file.lines.count - 1)]
        if !nearby.contains(where: { $0.contains("SAFETY:") }) {
          findings.append(
            Finding(path: file.path, line: index + 1, text: "needs a `// SAFETY:` line"))
        }
      }
    }
    #expect(findings.isEmpty, "\(findings)")
  }
}
