// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import EventLoop
import HTTPServer
import LANDiscovery
import OpenSSLCrypto
import SystemServices

/// The page for other devices of the LAN: TLS with a certificate of its own, closed by default.
extension AgentLoop {
  /// Opens or closes the page, and tells the service how that went.
  func setLANPage(port: UInt16?) {
    lanPort = port
    guard port != nil else {
      http.closeDoors(.lan)
      lanPage = nil
      log(.notice, "lan-page.off")
      return take(.service(.lanPageSet(why: nil)))
    }
    take(.service(.lanPageSet(why: openLANPage())))
  }

  /// Opens the page that is wanted and not there, and looks which addresses it has now.
  /// - Returns: Why that is not possible.
  @discardableResult
  func openLANPage() -> String? {
    guard let wanted = lanPort else { return nil }
    if let page = lanPage {
      lanPage = describe(port: page.port, fingerprint: page.fingerprint)
      return nil
    }
    do throws(StartFailure) {
      let certificate = try certificate()
      let port = try listenForPage(wanted, certificate)
      lanPage = describe(port: port, fingerprint: certificate.fingerprint)
      log(.notice, "lan-page.on", ["port": "\(port)"])
      return nil
    } catch {
      log(.warning, "lan-page.failed", ["why": error.message])
      return error.message
    }
  }

  private func certificate() throws(StartFailure) -> PageCertificate {
    do {
      return try PageCertificate.open(
        options.stateDirectory + "/page.pem", hostName: AgentOptions.hostName())
    } catch { throw StartFailure(error) }
  }

  /// Binds all that peers are listened for on. The first one decides the port.
  private func listenForPage(
    _ wanted: UInt16, _ certificate: PageCertificate
  ) throws(StartFailure) -> UInt16 {
    var bound: UInt16?
    var failure: SystemError?
    for address in pageAddresses(port: wanted) {
      do {
        var opened: (fd: Int32, port: UInt16)
        do { opened = try PageListener.open(address.with(port: bound ?? wanted)) } catch {
          // Its port belongs to somebody else: any does, `hedge web` tells it.
          guard bound == nil, case .inUse = error.code else { throw error }
          opened = try PageListener.open(address.with(port: 0))
        }
        guard
          http.serve(
            listener: opened.fd, .lan, headers: WebGuard.headers, pem: certificate.pem)
        else { throw StartFailure(.internalError, "the HTTP server refuses our certificate") }
        bound = bound ?? opened.port
      } catch let error as SystemError {
        failure = error
      } catch {
        http.closeDoors(.lan)
        throw StartFailure(.internalError, "\(error)")
      }
    }
    guard let bound else {
      throw failure.map { StartFailure($0) } ?? StartFailure(.internalError, "no address to bind")
    }
    return bound
  }

  private func pageAddresses(port: UInt16) -> [SocketAddress] {
    options.bind.isEmpty
      ? [.anyV4(port: port), .anyV6(port: port)]
      : options.bind.compactMap { SocketAddress(host: $0, port: port) }
  }

  private func describe(port: UInt16, fingerprint: String) -> LANPage {
    let own = OwnAddresses.all()
    let name = AgentOptions.hostName().split(separator: ".").first.map { $0.lowercased() }
    var hosts = own.map { $0.address.with(port: port).description }
    for name in ["localhost", name, name.map { $0 + ".local" }].compactMap(\.self) {
      hosts.append("\(name):\(port)")
    }
    if port == 443 { hosts += hosts.map { String($0.dropLast(4)) } }
    return LANPage(
      port: port, fingerprint: fingerprint, hosts: hosts,
      host: best(own).with(port: port).description)
  }

  /// The address that other devices most likely reach: what `--bind` names, else an address of an
  /// interface that carries a LAN, IPv4 first because it is short.
  private func best(
    _ own: [(address: SocketAddress, interface: String)]
  ) -> SocketAddress {
    let bound = pageAddresses(port: 0).first { address in own.contains { $0.address == address } }
    if let bound { return bound }
    let carriers = InterfaceFacts.ofThisMachine().filter(\.carriesLAN).map(\.name)
    let reachable = own.filter { carriers.contains(Array($0.interface.utf8)) }.map(\.address)
    return reachable.first { $0.ip.count == 4 } ?? reachable.first ?? .loopback(port: 0)
  }
}

extension SocketAddress {
  /// The same address with another port.
  fileprivate func with(port: UInt16) -> SocketAddress {
    // Made of an address, so it is one.
    SocketAddress(ip: ip, port: port, scope: scope) ?? self
  }
}
