// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import Testing

@Suite struct DocumentationTests {
  @Test func `relative links lead to files`() {
    var findings: [Finding] = []
    for file in Repository.documents {
      let folder = (file.path as NSString).deletingLastPathComponent
      for (index, line) in file.lines.enumerated() {
        for target in links(in: line) {
          if target.contains("://") || target.hasPrefix("#") || target.hasPrefix("mailto:") {
            continue
          }
          let path = target.split(separator: "#", omittingEmptySubsequences: false)[0]
          let full = folder.isEmpty ? String(path) : "\(folder)/\(path)"
          if !Repository.exists(full) {
            findings.append(Finding(path: file.path, line: index + 1, text: "no file \(target)"))
          }
        }
      }
    }
    #expect(findings.isEmpty, "\(findings)")
  }

  /// Targets of `[text](target)`.
  private func links(in line: String) -> [Substring] {
    line.components(separatedBy: "](").dropFirst().map { $0.prefix { $0 != ")" && $0 != " " } }
  }

  @Test func `decision records have numbers of their own`() {
    let names = Repository.documents.map(\.path).filter { $0.hasPrefix("docs/decisions/") }
      .map { String($0.dropFirst("docs/decisions/".count)) }.filter { $0 != "README.md" }
    let numbers = names.map { String($0.prefix(4)) }
    #expect(numbers.allSatisfy { $0.count == 4 && $0.allSatisfy(\.isNumber) }, "\(names)")
    #expect(Set(numbers).count == numbers.count, "\(names)")
  }

  /// The format documents are normative: what they name must exist under that name.
  @Test func `symbols named in the format documents exist`() {
    let declared = declaredNames()
    var findings: [Finding] = []
    for file in Repository.documents
    where ["docs/WIRE.md", "docs/STORAGE.md"].contains(file.path) {
      for (index, line) in file.lines.enumerated() {
        for symbol in symbols(in: line) where !declared.contains(symbol) {
          findings.append(Finding(path: file.path, line: index + 1, text: "no symbol \(symbol)"))
        }
      }
    }
    #expect(findings.isEmpty, "\(findings)")
  }

  /// The types in code spans that look like `Type.member` or `Type.member(…)`, and their members.
  private func symbols(in line: String) -> [String] {
    var found: [String] = []
    for (index, span) in line.components(separatedBy: "`").enumerated() where index % 2 == 1 {
      let parts = span.prefix { $0 != "(" }.split(separator: ".", omittingEmptySubsequences: false)
      let isName: (Substring) -> Bool = { part in
        part.first?.isLetter == true && part.allSatisfy { $0.isLetter || $0.isNumber }
      }
      if parts.count < 2 || !parts.allSatisfy(isName) { continue }
      guard parts[0].first?.isUppercase == true, !["md", "swift"].contains(parts.last ?? "") else {
        continue
      }
      found += parts.map(String.init)
    }
    return found
  }

  private func declaredNames() -> Set<String> {
    let keywords: Set = [
      "struct", "class", "enum", "actor", "protocol", "typealias", "func", "var", "let", "case",
    ]
    var names: Set<String> = ["init", "self"]
    for file in Repository.sources {
      names.insert(file.target)
      for line in file.code {
        let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
        for (keyword, name) in zip(words, words.dropFirst()) where keywords.contains(keyword) {
          names.insert(name)
        }
        if words.first == "case" { names.formUnion(words) }
      }
    }
    return names
  }

  /// What another module uses has its contract written down: above itself, above the group of
  /// one-line declarations it stands in, or at the requirement of the same name it fulfils.
  @Test func `types and functions for other modules are documented`() {
    let declarations = Repository.sources.filter {
      Layer.product.contains($0.target) && $0.target.first?.isUppercase == true
    }.flatMap(declarations)
    let names = Set(declarations.filter { $0.isDocumented && $0.isFunction }.map(\.name))
    let findings = declarations.filter {
      $0.isForOthers && !$0.isDocumented && !($0.isFunction && names.contains($0.name))
    }.map(\.finding)
    #expect(findings.isEmpty, "\(findings.count) \(findings)")
  }

  private struct Declaration {
    let name: String
    let isFunction: Bool
    let isForOthers: Bool
    let isDocumented: Bool
    let finding: Finding
  }

  private static let keywords: Set = ["struct", "class", "enum", "actor", "protocol", "func"]
  private static let modifiers: Set = [
    "public", "package", "static", "mutating", "final", "nonisolated", "indirect", "borrowing",
    "consuming", "override", "@unsafe", "@safe", "@inlinable", "@discardableResult", "@unchecked",
  ]

  private func declarations(in file: SourceFile) -> [Declaration] {
    file.code.enumerated().compactMap { index, line in
      let words = line.split { " (:{".contains($0) }.map(String.init)
      guard let keyword = words.firstIndex(where: { !Self.modifiers.contains($0) }),
        Self.keywords.contains(words[keyword]), keyword + 1 < words.count
      else { return nil }
      let name = String(words[keyword + 1].prefix { $0 != "<" })
      let isNested = line.hasPrefix(" ")
      let isFunction = words[keyword] == "func"
      // A nested type is told by the type around it.
      if isNested && !isFunction { return nil }
      let access = words[..<keyword]
      return Declaration(
        name: name, isFunction: isFunction,
        isForOthers: access.contains("public") || access.contains("package"),
        isDocumented: isObvious(name) || hasDocumentation(file, above: index),
        finding: Finding(
          path: file.path, line: index + 1, text: "\(words[keyword]) \(name) without ///"))
    }
  }

  private static let obvious: Set = [
    "hash", "encode", "next", "enqueue", "checkIsolated", "isIsolatingCurrentContext",
  ]

  /// Operators and requirements of the standard library.
  private func isObvious(_ name: String) -> Bool {
    name.allSatisfy { !$0.isLetter } || Self.obvious.contains(name)
  }

  private func hasDocumentation(_ file: SourceFile, above index: Int) -> Bool {
    for text in file.lines[..<index].reversed() {
      let line = text.trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("///") { return true }
      let isOfGroup =
        line.hasPrefix("@") || line.hasPrefix("#if") || line.hasPrefix("// ")
        || ["package ", "public "].contains(where: line.hasPrefix) && !line.hasSuffix("{")
      if !isOfGroup { return false }
    }
    return false
  }
}
