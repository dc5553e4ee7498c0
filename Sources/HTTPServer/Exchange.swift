// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CMicroHTTPDShim

/// One request and its reply while they are under way: what libmicrohttpd holds as its context.
@safe final class Exchange {
  enum Answer {
    case whole(HTTPReply)
    case stream(contentType: String, headers: [HTTPReplyHeader])
  }

  enum Phase {
    /// Nothing but the request line is known.
    case begun
    /// The body comes in.
    case receiving
    /// Handed out, waits for an answer.
    case waiting
    /// The library sends the answer.
    case answering
  }

  static let swallowedBytesMax = 4 << 20

  let id: RequestID
  unowned let server: HTTPServer
  unowned let doorway: Doorway
  private let connection: OpaquePointer
  private let target: [UInt8]
  private var phase = Phase.begun
  private var method = HTTPMethod.other
  private var parsed: RequestTarget?
  private var bodyBytesMax = 0
  private var isTooLarge = false
  private var body: [UInt8] = []
  private var isSuspended = false
  private var watched: Int32?

  var answer: Answer?
  var pending: [UInt8] = []
  private var sentOfPending = 0
  /// No more pushes.
  var isFinished = false
  var hasLeft = false
  private(set) var wasHandedOut = false
  /// Everything that belonged to the answer was given to the library.
  private(set) var isComplete = false

  init(
    id: RequestID, server: HTTPServer, doorway: Doorway, connection: OpaquePointer,
    target: [UInt8]
  ) {
    (self.id, self.server, self.doorway, self.target) = (id, server, doorway, target)
    unsafe self.connection = connection
    doorway.reads(descriptor)
  }

  private var descriptor: Int32 { unsafe hm_connection_descriptor(connection) }

  var pendingBytes: Int { pending.count - sentOfPending }
  var isOpenStream: Bool {
    if case .stream = answer { !isFinished && !hasLeft } else { false }
  }

  /// The access handler: headers, then pieces of the body, then the whole, then after each resume.
  func step(method name: UnsafePointer<CChar>, upload: UnsafePointer<CChar>?, count: inout Int)
    -> MHD_Result
  {
    switch phase {
    case .begun:
      phase = .receiving
      unsafe method = HTTPMethod(rawValue: String(cString: name)) ?? .other
      return checkHead()
    case .receiving:
      if count > 0 {
        unsafe take(upload, count: &count)
        return .YES
      }
      return handOut()
    case .waiting: return answerOrWait()
    case .answering: return .YES
    }
  }

  // MARK: Reading

  /// Refuses at once what will be refused anyway, before its body is read.
  private func checkHead() -> MHD_Result {
    guard let parsed = RequestTarget(target) else {
      return queue(server.refusal(400, "the address of the request cannot be read"))
    }
    self.parsed = parsed
    bodyBytesMax = server.bodyLimit(method, parsed.path)
    let announced = unsafe MHD_lookup_connection_value(connection, .HEADER_KIND, "Content-Length")
    if let announced = unsafe announced {
      guard let count = unsafe Int(String(cString: announced)) else {
        return queue(server.refusal(400, "the length of the body cannot be read"))
      }
      // A client that is still sending may never read the refusal: a little more is swallowed.
      if count > bodyBytesMax + Self.swallowedBytesMax { return queue(tooLarge) }
      isTooLarge = count > bodyBytesMax
    }
    return .YES
  }

  private func take(_ upload: UnsafePointer<CChar>?, count: inout Int) {
    defer { count = 0 }
    guard let upload = unsafe upload, !isTooLarge else { return }
    if body.count + count > bodyBytesMax {
      isTooLarge = true
      body = []
    } else {
      unsafe body.append(contentsOf: UnsafeRawBufferPointer(start: upload, count: count))
    }
  }

  private var tooLarge: HTTPReply {
    server.refusal(413, "the body is larger than the \(bodyBytesMax) bytes that fit here")
  }

