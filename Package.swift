// swift-tools-version: 6.2
import PackageDescription

// One array of settings for every Swift target: the house has one dialect.
let house: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .define("CHECKED", .when(configuration: .debug)),
]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: house)
}

func program(
  _ name: String, _ dependencies: [Target.Dependency], linker: [LinkerSetting] = []
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, swiftSettings: house, linkerSettings: linker)
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = [],
  exclude: [String] = []
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, exclude: exclude, resources: resources,
    swiftSettings: house)
}

// Layer 0: pure values. No clock, no randomness of their own, no system module.
let pure: [Target] = [
  library("ListModel"),
  library("WireCodec", ["ListModel"]),
  library("Roster", ["ListModel", "WireCodec"]),
  library("NodeEngine", ["ListModel", "WireCodec", "Roster"]),
  library("ControlAPI", ["ListModel"]),
  library("ListFormats", ["ListModel"]),
  library("CommandLineUI", ["ControlAPI", "ListModel"]),
  library("ListService", ["ListModel", "ControlAPI", "ListFormats"]),
  library("LiveView", ["ControlAPI", "ListFormats", "ListModel", "CommandLineUI"]),
  .target(
    name: "WebPages", dependencies: ["ListModel", "ControlAPI"], exclude: ["Assets"],
    swiftSettings: house),
]

// Layer 1: adapters. Each knows one library or one part of the system, none knows the engine.
let adapters: [Target] = [
  library("ControlJSON", ["ControlAPI", "ListFormats", "ListModel"]),
  library("SQLiteStore", ["ListModel", "CSQLite"]),
  library("OpenSSLCrypto", ["WireCodec", "COpenSSLShim"]),
  library("ZstdPacking", ["WireCodec", "CZstd"]),
  library("LANDiscovery", ["CDNSSD"]),
  library("HTTPServer", ["CMicroHTTPDShim"]),
  library("EventLoop", ["CSystemShim"]),
  library("SystemServices", ["CSystemd", "CDesktopShim"]),
  library("QRCodes", ["CQREncode"]),
  library("AgentClient", ["ControlAPI"]),
  library("TerminalView", ["LiveView", "CNcursesShim"]),
]

// Layer 2 and 3: the shell, where all of it meets, and the mains.
let shell: [Target] = [
  library(
    "AgentRuntime",
    [
      "ListModel", "WireCodec", "Roster", "NodeEngine", "ControlAPI", "ControlJSON", "ListFormats",
      "ListService",
      "CommandLineUI", "SQLiteStore", "OpenSSLCrypto", "ZstdPacking", "LANDiscovery", "HTTPServer",
      "EventLoop", "SystemServices", "QRCodes", "WebPages", "CSystemShim",
    ]),
  program("hedged", ["AgentRuntime"]),
  program(
    "hedge",
    ["AgentClient", "CommandLineUI", "ControlAPI", "ListFormats", "ListModel", "CSystemShim"],
    linker: [.unsafeFlags(["-static-executable"], .when(configuration: .release))]),
  program("hedge-tui", ["AgentClient", "ControlAPI", "LiveView", "TerminalView", "CSystemShim"]),
]

// The workshop: never linked into the product.
let workshop: [Target] = [
  library("Workbench", ["ListModel"]),
  library("FormatVectors", ["ListModel", "Workbench"]),
  library("Simulator", ["Workbench", "ListModel", "WireCodec", "Roster", "NodeEngine"]),
  library(
    "Fuzzing",
    [
      "Simulator", "Workbench", "ListModel", "NodeEngine", "ListFormats", "ControlAPI",
      "ControlJSON", "CommandLineUI", "LANDiscovery", "OpenSSLCrypto",
    ]),
  program(
    "dev",
    [
      "Fuzzing", "FormatVectors", "Workbench", "Simulator", "ListModel", "WireCodec", "Roster",
      "NodeEngine",
      "SQLiteStore", "OpenSSLCrypto",
      "ZstdPacking", "ControlAPI", "CommandLineUI", "ListFormats",
    ]),
]

// The coverage-guided fuzzer: only in builds that ask for it, because all modules are instrumented
// then and its `main` comes from the toolchain.
let fuzzer: [Target] =
  Context.environment["HEDGEROW_FUZZER"] == nil
  ? [] : [.target(name: "CFuzzer"), program("fuzzer", ["Fuzzing", "Simulator", "CFuzzer"])]

