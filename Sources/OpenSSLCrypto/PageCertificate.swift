// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import COpenSSLShim
import Glibc

/// The key and certificate of the page on the LAN: made once and kept, so that who has compared the
/// fingerprint does not have to do so again.
package struct PageCertificate: Hashable, Sendable {
  /// The private key and behind it the certificate, as text.
  package let pem: String
  /// SHA-256 of the certificate, as browsers show it: `0A:1B:…`.
  package let fingerprint: String

  /// A key and a certificate take less than half of it.
  static let bytesMax = 4 * 1024

  /// Reads what is in the file at `path` (mode 0600), or makes it; its directory must exist.
  ///
  /// - Parameter hostName: Goes into a new certificate, with and without `.local`.
  package static func open(
    _ path: String, hostName: String
  ) throws(DeviceKeyFile.Failure) -> PageCertificate {
    do { return try read(path) } catch {
      guard case .io(_, ENOENT) = error else { throw error }
    }
    var room = [UInt8](repeating: 0, count: bytesMax)
    let count = unsafe hs_page_certificate(names(hostName), &room, room.count)
    guard count > 0 else { throw .malformed(path: path) }
    try DeviceKeyFile.makeSecret(path, Array(room[..<count]))
    return try read(path)
  }

  private static func read(_ path: String) throws(DeviceKeyFile.Failure) -> PageCertificate {
    let bytes = try DeviceKeyFile.readSecret(path, bytesMax: bytesMax)
    var hash = [UInt8](repeating: 0, count: Int(HS_HASH_BYTES))
    guard bytes.count <= bytesMax, unsafe hs_page_fingerprint(bytes, bytes.count, &hash) == 1,
      let pem = String(validating: bytes, as: UTF8.self)
    else { throw .malformed(path: path) }
    let pairs = hash.map { byte in
      let digits = String(byte, radix: 16, uppercase: true)
      return digits.utf8.count == 1 ? "0" + digits : digits
    }
    return PageCertificate(pem: pem, fingerprint: pairs.joined(separator: ":"))
  }

  /// What a certificate may say of names: letters, digits and dashes of the host's first label.
  private static func names(_ hostName: String) -> String {
    let label = hostName.utf8.prefix { $0 != 0x2E }.filter { byte in
      byte == 0x2D || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
        || (0x61...0x7A).contains(byte)
    }
    let name = String(decoding: label.prefix(63), as: UTF8.self)
    return name.isEmpty ? "DNS:localhost" : "DNS:localhost,DNS:\(name),DNS:\(name).local"
  }
}
