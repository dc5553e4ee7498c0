// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

import CommandLineUI
import ControlAPI
import Glibc

/// What the program knows of the terminal and the environment around it.
enum Terminal {
  static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  /// The form of replies: flags, then the environment, then what standard output is.
  static func display(_ options: GlobalOptions, isError: Bool = false) -> Display {
    let descriptor = isError ? STDERR_FILENO : STDOUT_FILENO
    let isTerminal = isatty(descriptor) == 1
    var display = Display(.plain, width: 0)
    if let version = options.json {
      display.format = .json(version: version)
    } else if isTerminal && !options.isPlain {
      display.format = .table
      display.width = width(descriptor)
    }
    display.hasColor = hasColor(options.color, isTerminal)
    display.hasUnicode = hasUnicode
    display.isAbsolute = options.isAbsolute
    display.isQuiet = options.isQuiet
    display.isVerbose = options.isVerbose
    if isTerminal { display.utcOffsetMinutes = utcOffsetMinutes() }
    return display
  }

  private static func hasColor(_ choice: GlobalOptions.ColorChoice, _ isTerminal: Bool) -> Bool {
    switch choice {
    case .always: return true
    case .never: return false
    case .auto:
      if variable("NO_COLOR") != nil { return false }
      if variable("CLICOLOR_FORCE") != nil { return true }
      return isTerminal && variable("TERM") != nil && variable("TERM") != "dumb"
    }
  }

  private static var hasUnicode: Bool {
    let name = variable("LC_ALL") ?? variable("LC_CTYPE") ?? variable("LANG") ?? ""
    let lower = name.lowercased()
    return lower.contains("utf-8") || lower.contains("utf8")
  }

  private static func width(_ descriptor: Int32) -> Int {
    var size = winsize()
    if unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
      return min(max(Int(size.ws_col), 20), 1000)
    }
    return variable("COLUMNS").flatMap { Int($0) } ?? 80
  }

  private static func utcOffsetMinutes() -> Int {
    var now = time(nil)
    var local = unsafe tm()
    guard unsafe localtime_r(&now, &local) != nil else { return 0 }
    return unsafe local.tm_gmtoff / 60
  }

  private static func localNow() -> tm {
    var now = time(nil)
    var local = unsafe tm()
    unsafe localtime_r(&now, &local)
    return unsafe local
  }

  /// `May 4, 2026`, as manual pages are dated.
  static func longDate() -> String {
    let months = [
      "January", "February", "March", "April", "May", "June", "July", "August", "September",
      "October", "November", "December",
    ]
    let local = unsafe localNow()
    return unsafe "\(months[Int(local.tm_mon)]) \(local.tm_mday), \(Int(local.tm_year) + 1900)"
  }

  /// Today and the clock of the zone that this machine is in.
  static var calendar: LocalCalendar {
    let local = unsafe localNow()
    let today = unsafe CivilTime.day(
      year: Int64(local.tm_year) + 1900, month: Int(local.tm_mon) + 1, day: Int(local.tm_mday))
    return LocalCalendar(today: today ?? 0) { day, second in
      let (year, month, dayOfMonth) = CivilTime.date(ofDay: day)
      var wanted = unsafe tm()
      unsafe wanted.tm_year = Int32(clamping: year - 1900)
      unsafe wanted.tm_mon = Int32(month - 1)
      unsafe wanted.tm_mday = Int32(dayOfMonth)
      unsafe wanted.tm_hour = Int32(second / 3600)
      unsafe wanted.tm_min = Int32(second / 60 % 60)
      unsafe wanted.tm_sec = Int32(second % 60)
      // The zone says whether it is summer then.
      unsafe wanted.tm_isdst = -1
      let moment = unsafe mktime(&wanted)
      return unsafe moment == -1 && wanted.tm_year != 69 ? nil : Int64(moment) * 1000
    }
  }

  /// A variable whose value goes into a header of a request.
  /// - Throws: `usage` for a value that no header may hold, or that is longer than 64 characters.
  static func headerVariable(_ name: String) throws(Problem) -> String? {
    guard let value = variable(name) else { return nil }
    guard value.utf8.count <= 64, value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Problem(
        .usage, "\(name) is no name",
        detail: "1 to 64 letters, digits and signs of ASCII, without spaces")
    }
    return value
  }

  /// Names the terminal for the agent's memory of shown numbers; `nil` without one.
  static func name() throws(Problem) -> String? {
    if let given = try headerVariable("HEDGE_TERMINAL") { return given }
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where isatty(descriptor) == 1 {
      var facts = stat()
      if unsafe fstat(descriptor, &facts) == 0 { return "tty-\(facts.st_rdev)-\(getsid(0))" }
    }
    return nil
  }

  /// Whether a question can be asked: both ends are a person's.
  static var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Asks on standard error and reads one line; `nil` at the end of input.
  static func ask(_ question: String) -> String? {
    Output.write(Array(question.utf8), to: STDERR_FILENO)
    return readLine()
  }

  /// All of standard input.
  static func input() -> [UInt8] {
    var out: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return out }
      out += buffer[..<count]
    }
  }
}
