// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Glibc

/// The lock of a data directory: one agent at a time.
///
/// `flock` on the directory itself, which nobody can remove while data is in it, and on the file
/// `lock` in it. An agent takes a lock of its process on that file before both: so the kernel can say
/// who it is, however short ago it came. The file also tells people its pid. All end with the holder.
package final class DirectoryLock {
  package static let fileName = "lock"
  private static let tryAgainMilliseconds = 10
  private let directory: Int32
  private let file: Int32

  /// Takes the lock, or throws `.locked` with the pid of who has it.
  ///
  /// - Parameters:
  ///   - isShared: For readers: many at once, and the pid in the file stays as it is.
  ///   - patienceMilliseconds: So long it is tried again before it throws.
  package init(
    directory path: String, isShared: Bool = false, patienceMilliseconds: Int = 0
  ) throws(StoreError) {
    let name = path + "/" + Self.fileName
    directory = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw Self.failure(path) }
    file = unsafe open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    // From here on everything is set, so that a throw runs `deinit`, which closes both.
    guard file >= 0 else { throw Self.failure(name) }
    let mode = (isShared ? LOCK_SH : LOCK_EX) | LOCK_NB
    var triesLeft = patienceMilliseconds / Self.tryAgainMilliseconds
    let (directory, file) = (directory, file)
    func take() -> Bool {
      (isShared || Self.claim(file)) && flock(directory, mode) == 0 && flock(file, mode) == 0
    }
    var isHeld = take()
    while !isHeld && triesLeft > 0 {
      triesLeft -= 1
      _ = poll(nil, 0, Int32(Self.tryAgainMilliseconds))
      isHeld = take()
    }
    guard isHeld else {
      let pid = Self.claimant(file) ?? Self.pid(file)
      let who = pid.map { "the agent with pid \($0)" } ?? "another agent"
      throw StoreError(
        .locked(pid: pid), "\(path) is in use by \(who); stop it, or give this one --data")
    }
    if isShared { return }
    let text = Array("\(getpid())\n".utf8)
    _ = ftruncate(file, 0)
    _ = unsafe pwrite(file, text, text.count, 0)
  }

  deinit {
    if file >= 0 { close(file) }
    close(directory)
  }

  private static func failure(_ path: String) -> StoreError {
    if errno == EROFS {
      return StoreError(
        .readOnly, "\(path) is on a file system that cannot be written now; mount it for writing")
    }
    return StoreError(
      errno == EACCES ? .permission : .io, "\(path) cannot be opened; check who owns it",
      cause: DataDirectory.reason())
  }

  private static func region() -> flock {
    var region = flock()
    region.l_type = Int16(F_WRLCK)
    return region
  }

  /// Takes the lock of the process, if no other one has it.
  private static func claim(_ descriptor: Int32) -> Bool {
    var region = region()
    return unsafe fcntl(descriptor, F_SETLK, &region) == 0
  }

  /// The process that has it; `nil` if it is this one, or none.
  private static func claimant(_ descriptor: Int32) -> Int32? {
    var region = region()
    guard unsafe fcntl(descriptor, F_GETLK, &region) == 0, region.l_type != Int16(F_UNLCK) else {
      return nil
    }
    return region.l_pid > 0 ? region.l_pid : nil
  }

  private static func pid(_ descriptor: Int32) -> Int32? {
    var buffer = [UInt8](repeating: 0, count: 16)
    let count = unsafe pread(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return nil }
    let digits = buffer[..<count].prefix { (48...57).contains($0) }
    return Int32(String(decoding: digits, as: UTF8.self))
  }
}
