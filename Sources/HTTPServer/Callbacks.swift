// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CMicroHTTPDShim

// What libmicrohttpd calls, from inside `MHD_run` and `MHD_stop_daemon` only: on the loop's thread,
// while the server is alive. `context` is an unretained doorway; `*state` a retained exchange.

let beginCallback: hm_begin = { context, uri, connection in
  guard let context = unsafe context, let uri = unsafe uri, let connection = unsafe connection
  else { return nil }
  let doorway = unsafe Unmanaged<Doorway>.fromOpaque(context).takeUnretainedValue()
  var target: [UInt8] = []
  var next = unsafe uri
  while unsafe next.pointee != 0 {
    unsafe target.append(UInt8(bitPattern: next.pointee))
    unsafe next += 1
  }
  let exchange = unsafe doorway.server.begin(
    target: target, connection: connection, doorway: doorway)
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

let changedCallback: MHD_NotifyConnectionCallback = { context, connection, state, code in
  guard let context = unsafe context, let connection = unsafe connection else { return }
  let doorway = unsafe Unmanaged<Doorway>.fromOpaque(context).takeUnretainedValue()
  let descriptor = unsafe hm_connection_descriptor(connection)
  if code.rawValue == 0 {  // MHD_CONNECTION_NOTIFY_STARTED
    doorway.opened(descriptor)
  } else {
    doorway.closed(descriptor)
  }
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
