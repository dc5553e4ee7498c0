// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import LANDiscovery
import WireCodec
import SystemServices
import EventLoop
import HTTPServer
import ListModel
import NodeEngine
import SQLiteStore

/// Carrying out what the engine and the service ask for, each in its order.
extension AgentLoop {
  func carryOut(_ effect: Effect) {
    switch effect {
    case .send(let frame, let link): send(frame, link)
    case .close(let link, let reason): closeLink(link, reason)
    case .dial(let link, let endpoint, let purpose): dial(link, endpoint, purpose)
    case .persist(let batch, let token): persist(batch, token)
    case .readLog(let request, let token): readLog(request, token)
    case .edited(let token, let result): take(.service(.edited(token: token, result)))
    // At once: what viewers are told goes to the disk in the batch that this very turn may send.
    case .changed(let events, let origin): stepService(.changed(events, origin))
    case .peersChanged: take(.service(.peersChanged))
    case .rosterChanged: take(.service(.rosterChanged))
    case .advertise(let tag): advertise(tag)
    case .pairing(let event): paired(event)
    case .amended(let token, let isDone):
      take(.service(.amended(token: token, isDone: isDone)))
    case .alarm(let alarm):
      log(.warning, "alarm", ["what": alarm.word])
      take(.service(.alarm(alarm)))
    }
  }

  private func paired(_ event: PairingEvent) {
    switch event {
    case .inviteOpened(_, let role): log(.notice, "invite.opened", ["role": "\(role)"])
    case .inviteRefused(let why): log(.notice, "invite.refused", ["why": "\(why)"])
    case .inviteClosed(_, let end): log(.notice, "invite.closed", ["why": "\(end)"])
    case .memberAdded(_, let device, _):
      log(.notice, "member.added", ["device": device.short])
    case .joined(let space, let inviter, _):
      log(.notice, "space.joined", ["space": space.short, "inviter": inviter.short])
    case .joinFailed(let failure): log(.notice, "join.failed", ["why": "\(failure)"])
    }
    take(.service(.pairing(event)))
  }

  func carryOut(_ order: ServiceOrder) {
    switch order {
    case .reply(let id, let reply): http.reply(to: id, reply)
    case .openStream(let id, let contentType, let headers):
      http.openStream(for: id, contentType: contentType, headers: headers)
    case .push(let id, let bytes):
      switch http.push(bytes, to: id) {
      case .accepted: break
      case .overflowed, .gone: take(.service(.clientLeft(id)))
      }
    case .endStream(let id): http.end(id)
    case .edit(let request): take(.engine(.edit(request)))
    case .engine(let input):
      if case .pause = input { isPaused = true }
      if case .resume = input { isPaused = false }
      take(.engine(input))
    case .setFixedPeers(let endpoints): setFixedPeers(endpoints)
    case .keep(let rows):
      rowsToKeep.append(contentsOf: rows)
      scheduleKeeping()
    case .keepEvents(let rows, let floor):
      eventsToKeep.append(contentsOf: rows)
      eventsFloor = floor ?? eventsFloor
      scheduleKeeping()
    case .runHooks(let document): hooks.append(document, after: stepAfter)
    case .tell(let who, let input): tell(who, input)
    case .setLANPage(let port): setLANPage(port: port)
    case .measureStore(let token): measureStore(token)
    case .readChanges(let token, let before, let limit): readChanges(token, before, limit)
    case .wakeAt(let moment): serviceDue = moment
    case .reload: reload()
    case .stop:
      // After this turn, so that the replies ordered with it go out first.
      Task { stop("request") }
    }
  }

  private func setFixedPeers(_ endpoints: [Endpoint]) {
    fixedPeers = endpoints
    rowsToKeep.append(
      LocalRow(kind: Self.fixedPeersKind, key: [], value: PeerRowCodec.encode(endpoints)))
    scheduleKeeping()
    take(.engine(.fixedEndpoints(endpoints)))
  }

  static var fixedPeersKind: String { "fixed-peers" }
  /// The service that this agent runs.
  static var serviceKinds: [String] { ListAgentService.keptKinds }
}

extension Alarm {
  /// A stable word for the log.
  var word: String {
    switch self {
    case .fork: "fork"
    case .cloned: "cloned"
    case .copied: "copied"
    case .setback: "setback"
    case .fingerprint: "fingerprint"
    case .invalidChange: "invalid-change"
    case .readerWrote: "reader-wrote"
    case .clockAhead: "clock-ahead"
    case .setAside: "set-aside"
    case .storage: "storage"
    }
  }
}

extension Bytes32 {
  /// Eight hex digits: enough to tell devices apart in a log.
  var short: String { String(String(a, radix: 16).prefix(8)) }
}
