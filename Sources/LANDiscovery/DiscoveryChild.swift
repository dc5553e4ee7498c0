// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Glibc

/// The discovery child: everything that touches the responder's library, in a process of its own.
///
/// The library asserts, blocks on the bus and starts threads; an end of this process costs the
/// agent nothing but a restart. It holds no key and no file of the agent. Commands come in and
/// events go out on one socket; its end of file is the order to stop.
package final class DiscoveryChild {
  private let channel: Int32
  private var commands = DiscoveryFrameReader<DiscoveryCommand>()
  private var table = SightingTable()
  private var advertisement: Advertisement?
  private var advertisedName: [UInt8]?
  /// Counts names used so far: the responder forgets a withdrawn name only after a while.
  private var nameAttempts = 0
  private var browser: ServiceReference?
  private var registration: ServiceReference?
  private var lookups: [Lookup] = []
  private var interfaces: [UInt32: Bool] = [:]
  private var retry = RetryDelay()
  private var retryDue: UInt64? = 0
  private var lastRefresh: UInt64 = 0
  private var unseenSince: UInt64?
  private var isStopping = false

  private init(channel: Int32) { self.channel = channel }

  /// Runs until the parent closes the channel or it cannot be written any more.
  ///
  /// - Parameter channel: Descriptor of the child's end of a stream socket pair.
  /// - Returns: Exit status: 0 after end of file, 70 after unreadable commands.
  package static func run(channel: Int32) -> Int32 {
    confine()
    let child = DiscoveryChild(channel: channel)
    return child.loop()
  }

  /// Bounds what a responder gone mad can make this process use, and silences the library's
  /// advertising of its own interface.
  private static func confine() {
    func limit(_ what: __rlimit_resource, _ value: UInt) {
      var limit = rlimit(rlim_cur: value, rlim_max: value)
      unsafe _ = setrlimit(__rlimit_resource_t(what.rawValue), &limit)
    }
    limit(RLIMIT_DATA, 512 << 20)
    limit(RLIMIT_NOFILE, 256)
    limit(RLIMIT_CORE, 0)
    unsafe _ = setenv("AVAHI_COMPAT_NOWARN", "1", 1)
    _ = signal(SIGPIPE, SIG_IGN)
  }

  private static func now() -> UInt64 {
    var time = timespec()
    unsafe _ = clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
  }

  private func loop() -> Int32 {
    var status: Int32 = 0
    while !isStopping {
      advance(at: Self.now())
      let references = [browser, registration].compactMap { $0 } + lookups.flatMap(\.references)
      var sockets = [pollfd(fd: channel, events: Int16(POLLIN), revents: 0)]
      sockets += references.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
      let count = unsafe poll(&sockets, nfds_t(sockets.count), timeout(at: Self.now()))
      if count < 0 && errno != EINTR { return 70 }
      if count <= 0 { continue }
      if sockets[0].revents != 0, let code = readCommands() {
        status = code
        break
      }
      for (socket, reference) in zip(sockets.dropFirst(), references) where socket.revents != 0 {
        // An earlier reply may have dropped this reference; the array still keeps it alive.
        if !isLive(reference) { continue }
        take(reference.process(), of: reference)
      }
    }
    return status
  }

  /// Milliseconds until something is due; -1 = only input wakes us.
  private func timeout(at now: UInt64) -> Int32 {
    var due = retryDue
    if browser != nil {
      if lookups.count < DiscoveryLimits.lookupsMax { due = earlier(due, table.nextDue) }
      for lookup in lookups { due = earlier(due, lookup.deadline) }
      if let unseenSince { due = earlier(due, unseenSince + Self.unseenMillisecondsMax) }
    }
    guard let due else { return -1 }
    return due <= now ? 0 : Int32(min(due - now, 3_600_000))
  }

  /// Does what is due: connects, starts look-ups, ends those that ran out of time.
  private func advance(at now: UInt64) {
    if let due = retryDue, due <= now { connect(at: now) }
    if browser == nil { return }
    if let since = unseenSince, since + Self.unseenMillisecondsMax <= now {
      return disconnect(code: 0, at: now)
    }
    for lookup in lookups where lookup.deadline <= now { finish(lookup, at: now) }
    while lookups.count < DiscoveryLimits.lookupsMax, let key = table.nextLookup(at: now) {
      guard let resolve = try? ServiceReference.resolve(key) else {
        // The daemon is going: the browser's own failure ends everything a moment later.
        _ = table.finished(key, with: nil, at: now)
        continue
      }
      lookups.append(Lookup(key: key, resolve: resolve, deadline: now + Lookup.millisecondsMax))
    }
  }
}

