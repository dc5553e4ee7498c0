// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import EventLoop
import ListModel
import NodeEngine
import Roster
import Testing

@testable import AgentRuntime

/// Whole agents over real sockets and disks: the wiring, not the rules, which have their own tests.
@Suite struct TwoAgentTests {
  /// Starts two agents and pairs them by code.
  private func pair() async throws -> (ProbeAgent, ProbeAgent) {
    let (a, b) = (try ProbeAgent("study"), try ProbeAgent("den"))
    await a.order(.engine(.openInvite(.member)))
    var code: PairingCode?
    #expect(
      await eventually {
        for case .inviteOpened(let opened, _) in a.notes.withLock({ $0.pairing }) { code = opened }
        return code != nil
      })
    let at = try #require(await a.endpoint())
    await b.order(.engine(.join(try #require(code), at: [at])))
    #expect(
      await eventually {
        b.notes.withLock { $0.pairing.contains { if case .joined = $0 { true } else { false } } }
      })
    return (a, b)
  }

  private func edit(_ text: String) -> EditRequest {
    let row = NewRow([(FieldName.text, Value.text(Text(text)))])
    return EditRequest(token: 1, edits: [.create([row], parent: .root, at: .bottom)])
  }

  private func isInSync(_ agent: ProbeAgent) async -> Bool {
    let now = await agent.loop.now
    let peers = await agent.loop.engine.peerStatuses(at: now)
    return peers.count == 1 && peers[0].state == .inSync
  }

  private func areInSync(_ a: ProbeAgent, _ b: ProbeAgent) async -> Bool {
    await eventually {
      let one = await isInSync(a)
      let other = await isInSync(b)
      return one && other
    }
  }

  @Test func `two agents pair by code, an edit on one arrives on the other`() async throws {
    let (a, b) = try await pair()
    #expect(await areInSync(a, b))
    #expect(await a.loop.facts.interfaces.values.contains("lo"))
    await a.order(.edit(edit("milk")))
    #expect(await eventually { a.notes.withLock { $0.edited.count == 1 } })
    #expect(await eventually { b.notes.withLock { !$0.changed.isEmpty } })
    await b.order(.edit(edit("eggs")))
    #expect(await eventually { await a.loop.engine.replica.itemCount == 2 })
    #expect(await a.stop())
    #expect(await b.stop())
  }

  @Test func `an agent that starts again has its data and finds its peer`() async throws {
    let (a, b) = try await pair()
    #expect(await areInSync(a, b))
    #expect(await b.stop())
    await a.order(.edit(edit("milk")))
    #expect(await eventually { a.notes.withLock { $0.edited.count == 1 } })
    // The other one remembers where it met its peer, and asks for what it missed.
    let again = try ProbeAgent("den", directory: b.directory)
    #expect(await eventually { await again.loop.engine.replica.itemCount == 1 })
    #expect(await a.stop())
    #expect(await again.stop())
    let later = try ProbeAgent("den", directory: b.directory)
    #expect(await later.loop.engine.replica.itemCount == 1)
    #expect(await later.stop())
  }

  @Test func `data in use is refused with the pid of the user`() async throws {
    let a = try ProbeAgent("study")
    let failure = #expect(throws: StartFailure.self) {
      try ProbeAgent("twin", directory: a.directory)
    }
    #expect(failure?.exit == .locked)
    #expect(await a.stop())
  }
}
