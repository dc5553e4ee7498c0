// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import Fuzzing
import Glibc
import Simulator

/// The target that `HEDGEROW_FUZZ_TARGET` names.
private let target: WireFuzz.Target = {
  let name = unsafe getenv("HEDGEROW_FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
  guard let target = FuzzTargets.named(name) else {
    fatalError("HEDGEROW_FUZZ_TARGET is one of \(FuzzTargets.all.map(\.name))")
  }
  return target
}()

/// Called by libFuzzer for each input; a finding ends the process and keeps the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  if let finding = target.body(bytes) { fatalError("\(target.name): \(finding)") }
  return 0
}
