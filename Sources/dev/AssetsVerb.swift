// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation

extension Verb {
  /// Turns text files into the code that carries them; `Packaging/page-assets` bundles them before.
  static let assets = Verb(name: "assets", usage: "assets FROM TO") { arguments in
    guard arguments.count == 2 else {
      Main.complain("usage: dev assets FROM TO\n")
      return 2
    }
    do {
      let (from, to) = (URL(fileURLWithPath: arguments[0]), URL(fileURLWithPath: arguments[1]))
      print("\(try AssetCode.write(from, to)) files")
      return 0
    } catch {
      Main.complain("dev assets: \(error)\n")
      return 1
    }
  }
}

/// Swift source that holds text files as raw string literals, one source file each.
private enum AssetCode {
  struct Unfit: Error, CustomStringConvertible {
    let description: String
  }

  static func write(_ from: URL, _ to: URL) throws -> Int {
    let names = try FileManager.default.contentsOfDirectory(atPath: from.path).sorted()
    for name in names {
      let bytes = try Data(contentsOf: from.appendingPathComponent(name))
      let code = try literal(name, bytes)
      try Data(code.utf8).write(to: to.appendingPathComponent("\(identifier(name)).swift"))
    }
    var list = head + "/// The files of `Assets` by name.\nenum GeneratedAssets {\n"
    list += "  static let all: [(String, String)] = [\n"
    for name in names { list += "    (\"\(name)\", \(identifier(name))),\n" }
    list += "  ]\n}\n"
    try Data(list.utf8).write(to: to.appendingPathComponent("GeneratedAssets.swift"))
    return names.count
  }

  private static let head = """
    // swift-format-ignore-file
    // SPDX-License-Identifier: Apache-2.0
    // SPDX-FileCopyrightText: the hedgerow authors

    // Made by `Packaging/page-assets`.


    """

  /// `app.js` is `appJs`.
  private static func identifier(_ name: String) -> String {
    let words = name.split { !$0.isLetter && !$0.isNumber }
    return words.prefix(1).joined() + words.dropFirst().map(\.capitalized).joined()
  }

  private static func literal(_ name: String, _ bytes: Data) throws -> String {
    guard let text = String(bytes: bytes, encoding: .utf8), text.hasSuffix("\n"),
      !text.contains("\0"), !text.utf8.contains(0x0D)
    else {
      throw Unfit(description: "\(name) is not UTF-8 text with line feeds, or lacks the last")
    }
    var fence = "#"
    while text.contains("\"\"\"" + fence) || text.contains("\\" + fence) { fence += "#" }
    return head + "extension GeneratedAssets {\n  static let \(identifier(name)) = "
      + "\(fence)\"\"\"\n\(text)\n\"\"\"\(fence)\n}\n"
  }
}
