// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import ControlAPI
import Foundation
import ListModel
import Testing

@testable import ControlJSON

@Suite struct RouteTableTests {
  private func parts(_ route: Route) -> [String] {
    route.path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
      $0.first == "{" ? "k7m" : String($0)
    }
  }

  /// A body that has what each route needs; fields that a route does not know are its own business.
  private func bodies(_ route: Route) -> [String] {
    [
      "{}", #"{"name":"a"}"#, #"{"text":"a"}"#, #"{"after":"top"}"#, #"{"ops":[]}"#,
      #"{"address":"h:1"}"#, #"{"code":"x"}"#, #"{"list":"@a"}"#, #"{"role":"reader"}"#,
      #"{"minutes":1}"#, #"{"role":"ro"}"#,
    ]
  }

  @Test(arguments: RouteTable.routes)
  func `every route of the table is one that the decoder reads`(route: Route) {
    var query: [RequestForm.QueryItem] = []
    for parameter in route.query where parameter.isRequired {
      query.append(.init(parameter.name, parameter.name == "format" ? "lines" : "h:1"))
    }
    var path = parts(route)
    if route.method == "PUT" { path[path.count - 1] = "0123456789abcdef00000000" }
    let answers = bodies(route).map { body -> Problem.Kind? in
      let form = RequestForm(
        route.method, path, query: query, body: Array(body.utf8), contentType: "application/json")
      do throws(Problem) {
        _ = try RequestDecoder.request(form)
        return nil
      } catch { return error.kind }
    }
    #expect(answers.contains(nil), "\(route.method) \(route.path): \(answers)")
  }

  @Test func `names, paths and schemas of the table are unique and complete`() throws {
    let names = RouteTable.routes.map(\.name)
    #expect(Set(names).count == names.count)
    let places = RouteTable.routes.map { "\($0.method) \($0.path)" }
    #expect(Set(places).count == places.count)
    let schemas = SchemaTable.all.map(\.name)
    #expect(Set(schemas).count == schemas.count)
    let text = String(decoding: OpenAPI.document, as: UTF8.self)
    for part in text.components(separatedBy: "#/components/schemas/").dropFirst() {
      let name = String(part.prefix { $0 != "\"" })
      #expect(schemas.contains(name), "no schema \(name)")
    }
  }

  @Test func `the document is JSON and has each route with what it takes`() throws {
    let document = try #require(
      JSONSerialization.jsonObject(with: Data(OpenAPI.document)) as? [String: Any])
    #expect(document["openapi"] as? String == "3.1.0")
    let paths = try #require(document["paths"] as? [String: [String: [String: Any]]])
    var count = 0
    for route in RouteTable.routes {
      let operation = try #require(paths[route.path]?[route.method.lowercased()])
      let parameters = try #require(operation["parameters"] as? [[String: Any]])
      #expect(
        parameters.compactMap { $0["name"] as? String }
          == route.pathNames + route.query.map(\.name))
      #expect((operation["requestBody"] != nil) == (route.body != nil))
      count += 1
    }
    #expect(count == paths.values.reduce(0) { $0 + $1.count })
  }

  @Test func `another method is told which there are, another path that it is none`() throws {
    let items = ["api", "v1", "lists", "gro", "items", "k7m"]
    #expect(RouteTable.place("POST", items) == .methods(["GET", "HEAD", "PUT", "PATCH", "DELETE"]))
    #expect(RouteTable.place("GET", ["api", "v1", "nowhere"]) == .nothing)
    #expect(RouteTable.place("GET", ["api", "v1", "lists", "", "items"]) == .nothing)
    guard case .route(let route) = RouteTable.place("HEAD", ["healthz"]) else {
      Issue.record("HEAD is where GET is")
      return
    }
    #expect(route.path == "/healthz")
    let problem = #expect(throws: Problem.self) {
      try RequestDecoder.request(RequestForm("TRACE", ["api", "v1", "lists"]))
    }
    #expect(problem?.kind == .methodNotAllowed && problem?.suggest == "GET, HEAD, POST")
    #expect(throws: Problem.self) { try RequestDecoder.request(RequestForm("GET", [""])) }
  }
}
