// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

extension CommandTable {
  static let viewVerbs: [VerbSpec] = [
    VerbSpec(
      "lists", "all lists with counts", examples: [.init("hedge lists --json", "for scripts")]),
    VerbSpec(
      "ls", aliases: ["l"], usage: "[@LIST] [WORD…]", "show a list",
      details: """
        Shows what is open, and a ticked item where something under it is open (in JSON it has the
        member context); every WORD must be in the text. The heading counts all levels. Numbers stay
        good for this terminal until the next ls. Conditions: COLUMN, one of = != < <= > >= ~
        (contains), VALUE; a date may be today.
        """,
      flags: [
        FlagSpec("--all", "-a", "also what is done, in place"),
        FlagSpec("--done", "only what is done"),
        FlagSpec("--where", value: "CONDITION", "only where it holds; may be repeated"),
        FlagSpec("--sort", value: "COLUMN", "sort the view, empty values last; -COLUMN descends"),
        FlagSpec("--cols", value: "A,B", "only these columns"),
        FlagSpec("--tree", "children too, indented"),
        FlagSpec("--flat", "only the list's own items"),
        FlagSpec("--limit", value: "N", "at most N rows"),
        FlagSpec("--watch", "-w", "show, then stay and show changes"),
      ],
      examples: [
        .init("hedge ls @gro", "what is to buy"),
        .init("hedge ls @stocks --where 'price>100' --sort -price", "dear ones first"),
      ], exits: [6]),
    VerbSpec(
      "show", usage: "[@LIST] ITEM", "everything about one item",
      details: "Fields with value, last writer and time.",
      examples: [.init("hedge show k7m", "by handle")], exits: [5, 6]),
    VerbSpec(
      "watch", aliases: ["w"], usage: "[@LIST…]", "show changes as they happen",
      details: """
        On a terminal changes only; with --json first hello, the items and live. Ends on Ctrl-C, or
        as --count, --until and --timeout say.
        """,
      flags: [
        FlagSpec("--since", value: "CURSOR", "start behind that cursor"),
        FlagSpec("--no-initial", "without the items as they are"),
        FlagSpec("--not-mine", "only what other devices did"),
        FlagSpec("--only", value: "KINDS", "add,set,done,undone,mv,rm,restore,list"),
        FlagSpec("--count", value: "N", "end after N changes"),
        FlagSpec("--until", value: "CONDITION", "end when a changed item fulfils it"),
      ],
      examples: [
        .init("hedge watch @stocks", "live"),
        .init("hedge watch --json --no-initial | my-script", "a stream of JSON lines"),
      ], exits: [6, 7]),
    VerbSpec(
      "tui", aliases: ["t"], usage: "[@LIST]", "the lists live on this terminal",
      details: """
        Everything that happens anywhere shows at once; ? shows the keys. Rows that another device
        changed are marked for three seconds with its name. A line to add means what it means behind
        hedge add: commas part items, "double quotes" keep them together, NAME=VALUE sets a column.
        """,
      examples: [.init("hedge tui @gro", "starts with that list")], exits: [6], dryRun: .refused),
    VerbSpec(
      "inspect", usage: "[@LIST|ITEM|peer NAME|store]", "raw ids, cells, stamps and vectors",
      details: "For bug reports and tests.",
      examples: [.init("hedge inspect store", "sizes, the log floor and who holds it back")],
      exits: [6]),
    VerbSpec(
      "import", usage: "[@LIST] FILE|-", "read items from a file",
      details: """
        Formats: lines, csv, json (from export, keeps ids). A list without columns gets those of the
        CSV header; a list that does not exist is made, with json as a copy of the list in the file.
        -n shows the plan. Rows that cannot be taken are reported with their line and skipped: exit 8.
        """,
      flags: [
        FlagSpec("--format", value: "FORMAT", "lines, csv or json; else by the file's name"),
        FlagSpec("--map", value: "HEADING=COLUMN", "csv: where a heading goes; may be repeated"),
        FlagSpec("--key", value: "COLUMN", "csv: rows with an equal value update the item"),
        FlagSpec("--prune", "with --key: remove items that the file lacks"),
      ],
      examples: [
        .init("hedge import -n @pantry stock.csv --key sku", "what would happen"),
        .init("hedge import @todo notes.txt", "one item a line"),
        .init("hedge export @gro | hedge import @week - --format json", "a copy of a list"),
      ], exits: [4, 6, 8], dryRun: .says),
    VerbSpec(
      "export", usage: "[@LIST…|--all]", "write lists to a file",
      details: """
        json is lossless (ids, order, stamps) and equal on equal replicas; csv and lines say on standard
        error what they drop. csv holds one list; lines (.lines, .txt, .md) writes several one behind
        the other, with child items further in, as Markdown has it.
        """,
      flags: [
        FlagSpec("--all", "every list"),
        FlagSpec(
          "--format", value: "FORMAT", "json, csv or lines; else by the ending of -o, else json"),
        FlagSpec("--output", "-o", value: "FILE", "write that file, at once or not at all"),
        FlagSpec("--lossy-ok", "do not say what the format drops"),
      ],
      examples: [.init("hedge export @gro -o groceries.csv", "for a spreadsheet")], exits: [6],
      dryRun: .refused),
  ]

