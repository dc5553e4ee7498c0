// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import HTTPServer
import ListModel

/// Replies and problems as HTTP: JSON for programs, ready text for `hedge`.
enum Answer {
  static func reply(_ reply: Reply, _ context: RequestContext, _ wall: WallTime) -> HTTPReply {
    guard let display = context.display else { return plain(reply) }
    if case .exported(let export) = reply {
      return split(
        export.bytes, export.lossNote.map { Array("note: \($0)\n".utf8) } ?? [], reply.exit)
    }
    if display.isJSON { return split(reply.json(), [], reply.exit) }
    let text = ReplyText.render(reply, display, now: wall.milliseconds)
    return split(text.out, text.err, reply.exit)
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
  private static func split(_ out: [UInt8], _ err: [UInt8], _ exit: Int) -> HTTPReply {
    HTTPReply(
      status: 200, contentType: "text/plain; charset=utf-8",
      headers: [
        HTTPReplyHeader(RequestContext.exitHeader, "\(exit)"),
        HTTPReplyHeader(RequestContext.outHeader, "\(out.count)"),
      ], body: out + err)
  }

  static func reply(_ problem: Problem, _ context: RequestContext) -> HTTPReply {
    guard let display = context.display else {
      return HTTPReply(
        status: problem.kind.status, contentType: "application/problem+json", body: problem.json)
    }
    let body = display.isJSON ? problem.json + [10] : ReplyText.render(problem, display)
    return HTTPReply(
      status: problem.kind.status, contentType: "text/plain; charset=utf-8",
      headers: [
        HTTPReplyHeader(RequestContext.exitHeader, "\(problem.kind.exit)"),
        HTTPReplyHeader(RequestContext.outHeader, "0"),
      ], body: body)
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
    case .text(let display): return ReplyText.render(event, display)
    }
  }
}
