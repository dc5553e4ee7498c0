// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

/// Dates and moments of the proleptic Gregorian calendar as text, without a time zone database.
///
/// Source: the day-count algorithms of H. Hinnant, "chrono-Compatible Low-Level Date Algorithms".
public enum CivilTime {
  static let dayMilliseconds: Int64 = 86_400_000

  /// Year, month 1...12 and day 1...31 of a count of days since 1970-01-01.
  public static func date(ofDay day: Int64) -> (year: Int64, month: Int, day: Int) {
    let shifted = day + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (
      year + era * 400 + (month <= 2 ? 1 : 0), Int(month),
      Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    )
  }

  /// Days since 1970-01-01; `nil` for a day that the month does not have, or a year beyond 0...9999.
  public static func day(year: Int64, month: Int, day: Int) -> Int64? {
    guard (0...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= daysInMonth(year, month)
    else { return nil }
    let shiftedYear = month <= 2 ? year - 1 : year
    let era = floorDivide(shiftedYear, 400)
    let yearOfEra = shiftedYear - era * 400
    let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// Returns `2026-05-04` for a count of days since 1970-01-01.
  public static func text(ofDay day: Int64) -> String {
    let (year, month, dayOfMonth) = date(ofDay: day)
    return "\(padded(year, 4))-\(padded(Int64(month), 2))-\(padded(Int64(dayOfMonth), 2))"
  }

  /// Returns `2026-05-04T08:11:02Z`, with `.mmm` only where milliseconds are not zero.
  public static func rfc3339(_ milliseconds: Int64) -> String {
    let day = floorDivide(milliseconds, dayMilliseconds)
    let rest = milliseconds - day * dayMilliseconds
    let fraction = rest % 1000
    return text(ofDay: day) + "T" + clock(rest / 1000, seconds: true)
      + (fraction == 0 ? "Z" : ".\(padded(fraction, 3))Z")
  }

  /// Returns `14:03:22` or `14:03` of a count of seconds since midnight.
  static func clock(_ seconds: Int64, seconds withSeconds: Bool) -> String {
    let head = "\(padded(seconds / 3600, 2)):\(padded(seconds / 60 % 60, 2))"
    return withSeconds ? head + ":\(padded(seconds % 60, 2))" : head
  }

  /// Returns the local clock time `14:03:22` of a moment.
  /// - Parameter offsetMinutes: East of UTC.
  public static func localClock(
    _ milliseconds: Int64, offsetMinutes: Int, seconds: Bool
  ) -> String {
    let local = milliseconds + Int64(offsetMinutes) * 60_000
    let day = floorDivide(local, dayMilliseconds)
    return clock((local - day * dayMilliseconds) / 1000, seconds: seconds)
  }

  /// Returns the local `2026-05-04 14:03` of a moment.
  /// - Parameter offsetMinutes: East of UTC.
  public static func localDateAndClock(_ milliseconds: Int64, offsetMinutes: Int) -> String {
    let local = milliseconds + Int64(offsetMinutes) * 60_000
    return text(ofDay: floorDivide(local, dayMilliseconds)) + " "
      + localClock(milliseconds, offsetMinutes: offsetMinutes, seconds: false)
  }

  /// Reads `YYYY-MM-DD` exactly; `nil` for anything else.
  public static func day(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count == 10, bytes[4] == 0x2D, bytes[7] == 0x2D, let year = number(bytes[0..<4]),
      let month = number(bytes[5..<7]), let dayOfMonth = number(bytes[8..<10])
    else { return nil }
    return day(year: Int64(year), month: month, day: dayOfMonth)
  }

  /// Reads an RFC 3339 moment with any offset, up to milliseconds; seconds may be missing.
  ///
  /// A date alone is midnight UTC. A leap second is read as the second after.
  /// - Returns: Milliseconds since 1970, or `nil`.
  public static func moment(_ text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 10, let day = day(String(decoding: bytes[0..<10], as: UTF8.self)) else {
      return nil
    }
    if bytes.count == 10 { return day * dayMilliseconds }
    guard bytes.count >= 17, bytes[10] | 0x20 == 0x74 || bytes[10] == 0x20, bytes[13] == 0x3A,
      let hour = number(bytes[11..<13]), hour < 24, let minute = number(bytes[14..<16]), minute < 60
    else { return nil }
    var index = 16
    var second = 0
    var milliseconds = 0
    if bytes[index] == 0x3A {
      guard bytes.count > 19, let value = number(bytes[17..<19]), value <= 60 else { return nil }
      (second, index) = (value, 19)
      if bytes[index] == 0x2E {
        guard let (value, end) = fraction(bytes, from: index + 1) else { return nil }
        (milliseconds, index) = (value, end)
      }
    }
    guard let offset = offsetMinutes(bytes[index...]) else { return nil }
    let seconds = Int64(hour * 3600 + (minute - offset) * 60 + second)
    return day * dayMilliseconds + seconds * 1000 + Int64(milliseconds)
  }

  private static func fraction(_ bytes: [UInt8], from start: Int) -> (Int, Int)? {
    var index = start
    var value = 0
    while index < bytes.count, (0x30...0x39).contains(bytes[index]) {
      if index - start < 3 { value = value * 10 + Int(bytes[index] - 0x30) }
      index += 1
    }
    guard index > start, index < bytes.count else { return nil }
    for _ in min(index - start, 3)..<3 { value *= 10 }
    return (value, index)
  }

  private static func offsetMinutes(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard let first = bytes.first else { return nil }
    if bytes.count == 1 { return first | 0x20 == 0x7A ? 0 : nil }
    let start = bytes.startIndex
    guard bytes.count == 6, first == 0x2B || first == 0x2D, bytes[start + 3] == 0x3A,
      let hours = number(bytes[(start + 1)..<(start + 3)]), hours < 24,
      let minutes = number(bytes[(start + 4)..<(start + 6)]), minutes < 60
    else { return nil }
    return (hours * 60 + minutes) * (first == 0x2B ? 1 : -1)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      value = value * 10 + Int(digit - 0x30)
    }
    return value
  }

  private static func daysInMonth(_ year: Int64, _ month: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func floorDivide(_ a: Int64, _ b: Int64) -> Int64 {
    let quotient = a / b
    return a % b < 0 ? quotient - 1 : quotient
  }

  private static func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
