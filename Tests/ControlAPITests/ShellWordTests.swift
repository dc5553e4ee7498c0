// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import Testing

@Suite struct ShellWordTests {
  @Test(arguments: [
    ("/home/ada/.local/share/hedgerow", "/home/ada/.local/share/hedgerow"), ("", "''"),
    ("/home/ada lovelace", "'/home/ada lovelace'"), ("it's", "'it'\\''s'"), ("$HOME;", "'$HOME;'"),
  ])
  func `a path becomes one word of the shell`(text: String, word: String) {
    #expect(ShellWord.quoted(text) == word)
  }
}
