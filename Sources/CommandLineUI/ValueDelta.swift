// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ListModel
import ControlAPI

/// How far a number went, as people read it.
package enum ValueDelta {
  /// `▲ +0.70`, `▼ -2`, outside UTF-8 `+0.70`; `nil` unless both are numbers and they differ.
  package static func text(from old: Value?, to new: Value, hasUnicode: Bool) -> String? {
    guard let a = scaled(old), let b = scaled(new) else { return nil }
    let scale = max(a.scale, b.scale)
    guard let x = raise(a, to: scale), let y = raise(b, to: scale) else { return nil }
    let (difference, overflow) = y.subtractingReportingOverflow(x)
    guard !overflow, difference != 0 else { return nil }
    let text =
      ValueText.decimal(ValueText.decimalText(difference, scale)).map(ValueText.print) ?? ""
    if difference > 0 { return hasUnicode ? "▲ +\(text)" : "+\(text)" }
    return hasUnicode ? "▼ \(text)" : text
  }

  private static func scaled(_ value: Value?) -> (mantissa: Int64, scale: UInt8)? {
    switch value {
    case .int(let number)?: (number, 0)
    case .decimal(let mantissa, let scale)?: (mantissa, scale)
    default: nil
    }
  }

  private static func raise(_ number: (mantissa: Int64, scale: UInt8), to scale: UInt8) -> Int64? {
    var mantissa = number.mantissa
    for _ in number.scale..<scale {
      let (product, overflow) = mantissa.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      mantissa = product
    }
    return mantissa
  }
}
