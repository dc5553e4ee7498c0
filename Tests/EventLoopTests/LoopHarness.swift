// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import EventLoop
import Glibc

/// Runs a loop in a thread of its own, with an actor whose state the handlers share.
actor LoopHarness {
  nonisolated let executor: LoopExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  typealias Handler = @Sendable (isolated LoopHarness, Interest) -> Void
  private var handlers: [UInt64: Handler] = [:]
  private var nextToken: UInt64 = 1
  private(set) var deadline: UInt64?
  private var onTimer: (@Sendable (isolated LoopHarness) -> Void)?
  /// What handlers noted, in order.
  private(set) var notes: [String] = []

  private init(_ executor: LoopExecutor) { self.executor = executor }

  /// Starts a loop; `end` it with `stop`.
  static func start() throws -> LoopHarness {
    let harness = LoopHarness(try LoopExecutor())
    let box = unsafe Unmanaged.passRetained(harness)
    var thread = pthread_t()
    let result = unsafe pthread_create(
      &thread, nil,
      { raw in
        // The pointer is the retained harness that `start` passed.
        let harness = unsafe Unmanaged<LoopHarness>.fromOpaque(raw!).takeRetainedValue()
        harness.executor.run(
          deadline: { harness.assumeIsolated { $0.deadline } },
          handle: { event in harness.assumeIsolated { $0.handle(event) } },
          timer: { harness.assumeIsolated { $0.fire() } })
        return nil
      }, unsafe box.toOpaque())
    precondition(result == 0)
    pthread_detach(thread)
    return harness
  }

  nonisolated func stop() { executor.stop() }

  func watch(_ fd: Int32, _ interest: Interest, _ handler: @escaping Handler) throws -> UInt64 {
    let token = nextToken
    nextToken += 1
    handlers[token] = handler
    try executor.watch(fd, interest, token: token)
    return token
  }

  func note(_ text: String) { notes.append(text) }

  func setTimer(
    after nanoseconds: UInt64, _ body: @escaping @Sendable (isolated LoopHarness) -> Void
  ) {
    deadline = Clocks.monotonic() + nanoseconds
    onTimer = body
  }

  private func handle(_ event: LoopEvent) { handlers[event.token]?(self, event.ready) }

  private func fire() {
    deadline = nil
    onTimer?(self)
  }
}

/// Asks `condition` until it holds or five seconds have passed.
func eventually(_ condition: () async throws -> Bool) async rethrows -> Bool {
  let end = Clocks.monotonic() + 5_000_000_000
  while Clocks.monotonic() < end {
    if try await condition() { return true }
    _ = poll(nil, 0, 1)
  }
  return false
}

/// A fresh directory with mode 0700, removed by `remove`.
struct PrivateDirectory {
  let path: String
  init() {
    var template = Array("/tmp/hedgerow-test-XXXXXX".utf8CString)
    path = unsafe String(cString: mkdtemp(&template))
  }
  func remove() {
    for name in ["s", "t"] { unsafe _ = unlink("\(path)/\(name)") }
    unsafe _ = rmdir(path)
  }
}
