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

/// Called by libFuzzer before it reads its corpus: puts the target's own examples into the folder that
/// `HEDGEROW_FUZZ_SEEDS` names. Without them most formats are never got into.
@_cdecl("LLVMFuzzerInitialize")
public func begin(
  _ count: UnsafeMutablePointer<CInt>?, _ words: UnsafeMutableRawPointer?
) -> CInt {
  guard let folder = unsafe getenv("HEDGEROW_FUZZ_SEEDS") else { return 0 }
  for (number, seed) in target.seeds.enumerated() {
    let path = unsafe String(cString: folder) + "/seed-\(number)"
    let file = unsafe fopen(path, "w")
    guard unsafe file != nil else { fatalError("cannot write \(path)") }
    _ = unsafe seed.withUnsafeBytes { unsafe fwrite($0.baseAddress, 1, $0.count, file) }
    unsafe fclose(file)
  }
  return 0
}

/// Called by libFuzzer for each input; a finding ends the process and keeps the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  if let finding = target.body(bytes) { fatalError("\(target.name): \(finding)") }
  return 0
}