let c: [Target] = [
  .target(name: "COpenSSLShim", linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
  .target(name: "CMicroHTTPDShim", linkerSettings: [.linkedLibrary("microhttpd")]),
  .target(name: "CSystemShim"),
  .target(name: "CDesktopShim", linkerSettings: [.linkedLibrary("systemd")]),
  .target(
    name: "CNcursesShim", linkerSettings: [.linkedLibrary("ncursesw"), .linkedLibrary("tinfo")]),
  .systemLibrary(name: "CSQLite"),
  .systemLibrary(name: "CDNSSD"),
  .systemLibrary(name: "CSystemd"),
  .systemLibrary(name: "CZstd"),
  .systemLibrary(name: "CQREncode"),
]

let suites: [Target] = [
  tests(
    "ListModelTests", ["ListModel", "FormatVectors", "Workbench"], resources: [.copy("Vectors")]),
  tests(
    "WireCodecTests", ["WireCodec", "ListModel", "Simulator", "Workbench", "ZstdPacking"],
    resources: [.copy("Golden")]),
  tests("RosterTests", ["Roster", "WireCodec", "ListModel", "Simulator", "Workbench"]),
  tests(
    "NodeEngineTests",
    ["NodeEngine", "Roster", "WireCodec", "ListModel", "Simulator", "Workbench"]),
  tests(
    "SimulationTests",
    ["Simulator", "Workbench", "NodeEngine", "Roster", "WireCodec", "ListModel"]),
  tests("ControlAPITests", ["ControlAPI", "ControlJSON", "ListModel"]),
  tests(
    "FuzzingTests", ["Fuzzing", "Simulator", "Workbench"], resources: [.copy("Corpus")],
    exclude: ["run", "corpus.py"]),
  tests(
    "LiveViewTests", ["LiveView", "CommandLineUI", "ControlAPI", "ListModel", "CNcursesShim"]),
  tests("ListFormatsTests", ["ListFormats", "ListModel"]),
  tests("ListServiceTests", ["ListService", "ControlAPI", "ListModel", "Workbench"]),
  tests("WebPagesTests", ["WebPages", "ControlAPI", "ListModel", "ZstdPacking"]),
  tests(
    "CommandLineUITests", ["CommandLineUI", "ControlAPI", "ListModel"],
    resources: [.copy("Golden")]),
  tests("SQLiteStoreTests", ["SQLiteStore", "ListModel", "CSQLite", "CFaultDisk"]),
  // A disk that fails on demand and loses what was not synced.
  .target(
    name: "CFaultDisk", dependencies: ["CSQLite"], path: "Tests/CFaultDisk",
    linkerSettings: [.linkedLibrary("sqlite3")]),
  tests("OpenSSLCryptoTests", ["OpenSSLCrypto", "ZstdPacking", "WireCodec", "CLooseTLS"]),
  // A TLS peer with every lock off, for the tests that rattle at ours.
  .target(
    name: "CLooseTLS", path: "Tests/CLooseTLS",
    linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]),
  tests(
    "EventLoopTests",
    ["EventLoop", "HTTPServer", "CSystemShim", "SystemServices", "QRCodes", "CFakeDesktop"]),
  // A desktop on a bus of its own, for the notifications that go there.
  .target(
    name: "CFakeDesktop", path: "Tests/CFakeDesktop",
    linkerSettings: [.linkedLibrary("systemd")]),
  tests("LANDiscoveryTests", ["LANDiscovery"]),
  tests(
    "AgentRuntimeTests",
    [
      "AgentRuntime", "ListModel", "ListService", "NodeEngine", "WireCodec", "ControlAPI",
      "EventLoop",
      "HTTPServer", "SystemServices", "SQLiteStore",
    ]),
  tests("LiveTests", ["ControlAPI"]),
  tests("TidyTests", []),
]

let package = Package(
  name: "hedgerow",
  products: [
    .executable(name: "hedge", targets: ["hedge"]),
    .executable(name: "hedged", targets: ["hedged"]),
    .executable(name: "hedge-tui", targets: ["hedge-tui"]),
    .executable(name: "dev", targets: ["dev"]),
  ],
  targets: pure + adapters + shell + workshop + fuzzer + c + suites
)
