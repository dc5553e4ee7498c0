// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// How current a peer is, as far as this agent knows.
public enum PeerState: String, CaseIterable, Sendable {
  case inSync = "in_sync"
  case syncing
  case connecting
  case offline
  /// A member that this agent has never exchanged anything with.
  case neverMet = "never_met"

  /// As people read it.
  public var words: String {
    switch self {
    case .inSync: "in sync"
    case .syncing: "syncing"
    case .connecting: "connecting"
    case .offline: "offline"
    case .neverMet: "never met"
    }
  }
}

/// One peer; what is unknown is `nil` and shown as unknown.
public struct PeerRow: Hashable, Sendable {
  public var name: String
  /// 4 groups of 4 characters.
  public var device: String
  public var state: PeerState
  public var address: String?
  public var interface: String?
  /// `direct`, or `relayed` for a member of a large space that needs no link of its own.
  public var via: String?
  public var rttMicroseconds: Int64?
  /// Changes that it lacks, changes that we lack.
  public var toSend: Int64?
  public var toGet: Int64?
  /// Milliseconds since 1970.
  public var lastContact: Int64?
  public var role: String
  public var version: String?
  public var clockOffsetMilliseconds: Int64?
  public init(
    name: String, device: String, state: PeerState, address: String? = nil,
    interface: String? = nil, via: String? = nil, rttMicroseconds: Int64? = nil,
    toSend: Int64? = nil, toGet: Int64? = nil, lastContact: Int64? = nil,
    role: String = "member", version: String? = nil, clockOffsetMilliseconds: Int64? = nil
  ) {
    (self.name, self.device, self.state, self.address) = (name, device, state, address)
    (self.interface, self.via, self.rttMicroseconds) = (interface, via, rttMicroseconds)
    (self.toSend, self.toGet, self.lastContact) = (toSend, toGet, lastContact)
    (self.role, self.version) = (role, version)
    self.clockOffsetMilliseconds = clockOffsetMilliseconds
  }
}

/// Reply to `peers`.
public struct PeersReply: Hashable, Sendable {
  public var peers: [PeerRow]
  /// Static addresses of `hedge peers add`.
  public var addresses: [String]
  /// Devices that were removed.
  public var removals: [RemovalRow]
  /// Who removed this device; `nil` while it is a member.
  public var removedBy: String?
  /// Whether one peer was asked for by its name: then people see all that is known of it.
  public var isDetail: Bool
  public init(
    peers: [PeerRow], addresses: [String] = [], removals: [RemovalRow] = [],
    removedBy: String? = nil, isDetail: Bool = false
  ) {
    (self.peers, self.addresses) = (peers, addresses)
    (self.removals, self.removedBy) = (removals, removedBy)
    self.isDetail = isDetail
  }
}

/// Something that the user should know: a stable code and a sentence.
public struct Warning: Hashable, Sendable {
  public enum Code: String, CaseIterable, Sendable {
    case clonedData = "cloned-data"
    case fork
    case clockSkew = "clock-skew"
    case diskFull = "disk-full"
    case noDiscovery = "no-discovery"
    case versionSkew = "version-skew"
    case floorHeld = "floor-held"
    case quarantine
    case hookFailed = "hook-failed"
    case fingerprint
    /// Not all that was on disk could be read at the start.
    case damagedData = "damaged-data"
    /// This device is no member any more.
    case removed
  }
  public var code: Code
  public var text: String
  public init(code: Code, text: String) { (self.code, self.text) = (code, text) }
}

/// Reply to `status`.
public struct StatusReply: Hashable, Sendable {
  public var device: String
  /// This device's id in groups.
  public var deviceGroups: String
  public var name: String
  public var space: String
  public var version: String
  /// `nil`: the agent does not run, this was read from its store.
  public var uptimeSeconds: Int64?
  /// On how many peers all my changes are, durably.
  public var changesOn: Int
  public var peers: [PeerRow]
  public var isPaused: Bool
  public var recoveredCount: Int
  public var mergeDecisionCount: Int
  public var warnings: [Warning]
  /// Whether `status --check` finds nothing: no warning, nothing to send or to get where known.
  public var isCheck: Bool
  /// `http://127.0.0.1:7643`: where page and API are; `nil` where they are off.
  public var web: String?
  /// The page for other devices of the LAN; `nil` where it is off.
  public var lan: LANAddress?
  public init(
    device: String, deviceGroups: String, name: String, space: String, version: String,
    uptimeSeconds: Int64?, changesOn: Int, peers: [PeerRow], isPaused: Bool = false,
    recoveredCount: Int = 0, mergeDecisionCount: Int = 0, warnings: [Warning] = [],
    isCheck: Bool = false, web: String? = nil, lan: LANAddress? = nil
  ) {
    (self.device, self.deviceGroups, self.name) = (device, deviceGroups, name)
    (self.space, self.version, self.uptimeSeconds) = (space, version, uptimeSeconds)
    (self.changesOn, self.peers, self.isPaused) = (changesOn, peers, isPaused)
    (self.recoveredCount, self.mergeDecisionCount) = (recoveredCount, mergeDecisionCount)
    (self.warnings, self.isCheck, self.web) = (warnings, isCheck, web)
    self.lan = lan
  }