// MARK: - The connection to the responder

extension DiscoveryChild {
  /// Our own service must be visible to ourselves; if not for this long, all is built anew.
  private static var unseenMillisecondsMax: UInt64 { 60_000 }

  private func connect(at now: UInt64) {
    retryDue = nil
    do throws(ServiceError) {
      browser = try ServiceReference.browse()
      try advertise(at: now)
    } catch {
      return disconnect(code: error.code, at: now)
    }
    send(.stateChanged(.running))
  }

  private func advertise(at now: UInt64) throws(ServiceError) {
    registration = nil
    advertisedName = nil
    unseenSince = nil
    guard let advertisement else { return }
    registration = try ServiceReference.register(advertisement.renamed(attempt: nameAttempts))
    nameAttempts += 1
    unseenSince = now
  }

  /// Drops every reference; what was found stays with the parent, who knows it as a hint.
  private func disconnect(code: Int32, at now: UInt64) {
    lookups = []
    registration = nil
    browser = nil
    table = SightingTable()
    advertisedName = nil
    unseenSince = nil
    interfaces = [:]
    retryDue = now + retry.next()
    send(.stateChanged(.waiting(code: code)))
  }

  private func take(_ replies: [ServiceReply], of reference: ServiceReference) {
    let now = Self.now()
    for reply in replies {
      if case .failed(let code) = reply, reference === browser || reference === registration {
        if code == ServiceError.nameConflict, (try? advertise(at: now)) != nil { return }
        return disconnect(code: code, at: now)
      }
      switch reply {
      case .advertised(let instance):
        retry.reset()
        if advertisedName == instance { break }
        advertisedName = instance
        if table.contains(instance: instance) { unseenSince = nil }
        send(.advertised(instance: instance))
      case .appeared(let key):
        retry.reset()
        if key.instance == advertisedName { unseenSince = nil }
        if carriesLAN(key.interface) { table.appeared(key, at: now) }
      case .disappeared(let key):
        if table.disappeared(key, at: now) {
          lookups.removeAll { $0.key == key }
          send(.lost(key))
        }
        if key.instance == advertisedName, !table.contains(instance: key.instance) {
          unseenSince = now
        }
      case .resolved, .address, .failed:
        if let lookup = lookups.first(where: { $0.references.contains { $0 === reference } }) {
          advance(lookup, with: reply, at: now)
        }
      }
    }
  }

  private func isLive(_ reference: ServiceReference) -> Bool {
    reference === browser || reference === registration
      || lookups.contains { $0.references.contains { $0 === reference } }
  }

  private func carriesLAN(_ interface: UInt32) -> Bool {
    if let known = interfaces[interface] { return known }
    let facts = InterfaceFacts.ofThisMachine().first { $0.index == interface }
    let carries = facts?.carriesLAN ?? false
    interfaces[interface] = carries
    return carries
  }
}

// MARK: - Look-ups

extension DiscoveryChild {
  private func advance(_ lookup: Lookup, with reply: ServiceReply, at now: UInt64) {
    switch reply {
    case .resolved(let host, let port, let txt):
      // The same answer may come twice; only the first starts questions.
      if lookup.facts != nil { return }
      lookup.facts = (port, txt)
      do throws(ServiceError) {
        lookup.ipv4 = try ServiceReference.query(host, .ipv4, interface: lookup.key.interface)
        lookup.ipv6 = try ServiceReference.query(host, .ipv6, interface: lookup.key.interface)
      } catch {
        return finish(lookup, at: now)
      }
      lookup.deadline = now + Lookup.addressMillisecondsMax
    case .address(let bytes, let interface):
      let scope = interface == 0 ? lookup.key.interface : interface
      guard let address = SightedAddress(record: bytes, interface: scope),
        lookup.add(address), let partial = lookup.sighting
      else { return }
      if lookup.hasBothFamilies { lookup.deadline = min(lookup.deadline, now + Lookup.calm) }
      if let news = table.learned(partial) { send(.found(news)) }
    case .failed: finish(lookup, at: now)
    case .advertised, .appeared, .disappeared: break
    }
  }

