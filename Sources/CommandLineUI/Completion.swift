// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

package import ControlAPI

/// Completion scripts of three shells, all from the command table. Names of lists, handles of items
/// and names of peers are asked of the agent when they are wanted.
package enum Completion {
  package static let shells = ["bash", "zsh", "fish"]

  /// The script for a shell.
  ///
  /// - Throws: `usage` for a shell that is not known, with a suggestion.
  package static func script(_ shell: String) throws(Problem) -> String {
    switch shell {
    case "bash": return bash
    case "zsh": return zsh
    case "fish": return fish
    default:
      throw Problem(
        .usage, "no completion for \(ValueTextShort.quoted(shell))",
        detail: "shells: \(shells.joined(separator: ", "))",
        suggest: Suggestion.nearest(to: shell, among: shells))
    }
  }

  // MARK: What the table says

  private static func names(_ verb: VerbSpec) -> [String] { [verb.name] + verb.aliases }

  private static func flags(_ flag: FlagSpec) -> [String] {
    (flag.short.map { [$0] } ?? []) + [flag.name]
  }

  private static var itemVerbs: [String] {
    CommandTable.verbs.filter { $0.usage.contains("ITEM") }.flatMap(names)
  }

  private static var peerVerbs: [String] {
    CommandTable.verbs.filter { verb in
      ["[PEER", "[NAME |", "DEVICE"].contains { verb.usage.hasPrefix($0) }
    }
    .flatMap(names)
  }

  private static var fileVerbs: [String] {
    CommandTable.verbs.filter { $0.usage.contains("FILE") }.flatMap(names)
  }

  /// In single quotes for any of the three shells.
  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }

  // MARK: bash

  private static var bash: String {
    var cases = ""
    for verb in CommandTable.verbs {
      let words = verb.subverbs + verb.flags.flatMap(flags)
      guard !words.isEmpty else { continue }
      cases +=
        "    \(names(verb).joined(separator: "|"))) words=(\(words.joined(separator: " "))) ;;\n"
    }
    let global = CommandTable.globalFlags.flatMap(flags).joined(separator: " ")
    return """
      # bash completion for hedge; made by: hedge completion bash
      _hedge() {
        local IFS=$' \\t\\n' line=${COMP_LINE:0:COMP_POINT} verb= list= cur word i skip=0
        local -a words
        # The words as blanks part them: what else breaks words, such as @ : and =, belongs to ours.
        read -ra words <<<"$line"
        [[ $line == *[[:blank:]] ]] && words+=('')
        cur=${words[${#words[@]}-1]}
        COMPREPLY=()
        for ((i = 1; i < ${#words[@]} - 1; i++)); do
          word=${words[i]}
          if [[ $word == @* ]]; then
            list=$word
          elif [[ $word != -* && -z $verb ]]; then
            verb=$word
          fi
        done
        # The shell puts an answer behind the last character that breaks words; an @ it replaces too.
        for ((i = 0; i < ${#cur}; i++)); do
          if [[ $COMP_WORDBREAKS == *"${cur:i:1}"* ]]; then
            if [[ ${cur:i:1} == @ ]]; then skip=$i; else skip=$((i + 1)); fi
          fi
        done
        if [[ $cur == @* ]]; then
          _hedge_offer < <(_hedge_lists)
          return
        fi
        if [[ -z $verb ]]; then
          _hedge_offer < <(printf '%s\\n' \(CommandTable.verbs.map(\.name).joined(separator: " ")))
          return
        fi
        words=()
        case $verb in
      \(cases)  esac
        [[ $cur == -* ]] && words+=(\(global))
        ((${#words[@]})) && _hedge_offer < <(printf '%s\\n' "${words[@]}")
        [[ $cur == -* ]] && return
        case $verb in
          \(itemVerbs.joined(separator: "|"))) _hedge_offer < <(_hedge_items "$list") ;;
          \(peerVerbs.joined(separator: "|"))) _hedge_offer < <(_hedge_peers) ;;
          \(fileVerbs.joined(separator: "|")))
            compopt -o filenames
            _hedge_offer < <(compgen -f -- "$cur") ;;
        esac
      }
      # Offers those lines of its input that begin like the word. They are data, nothing expands them.
      _hedge_offer() {
        local word
        while IFS= read -r word; do
          [[ $word == "$cur"* ]] && COMPREPLY+=("${word:skip}")
        done
      }
      # A name with a character in it that a shell takes for its own is offered by its handle.
      _hedge_lists() { hedge lists --plain 2>/dev/null | awk -F'\\t' '{ print "@" ($2 ~ /\(special)/ ? $1 : $2) }'; }
      _hedge_items() { hedge ls --all --plain ${1:+"$1"} 2>/dev/null | cut -f1; }
      _hedge_peers() { hedge peers --plain 2>/dev/null | awk -F'\\t' '{ print $1 ~ /\(special)/ ? $7 : $1 }'; }
      complete -F _hedge hedge

      """
  }

  /// Characters that a shell takes for its own, as awk has them in a program in single quotes.
  private static let special = "[] \\t$`\"\\047\\\\&|;<>(){}*?!#~^[]"

  // MARK: zsh

  private static func described(_ word: String, _ summary: String) -> String {
    let escaped = word.split(separator: ":", omittingEmptySubsequences: false).joined(
      separator: "\\:")
    return quoted(escaped + ":" + summary)
  }

  private static func described(_ flags: [FlagSpec]) -> String {
    flags.flatMap { flag in Self.flags(flag).map { described($0, flag.summary) } }
      .joined(separator: " ")
  }

  private static var zsh: String {
    let verbs = CommandTable.verbs.map { "    " + described($0.name, $0.summary) }
    var cases = ""
    for verb in CommandTable.verbs {
      let name = names(verb).joined(separator: "|")
      if !verb.flags.isEmpty { cases += "    (\(name)) flags=(\(described(verb.flags))) ;;\n" }
    }
    var subverbs = ""
    for verb in CommandTable.verbs where !verb.subverbs.isEmpty {
      subverbs +=
        "    (\(names(verb).joined(separator: "|"))) compadd -- \(verb.subverbs.joined(separator: " ")) ;;\n"
    }
    return """
      #compdef hedge
      # zsh completion for hedge; made by: hedge completion zsh
      _hedge_lists() {
        local -a rows
        rows=(${(f)"$(hedge lists --plain 2>/dev/null | awk -F'\\t' '{ print "@" ($2 ~ / / ? $1 : $2) }')"})
        compadd -- $rows
      }
      _hedge_items() {
        local -a rows
        rows=(${(f)"$(hedge ls --all --plain ${1:+$1} 2>/dev/null | awk -F'\\t' '{ gsub(":", "\\\\:", $3); print $1 ":" $3 }')"})
        _describe -t items item rows
      }
      _hedge_peers() {
        local -a rows
        rows=(${(f)"$(hedge peers --plain 2>/dev/null | cut -f1)"})
        compadd -- $rows
      }
      _hedge() {
        local verb list i
        local -a verbs flags global
        for ((i = 2; i < CURRENT; i++)); do
          case $words[i] in
            (@*) list=$words[i] ;;
            (-*) ;;
            (*) [[ -z $verb ]] && verb=$words[i] ;;
          esac
        done
        if [[ $PREFIX == @* ]]; then
          _hedge_lists
          return
        fi
        verbs=(
      \(verbs.joined(separator: "\n"))
        )
        global=(\(described(CommandTable.globalFlags)))
        case $verb in
      \(cases)  esac
        if [[ $PREFIX == -* ]]; then
          _describe -o -t flags flag flags
          _describe -o -t flags flag global
          return
        fi
        if [[ -z $verb ]]; then
          _describe -t commands command verbs
          return
        fi
        case $verb in
      \(subverbs)  esac
        case $verb in
          (\(itemVerbs.joined(separator: "|"))) _hedge_items $list ;;
          (\(peerVerbs.joined(separator: "|"))) _hedge_peers ;;
          (\(fileVerbs.joined(separator: "|"))) _files ;;
        esac
      }
      if [[ $funcstack[1] == _hedge ]]; then
        _hedge "$@"
      else
        compdef _hedge hedge
      fi

      """
  }

  // MARK: fish

  private static func fishFlag(_ flag: FlagSpec, _ condition: String) -> String {
    let short = flag.short.map { " -s \($0.dropFirst())" } ?? ""
    let value = flag.value == nil ? "" : " -r"
    return
      "complete -c hedge\(condition)\(short) -l \(flag.name.dropFirst(2))\(value) -d \(fishQuoted(flag.summary))\n"
  }

  private static func fishQuoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'")
      + "'"
  }

  private static var fish: String {
    var out = """
      # fish completion for hedge; made by: hedge completion fish
      function __hedge_list
        string match -- '@*' (commandline -opc) | head -n 1
      end
      function __hedge_lists
        hedge lists --plain 2>/dev/null | awk -F'\\t' '{ print "@" ($2 ~ / / ? $1 : $2) "\\t" $3 " open" }'
      end
      function __hedge_items
        hedge ls --all --plain (__hedge_list) 2>/dev/null | awk -F'\\t' '{ print $1 "\\t" $3 }'
      end
      function __hedge_peers
        hedge peers --plain 2>/dev/null | cut -f1
      end
      complete -c hedge -f
      complete -c hedge -n 'string match -q -- "@*" (commandline -ct)' -a '(__hedge_lists)'

      """
    for flag in CommandTable.globalFlags { out += fishFlag(flag, "") }
    for verb in CommandTable.verbs {
      out +=
        "complete -c hedge -n __fish_use_subcommand -a \(verb.name) -d \(fishQuoted(verb.summary))\n"
      let condition = " -n '__fish_seen_subcommand_from \(names(verb).joined(separator: " "))'"
      for flag in verb.flags { out += fishFlag(flag, condition) }
      for word in verb.subverbs { out += "complete -c hedge\(condition) -a \(word)\n" }
    }
    func dynamic(_ verbs: [String], _ words: String) -> String {
      "complete -c hedge -n '__fish_seen_subcommand_from \(verbs.joined(separator: " "))' \(words)\n"
    }
    out += dynamic(itemVerbs, "-a '(__hedge_items)'")
    out += dynamic(peerVerbs, "-a '(__hedge_peers)'")
    out += dynamic(fileVerbs, "-F")
    return out
  }
}
