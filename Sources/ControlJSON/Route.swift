// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI

/// One route of the API: a method, a path with `{…}` for what varies, and what goes in and out.
package struct Route: Hashable, Sendable {
  /// One parameter of the query.
  package struct Parameter: Hashable, Sendable {
    package let name: String
    let schema: Schema
    /// May stand several times.
    let isList: Bool
    let isRequired: Bool

    static func one(_ name: String, _ schema: Schema = .string, isRequired: Bool = false) -> Self {
      Self(name: name, schema: schema, isList: false, isRequired: isRequired)
    }
    static func many(_ name: String, _ schema: Schema = .string) -> Self {
      Self(name: name, schema: schema, isList: true, isRequired: false)
    }
  }

  /// One possible answer.
  struct Answer: Hashable, Sendable {
    let status: Int
    let contentType: String
    /// Others that it may have instead, with bodies that no schema tells about.
    var otherTypes: [String] = []
    /// `nil` where there is no body, or one that no schema tells about.
    let schema: Schema?
  }

  package let method: String
  /// From the root: `/api/v1/lists/{list}/items`.
  package let path: String
  /// A name for generated clients.
  let name: String
  let summary: String
  let query: [Parameter]
  let body: Schema?
  let answers: [Answer]
  /// Answered without a credential.
  var isOpen = false

  init(
    _ method: String, _ path: String, _ name: String, _ summary: String,
    query: [Parameter] = [], body: Schema? = nil, _ answers: [Answer]
  ) {
    (self.method, self.path, self.name, self.summary) = (method, path, name, summary)
    (self.query, self.body, self.answers) = (query, body, answers)
  }

  fileprivate var parts: [Substring] {
    path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
  }

  /// Names of what varies in the path, in order.
  var pathNames: [String] {
    parts.filter { $0.first == "{" }.map { String($0.dropFirst().dropLast()) }
  }

  fileprivate func isAt(_ path: [String]) -> Bool {
    let parts = parts
    return parts.count == path.count
      && zip(parts, path).allSatisfy { part, given in
        part.first == "{" ? !given.isEmpty : part.utf8.elementsEqual(given.utf8)
      }
  }
}

extension RouteTable {
  /// What is at a method and path.
  package enum Place: Hashable, Sendable {
    case route(Route)
    /// Something is at the path, for these methods.
    case methods([String])
    case nothing
  }

  /// Looks a request up; `HEAD` is where `GET` is.
  package static func place(_ method: String, _ path: [String]) -> Place {
    let there = routes.filter { $0.isAt(path) }
    let wanted = sameBytes(method, "HEAD") ? "GET" : method
    // A fixed path stands before one that varies: `lists/{list}/trash` before `lists/{list}/{x}`.
    let fitting = there.filter { sameBytes($0.method, wanted) }
    if let route = fitting.min(by: { $0.pathNames.count < $1.pathNames.count }) {
      return .route(route)
    }
    guard !there.isEmpty else { return .nothing }
    var methods: [String] = []
    for route in there {
      for method in route.method == "GET" ? ["GET", "HEAD"] : [route.method]
      where !methods.contains(where: { sameBytes($0, method) }) {
        methods.append(method)
      }
    }
    return .methods(methods)
  }
}

/// What a JSON value looks like: as much of JSON Schema (2020-12) as the API needs.
indirect enum Schema: Hashable, Sendable {
  case string
  case pattern(String)
  case words([String])
  case int
  case atLeast(Int)
  case bool
  case time
  case null
  case anything
  /// May also be `null`.
  case optional(Schema)
  case array(Schema)
  /// Names with one kind of value.
  case map(Schema)
  case object([Field], isOpen: Bool)
  /// One of the shared schemas.
  case named(String)
  case any([Schema])

  struct Field: Hashable, Sendable {
    let name: String
    let schema: Schema
    let isRequired: Bool

    static func must(_ name: String, _ schema: Schema) -> Self {
      Self(name: name, schema: schema, isRequired: true)
    }
    static func may(_ name: String, _ schema: Schema) -> Self {
      Self(name: name, schema: schema, isRequired: false)
    }
  }

  func write(to json: inout JSONWriter) {
    json.beginObject()
    writeMembers(to: &json)
    json.endObject()
  }

  private func writeMembers(to json: inout JSONWriter) {
    switch self {
    case .string: json.member("type", "string")
    case .pattern(let pattern):
      json.member("type", "string")
      json.member("pattern", pattern)
    case .words(let words):
      json.member("type", "string")
      json.member("enum", strings: words)
    case .int: json.member("type", "integer")
    case .atLeast(let minimum):
      json.member("type", "integer")
      json.member("minimum", count: minimum)
      json.member("maximum", count: 1_000_000_000)
    case .bool: json.member("type", "boolean")
    case .time:
      json.member("type", "string")
      json.member("format", "date-time")
    case .null: json.member("type", "null")
    case .anything: break
    case .optional(let schema): Schema.any([schema, .null]).writeMembers(to: &json)
    case .array(let schema):
      json.member("type", "array")
      json.key("items")
      schema.write(to: &json)
    case .map(let schema):
      json.member("type", "object")
      json.key("additionalProperties")
      schema.write(to: &json)
    case .object(let fields, let isOpen): Self.write(fields, isOpen, to: &json)
    case .named(let name): json.member("$ref", "#/components/schemas/\(name)")
    case .any(let schemas):
      json.key("anyOf")
      json.beginArray()
      for schema in schemas { schema.write(to: &json) }
      json.endArray()
    }
  }

  private static func write(_ fields: [Field], _ isOpen: Bool, to json: inout JSONWriter) {
    json.member("type", "object")
    json.key("properties")
    json.beginObject()
    for field in fields {
      json.key(field.name)
      field.schema.write(to: &json)
    }
    json.endObject()
    let required = fields.filter(\.isRequired).map(\.name)
    if !required.isEmpty { json.member("required", strings: required) }
    // What is written must be known; what is read may grow within a version.
    if !isOpen { json.member("additionalProperties", bool: false) }
  }
}
