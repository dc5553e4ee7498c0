# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Types into real shells and presses Tab: what the completion scripts make of it.

    HEDGEROW_PROGRAMS=.build/release python3 -m unittest discover --start-directory Tests/Docs
"""
import os
import pathlib
import pty
import select
import shlex
import shutil
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ.get("HEDGEROW_PROGRAMS", ROOT / ".build/release")).resolve()
LIMIT_SECONDS = 20

# Stands for hedge: lists, items and peers that do not change, and a record of what was run.
STUB = """#!/bin/sh
case "$*" in
  "lists --plain") printf 'k7m\\ttodo\\t2\\t3\\nb4c\\tbad:colour\\t0\\t0\\np2x\\ttwo words\\t0\\t0\\n'
    printf 'r9d\\tx$(touch$IFS%s)\\t0\\t0\\n' "$OWNED" ;;
  "ls --all --plain"*) printf 'd4g\\topen\\tmilk\\nw8q\\topen\\teggs\\n' ;;
  "peers --plain") printf 'study\\tin_sync\\t0\\t0\\t\\t\\tAAAA-BBBB-CCCC-DDDD\\n' ;;
  *) for word; do printf '%s\\n' "$word"; done >"$RECORD.new"; mv "$RECORD.new" "$RECORD" ;;
esac
"""

CASES = [
    ("ls @tod\t", ["ls", "@todo"]),
    ("ls @bad:co\t", ["ls", "@bad:colour"]),
    ("ls @ba\t", ["ls", "@bad:colour"]),
    ("ls @p2\t", ["ls", "@p2x"]),
    ("done @todo d4\t", ["done", "@todo", "d4g"]),
    ("show w8\t", ["show", "w8q"]),
    ("peers stu\t", ["peers", "study"]),
    ("ls --fla\t", ["ls", "--flat"]),
    ("agent uninst\t", ["agent", "uninstall"]),
    ("compl\tbash", ["completion", "bash"]),
]


class Shell:
    """A shell on a terminal of its own, in an empty home, with the stub as hedge."""

    def __init__(self, words, setup):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hedgerow-shell-"))
        tools = self.folder / "bin"
        tools.mkdir()
        (tools / "hedge").write_text(STUB)
        (tools / "hedge").chmod(0o755)
        self.record, self.owned = self.folder / "record", self.folder / "owned"
        environment = {"HOME": str(self.folder), "TERM": "dumb", "LC_ALL": "C.UTF-8", "PS1": "> ",
                       "RECORD": str(self.record), "OWNED": str(self.owned),
                       "PATH": f"{tools}:{os.environ['PATH']}"}
        ours, theirs = pty.openpty()
        self.terminal = ours
        self.process = subprocess.Popen(words, stdin=theirs, stdout=theirs, stderr=theirs,
                                        env=environment, cwd=self.folder, start_new_session=True)
        os.close(theirs)
        for line in [*setup, "hedge ready"]:
            self.send(line + "\n")
        self.recorded()

    def send(self, text):
        os.write(self.terminal, text.encode())

    def recorded(self):
        """What the stub was run with; the shell's own output is read meanwhile, so that it goes on."""
        seen, deadline = b"", time.monotonic() + LIMIT_SECONDS
        while time.monotonic() < deadline:
            if select.select([self.terminal], [], [], 0.02)[0]:
                seen += os.read(self.terminal, 4096)
            if self.record.exists():
                words = self.record.read_text().splitlines()
                self.record.unlink()
                return words
        raise AssertionError(f"nothing was run: {seen[-2000:]!r}")

    def run(self, line):
        self.send(f"hedge {line}\n")
        return self.recorded()

    def end(self):
        self.process.kill()
        self.process.wait()
        os.close(self.terminal)
        shutil.rmtree(self.folder, ignore_errors=True)


def script(shell):
    return subprocess.run([PROGRAMS / "hedge", "completion", shell], check=True,
                          capture_output=True, text=True).stdout


class Completion(unittest.TestCase):
    def driven(self, shell, words, *setup):
        with tempfile.NamedTemporaryFile("w", suffix=f".{shell}") as file:
            file.write(script(shell))
            file.flush()
            here = Shell(words, [*setup, f"source {file.name}"])
            try:
                for typed, wanted in CASES:
                    with self.subTest(shell=shell, typed=typed):
                        self.assertEqual(here.run(typed), wanted)
                here.send("hedge ls @x\t\x15hedge over\n")
                self.assertEqual(here.recorded()[-1], "over")
                self.assertFalse(here.owned.exists(), "the name of a list was run")
            finally:
                here.end()

    def test_bash_as_it_comes(self):
        self.driven("bash", ["bash", "--norc", "--noprofile", "-i"])

    def test_bash_where_hosts_are_not_completed(self):
        self.driven("bash", ["bash", "--norc", "--noprofile", "-i"], "shopt -u hostcomplete",
                    "COMP_WORDBREAKS=${COMP_WORDBREAKS//[@:]/}")

    def test_zsh(self):
        self.driven("zsh", ["zsh", "-f", "-i"], "autoload -Uz compinit", "compinit -u -D")

    def test_fish(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "hedge").write_text(STUB)
            (folder / "hedge").chmod(0o755)
            (folder / "script").write_text(script("fish"))
            for typed, wanted in CASES[:-1]:
                line = shlex.quote("hedge " + typed.rstrip("\t"))
                done = subprocess.run(
                    ["fish", "--no-config", "-c", f"source {folder / 'script'}; complete -C {line}"],
                    capture_output=True, text=True, timeout=LIMIT_SECONDS,
                    env={"HOME": str(folder), "PATH": f"{folder}:{os.environ['PATH']}",
                         "OWNED": str(folder / "owned"), "RECORD": str(folder / "record"),
                         "LC_ALL": "C.UTF-8"})
                offered = [row.split("\t")[0] for row in done.stdout.splitlines()]
                with self.subTest(typed=typed):
                    self.assertIn(wanted[-1], offered)


if __name__ == "__main__":
    unittest.main()
