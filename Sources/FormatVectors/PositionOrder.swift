// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel

/// List order said in terms of components; memcmp of the keys must agree with it.
package enum PositionOrder {
  /// Whether `a` comes before `b`.
  ///
  /// At the first difference root integers, and integers of one bunch, compare as numbers; a prefix
  /// comes first; of two tags under one prefix first come those that the prefix has shown before,
  /// in order of first appearance, then the tag of the level before, then all others as numbers.
  package static func precedes(_ a: PositionPath, _ b: PositionPath) -> Bool {
    if a.root != b.root { return a.root < b.root }
    var shown: [WriterTag] = []
    var previous: WriterTag?
    for (x, y) in zip(a.levels, b.levels) {
      if x.tag != y.tag { return rank(x.tag, shown, previous) < rank(y.tag, shown, previous) }
      if x.integer != y.integer { return x.integer < y.integer }
      if !shown.contains(x.tag) && shown.count < 15 { shown.append(x.tag) }
      previous = x.tag
    }
    return a.levels.count < b.levels.count
  }

  private static func rank(
    _ tag: WriterTag, _ shown: [WriterTag], _ previous: WriterTag?
  ) -> (Int, WriterTag) {
    if tag == previous { return (16, tag) }
    return (shown.firstIndex(of: tag) ?? 17, tag)
  }
}
