// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import Testing

@testable import OpenSSLCrypto

@Suite final class DeviceKeyFileTests {
  private let directory = NSTemporaryDirectory() + "hedgerow-test-\(UUID().uuidString)"
  private var path: String { directory + "/device.key" }

  init() throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: directory)  // a leftover in the temporary directory
  }

  @Test func `a key is made once and kept private`() throws {
    let first = try DeviceKeyFile.open(path)
    let second = try DeviceKeyFile.open(path)
    #expect(first.isNew && !second.isNew)
    #expect(first.suite.publicKey == second.suite.publicKey)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func `a key that others can read is refused`() throws {
    _ = try DeviceKeyFile.open(path)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    #expect(throws: DeviceKeyFile.Failure.tooOpen(path: path)) { try DeviceKeyFile.open(path) }
  }

  @Test func `a damaged key is refused`() throws {
    _ = try DeviceKeyFile.open(path)
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(throws: DeviceKeyFile.Failure.malformed(path: path)) { try DeviceKeyFile.open(path) }
  }

  @Test func `a start that was cut off leaves no half key`() throws {
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path + ".new"))
    let made = try DeviceKeyFile.open(path)
    #expect(made.isNew)
    #expect(try DeviceKeyFile.open(path).suite.publicKey == made.suite.publicKey)
    #expect(!FileManager.default.fileExists(atPath: path + ".new"))
  }

  @Test func `a link in place of the key is not followed`() throws {
    _ = try DeviceKeyFile.open(path + ".real")
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: path + ".real")
    #expect(throws: DeviceKeyFile.Failure.io(path: path, errno: ELOOP)) {
      try DeviceKeyFile.open(path)
    }
  }

  @Test func `a certificate of the page is made once, with a key that belongs to it`() throws {
    let first = try PageCertificate.open(path, hostName: "den ü;x.example")
    #expect(try PageCertificate.open(path, hostName: "other") == first)
    #expect(first.pem.contains("BEGIN PRIVATE KEY") && first.pem.contains("BEGIN CERTIFICATE"))
    let pairs = first.fingerprint.split(separator: ":")
    #expect(pairs.count == 32 && pairs.allSatisfy { $0.count == 2 && UInt8($0, radix: 16) != nil })
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(
      try PageCertificate.open(path + "-other", hostName: "").fingerprint != first.fingerprint)
  }

  @Test func `a certificate that lost its key is refused`() throws {
    let whole = try PageCertificate.open(path, hostName: "den").pem
    let end = try #require(whole.range(of: "-----BEGIN CERTIFICATE"))
    let other = try PageCertificate.open(path + "-other", hostName: "den").pem
    let foreign = try #require(other.range(of: "-----BEGIN CERTIFICATE"))
    for text in [
      "", String(whole[end.lowerBound...]),
      String(whole[..<end.lowerBound]) + String(other[foreign.lowerBound...]),
    ] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      #expect(throws: DeviceKeyFile.Failure.malformed(path: path)) {
        try PageCertificate.open(path, hostName: "den")
      }
    }
  }
}
