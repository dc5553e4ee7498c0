// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import EventLoop
import Glibc
import Testing

@Suite struct LoopExecutorTests {
  @Test func `calls from other threads run on the loop in order`() async throws {
    let harness = try LoopHarness.start()
    defer { harness.stop() }
    for number in 0..<200 { await harness.note("\(number)") }
    #expect(await harness.notes == (0..<200).map { "\($0)" })
  }

  @Test func `a sleeping loop wakes for its timer`() async throws {
    let harness = try LoopHarness.start()
    defer { harness.stop() }
    let start = Clocks.monotonic()
    await harness.setTimer(after: 3_000_000) { $0.note("due") }
    #expect(await eventually { await harness.notes == ["due"] })
    #expect(Clocks.monotonic() - start >= 3_000_000)
  }

  @Test func `an event goes to the watcher of its descriptor only`() async throws {
    let harness = try LoopHarness.start()
    defer { harness.stop() }
    var ends: [Int32] = [0, 0]
    unsafe #expect(pipe(&ends) == 0)
    let (reading, writing) = (ends[0], ends[1])
    defer {
      close(reading)
      close(writing)
    }
    _ = try await harness.watch(reading, [.readable]) { harness, ready in
      var byte: UInt8 = 0
      unsafe _ = read(reading, &byte, 1)
      harness.note(ready.contains(.readable) ? "byte \(byte)" : "other")
    }
    unsafe _ = write(writing, [7], 1)
    #expect(await eventually { await harness.notes == ["byte 7"] })
    harness.executor.unwatch(reading)
    unsafe _ = write(writing, [8], 1)
    await harness.note("end")
    #expect(await harness.notes == ["byte 7", "end"])
  }

  @Test func `entering from a foreign thread traps`() async {
    await #expect(processExitsWith: .failure) {
      let harness = try LoopHarness.start()
      enterFromOutside(harness)
    }
  }
}

private func enterFromOutside(_ harness: LoopHarness) { harness.assumeIsolated { _ in } }
