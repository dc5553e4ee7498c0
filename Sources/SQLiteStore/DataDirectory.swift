// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CSQLite
import Glibc

/// Directories and small files of the agent: made private, refused where others can change them or
/// where locks cannot be trusted.
package enum DataDirectory {
  /// Makes `path` (and its parents) with mode 0700 where it is missing, and checks owner, mode and
  /// file system. Never changes what is there.
  package static func prepare(_ path: String) throws(StoreError) {
    var built = path.utf8.first == UInt8(ascii: "/") ? "/" : ""
    for part in path.split(separator: "/") {
      built += part
      var facts = stat()
      if unsafe stat(built, &facts) != 0, unsafe mkdir(built, 0o700) != 0, errno != EEXIST {
        throw failure(built, "cannot be made; check who owns its parent")
      }
      built += "/"
    }
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else { throw failure(path, "cannot be read") }
    guard facts.st_mode & S_IFMT == S_IFDIR else { throw StoreError(.io, "\(path) is a file") }
    try checkOwner(path, facts)
    try checkFileSystem(path)
  }

  /// Makes `path` as an empty file of mode 0600 if there is none, and checks who may change it.
  ///
  /// Not while the file is open by SQLite: closing another descriptor of it would drop its locks.
  static func claim(_ path: String) throws(StoreError) {
    let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      let code: StoreError.Code = errno == EROFS ? .readOnly : errno == EACCES ? .permission : .io
      throw failure(path, "cannot be opened; check who owns it", code)
    }
    defer { close(descriptor) }
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0 else { throw failure(path, "cannot be read") }
    try checkOwner(path, facts)
  }

  /// Device and inode of a file, which a copy does not share; empty if there is none.
  package static func fileIdentity(_ path: String) -> [UInt8] {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else { return [] }
    return Array("\(facts.st_dev):\(facts.st_ino)".utf8)
  }

  /// When a file was written last, in seconds since 1970; `nil` if there is none.
  package static func modified(_ path: String) -> Int64? {
    var facts = stat()
    return unsafe stat(path, &facts) == 0 ? Int64(facts.st_mtim.tv_sec) : nil
  }

  /// The whole file, at most `bytesMax` of it; `nil` if it cannot be read.
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
    let descriptor = unsafe open(
      side, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure(path, "cannot be written") }
    let isWritten = unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count
    guard isWritten, fsync(descriptor) == 0 else {
      let failure = failure(path, "cannot be written", errno == ENOSPC ? .full : .io)
      close(descriptor)
      throw failure
    }
    close(descriptor)
    guard unsafe rename(side, path) == 0 else { throw failure(path, "cannot be replaced") }
    try sync(parent(of: path))
  }

  /// Removes a file if it is there.
  static func remove(_ path: String) throws(StoreError) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else {
      throw failure(path, "cannot be removed")
    }
  }

  /// `fsync` of a file or a directory.
  static func sync(_ path: String) throws(StoreError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, "cannot be opened") }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure(path, "cannot be synced") }
  }

  /// What `errno` says.
  static func reason() -> String { unsafe String(cString: strerror(errno)) }

  private static func failure(
    _ path: String, _ what: String, _ code: StoreError.Code? = nil
  ) -> StoreError {
    StoreError(
      code ?? (errno == EACCES || errno == EPERM ? .permission : .io), "\(path) \(what)",
      cause: reason())
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func checkOwner(_ path: String, _ facts: stat) throws(StoreError) {
    guard facts.st_uid == geteuid() else {
      throw StoreError(
        .permission, "\(path) belongs to uid \(facts.st_uid), this is uid \(geteuid())")
    }
    guard facts.st_mode & 0o022 == 0 else {
      throw StoreError(.permission, "\(path) can be changed by others; chmod go-w it")
    }
  }

  private static func checkFileSystem(_ path: String) throws(StoreError) {
    var facts = statfs()
    guard unsafe statfs(path, &facts) == 0 else { throw failure(path, "cannot be examined") }
    if isNetwork(UInt32(truncatingIfNeeded: facts.f_type)) {
      throw StoreError(
        .networkFileSystem,
        "\(path) is on a network file system, where locks fail; put the data on a local disk")
    }
  }

  /// Whether statfs(2) names a network file system by this magic number.
  static func isNetwork(_ magic: UInt32) -> Bool {
    switch magic {
    case 0x6969,  // NFS
      0x517B, 0xFF53_4D42, 0xFE53_4D42,  // SMB, CIFS, SMB2
      0x5346_414F, 0x6B41_4653,  // AFS
      0x00C3_6400,  // Ceph
      0x0102_1997,  // 9P
      0x7375_7245, 0x564C,  // Coda, NCP
      0x0BD0_0BD0, 0x0116_1970, 0x4750_4653:  // Lustre, GFS2, GPFS
      true
    default: false
    }
  }
}
