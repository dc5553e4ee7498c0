// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CMicroHTTPDShim

// What libmicrohttpd calls, from inside `MHD_run` and `MHD_stop_daemon` only: on the loop's thread,
// while the server is alive. `context` is the unretained server; `*state` a retained exchange.

let beginCallback: hm_begin = { context, uri, connection in
  guard let context = unsafe context, let uri = unsafe uri, let connection = unsafe connection
  else { return nil }
  let server = unsafe Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
  var target: [UInt8] = []
  var next = unsafe uri
  while unsafe next.pointee != 0 {
    unsafe target.append(UInt8(bitPattern: next.pointee))
    unsafe next += 1
  }
  let exchange = unsafe server.begin(target: target, connection: connection)
  return unsafe Unmanaged.passRetained(exchange).toOpaque()
}

let accessCallback: MHD_AccessHandlerCallback = {
  context, connection, url, method, version, upload, uploadCount, state in
  guard let raw = unsafe state?.pointee, let method = unsafe method,
    let uploadCount = unsafe uploadCount
  else { return .NO }
  let exchange = unsafe Unmanaged<Exchange>.fromOpaque(raw).takeUnretainedValue()
  return unsafe exchange.step(method: method, upload: upload, count: &uploadCount.pointee)
}

let doneCallback: MHD_RequestCompletedCallback = { context, connection, state, code in
  guard let raw = unsafe state?.pointee else { return }
  unsafe state?.pointee = nil
  let exchange = unsafe Unmanaged<Exchange>.fromOpaque(raw).takeRetainedValue()
  exchange.server.finished(exchange)
}

let readCallback: MHD_ContentReaderCallback = { context, position, target, room in
  guard let context = unsafe context, let target = unsafe target else { return -2 }
  let exchange = unsafe Unmanaged<Exchange>.fromOpaque(context).takeUnretainedValue()
  return unsafe exchange.read(into: target, room: room)
}

let releaseCallback: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
  guard let context = unsafe context else { return }
  unsafe Unmanaged<Exchange>.fromOpaque(context).release()
}
