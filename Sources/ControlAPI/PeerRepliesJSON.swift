// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

extension PeerRow {
  static func write(_ peers: [PeerRow], to json: inout JSONWriter) {
    json.key("peers")
    json.beginArray()
    for peer in peers { peer.write(to: &json) }
    json.endArray()
  }

  private func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("name", name)
    json.member("device", device)
    json.member("state", state.rawValue)
    json.member("address", address)
    json.member("interface", interface)
    json.member("via", via)
    json.key("rtt_ms")
    if let rttMicroseconds {
      json.raw(ValueText.decimalText(rttMicroseconds, 3))
    } else {
      json.null()
    }
    json.member("to_send", int: toSend)
    json.member("to_get", int: toGet)
    json.member("last_contact", time: lastContact)
    json.member("role", role)
    json.member("version", version)
    json.key("clock_offset_s")
    if let clockOffsetMilliseconds {
      json.raw(ValueText.decimalText(clockOffsetMilliseconds, 3))
    } else {
      json.null()
    }
    json.endObject()
  }
}

extension StatusReply {
  func write(to json: inout JSONWriter) {
    json.member("device", deviceGroups)
    json.member("device_id", device)
    json.member("name", name)
    json.member("space", space)
    json.key("agent")
    json.beginObject()
    json.member("version", version)
    json.member("uptime_s", int: uptimeSeconds)
    json.member("paused", bool: isPaused)
    json.endObject()
    json.member("web", web)
    json.member("lan", lan?.url)
    json.member("certificate", lan?.fingerprint)
    json.member("changes_on", count: changesOn)
    json.member("all_arrived", bool: hasAllArrived)
    PeerRow.write(peers, to: &json)
    json.member("recovered", count: recoveredCount)
    json.member("merge_decisions", count: mergeDecisionCount)
    json.key("warnings")
    json.beginArray()
    for warning in warnings {
      json.beginObject()
      json.member("code", warning.code.rawValue)
      json.member("text", warning.text)
      json.endObject()
    }
    json.endArray()
  }
}

extension InviteReply {
  func write(to json: inout JSONWriter) {
    json.member("invite", invite)
    json.member("code", code)
    json.member("expires", time: expires)
    json.member("role", role)
    json.member("name", deviceName)
    json.member("device", deviceGroups)
  }
}

extension JoinReply {
  func write(to json: inout JSONWriter) {
    json.member("space", space)
    json.key("inviter")
    json.beginObject()
    json.member("name", inviterName)
    json.member("device", inviterGroups)
    json.member("address", address)
    json.endObject()
    json.member("name", deviceName)
    json.member("device", deviceGroups)
    json.member("members", strings: members)
    json.member("lists", count: listCount)
    json.member("items", count: itemCount)
  }
}

extension VersionReply {
  func write(to json: inout JSONWriter) {
    json.member("version", version)
    json.member("program", program)
    json.member("protocol", int: protocolVersion.map(Int64.init))
    json.member("store", int: storeVersion.map(Int64.init))
    json.key("libraries")
    json.beginObject()
    for library in libraries { json.member(library.name, library.version) }
    json.endObject()
  }
}

extension AgentReply {
  func write(to json: inout JSONWriter) {
    json.member("pid", int: Int64(processID))
    json.member("version", version)
    json.member("uptime_s", int: uptimeSeconds)
    json.member("data", dataDirectory)
    json.member("socket", socket)
    json.member("peer_port", int: peerPort.map(Int64.init))
    json.member("memory_bytes", int: memoryBytes)
    json.member("paused", bool: isPaused)
  }
}
