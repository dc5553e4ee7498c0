// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// The two directions of the channel. Kind bytes: 1...4 child to parent, 16...17 parent to child.

extension DiscoveryEvent: DiscoveryFrameContent {
  package init(reading cursor: inout FrameCursor) throws(DiscoveryFrameError) {
    switch try cursor.byte() {
    case 1:
      let isRunning = try cursor.byte() != 0
      let code = Int32(bitPattern: try cursor.uint32())
      self = .stateChanged(isRunning ? .running : .waiting(code: code))
    case 2: self = .advertised(instance: try cursor.text(max: DiscoveryLimits.instanceBytesMax))
    case 3: self = .found(try Sighting(reading: &cursor))
    case 4: self = .lost(try SightingKey(reading: &cursor))
    case let kind: throw .unknownKind(kind)
    }
  }

  package func append(to out: inout [UInt8]) {
    switch self {
    case .stateChanged(.running):
      out.append(contentsOf: [1, 1, 0, 0, 0, 0])
    case .stateChanged(.waiting(let code)):
      out.append(contentsOf: [1, 0])
      appendUInt32(UInt32(bitPattern: code), to: &out)
    case .advertised(let instance):
      out.append(2)
      appendText(instance, to: &out)
    case .found(let sighting):
      out.append(3)
      sighting.append(to: &out)
    case .lost(let key):
      out.append(4)
      key.append(to: &out)
    }
  }
}

extension DiscoveryCommand: DiscoveryFrameContent {
  package init(reading cursor: inout FrameCursor) throws(DiscoveryFrameError) {
    switch try cursor.byte() {
    case 16:
      let instance = try cursor.text(max: DiscoveryLimits.instanceBytesMax)
      let port = try cursor.uint16()
      let txt = try cursor.text(max: DiscoveryLimits.ownTXTBytesMax)
      if port == 0 || instance.isEmpty || instance.contains(0) {
        if port == 0 && instance.isEmpty && txt.isEmpty {
          self = .advertise(nil)
          return
        }
        throw .badValue
      }
      self = .advertise(Advertisement(instance: instance, port: port, txt: txt))
    case 17: self = .refresh
    case let kind: throw .unknownKind(kind)
    }
  }

  package func append(to out: inout [UInt8]) {
    switch self {
    case .advertise(let advertisement):
      out.append(16)
      appendText(advertisement?.instance ?? [], to: &out)
      appendUInt16(advertisement?.port ?? 0, to: &out)
      appendText(advertisement?.txt ?? [], to: &out)
    case .refresh:
      out.append(17)
    }
  }
}

extension SightingKey {
  fileprivate init(reading cursor: inout FrameCursor) throws(DiscoveryFrameError) {
    let interface = try cursor.uint32()
    let instance = try cursor.text(max: DiscoveryLimits.instanceBytesMax)
    if instance.isEmpty || interface == 0 { throw .badValue }
    self.init(instance: instance, interface: interface)
  }

  fileprivate func append(to out: inout [UInt8]) {
    appendUInt32(interface, to: &out)
    appendText(instance, to: &out)
  }
}

extension Sighting {
  fileprivate init(reading cursor: inout FrameCursor) throws(DiscoveryFrameError) {
    let key = try SightingKey(reading: &cursor)
    let port = try cursor.uint16()
    if port == 0 { throw .badValue }
    let txt = try cursor.text(max: DiscoveryLimits.txtBytesMax)
    let count = Int(try cursor.byte())
    if count > DiscoveryLimits.addressesMax { throw .overLimit }
    if count == 0 { throw .badValue }
    var addresses: [SightedAddress] = []
    for _ in 0..<count {
      let length = Int(try cursor.byte())
      if length != 4 && length != 16 { throw .badValue }
      let scope = try cursor.uint32()
      addresses.append(SightedAddress(bytes: try cursor.bytes(length), scope: scope))
    }
    self.init(key: key, port: port, txt: txt, addresses: addresses)
  }

  fileprivate func append(to out: inout [UInt8]) {
    key.append(to: &out)
    appendUInt16(port, to: &out)
    appendText(txt, to: &out)
    out.append(UInt8(addresses.count))
    for address in addresses {
      out.append(UInt8(address.bytes.count))
      appendUInt32(address.scope, to: &out)
      out.append(contentsOf: address.bytes)
    }
  }
}
