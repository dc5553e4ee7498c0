// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CNcursesShim
import CommandLineUI
import Glibc
import LiveView
import Testing

@Suite struct CellTextTests {
  @Test func `clusters are drawn so that every terminal agrees on their width`() {
    #expect(CellText.drawable("a\u{301}b") == "a\u{301}b")
    #expect(CellText.columns("a\u{301}b") == 2)
    #expect(CellText.drawable("👨‍👩‍👧 ok").unicodeScalars.map(\.value) == [0x1F468, 0x20, 0x6F, 0x6B])
    #expect(CellText.columns("👍🏽") == 2)
    #expect(CellText.columns("日本") == 4)
    #expect(CellText.drawable("\u{1B}[31mred") == "\\x1b[31mred")
    #expect(CellText.drawable("a\u{202E}b") == "a\\u{202e}b")
  }

  @Test func `cutting never splits a wide character and padding is exact`() {
    #expect(CellText.fitting("日本語", 4) == "日…")
    #expect(CellText.columns(CellText.padded("日本語", 4)) == 4)
    #expect(CellText.padded("ab", 5) == "ab   ")
    #expect(CellText.padded("ab", 5, toRight: true) == "   ab")
    #expect(CellText.fitting("abc", 0) == "")
  }

  @Test func `widths agree with the C library for letters, marks, ideographs and emoji`() {
    _ = unsafe setlocale(LC_ALL, "C.UTF-8")
    var differing: [String] = []
    let ranges: [ClosedRange<UInt32>] = [
      0x20...0x7E, 0xA1...0x17F, 0x300...0x36F, 0x370...0x3FF, 0x400...0x4FF, 0x2600...0x27BF,
      0x3041...0x3096, 0x4E00...0x4F00, 0x1F300...0x1F5FF, 0x1F600...0x1F64F, 0x1F680...0x1F6C5,
    ]
    for range in ranges {
      for value in range {
        guard let scalar = Unicode.Scalar(value) else { continue }
        let expected = Int(hn_columns(value))
        if expected >= 0 && TextWidth.columns(String(scalar)) != expected {
          differing.append("U+\(String(value, radix: 16)): \(expected)")
        }
      }
    }
    #expect(differing.isEmpty, "\(differing.count): \(differing.prefix(20))")
  }
}

@Suite struct LineEditorTests {
  private func typed(_ keys: [Key], from text: String = "") -> LineEditor {
    var editor = LineEditor(text)
    for key in keys { _ = editor.take(key) }
    return editor
  }

  @Test func `a text that is longer than may be typed is kept whole, lines and all`() {
    let text = "one\ntwo " + String(repeating: "x", count: LineEditor.lengthMax)
    #expect(typed([.character("y")], from: text).text == text)
    #expect(typed([.backspace], from: text).text == String(text.dropLast()))
  }

  @Test func `keys edit at the cursor`() {
    #expect(typed([.left, .character("x")], from: "ab").text == "axb")
    #expect(typed([.home, .delete], from: "ab").text == "b")
    #expect(typed([.control("w")], from: "oat milk").text == "oat ")
    #expect(typed([.control("u")], from: "oat milk").text == "")
    #expect(typed([.character("e"), .character("\u{301}"), .backspace]).text == "")
  }

  @Test func `the window keeps the cursor in sight`() {
    let editor = typed([], from: "a long line of text")
    let (text, column) = editor.window(6)
    #expect(CellText.columns(text) <= 6)
    #expect(column <= 6)
  }
}