  private func handOut() -> MHD_Result {
    guard !isTooLarge else { return queue(tooLarge) }
    guard let door = doorway.door(of: descriptor) else {
      return queue(server.refusal(403, "this agent belongs to another user"))
    }
    // Set by `checkHead`, which lets nothing pass without it.
    guard let parsed else { return .NO }
    phase = .waiting
    doorway.works(descriptor)
    wasHandedOut = true
    var headers: [HTTPHeader: String] = [:]
    for header in HTTPHeader.allCases {
      let value = unsafe MHD_lookup_connection_value(connection, .HEADER_KIND, header.rawValue)
      if let value = unsafe value {
        headers[header] = unsafe String(cString: value)
      }
    }
    let taken = body
    body = []
    server.received(
      HTTPRequest(
        id: id, method: method, path: parsed.path, query: parsed.query, headers: headers,
        body: taken, door: door))
    return answerOrWait()
  }

  // MARK: Answering

  private func answerOrWait() -> MHD_Result {
    if hasLeft { return .NO }
    switch answer {
    case .whole(let reply):
      isComplete = true
      return queue(reply)
    case .stream(let contentType, let headers):
      return queueStream(contentType: contentType, headers: headers)
    case nil:
      suspend()
      return .YES
    }
  }

  private func queue(_ reply: HTTPReply) -> MHD_Result {
    phase = .answering
    stopWatching()
    let response = unsafe reply.body.withUnsafeBytes { raw in
      unsafe MHD_create_response_from_buffer(
        raw.count, UnsafeMutableRawPointer(mutating: raw.baseAddress), .RESPMEM_MUST_COPY)
    }
    return unsafe send(
      response, status: reply.status, contentType: reply.contentType, headers: reply.headers)
  }

  private func queueStream(contentType: String, headers: [HTTPReplyHeader]) -> MHD_Result {
    phase = .answering
    // The response keeps the exchange alive until the library frees it.
    let context = unsafe Unmanaged.passRetained(self).toOpaque()
    let response = unsafe MHD_create_response_from_callback(
      UInt64.max, 32 * 1024, readCallback, context, releaseCallback)
    if unsafe response == nil { unsafe releaseCallback(context) }
    return unsafe send(response, status: 200, contentType: contentType, headers: headers)
  }

  private func send(
    _ response: OpaquePointer?, status: Int, contentType: String, headers: [HTTPReplyHeader]
  ) -> MHD_Result {
    guard let response = unsafe response else { return .NO }
    defer { unsafe MHD_destroy_response(response) }
    unsafe _ = MHD_add_response_header(response, "Content-Type", contentType)
    unsafe _ = MHD_add_response_header(response, "X-Content-Type-Options", "nosniff")
    for header in doorway.headers + headers {
      unsafe _ = MHD_add_response_header(response, header.name, header.value)
    }
    return unsafe MHD_queue_response(connection, UInt32(clamping: status), response)
  }

  /// The content reader of a stream.
  func read(into target: UnsafeMutablePointer<CChar>, room: Int) -> Int {
    if hasLeft { return -2 }  // MHD_CONTENT_READER_END_WITH_ERROR
    guard pendingBytes > 0 else {
      if isFinished {
        isComplete = true
        return -1  // MHD_CONTENT_READER_END_OF_STREAM
      }
      suspend()
      return 0
    }
    let count = min(room, pendingBytes)
    unsafe pending.withUnsafeBytes { raw in
      // Not empty, so there is a base address.
      unsafe UnsafeMutableRawPointer(target).copyMemory(
        from: raw.baseAddress! + sentOfPending, byteCount: count)
    }
    sentOfPending += count
    if sentOfPending == pending.count {
      pending.removeAll(keepingCapacity: pending.capacity <= 64 * 1024)
      sentOfPending = 0
    }
    return count
  }

  // MARK: Waiting

  /// A suspended connection is not polled by the library: we watch for its end ourselves.
  private func suspend() {
    guard !isSuspended else { return }
    isSuspended = true
    if watched == nil {
      if hm_hub_add_client(server.hub, descriptor, id.number) == 0 { watched = descriptor }
    }
    unsafe MHD_suspend_connection(connection)
  }

  /// Lets the library call again, if it was told to wait.
  func wake() {
    guard isSuspended else { return }
    isSuspended = false
    unsafe MHD_resume_connection(connection)
  }

  /// The library is through with the request: the connection may carry another.
  func ended() {
    stopWatching()
    doorway.rests(descriptor)
  }

  /// Before the descriptor's number can be used again.
  func stopWatching() {
    guard let descriptor = watched else { return }
    hm_hub_remove(server.hub, descriptor)
    watched = nil
  }
}
