// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Glibc

/// The file that holds a device's private key: 32 bytes, mode 0600, made at the first start.
package enum DeviceKeyFile {
  package enum Failure: Error, Hashable, Sendable {
    /// Others may read or change it.
    case tooOpen(path: String)
    /// It belongs to another user.
    case foreign(path: String, owner: UInt32)
    /// Not 32 bytes, or no key with its certificate.
    case malformed(path: String)
    case io(path: String, errno: Int32)

    /// One sentence that says what to do.
    package var message: String {
      switch self {
      case .tooOpen(let path):
        "\(path) can be read by others; chmod 600 it, or pair this device anew"
      case .foreign(let path, let owner):
        "\(path) belongs to uid \(owner); run the agent as that user, or give it a directory of its own"
      case .malformed(let path):
        "\(path) is not the key that belongs there; put it back from a backup or remove it"
      case .io(let path, let code):
        "\(path) cannot be read or written: \(unsafe String(cString: strerror(code)))"
      }
    }
  }

  /// Reads the key at `path`, or makes one; its directory must exist.
  /// - Returns: The suite, and whether the key is new.
  package static func open(_ path: String) throws(Failure) -> (suite: OpenSSLSuite, isNew: Bool) {
    do { return (try read(path), false) } catch {
      guard case .io(_, ENOENT) = error else { throw error }
      return (try make(path), true)
    }
  }

  /// Reads the key at `path`; makes nothing.
  package static func read(_ path: String) throws(Failure) -> OpenSSLSuite {
    let seed = try readSecret(path, bytesMax: 32)
    guard seed.count == 32, let suite = OpenSSLSuite(seed: seed) else {
      throw .malformed(path: path)
    }
    return suite
  }

  /// Reads a file that only its owner may read; of a longer one, one byte too much.
  static func readSecret(_ path: String, bytesMax: Int) throws(Failure) -> [UInt8] {
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw .io(path: path, errno: errno) }
    defer { close(descriptor) }
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0 else { throw .io(path: path, errno: errno) }
    guard facts.st_uid == geteuid() else { throw .foreign(path: path, owner: facts.st_uid) }
    guard facts.st_mode & 0o077 == 0 else { throw .tooOpen(path: path) }
    var bytes = [UInt8](repeating: 0, count: bytesMax + 1)
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw .io(path: path, errno: errno) }
    return Array(bytes[..<count])
  }

  private static func make(_ path: String) throws(Failure) -> OpenSSLSuite {
    let seed = OpenSSLSuite.randomBytes(32)
    guard let suite = OpenSSLSuite(seed: seed) else { throw .malformed(path: path) }
    try makeSecret(path, seed)
    return suite
  }

  /// Writes beside and links into place: a crash leaves no half-written secret, and one that has come
  /// there meanwhile is not replaced.
  static func makeSecret(_ path: String, _ bytes: [UInt8]) throws(Failure) {
    let side = path + ".new"
    unsafe unlink(side)
    let descriptor = unsafe Glibc.open(
      side, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .io(path: side, errno: errno) }
    defer { unsafe unlink(side) }
    let isWritten =
      unsafe write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
    let failure = errno
    close(descriptor)
    guard isWritten else { throw .io(path: side, errno: failure) }
    guard unsafe link(side, path) == 0 else { throw .io(path: path, errno: errno) }
    syncDirectory(of: path)
  }

  /// Best effort: a key whose name is lost by a power cut is made anew at the next start.
  private static func syncDirectory(of path: String) {
    let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let directory = unsafe Glibc.open(parent.isEmpty ? "/" : parent, O_RDONLY | O_CLOEXEC)
    guard directory >= 0 else { return }
    fsync(directory)
    close(directory)
  }
}
