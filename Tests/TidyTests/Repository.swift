// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation

/// One file of the repository, cut into lines, with a second view that has no comments and strings.
struct SourceFile: Sendable {
  /// Path from the root, with slashes.
  let path: String
  let lines: [String]
  /// The lines with comments gone and string literals emptied; same count as `lines`.
  let code: [String]

  /// Second part of the path: the target, for files below `Sources` and `Tests`.
  var target: String { path.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

  init(path: String, text: String) {
    self.path = path
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var isInText = false
    code = lines.map { Self.codeOnly($0, isInText: &isInText) }
  }

  /// Blanks out what is no code. Multi-line strings are followed through `isInText`.
  private static func codeOnly(_ line: String, isInText: inout Bool) -> String {
    if line.contains("\"\"\"") {
      isInText.toggle()
      return ""
    }
    if isInText { return "" }
    var out = ""
    var isInString = false
    var previous: Character = " "
    for character in line {
      if isInString {
        if character == "\"" && previous != "\\" {
          isInString = false
          out.append(character)
        }
        previous = previous == "\\" && character == "\\" ? " " : character
        continue
      }
      if character == "\"" { isInString = true }
      if character == "/" && previous == "/" {
        out.removeLast()
        break
      }
      out.append(character)
      previous = character
    }
    return out
  }
}

/// A place that breaks a rule, printed as compilers do.
struct Finding: CustomStringConvertible {
  let path: String
  let line: Int
  let text: String
  var description: String { "\n\(path):\(line): \(text)" }
}

/// The repository as the tidy rules read it.
enum Repository {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Every file of these folders whose name ends so, in order of path.
  static func files(in folders: [String], suffixes: [String]) -> [SourceFile] {
    folders.flatMap { folder -> [SourceFile] in
      let base = root.appendingPathComponent(folder)
      let names = FileManager.default.enumerator(atPath: base.path)?.allObjects as? [String] ?? []
      return names.filter { name in suffixes.contains { name.hasSuffix($0) } }.sorted()
        .compactMap { name -> SourceFile? in
          let url = base.appendingPathComponent(name)
          guard let text = try? String(contentsOf: url, encoding: .utf8) else { return nil }
          return SourceFile(path: "\(folder)/\(name)", text: text)
        }
    }
  }

  /// Files of the page as code are text of another language: their sources are what is read.
  static let swift = files(in: ["Sources", "Tests"], suffixes: [".swift"]).filter {
    !$0.path.hasPrefix("Sources/WebPages/Generated/")
  }
  static let sources = swift.filter { $0.path.hasPrefix("Sources/") }
  static let documents =
    files(in: ["docs"], suffixes: [".md"])
    + ["README.md", "CHANGELOG.md"].compactMap { name in
      (try? String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)).map {
        SourceFile(path: name, text: $0)
      }
    }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appendingPathComponent(path).standardized.path)
  }
}

/// The layers of the house; targets that are not named are workshop or tests.
enum Layer {
  static let pure: Set = [
    "ListModel", "WireCodec", "Roster", "NodeEngine", "ControlAPI", "ListFormats", "CommandLineUI",
    "ListService", "LiveView", "WebPages",
  ]
  static let adapters: Set = [
    "ControlJSON", "SQLiteStore", "OpenSSLCrypto", "ZstdPacking", "LANDiscovery", "HTTPServer",
    "EventLoop", "SystemServices", "QRCodes", "AgentClient", "TerminalView",
  ]
  static let shell: Set = ["AgentRuntime", "hedged", "hedge", "hedge-tui"]
  static var product: Set<String> { pure.union(adapters).union(shell) }
}
