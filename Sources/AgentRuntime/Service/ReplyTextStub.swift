// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI

enum ReplyText {
  static func render(_ reply: Reply, _ display: Display, now: Int64) -> (out: [UInt8], err: [UInt8])
  {
    (reply.json(), [])
  }
  static func render(_ problem: Problem, _ display: Display) -> [UInt8] { problem.json + [10] }
  static func render(_ event: Event, _ display: Display) -> [UInt8] {
    var json = JSONWriter()
    event.write(to: &json)
    return json.bytes + [10]
  }
}
