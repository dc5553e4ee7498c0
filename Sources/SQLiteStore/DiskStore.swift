// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Glibc
package import ListModel

/// The database on a thread of its own, so that an fsync never delays the loop.
///
/// Calls are served one after the other. Await them from the actor that owns the loop.
package actor DiskStore {
  package nonisolated let executor: DiskExecutor
  private let database: Database

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Takes the database over; nobody else may use it afterwards.
  package init(_ database: sending Database, executor: DiskExecutor) {
    self.database = database
    self.executor = executor
  }

  /// As `Database.commit`, as a value.
  package func commit(_ batch: StoreBatch) -> Result<Void, StoreError> {
    do {
      try database.commit([batch])
      return .success(())
    } catch { return .failure(error) }
  }

  /// As `Database.changes`.
  package func changes(
    of session: SessionID, from first: UInt64, through last: UInt64, bytesMax: Int
  ) -> Result<[ChangeRow], StoreError> {
    do {
      return .success(
        try database.changes(of: session, from: first, through: last, bytesMax: bytesMax))
    } catch { return .failure(error) }
  }

  /// As `Database.journal`.
  package func journal(limit: Int) -> [(number: Int64, entry: [UInt8])] {
    (try? database.journal(limit: limit)) ?? []  // a journal that cannot be read shows as empty
  }

  /// As `Database.sizes`; zeros when it cannot be read.
  package func sizes() -> (changes: Int64, bytes: Int64) { (try? database.sizes()) ?? (0, 0) }

  /// As `Database.checkpointLog`; a failure is tried again the next time.
  package func checkpointLog() { try? database.checkpointLog() }
}

/// One thread that runs the jobs of one actor and sleeps in between.
@safe package final class DiskExecutor: SerialExecutor, @unchecked Sendable {
  // SAFETY: `jobs` and `isStopping` are touched only under `mutex`; both live as long as this.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var jobs: [UnownedJob] = []
  private var isStopping = false
  private var thread = pthread_t()

  package init() {
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(condition, nil)
    let box = unsafe Unmanaged.passRetained(self).toOpaque()
    let code = unsafe pthread_create(&thread, nil, diskThread, box)
    precondition(code == 0, "no thread for the disk: \(code)")
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe pthread_cond_destroy(condition)
    unsafe mutex.deallocate()
    unsafe condition.deallocate()
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    unsafe pthread_mutex_lock(mutex)
    jobs.append(job)
    unsafe pthread_cond_signal(condition)
    unsafe pthread_mutex_unlock(mutex)
  }

  /// Finishes what is queued and ends the thread; returns when it is gone.
  package func stop() {
    unsafe pthread_mutex_lock(mutex)
    isStopping = true
    unsafe pthread_cond_signal(condition)
    unsafe pthread_mutex_unlock(mutex)
    pthread_join(thread, nil)
  }

  fileprivate func run() {
    while true {
      unsafe pthread_mutex_lock(mutex)
      while jobs.isEmpty && !isStopping { unsafe pthread_cond_wait(condition, mutex) }
      let batch = jobs
      jobs.removeAll(keepingCapacity: true)
      unsafe pthread_mutex_unlock(mutex)
      if batch.isEmpty { return }
      for job in batch { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
    }
  }
}

private func diskThread(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let box = unsafe box else { return nil }
  let executor = unsafe Unmanaged<DiskExecutor>.fromOpaque(box).takeRetainedValue()
  executor.run()
  return nil
}
