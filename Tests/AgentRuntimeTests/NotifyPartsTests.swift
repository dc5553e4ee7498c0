// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import ListModel
import ListService
import SQLiteStore
import Testing

@testable import AgentRuntime

@Suite struct NotifyPartsTests {
  @Test func `rules and settings come back from their rows, damaged ones do not`() throws {
    let rules = [
      NotifyRule(subject: ItemID(nonce: 1, index: 2), isItem: false),
      NotifyRule(
        subject: ItemID(nonce: 3, index: 0), isItem: true,
        condition: Filter(column: "prix é", test: .atMost, operand: "1.5"), isEdge: true,
        hysteresisPercent: 7, everySeconds: 300),
    ]
    for rule in rules {
      #expect(NotifyRows.rule(NotifyRows.row(rule)) == rule)
      #expect(NotifyRows.row(rule, isGone: true).value == nil)
    }
    var settings = NotifySettings()
    #expect(NotifyRows.settings(NotifyRows.row(settings)) == settings)
    (settings.isDesktop, settings.command, settings.address) = (true, "a b", "http://h/")
    (settings.quiet, settings.mutedUntil) = (QuietHours("22:00-07:00"), 5)
    let row = NotifyRows.row(settings)
    #expect(NotifyRows.settings(row) == settings)
    for count in 0..<(row.value?.count ?? 0) {
      let cut = LocalRow(kind: row.kind, key: [], value: Array((row.value ?? []).prefix(count)))
      #expect(NotifyRows.settings(cut) == nil)
    }
    #expect(
      NotifyRows.rule(LocalRow(kind: NotifyRows.ruleKind, key: [0, 0, 0, 9], value: [1])) == nil)
  }

  @Test func `a hook hears of what the next batch holds, not of the one under way`() {
    var hooks = HookWaiting()
    let underWay = hooks.started()
    hooks.append([1], after: hooks.batches)
    #expect(hooks.committed(underWay).isEmpty)
    let next = hooks.started()
    hooks.append([2], after: hooks.batches)
    #expect(hooks.committed(next) == [[1]] && hooks.committed(next).isEmpty)
    #expect(hooks.committed(hooks.started()) == [[2]])
  }

  @Test func `programs take turns, and of too many the oldest goes`() {
    var queue = ProgramQueue()
    for number in 0..<ProgramQueue.jobsMax {
      let job = ProgramQueue.Job(who: .command("\(number)"), input: [])
      let lost = queue.append(job)
      #expect(lost == nil)
    }
    let lost = queue.append(ProgramQueue.Job(who: .post("x"), input: []))
    let next = queue.next()
    #expect(lost?.who == .command("0") && next?.who == .command("1"))
  }

  @Test(arguments: [
    "https://h/", "http://", "http://h:0/", "http://h:x/", "http://u@h/", "http://h h/", "h", "",
    "http://[::1/", "http://a:1:2/",
  ])
  func `what is no plain address of HTTP is refused`(text: String) {
    #expect(WebHook(text) == nil)
  }

  @Test func `an address has host, port and path`() {
    let plain = WebHook("http://hook.lan")
    #expect(plain?.host == "hook.lan" && plain?.port == "80" && plain?.path == "/")
    let full = WebHook("http://[::1]:8080/a/b?c=d")
    #expect(full?.host == "::1" && full?.port == "8080" && full?.path == "/a/b?c=d")
  }

  @Test func `names of programs in messages hold no command and no path`() {
    let named: [Told] = [.command("secret"), .post("http://secret/"), .hook(path: "/secret/10-a")]
    #expect(!named.contains { $0.name.contains("secret") })
    #expect(named[2].name == "the hook 10-a")
  }
}

@Suite struct MetricsTests {
  @Test func `times are exact seconds, labels cannot break a line`() {
    #expect(MetricsText.seconds(1_500_000_000) == "1.5" && MetricsText.seconds(0) == "0")
    #expect(MetricsText.seconds(100_000) == "0.0001")
    var text = MetricsText()
    text.sample("peers", [("peer", "a\"b\\c\nd")], 1)
    #expect(
      String(decoding: text.bytes, as: UTF8.self) == "hedgerow_peers{peer=\"a\\\"b\\\\c\\nd\"} 1\n")
  }

  @Test func `a histogram counts each time once, cumulated on paper`() {
    var histogram = Histogram()
    for time in [100_000, 100_001, 5_000_000_000] as [UInt64] { histogram.take(time) }
    var text = MetricsText()
    text.histogram("x", histogram, "help")
    let lines = String(decoding: text.bytes, as: UTF8.self).split(separator: "\n")
    #expect(lines.contains("hedgerow_x_bucket{le=\"0.0001\"} 1"))
    #expect(lines.contains("hedgerow_x_bucket{le=\"0.00025\"} 2"))
    #expect(lines.contains("hedgerow_x_bucket{le=\"+Inf\"} 3"))
    #expect(lines.suffix(2) == ["hedgerow_x_sum 5.000200001", "hedgerow_x_count 3"])
  }
}

@Suite struct RevisionTests {
  @Test func `if-match on an item asks for the item's own part`() {
    #expect(Revisions.isMatch("\"i-1a.r-5\"", "i-1a") && Revisions.isMatch("*", "i-1a"))
    #expect(Revisions.isMatch("\"x\", \"i-1a\"", "i-1a"))
    #expect(!Revisions.isMatch("\"i-1b.r-5\"", "i-1a") && !Revisions.isMatch("", "i-1a"))
  }

  @Test func `entity tags are read as the standard writes them`() {
    #expect(EntityTag.matches("W/\"a\", \"b\"", "a") && EntityTag.matches(" \"b\" ", "b"))
    #expect(EntityTag.matches("*", "b") && EntityTag.matches("b", "b"))
    #expect(!EntityTag.matches(nil, "b") && !EntityTag.matches("\"ab\"", "b"))
  }
}