  private func finish(_ lookup: Lookup, at now: UInt64) {
    lookups.removeAll { $0 === lookup }
    if let news = table.finished(lookup.key, with: lookup.sighting, at: now) { send(.found(news)) }
  }
}

// MARK: - The channel

extension DiscoveryChild {
  /// Reads what the parent wrote.
  ///
  /// - Returns: The exit status if the child shall end.
  private func readCommands() -> Int32? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = unsafe read(channel, &buffer, buffer.count)
    if count < 0 { return errno == EINTR || errno == EAGAIN ? nil : 0 }
    if count == 0 { return 0 }
    var received: [DiscoveryCommand] = []
    do { try commands.receive(buffer[..<count], into: &received) } catch { return 70 }
    for command in received { obey(command, at: Self.now()) }
    return nil
  }

  private func obey(_ command: DiscoveryCommand, at now: UInt64) {
    switch command {
    case .advertise(let wanted):
      if wanted == advertisement { return }
      advertisement = wanted
      if browser == nil { return }
      do throws(ServiceError) {
        try advertise(at: now)
      } catch {
        disconnect(code: error.code, at: now)
      }
    case .refresh:
      // More than one a second brings nothing new.
      if browser == nil || now < lastRefresh + 1_000 { return }
      lastRefresh = now
      interfaces = [:]
      lookups = []
      table = SightingTable()
      browser = nil
      do throws(ServiceError) {
        browser = try ServiceReference.browse()
      } catch {
        disconnect(code: error.code, at: now)
      }
    }
  }

  private func send(_ event: DiscoveryEvent) {
    let frame = event.frame
    var start = 0
    while start < frame.count {
      let count = unsafe frame.withUnsafeBytes { bytes in
        unsafe write(channel, bytes.baseAddress! + start, bytes.count - start)
      }
      if count > 0 {
        start += count
      } else if count < 0 && errno != EINTR {
        isStopping = true
        return
      }
    }
  }
}

/// One row being looked up: first host, port and TXT, then the addresses of both families.
private final class Lookup {
  /// A resolve without answer, addresses without answer, and the pause for more of them.
  static let millisecondsMax: UInt64 = 10_000
  static let addressMillisecondsMax: UInt64 = 3_000
  static let calm: UInt64 = 200

  let key: SightingKey
  let resolve: ServiceReference
  var ipv4: ServiceReference?
  var ipv6: ServiceReference?
  var facts: (port: UInt16, txt: [UInt8])?
  var deadline: UInt64
  private var addresses: [SightedAddress] = []

  init(key: SightingKey, resolve: ServiceReference, deadline: UInt64) {
    self.key = key
    self.resolve = resolve
    self.deadline = deadline
  }

  var references: [ServiceReference] { [resolve, ipv4, ipv6].compactMap { $0 } }

  var hasBothFamilies: Bool {
    addresses.contains { $0.bytes.count == 4 } && addresses.contains { $0.bytes.count == 16 }
  }

  /// What is known so far; `nil` without an address.
  var sighting: Sighting? {
    guard let facts, !addresses.isEmpty else { return nil }
    return Sighting(key: key, port: facts.port, txt: facts.txt, addresses: addresses)
  }

  /// - Returns: Whether the address is new.
  func add(_ address: SightedAddress) -> Bool {
    if addresses.contains(address) || addresses.count == DiscoveryLimits.addressesMax {
      return false
    }
    addresses.append(address)
    return true
  }
}

private func earlier(_ a: UInt64?, _ b: UInt64?) -> UInt64? {
  guard let a, let b else { return a ?? b }
  return min(a, b)
}
