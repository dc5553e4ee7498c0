// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CommandLineUI
import ControlAPI
import HTTPServer
import ListModel
import WebPages

/// Replies and problems as HTTP: JSON for programs, ready text for `hedge`.
enum Answer {
  static func reply(
    _ reply: Reply, _ context: RequestContext, _ place: NamedPlace, _ wall: WallTime
  ) -> HTTPReply {
    if let path = context.formPath {
      return HTTPReply(
        status: 303, contentType: "text/plain; charset=utf-8",
        headers: [HTTPReplyHeader("Location", path)])
    }
    guard let display = context.display else { return plain(reply, context, place) }
    var answer = split(Renderer(display, now: wall.milliseconds).render(reply), status: 200)
    if case .invite(let invite) = reply {
      answer.headers.append(HTTPReplyHeader(RequestContext.inviteHeader, invite.invite))
    }
    if case .result(let result) = reply {
      answer.headers.append(
        HTTPReplyHeader(RequestContext.changedHeader, "\(result.touched.count)"))
    }
    return answer
  }

  /// For clients that speak HTTP themselves.
  private static func plain(
    _ reply: Reply, _ context: RequestContext, _ place: NamedPlace
  ) -> HTTPReply {
    if case .exported(let export) = reply {
      let type =
        switch export.format {
        case .json: "application/json"
        case .csv: "text/csv; charset=utf-8"
        case .lines: "text/plain; charset=utf-8"
        }
      return HTTPReply(status: 200, contentType: type, body: export.bytes)
    }
    var headers = [HTTPReplyHeader("Cache-Control", "private, no-cache")]
    var status = 200
    let body = reply.json()
    let tag = Revisions.tag(reply, body)
    if let tag { headers.append(HTTPReplyHeader("ETag", "\"\(tag)\"")) }
    if case .result(let result) = reply {
      if let path = Revisions.made(result, at: place) {
        status = 201
        headers.append(HTTPReplyHeader("Location", path))
      }
    } else if let tag, EntityTag.matches(context.ifNoneMatch, tag) {
      return Revisions.unchanged(tag)
    }
    return HTTPReply(
      status: status, contentType: "application/json", headers: headers, body: body)
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
    if let path = context.formPath {
      let words = [problem.title, problem.detail].compactMap(\.self).joined(separator: ": ")
      return ListAgentService.html(problem.kind.status, WebPages.refused(words, backTo: path))
    }
    guard let display = context.display else { return plain(problem) }
    return split(Renderer(display, now: 0).render(problem), status: problem.kind.status)
  }

  /// A problem object, for clients that speak HTTP themselves.
  static func plain(_ problem: Problem) -> HTTPReply {
    var headers: [HTTPReplyHeader] = []
    switch problem.kind {
    case .notSignedIn:
      headers.append(HTTPReplyHeader("WWW-Authenticate", "Bearer realm=\"hedgerow\""))
    case .methodNotAllowed: headers.append(HTTPReplyHeader("Allow", problem.suggest ?? ""))
    case .tooMany, .busy: headers.append(HTTPReplyHeader("Retry-After", "1"))
    default: break
    }
    return HTTPReply(
      status: problem.kind.status, contentType: "application/problem+json", headers: headers,
      body: problem.json)
  }

  /// What the HTTP server refuses by itself, as a problem object.
  static func refusal(_ status: Int, _ words: String) -> HTTPReply {
    let kind: Problem.Kind =
      switch status {
      case 403: .notAllowed
      case 413: .tooLarge
      default: .malformed
      }
    return plain(Problem(kind, words))
  }

  // MARK: Events

  static func contentType(_ form: Watcher.Form) -> String {
    switch form {
    case .serverSent: "text/event-stream"
    case .lines: "application/x-ndjson"
    case .text: "text/plain; charset=utf-8"
    }
  }

  /// How long a browser waits before it connects again: milliseconds.
  static let retry = Array("retry: 2000\n".utf8)

  /// - Parameter hasID: Whether a browser that is cut off may go on behind it.
  static func event(_ event: Event, _ form: Watcher.Form, hasID: Bool = true) -> [UInt8] {
    switch form {
    case .serverSent:
      var json = JSONWriter()
      event.write(to: &json)
      let id = hasID ? "id: \(event.cursor)\n" : ""
      return Array("\(id)event: \(event.kind.rawValue)\ndata: ".utf8) + json.bytes + [10, 10]
    case .lines:
      var json = JSONWriter()
      event.write(to: &json)
      return json.bytes + [10]
    case .text(let display): return Renderer(display, now: event.at).render(event)
    }
  }
}
