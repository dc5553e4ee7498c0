// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI

/// The route table as an OpenAPI 3.1 document: `GET /api/v1/openapi.json`.
package enum OpenAPI {
  /// The document.
  /// - Complexity: O(bytes written).
  package static var document: [UInt8] {
    var json = JSONWriter(capacity: 64 * 1024)
    json.beginObject()
    json.member("openapi", "3.1.0")
    json.key("info")
    json.beginObject()
    json.member("title", "hedgerow local API")
    json.member("version", ProductVersion.text)
    json.member("description", "Shared ordered lists of this machine's agent.")
    json.endObject()
    json.key("security")
    json.beginArray()
    for name in ["token", "page"] {
      json.beginObject()
      json.member(name, strings: [])
      json.endObject()
    }
    json.endArray()
    writePaths(to: &json)
    writeComponents(to: &json)
    json.endObject()
    json.endLine()
    return json.bytes
  }

  private static func writePaths(to json: inout JSONWriter) {
    json.key("paths")
    json.beginObject()
    var paths: [String] = []
    for route in RouteTable.routes where !paths.contains(where: { sameBytes($0, route.path) }) {
      paths.append(route.path)
    }
    for path in paths {
      json.key(path)
      json.beginObject()
      for route in RouteTable.routes where sameBytes(route.path, path) {
        json.key(route.method.lowercased())
        write(route, to: &json)
      }
      json.endObject()
    }
    json.endObject()
  }

  private static func write(_ route: Route, to json: inout JSONWriter) {
    json.beginObject()
    json.member("operationId", route.name)
    json.member("summary", route.summary)
    if route.isOpen { json.member("security", strings: []) }
    json.key("parameters")
    json.beginArray()
    for name in route.pathNames {
      parameter(name, "path", isRequired: true, .string, isList: false, to: &json)
    }
    for query in route.query {
      parameter(
        query.name, "query", isRequired: query.isRequired, query.schema, isList: query.isList,
        to: &json)
    }
    json.endArray()
    if let body = route.body {
      json.key("requestBody")
      json.beginObject()
      json.member("required", bool: body != .named("nothing"))
      content("application/json", body, to: &json)
      json.endObject()
    }
    json.key("responses")
    json.beginObject()
    for answer in route.answers {
      json.key(String(answer.status))
      json.beginObject()
      json.member("description", answer.status < 300 ? route.summary : "not changed")
      if answer.schema != nil || !answer.contentType.isEmpty {
        content([answer.contentType] + answer.otherTypes, answer.schema, to: &json)
      }
      json.endObject()
    }
    json.key("4XX")
    json.beginObject()
    json.member("description", "refused: what is wrong, and what would be right")
    content("application/problem+json", .named("problem"), to: &json)
    json.endObject()
    json.key("5XX")
    json.beginObject()
    json.member("description", "not possible now: the disk, the network, or time")
    content("application/problem+json", .named("problem"), to: &json)
    json.endObject()
    json.endObject()
    json.endObject()
  }

  private static func parameter(
    _ name: String, _ place: String, isRequired: Bool, _ schema: Schema, isList: Bool,
    to json: inout JSONWriter
  ) {
    json.beginObject()
    json.member("name", name)
    json.member("in", place)
    if isRequired { json.member("required", bool: true) }
    json.key("schema")
    (isList ? Schema.array(schema) : schema).write(to: &json)
    json.endObject()
  }

  private static func content(_ type: String, _ schema: Schema?, to json: inout JSONWriter) {
    content([type], schema, to: &json)
  }

  /// The schema belongs to the first of the types.
  private static func content(_ types: [String], _ schema: Schema?, to json: inout JSONWriter) {
    json.key("content")
    json.beginObject()
    for (index, type) in types.enumerated() {
      json.key(type)
      json.beginObject()
      if index == 0, let schema {
        json.key("schema")
        schema.write(to: &json)
      }
      json.endObject()
    }
    json.endObject()
  }

  private static func writeComponents(to json: inout JSONWriter) {
    json.key("components")
    json.beginObject()
    json.key("schemas")
    json.beginObject()
    for (name, schema) in SchemaTable.all {
      json.key(name)
      schema.write(to: &json)
    }
    json.endObject()
    json.key("securitySchemes")
    json.beginObject()
    json.key("token")
    json.beginObject()
    json.member("type", "http")
    json.member("scheme", "bearer")
    json.endObject()
    json.key("page")
    json.beginObject()
    json.member("type", "apiKey")
    json.member("in", "cookie")
    json.member("name", "hedge-7643")
    json.endObject()
    json.endObject()
    json.endObject()
  }
}
