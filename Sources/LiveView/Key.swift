// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// A key as the terminal reports it.
package enum Key: Hashable, Sendable {
  /// A printable character, combining marks with it.
  case character(Character)
  case enter, escape, tab, backTab, backspace, delete
  case up, down, left, right, home, end, pageUp, pageDown
  /// Alt with an arrow.
  case altUp, altDown, altLeft, altRight
  /// Control with a letter, in lower case.
  case control(Character)
}