  static let networkVerbs: [VerbSpec] = [
    VerbSpec(
      "status", aliases: ["st"], "is everything safe and current",
      details: "--check exits 9 if a peer is not in sync or there is a warning.",
      flags: [FlagSpec("--check", "for scripts")],
      examples: [.init("hedge status --check && poweroff", "only when all have it")], exits: [6, 9]),
    VerbSpec(
      "peers", usage: "[NAME | add HOST:PORT | rm HOST:PORT]", "the other machines",
      details: "add keeps a static address to dial, for networks without mDNS.",
      examples: [.init("hedge peers add 192.0.2.14:7644", "where mDNS does not reach")],
      subverbs: ["add", "rm"], dryRun: .refused),
    VerbSpec(
      "sync", usage: "[PEER | pause | resume]", "exchange now, or stop and start exchanging",
      examples: [.init("hedge sync pause", "like an aeroplane switch")], exits: [6, 7],
      subverbs: ["pause", "resume"], dryRun: .refused),
    VerbSpec(
      "invite", "let another machine join",
      details: """
        Prints a code that is good once, for 10 minutes, and waits for the other machine. With
        --no-input it prints the code and ends.
        """,
      flags: [FlagSpec("--role", value: "ROLE", "admin, member or reader")],
      examples: [.init("hedge invite", "then on the other machine: hedge join -")],
      exits: [4, 6, 7, 10], dryRun: .refused),
    VerbSpec(
      "join", usage: "CODE|-", "join the space of another machine",
      details:
        "- asks for the code, or reads it from standard input: not in ps, not in the history.",
      flags: [
        FlagSpec("--at", value: "HOST:PORT", "where the inviter is, if mDNS does not find it")
      ],
      examples: [.init("hedge join -", "asks for the code")], exits: [4, 6, 7, 10], dryRun: .refused
    ),
  ]

