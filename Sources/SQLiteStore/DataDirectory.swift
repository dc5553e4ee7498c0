// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CSQLite
import Glibc

/// The lock of a data directory: one agent at a time.
///
/// A file of its own, locked with `flock`; the holder writes its pid into it. It is never deleted,
/// so nobody can lock a name that is not there any more. The kernel frees it when the holder ends.
package final class DirectoryLock {
  package static let fileName = "lock"
  private let descriptor: Int32

  /// Takes the lock, or throws `.locked` with the pid of who has it.
  package init(directory: String) throws(StoreError) {
    let path = directory + "/" + Self.fileName
    let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard opened >= 0 else {
      throw StoreError(
        errno == EACCES ? .permission : .io, "\(path) cannot be opened; check who owns it",
        cause: Self.reason())
    }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      let pid = Self.pid(opened)
      close(opened)
      let who = pid.map { "the agent with pid \($0)" } ?? "another agent"
      throw StoreError(
        .locked(pid: pid), "\(directory) is in use by \(who); stop it, or give this one --data")
    }
    descriptor = opened
    let text = Array("\(getpid())\n".utf8)
    _ = ftruncate(opened, 0)
    _ = unsafe pwrite(opened, text, text.count, 0)
  }

  deinit { close(descriptor) }

  private static func pid(_ descriptor: Int32) -> Int32? {
    var buffer = [UInt8](repeating: 0, count: 16)
    let count = unsafe pread(descriptor, &buffer, buffer.count, 0)
    guard count > 0 else { return nil }
    let digits = buffer[..<count].prefix { (48...57).contains($0) }
    return Int32(String(decoding: digits, as: UTF8.self))
  }

  static func reason() -> String { unsafe String(cString: strerror(errno)) }
}

/// Directories of the agent: made private, refused where they are not ours or on a network.
package enum DataDirectory {
  /// Makes `path` (and its parents) with mode 0700 and checks the owner.
  package static func prepare(_ path: String) throws(StoreError) {
    var built = ""
    for part in path.split(separator: "/") {
      built += "/" + part
      if unsafe mkdir(built, 0o700) != 0 && errno != EEXIST && errno != EROFS {
        throw StoreError(
          errno == EACCES ? .permission : .io, "\(built) cannot be made; check who owns its parent",
          cause: DirectoryLock.reason())
      }
    }
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else {
      throw StoreError(.io, "\(path) cannot be read", cause: DirectoryLock.reason())
    }
    guard facts.st_uid == geteuid() else {
      throw StoreError(
        .permission, "\(path) belongs to uid \(facts.st_uid), this is uid \(geteuid())")
    }
    var system = statfs()
    if unsafe statfs(path, &system) == 0,
      networkKinds.contains(UInt32(truncatingIfNeeded: system.f_type))
    {
      throw StoreError(
        .networkFileSystem,
        "\(path) is on a network file system, where locks fail; put the data on a local disk")
    }
  }

  /// NFS, SMB, CIFS, SMB2, AFS, Ceph, 9P magic numbers of statfs(2).
  private static let networkKinds: Set<UInt32> = [
    0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x5346_414F, 0x00C3_6400, 0x0102_1997,
  ]

  /// Device and inode of a file, which a copy does not share; empty if there is none.
  package static func fileIdentity(_ path: String) -> [UInt8] {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else { return [] }
    return Array("\(facts.st_dev):\(facts.st_ino)".utf8)
  }

  /// The whole file; `nil` if it cannot be read.
  package static func read(_ path: String, bytesMax: Int = 4096) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: bytesMax)
    let count = unsafe Glibc.read(descriptor, &buffer, bytesMax)
    return count < 0 ? nil : Array(buffer[..<count])
  }

  /// Replaces a file as a whole, mode 0600, synced: the old content or the new one, never a part.
  package static func write(_ path: String, _ bytes: [UInt8]) throws(StoreError) {
    let side = path + ".new"
    let descriptor = unsafe open(side, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw StoreError(.io, "\(path) cannot be written", cause: DirectoryLock.reason())
    }
    let written = unsafe Glibc.write(descriptor, bytes, bytes.count)
    let isSynced = fsync(descriptor) == 0
    close(descriptor)
    guard written == bytes.count, isSynced, unsafe rename(side, path) == 0 else {
      throw StoreError(
        errno == ENOSPC ? .full : .io, "\(path) cannot be written", cause: DirectoryLock.reason())
    }
  }
}
