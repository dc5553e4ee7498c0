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

  /// The commands of `hedge` in a line for a shell, as words; quotes are read, the rest is for the shell.
  private static func commands(_ line: String) -> [[String]] {
    var out: [[String]] = [[]]
    var word = ""
    var (quote, hasWord): (Character?, Bool) = (nil, false)
    func end() {
      if hasWord { out[out.count - 1].append(word) }
      (word, hasWord) = ("", false)
    }
    for character in line {
      switch character {
      case quote: quote = nil
      case _ where quote != nil: word.append(character)
      case "'", "\"": (quote, hasWord) = (character, true)
      case " ": end()
      case "|", "&", ">", "<", "#":
        end()
        out.append([])
      default:
        word.append(character)
        hasWord = true
      }
    }
    end()
    return out.filter { $0.first == "hedge" }.map { Array($0.dropFirst()) }
  }

  @Test(arguments: CommandTable.verbs.map(\.name))
  func `each example of the help is a command line that is understood`(_ name: String) throws {
    let verb = try #require(CommandTable.verb(name))
    for example in verb.examples where !example.line.hasPrefix("eval ") {
      let commands = Self.commands(example.line)
      #expect(!commands.isEmpty, "\(example.line)")
      for words in commands {
        #expect(throws: Never.self, "\(example.line)") { try Invocation.parse(words) }
      }
    }
  }

  @Test func `the examples of the topics are understood too`() throws {
    var count = 0
    for topic in Help.topics {
      for line in try Help.text(topic).split(separator: "\n") {
        guard let start = line.range(of: "hedge ls ") ?? line.range(of: "hedge watch ") else {
          continue
        }
        for words in Self.commands(String(line[start.lowerBound...])) {
          count += 1
          #expect(throws: Never.self, "\(line)") { try Invocation.parse(words) }
        }
      }
    }
    #expect(count >= 4)
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