  static let agentVerbs: [VerbSpec] = [
    VerbSpec(
      "agent", usage: "run|status|stop|reload|install|uninstall", "the agent of this machine",
      details: """
        run stays in the foreground and logs to standard error. install writes systemd units of your
        own, hands the other flags to run, and starts it now and after each login; -n only shows the
        units. uninstall takes them away; lists and keys stay.
        """,
      flags: [
        FlagSpec("--name", value: "NAME", "run: what the others call this device"),
        FlagSpec("--port", value: "N", "run: port for peers, 7644; 0 is any"),
        FlagSpec("--web-port", value: "N", "run: loopback port of the web page, 7643, or off"),
        FlagSpec("--bind", value: "ADDRESS", "run: only on that address"),
        FlagSpec("--no-discovery", "run: without mDNS"),
        FlagSpec("--foreground", "run: the default"),
      ],
      examples: [
        .init("hedge agent run --name kitchen", "in a terminal"),
        .init("hedge agent install --name kitchen", "now and after each login"),
      ],
      exits: [6] + Help.agentExits,
      subverbs: ["run", "status", "stop", "reload", "install", "uninstall"],
      dryRun: .saysFor(["install", "uninstall"])),
    VerbSpec(
      "notify", usage: "on|off [@LIST|ITEM] [COLUMN|CONDITION] | to | ls | mute TIME|off | test",
      "be told of changes of others on this device",
      details: """
        Off by default, never for what this device did. The first change of a list is told at once,
        what follows within 30 s together. to says where: desktop, a command (JSON on its standard
        input), an address of HTTP. An empty value switches a sink off.
        """,
      flags: [
        FlagSpec("--edge", "on: only when the condition begins to hold"),
        FlagSpec(
          "--hysteresis", value: "PERCENT", "on --edge: how far away before it counts again"),
        FlagSpec("--every", value: "TIME", "on: at most that often, 30s or 5m"),
        FlagSpec("--desktop", value: "on|off", "to: the desktop's own notifications"),
        FlagSpec("--exec", value: "COMMAND", "to: run it with the notice on its standard input"),
        FlagSpec("--post", value: "URL", "to: post the notice to http://HOST:PORT/PATH"),
        FlagSpec("--quiet-hours", value: "HH:MM-HH:MM", "to: one digest after these hours"),
      ],
      examples: [
        .init("hedge notify on @stocks 'price<100' --edge", "when a price falls below 100"),
        .init("hedge notify on m2k", "one row"),
        .init("hedge notify to --desktop on --quiet-hours 22:00-07:00", "where and when"),
        .init("hedge notify mute 2h", "silence"),
      ], exits: [5, 6], subverbs: ["on", "off", "to", "ls", "mute", "test"], dryRun: .refused),
    VerbSpec(
      "web", usage: "[token add NAME|rm NAME|ls | guest rm NAME|ls]", "open the web page",
      details: """
        Prints an address that opens the page once, within ten minutes; the browser stays signed in.
        With --lan on, other devices of the LAN may open it too, over TLS: compare the fingerprint
        of the certificate that it prints with what their browser shows. A guest link opens one list
        until its time is over, or guest rm. Scripts use a token, as Authorization: Bearer TOKEN; it
        is shown once.
        """,
      flags: [
        FlagSpec("--open", "open it in the browser of this desktop"),
        FlagSpec("--qr", "also as a QR code"),
        FlagSpec("--lan", value: "on|off", "the page for other devices of the LAN"),
        FlagSpec("--guest", value: "LIST", "a link to that list alone"),
        FlagSpec("--role", value: "tick|ro", "--guest: may tick, the default, or only read"),
        FlagSpec("--ttl", value: "TIME", "--guest: 30m, 12h or 7d; 1d"),
        FlagSpec("--ro", "token add: a token that only reads"),
      ],
      examples: [
        .init("hedge web --open", "on a desktop"),
        .init("hedge web --lan on --qr", "for a phone"),
        .init("hedge web --guest @groceries --role tick --ttl 12h", "for a visitor"),
        .init("hedge web token add grafana --ro", "for a script that reads"),
      ], exits: [5, 6], subverbs: ["token", "guest"], dryRun: .refused),
    VerbSpec(
      "demo", usage: "[stop | env]", "see three agents agree, on this machine alone",
      details: """
        Starts three throw-away agents on loopback in a temporary directory, pairs them, edits one list
        on all three while apart, and waits until they are equal. Your own data is not touched.
        """,
      flags: [FlagSpec("--once", "end after the check: 0, or 9 if they differ")],
      examples: [
        .init("hedge demo", "leaves the agents running"),
        .init("hedge demo stop", "removes it all"),
      ], exits: [6, 9], subverbs: ["stop", "env"], dryRun: .refused),
    VerbSpec(
      "completion", usage: "bash|zsh|fish", "completion script of a shell",
      details: "Completes commands, flags, lists, handles of items and peers.",
      examples: [
        .init("eval \"$(hedge completion bash)\"", "in ~/.bashrc"),
        .init("hedge completion fish > ~/.config/fish/completions/hedge.fish", "once"),
      ], exits: [], subverbs: Completion.shells),
    VerbSpec("version", "versions of client and agent", exits: []),
    VerbSpec(
      "help", usage: "[VERB|json|exit-codes|env|scripting|manual FOLDER]",
      "this help, or more about one thing",
      details: "manual writes the manual pages into a folder where man looks.",
      examples: [
        .init("hedge help add", "one command"),
        .init("hedge help manual ~/.local/share/man/man1", "for man hedge"),
      ], exits: [], dryRun: .refused),
  ]
}
