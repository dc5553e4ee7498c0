// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Foundation
import Testing

@testable import SQLiteStore

@Suite struct OpenedStoreTests {
  private let scratch: Scratch
  private var data: String { scratch.data }
  private var state: String { scratch.state }

  init() throws { scratch = try Scratch() }

  private func identity(
    _ data: String, _ state: String, _ token: UInt8, machine: [UInt8] = [1]
  ) throws -> DataIdentity {
    try OpenedStore.open(
      dataDirectory: data, stateDirectory: state, token: [token], machine: machine
    ).identity
  }

  private func isSuspect(_ identity: DataIdentity) -> Bool {
    if case .suspect = identity { true } else { false }
  }

  private func copy(_ from: String, _ to: String) throws {
    try FileManager.default.copyItem(atPath: from, toPath: to)
  }

  @Test func `the same data is recognised`() throws {
    #expect(try identity(data, state, 1) == .fresh)
    #expect(try identity(data, state, 2) == .same)
    #expect(try identity(data, state, 3) == .same)
  }

  @Test func `a restored backup of the data is noticed once`() throws {
    _ = try identity(data, state, 1)
    try copy(data, data + ".old")
    _ = try identity(data, state, 2)
    try FileManager.default.removeItem(atPath: data)
    try copy(data + ".old", data)
    #expect(isSuspect(try identity(data, state, 3)))
    #expect(try identity(data, state, 4) == .same)
  }

  @Test func `a restored backup in the same file is noticed`() throws {
    _ = try identity(data, state, 1)
    let file = data + "/" + Database.fileName
    let old = try Data(contentsOf: URL(fileURLWithPath: file))
    _ = try identity(data, state, 2)
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: old)
    try handle.close()
    #expect(isSuspect(try identity(data, state, 3)))
  }

  @Test func `a copied home is noticed and the original is not disturbed`() throws {
    _ = try identity(data, state, 1)
    try copy(data, data + "2")
    try copy(state, state + "2")
    #expect(isSuspect(try identity(data + "2", state + "2", 2)))
    #expect(try identity(data, state, 3) == .same)
  }

  @Test func `data on another machine is noticed`() throws {
    _ = try identity(data, state, 1)
    #expect(isSuspect(try identity(data, state, 2, machine: [2])))
    #expect(try identity(data, state, 3, machine: [2]) == .same)
  }

  @Test func `data without its state is noticed`() throws {
    _ = try identity(data, state, 1)
    try FileManager.default.removeItem(atPath: state)
    #expect(isSuspect(try identity(data, state, 2)))
  }

  @Test func `starts that stop between the two tokens are no copies`() throws {
    _ = try identity(data, state, 1)
    let old = try #require(DataDirectory.read(state + "/token"))
    for token: UInt8 in 2...4 {
      #expect(try identity(data, state, token) == .same)
      try DataDirectory.write(state + "/token", old)
    }
    #expect(try identity(data, state, 5) == .same)
    // Once a start has come through, the token before it is good for one stop and no more.
    #expect(try identity(data, state, 6) == .same)
    try DataDirectory.write(state + "/token", old)
    #expect(isSuspect(try identity(data, state, 7)))
  }

  @Test func `a second agent is told who holds the data`() throws {
    let first = try OpenedStore.open(dataDirectory: data, stateDirectory: state, token: [1])
    #expect {
      try OpenedStore.open(dataDirectory: data, stateDirectory: state, token: [2])
    } throws: {
      ($0 as? StoreError)?.code == .locked(pid: getpid()) && "\($0)".contains("pid \(getpid())")
    }
    withExtendedLifetime(first) {}
  }

  @Test func `a lock file that was deleted lets nobody in`() throws {
    let first = try OpenedStore.open(dataDirectory: data, stateDirectory: state, token: [1])
    try FileManager.default.removeItem(atPath: data + "/" + DirectoryLock.fileName)
    #expect {
      try OpenedStore.open(dataDirectory: data, stateDirectory: state, token: [2])
    } throws: {
      ($0 as? StoreError)?.code == .locked(pid: nil)
    }
    withExtendedLifetime(first) {}
  }

  @Test func `a reader has the data for itself while no agent runs`() throws {
    do {
      let agent = try OpenedStore.open(dataDirectory: data, stateDirectory: state, token: [1])
      try agent.database.commit([batch { $0.changes = [row(1)] }])
      #expect(throws: StoreError.self) { try OpenedStore.openForReading(dataDirectory: data) }
      withExtendedLifetime(agent) {}
    }
    let reader = try OpenedStore.openForReading(dataDirectory: data)
    #expect(try reader.database.contents().tail == [row(1)])
    withExtendedLifetime(reader) {}
  }
}

@Suite struct DataDirectoryTests {
  @Test func `directories are made private, parents included`() throws {
    let scratch = try Scratch()
    try DataDirectory.prepare(scratch.path + "/a/b")
    for name in ["/a", "/a/b"] {
      let facts = try FileManager.default.attributesOfItem(atPath: scratch.path + name)
      #expect(facts[.posixPermissions] as? Int == 0o700)
    }
  }

  @Test func `a directory that others can change is refused and left as it is`() throws {
    let scratch = try Scratch()
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: scratch.path)
    #expect {
      try DataDirectory.prepare(scratch.path)
    } throws: {
      ($0 as? StoreError)?.code == .permission
    }
    let facts = try FileManager.default.attributesOfItem(atPath: scratch.path)
    #expect(facts[.posixPermissions] as? Int == 0o777)
  }

  @Test func `a file in the place of a directory is refused`() throws {
    let scratch = try Scratch()
    try Data([1]).write(to: URL(fileURLWithPath: scratch.path + "/f"))
    #expect(throws: StoreError.self) { try DataDirectory.prepare(scratch.path + "/f") }
    #expect(throws: StoreError.self) { try DataDirectory.prepare(scratch.path + "/f/g") }
  }

  @Test func `network file systems are told by their numbers`() {
    for magic: UInt32 in [0x6969, 0xFF53_4D42, 0x0102_1997] {
      #expect(DataDirectory.isNetwork(magic))
    }
    for magic: UInt32 in [0xEF53, 0x5846_5342, 0x0102_1994, 0x9123_683E] {  // ext4 xfs tmpfs btrfs
      #expect(!DataDirectory.isNetwork(magic))
    }
  }

  @Test func `a small file is replaced as a whole`() throws {
    let scratch = try Scratch()
    let path = scratch.path + "/token"
    try DataDirectory.write(path, [1, 2, 3])
    try DataDirectory.write(path, [4])
    #expect(DataDirectory.read(path) == [4])
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["token"])
  }
}
