// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CDNSSD
import Glibc

/// What one callback of the library said, copied out of its memory.
enum ServiceReply: Equatable {
  case advertised(instance: [UInt8])
  case appeared(SightingKey)
  case disappeared(SightingKey)
  case resolved(host: [UInt8], port: UInt16, txt: [UInt8])
  case address(bytes: [UInt8], interface: UInt32)
  case failed(Int32)
}

/// The library refused to start an operation, or lost its daemon. Codes are those of `dns_sd.h`.
struct ServiceError: Error, Equatable {
  let code: Int32

  /// Somebody has our instance name, maybe we ourselves a moment ago. With a name of our own the
  /// library does not rename by itself.
  static let nameConflict = Int32(kDNSServiceErr_NameConflict)
}

/// One live operation of `dns_sd.h`: owns the reference, collects what its callback says.
///
/// Each costs a thread, a socket pair and a bus connection inside the library, and starting one
/// waits for the bus. Flags are always 0: the Avahi library refuses any other value. Callbacks run
/// inside `process()` only; every one may come twice, and pointers in failure callbacks are NULL.
@safe
final class ServiceReference {
  private var reference: DNSServiceRef?
  private var replies: [ServiceReply] = []

  private init() {}

  deinit {
    if let reference = unsafe reference { unsafe DNSServiceRefDeallocate(reference) }
  }

  /// Descriptor that becomes readable when `process()` has something to do
  /// (`DNSServiceRefSockFD`).
  var socket: Int32 {
    guard let reference = unsafe reference else { return -1 }
    return unsafe DNSServiceRefSockFD(reference)
  }

  /// Runs the callbacks that wait (`DNSServiceProcessResult`); blocks if `socket` is not readable.
  func process() -> [ServiceReply] {
    guard let reference = unsafe reference else { return [] }
    let code = unsafe DNSServiceProcessResult(reference)
    if code != kDNSServiceErr_NoError { replies.append(.failed(code)) }
    defer { replies.removeAll() }
    return replies
  }

  fileprivate func add(_ reply: ServiceReply) { replies.append(reply) }

  private var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

  private static func start(
    _ call: (ServiceReference, inout DNSServiceRef?) -> DNSServiceErrorType
  ) throws(ServiceError) -> ServiceReference {
    let made = ServiceReference()
    var raw: DNSServiceRef?
    let code = unsafe call(made, &raw)
    if code != kDNSServiceErr_NoError { throw ServiceError(code: code) }
    unsafe made.reference = unsafe raw
    return made
  }

  static let serviceType = "_hedgerow._tcp"

  /// Announces our listener on every interface (`DNSServiceRegister`).
  static func register(_ what: Advertisement) throws(ServiceError) -> ServiceReference {
    try unsafe start { made, raw in
      let name = cString(what.instance)
      return unsafe what.txt.withUnsafeBufferPointer { txt in
        unsafe DNSServiceRegister(
          &raw, 0, 0, name, serviceType, nil, nil, what.port.bigEndian, UInt16(txt.count),
          txt.baseAddress, registered, made.context)
      }
    }
  }

  /// Watches for instances on every interface (`DNSServiceBrowse`).
  static func browse() throws(ServiceError) -> ServiceReference {
    try unsafe start { made, raw in
      unsafe DNSServiceBrowse(&raw, 0, 0, serviceType, nil, browsed, made.context)
    }
  }

  /// Asks for host, port and TXT of one row (`DNSServiceResolve`).
  static func resolve(_ key: SightingKey) throws(ServiceError) -> ServiceReference {
    try unsafe start { made, raw in
      unsafe DNSServiceResolve(
        &raw, 0, key.interface, cString(key.instance), serviceType + ".", "local.", resolved,
        made.context)
    }
  }

  enum AddressFamily: UInt16 { case ipv4 = 1, ipv6 = 28 }

  /// Asks for A or AAAA records of a host on one interface (`DNSServiceQueryRecord`).
  static func query(
    _ host: [UInt8], _ family: AddressFamily, interface: UInt32
  ) throws(ServiceError) -> ServiceReference {
    try unsafe start { made, raw in
      unsafe DNSServiceQueryRecord(
        &raw, 0, interface, cString(host), family.rawValue, UInt16(kDNSServiceClass_IN), answered,
        made.context)
    }
  }
}

private func cString(_ bytes: [UInt8]) -> [CChar] {
  bytes.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
}

@unsafe
private func target(_ context: UnsafeMutableRawPointer?) -> ServiceReference? {
  guard let context = unsafe context else { return nil }
  return unsafe Unmanaged<ServiceReference>.fromOpaque(context).takeUnretainedValue()
}

/// Bytes of a name that may be handed back to the library: no control bytes, no NUL, bounded.
@unsafe
private func name(_ pointer: UnsafePointer<CChar>?, max: Int) -> [UInt8]? {
  guard let bytes = unsafe bytes(ofCString: pointer) else { return nil }
  if bytes.isEmpty || bytes.count > max { return nil }
  return bytes.contains { $0 < 0x20 || $0 == 0x7F } ? nil : bytes
}

private let registered: DNSServiceRegisterReply = { _, _, code, rawName, _, _, context in
  guard let made = unsafe target(context) else { return }
  if code != kDNSServiceErr_NoError { return made.add(.failed(code)) }
  if let instance = unsafe name(rawName, max: DiscoveryLimits.instanceBytesMax) {
    made.add(.advertised(instance: instance))
  }
}

private let browsed: DNSServiceBrowseReply = { _, flags, interface, code, rawName, _, _, context in
  guard let made = unsafe target(context) else { return }
  if code != kDNSServiceErr_NoError { return made.add(.failed(code)) }
  guard interface != 0,
    let instance = unsafe name(rawName, max: DiscoveryLimits.instanceBytesMax)
  else { return }
  let key = SightingKey(instance: instance, interface: interface)
  made.add(flags & UInt32(kDNSServiceFlagsAdd) != 0 ? .appeared(key) : .disappeared(key))
}

private let resolved: DNSServiceResolveReply = {
  _, _, _, code, _, rawHost, port, txtCount, rawTXT, context in
  guard let made = unsafe target(context) else { return }
  if code != kDNSServiceErr_NoError { return made.add(.failed(code)) }
  guard let host = unsafe name(rawHost, max: 255), port != 0,
    Int(txtCount) <= DiscoveryLimits.txtBytesMax
  else { return }
  let txt = unsafe Array(
    UnsafeBufferPointer(start: rawTXT, count: rawTXT == nil ? 0 : Int(txtCount)))
  made.add(.resolved(host: host, port: UInt16(bigEndian: port), txt: txt))
}

private let answered: DNSServiceQueryRecordReply = {
  _, flags, interface, code, _, _, _, count, data, _, context in
  guard let made = unsafe target(context) else { return }
  if code != kDNSServiceErr_NoError { return made.add(.failed(code)) }
  guard flags & UInt32(kDNSServiceFlagsAdd) != 0, let data = unsafe data, count == 4 || count == 16
  else { return }
  let bytes = unsafe Array(UnsafeRawBufferPointer(start: data, count: Int(count)))
  made.add(.address(bytes: bytes, interface: interface))
}
