// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import Foundation
import Testing

@testable import CommandLineUI

@Suite struct HelpGoldenTests {
  private static let folder = Bundle.module.resourceURL?.appendingPathComponent("Golden")

  @Test func `every help text is the one that was reviewed`() throws {
    let folder = try #require(Self.folder)
    var names: [String] = []
    for (name, text) in Help.all {
      names.append(name + ".txt")
      let url = folder.appendingPathComponent(name + ".txt")
      let golden = try? String(contentsOf: url, encoding: .utf8)
      #expect(golden == text, "\(name): review it, then: swift run dev golden help")
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.sorted() == names.sorted())
  }

  @Test func `each command has a manual page that names all of its flags`() {
    let pages = ManualPage.all(date: "May 4, 2026")
    #expect(pages.count == CommandTable.verbs.count + 1)
    for verb in CommandTable.verbs {
      let page = pages.first { $0.fileName == "hedge-\(verb.name).1" }
      for flag in verb.flags {
        #expect(page?.source.contains(ManualPage.text(flag.name)) ?? false, "\(verb.name)")
      }
    }
    #expect(ManualPage.text(".a-b\\'c") == "\\&.a\\-b\\e\\(aqc")
  }

  @Test(arguments: Completion.shells)
  func `a completion script knows every command and flag`(_ shell: String) throws {
    let script = try Completion.script(shell)
    for verb in CommandTable.verbs {
      #expect(script.contains(verb.name))
      for flag in verb.flags { #expect(script.contains(flag.name.dropFirst(2)), "\(verb.name)") }
    }
  }

  @Test func `a shell that is not known is refused with the nearest`() {
    #expect { try Completion.script("bsh") } throws: { ($0 as? Problem)?.suggest == "bash" }
  }

  @Test func `units quote what systemd would take for something else`() {
    let unit = ServiceUnits.service(command: [
      "/opt/my tools/hedge", "run", "50%", "a$b", "say \"x\"",
    ])
    #expect(
      unit.contains("ExecStart=\"/opt/my tools/hedge\" run 50%% a$$b \"say \\\"x\\\"\"\n"))
  }
}
