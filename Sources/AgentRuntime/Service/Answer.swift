// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CommandLineUI
import ControlAPI
import HTTPServer
import ListModel

/// Replies and problems as HTTP: JSON for programs, ready text for `hedge`.
enum Answer {
  static func reply(_ reply: Reply, _ context: RequestContext, _ wall: WallTime) -> HTTPReply {
    guard let display = context.display else { return plain(reply) }
    var answer = split(Renderer(display, now: wall.milliseconds).render(reply), status: 200)
    if case .invite(let invite) = reply {
      answer.headers.append(HTTPReplyHeader(RequestContext.inviteHeader, invite.invite))
    }
    return answer
  }

  /// For clients that speak HTTP themselves.
  private static func plain(_ reply: Reply) -> HTTPReply {
    if case .exported(let export) = reply {
      let type =
        switch export.format {
        case .json: "application/json"
        case .csv: "text/csv; charset=utf-8"
        case .lines: "text/plain; charset=utf-8"
        }
      return HTTPReply(status: 200, contentType: type, body: export.bytes)
    }
    var headers: [HTTPReplyHeader] = []
    if case .items(let page) = reply {
      headers.append(HTTPReplyHeader("ETag", "\"\(page.list.tag)\""))
    }
    return HTTPReply(
      status: 200, contentType: "application/json", headers: headers, body: reply.json())
  }

  /// What goes to standard output, and behind it what goes to standard error.
  private static func split(_ text: Rendered, status: Int) -> HTTPReply {
    HTTPReply(
      status: status, contentType: "text/plain; charset=utf-8",
      headers: [
        HTTPReplyHeader(RequestContext.exitHeader, "\(text.exit)"),
        HTTPReplyHeader(RequestContext.outHeader, "\(text.out.count)"),
      ], body: text.out + text.err)
  }

  static func reply(_ problem: Problem, _ context: RequestContext) -> HTTPReply {
    guard let display = context.display else {
      return HTTPReply(
        status: problem.kind.status, contentType: "application/problem+json", body: problem.json)
    }
    return split(Renderer(display, now: 0).render(problem), status: problem.kind.status)
  }

  // MARK: Events

  static func contentType(_ form: Watcher.Form) -> String {
    switch form {
    case .serverSent: "text/event-stream"
    case .lines: "application/x-ndjson"
    case .text: "text/plain; charset=utf-8"
    }
  }

  static func event(_ event: Event, _ form: Watcher.Form) -> [UInt8] {
    switch form {
    case .serverSent:
      var json = JSONWriter()
      event.write(to: &json)
      let head = "id: \(event.cursor)\nevent: \(event.kind.rawValue)\ndata: "
      return Array(head.utf8) + json.bytes + [10, 10]
    case .lines:
      var json = JSONWriter()
      event.write(to: &json)
      return json.bytes + [10]
    case .text(let display): return Renderer(display, now: event.at).render(event)
    }
  }
}
