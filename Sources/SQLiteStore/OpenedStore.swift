// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Whether the data at hand is the data that this machine wrote last (`docs/STORAGE.md`,
/// "Identity").
package enum DataIdentity: Hashable, Sendable {
  /// A new database.
  case fresh
  case same
  /// Copied, put back from a backup, or on another machine: write in a new session. The text says
  /// what disagreed.
  case suspect(String)
}

/// An open store: the lock, the database, and what a start needs.
package struct OpenedStore {
  /// To be kept as long as the database is used.
  package let lock: DirectoryLock
  package let database: Database
  package let contents: StoreContents
  package let identity: DataIdentity

  /// Locks the data directory and opens the database in it.
  ///
  /// Two tokens, one in the database and one in `stateDirectory`, are compared and then both
  /// replaced by `token`; with them the machine id and the file's device and inode.
  /// - Parameters:
  ///   - token: Fresh random bytes, 16 or more.
  ///   - patienceMilliseconds: So long it waits for somebody else's lock.
  /// - Throws: `.removed` where the state knows of data and the database is new.
  package static func open(
    dataDirectory: String, stateDirectory: String, token: [UInt8], patienceMilliseconds: Int = 0
  ) throws(StoreError) -> OpenedStore {
    try open(
      dataDirectory: dataDirectory, stateDirectory: stateDirectory, token: token,
      patienceMilliseconds: patienceMilliseconds,
      machine: DataDirectory.read("/etc/machine-id") ?? [])
  }

  /// As above, on a machine of that id.
  static func open(
    dataDirectory: String, stateDirectory: String, token: [UInt8], patienceMilliseconds: Int = 0,
    machine: [UInt8]
  ) throws(StoreError) -> OpenedStore {
    try DataDirectory.prepare(dataDirectory)
    try DataDirectory.prepare(stateDirectory)
    let lock = try DirectoryLock(
      directory: dataDirectory, patienceMilliseconds: patienceMilliseconds)
    let path = dataDirectory + "/" + Database.fileName
    let database = try Database(path: path)
    let contents = try database.contents()
    let sidecar = stateDirectory + "/token"
    let known = DataDirectory.read(sidecar)
    if contents.facts["identity.token"] == nil, known != nil {
      throw StoreError(
        .removed,
        "\(path) is empty, but this device had data: put it back (is a disk not mounted?), "
          + "or move \(stateDirectory) away to begin anew")
    }
    let file = DataDirectory.fileIdentity(path)
    let identity = compare(contents.facts, sidecar: known, machine: machine, file: file)
    // The database first. It remembers what the sidecar held: a stop between the two, or a full disk,
    // leaves a pair that still belongs together.
    var batch = StoreBatch()
    batch.facts = [
      ("identity.token", token), ("identity.machine", machine), ("identity.file", file),
    ]
    if identity == .same, let known { batch.facts.append(("identity.before", known)) }
    try database.commit([batch])
    try DataDirectory.write(sidecar, token)
    return OpenedStore(lock: lock, database: database, contents: contents, identity: identity)
  }

  /// For a reader while no agent runs: takes the same lock, together with other readers, and changes
  /// nothing. An agent that stops or starts is given a moment.
  package static func openForReading(
    dataDirectory: String
  ) throws(StoreError) -> (lock: DirectoryLock, database: Database) {
    let lock = try DirectoryLock(
      directory: dataDirectory, isShared: true, patienceMilliseconds: 200)
    let path = dataDirectory + "/" + Database.fileName
    return (lock, try Database(path: path, isReadOnly: true))
  }

  /// For a start that could not read everything: keeps a copy of the database beside it before
  /// anything is written. The first copy stays.
  /// - Returns: Its path.
  package func keepDamaged(dataDirectory: String) throws(StoreError) -> String {
    try database.keepDamaged(path: dataDirectory + "/" + Database.fileName)
  }

  /// The copy that an earlier start kept.
  package func damagedCopy(dataDirectory: String) -> String? {
    let copy = Database.damagedCopy(of: dataDirectory + "/" + Database.fileName)
    return DataDirectory.fileIdentity(copy).isEmpty ? nil : copy
  }

  private static func compare(
    _ facts: [String: [UInt8]], sidecar: [UInt8]?, machine: [UInt8], file: [UInt8]
  ) -> DataIdentity {
    guard let token = facts["identity.token"] else { return .fresh }
    // A sidecar that is one start behind is no older data: the database is the newer of the two.
    if sidecar != token && (sidecar == nil || sidecar != facts["identity.before"]) {
      return .suspect("the data and the state of this device do not belong together")
    }
    if facts["identity.machine"] != machine {
      return .suspect("the data comes from another machine")
    }
    if facts["identity.file"] != file { return .suspect("the database file is a copy") }
    return .same
  }
}