  /// Whether all that was written here is durable on every other machine, of which there is one.
  public var hasAllArrived: Bool { !isRemoved && !peers.isEmpty && changesOn == peers.count }

  /// Whether this device was removed from its space.
  public var isRemoved: Bool { warnings.contains { $0.code == .removed } }

  /// What `--check` complains about; empty when all is well.
  public var findings: [String] {
    var findings = warnings.map(\.text)
    if isPaused { findings.append("sync is paused: hedge sync resume") }
    for peer in peers where peer.state != .inSync {
      findings.append("\(peer.name) is \(peer.state.words)")
    }
    return findings
  }
}

/// Reply to `hedge` without arguments.
public struct OverviewReply: Hashable, Sendable {
  public var lists: [ListRow]
  public var status: StatusReply
  public init(lists: [ListRow], status: StatusReply) {
    (self.lists, self.status) = (lists, status)
  }
}

/// Reply to `sync`, `sync pause` and `sync resume`.
public struct SyncReply: Hashable, Sendable {
  public var isPaused: Bool
  public var peers: [PeerRow]
  public init(isPaused: Bool, peers: [PeerRow] = []) {
    (self.isPaused, self.peers) = (isPaused, peers)
  }
}

/// Reply to `invite`: the code, good once.
public struct InviteReply: Hashable, Sendable {
  /// Names the invitation for `awaitJoiner`; not secret.
  public var invite: String
  /// 4 groups of 5 characters.
  public var code: String
  /// Milliseconds since 1970.
  public var expires: Int64
  public var validSeconds: Int64
  /// What the joiner will be.
  public var role: String
  public var deviceName: String
  public var deviceGroups: String
  /// The QR code as lines of half blocks; `nil` where it was not asked for or not possible.
  public var qr: [String]?
  public init(
    invite: String, code: String, expires: Int64, validSeconds: Int64, role: String,
    deviceName: String, deviceGroups: String, qr: [String]? = nil
  ) {
    (self.invite, self.code, self.expires) = (invite, code, expires)
    (self.validSeconds, self.role, self.deviceName) = (validSeconds, role, deviceName)
    (self.deviceGroups, self.qr) = (deviceGroups, qr)
  }
}

/// Reply to `awaitJoiner`: who has joined.
public struct JoinerReply: Hashable, Sendable {
  public var name: String
  public var deviceGroups: String
  public var role: String
  public init(name: String, deviceGroups: String, role: String) {
    (self.name, self.deviceGroups, self.role) = (name, deviceGroups, role)
  }
}

/// Reply to `join`.
public struct JoinReply: Hashable, Sendable {
  public var space: String
  public var inviterName: String
  public var inviterGroups: String
  public var address: String?
  public var deviceName: String
  public var deviceGroups: String
  /// Names of the other members.
  public var members: [String]
  /// What has arrived so far.
  public var listCount: Int
  public var itemCount: Int
  public init(
    space: String, inviterName: String, inviterGroups: String, address: String?,
    deviceName: String, deviceGroups: String, members: [String], listCount: Int, itemCount: Int
  ) {
    (self.space, self.inviterName, self.inviterGroups) = (space, inviterName, inviterGroups)
    (self.address, self.deviceName) = (address, deviceName)
    (self.deviceGroups, self.members) = (deviceGroups, members)
    (self.listCount, self.itemCount) = (listCount, itemCount)
  }
}

/// Reply to `version`.
public struct VersionReply: Hashable, Sendable {
  public var version: String
  /// `agent`, or `hedge` for the client alone.
  public var program: String
  /// Of the wire and of the store; `nil` where no agent runs.
  public var protocolVersion: Int?
  public var storeVersion: Int?
  /// Libraries in use: name and version.
  public var libraries: [(name: String, version: String)]
  public init(
    version: String, program: String = "agent", protocolVersion: Int? = nil,
    storeVersion: Int? = nil, libraries: [(name: String, version: String)] = []
  ) {
    (self.version, self.program, self.protocolVersion) = (version, program, protocolVersion)
    (self.storeVersion, self.libraries) = (storeVersion, libraries)
  }

  public static func == (a: Self, b: Self) -> Bool {
    a.version == b.version && a.program == b.program && a.protocolVersion == b.protocolVersion
      && a.storeVersion == b.storeVersion && a.libraries.elementsEqual(b.libraries) { $0 == $1 }
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(version) }
}

/// Reply to `agent status`.
public struct AgentReply: Hashable, Sendable {
  public var processID: Int32
  public var version: String
  public var uptimeSeconds: Int64
  public var dataDirectory: String
  public var socket: String
  public var peerPort: Int?
  public var memoryBytes: Int64?
  public var isPaused: Bool
  public init(
    processID: Int32, version: String, uptimeSeconds: Int64, dataDirectory: String,
    socket: String, peerPort: Int?, memoryBytes: Int64? = nil, isPaused: Bool = false
  ) {
    (self.processID, self.version, self.uptimeSeconds) = (processID, version, uptimeSeconds)
    (self.dataDirectory, self.socket, self.peerPort) = (dataDirectory, socket, peerPort)
    (self.memoryBytes, self.isPaused) = (memoryBytes, isPaused)
  }
}
