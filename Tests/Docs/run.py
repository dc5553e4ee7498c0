# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Runs the commands that the documents show, against real agents, and compares what comes out.

A fenced block whose first line is "```console run" is run. Lines that start with "$ " are commands;
"kitchen$ " runs one on the machine of that name. The lines below a command are all that it prints,
on both outputs together. In them

    …           stands for anything on that line
    k7m         a handle (three to five of its characters, a digit among them) stands for whatever is
                there the first time, and for the same thing from then on, in commands too

The blocks of one document are one story. Each machine has a home directory of its own, agents listen
on loopback only and announce nothing; all of it is gone at the end.

    HEDGEROW_PROGRAMS=.build/release python3 Tests/Docs/run.py [FILE…]
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ.get("HEDGEROW_PROGRAMS", ROOT / ".build/release")).resolve()
COMMAND = re.compile(r"^(?:([a-z]+))?\$ (.*)$")
HANDLE = re.compile(r"(?<![\w@.-])(?=[a-z0-9]*[0-9])(?=[a-z0-9]*[a-z])[0-9b-df-hj-np-tv-xz]{3,5}(?![\w.-])")
LIMIT_SECONDS = 60

SHIM = """#!/bin/sh
# Agents of a document stay on loopback.
case "$1 $2" in
  "agent run")
    shift 2
    exec {hedge} agent run --name "$DOC_MACHINE" --no-discovery --bind 127.0.0.1 --port 0 \
      --web-port 0 "$@" ;;
esac
exec {hedge} "$@"
"""


def blocks(path):
    """The runnable blocks of a document: pairs of line number and lines."""
    found, lines, start = [], None, 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if lines is None and line.strip() == "```console run":
            lines, start = [], number
        elif lines is not None and line.strip() == "```":
            found.append((start, lines))
            lines = None
        elif lines is not None:
            lines.append((number, line))
    if lines is not None:
        raise SystemExit(f"{path}:{start}: the block does not end")
    return found


def steps(lines):
    """Commands with the lines they are to print."""
    out = []
    for number, line in lines:
        match = COMMAND.match(line)
        if match:
            out.append((number, match[1] or "here", match[2], []))
        elif not out:
            raise SystemExit(f"line {number}: the block starts with no command")
        else:
            out[-1][3].append(line)
    return out


class Story:
    """The machines of one document, and which handle stands for which."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hedgerow-docs-"))
        self.agents = []
        tools = self.folder / "bin"
        tools.mkdir()
        (tools / "hedge").write_text(SHIM.format(hedge=PROGRAMS / "hedge"))
        (tools / "hedge").chmod(0o755)
        self.bound = {}

    def environment(self, machine):
        home = self.folder / machine
        (home / "run").mkdir(parents=True, exist_ok=True)
        (home / "run").chmod(0o700)
        kept = {key: value for key, value in os.environ.items()
                if not key.startswith(("XDG_", "HEDGE", "SWIFT"))}
        return home, {**kept, "HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"),
                      "XDG_DATA_HOME": str(home / "data"), "XDG_STATE_HOME": str(home / "state"),
                      "XDG_RUNTIME_DIR": str(home / "run"), "LC_ALL": "C.UTF-8", "TZ": "UTC",
                      "DOC_MACHINE": machine,
                      "HEDGE_TERMINAL": f"doc-{machine}",
                      "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}

    def run(self, machine, command):
        command = HANDLE.sub(lambda match: self.bound.get(match[0], match[0]), command)
        home, environment = self.environment(machine)
        background = command.rstrip().endswith("&")
        if background:
            with open(home / "background.log", "ab") as log:
                self.agents.append(subprocess.Popen(
                    ["sh", "-c", "exec " + command.rstrip().removesuffix("&")], cwd=home, env=environment,
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log))
            self.wait_for_agent(home, environment)
            return ""
        done = subprocess.run(["sh", "-c", command], cwd=home, env=environment, text=True, timeout=LIMIT_SECONDS,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.stdout

    def wait_for_agent(self, home, environment):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            done = subprocess.run(["hedge", "agent", "status"], cwd=home, env=environment, capture_output=True)
            if done.returncode == 0:
                return
            time.sleep(0.02)
        raise SystemExit(f"the agent does not start: {(home / 'background.log').read_text()[-2000:]}")

    def matches(self, wanted, line):
        """Whether a line is the wanted one; binds the handles that it shows."""
        pattern, at, fresh = "", 0, []
        for match in re.finditer("…|" + HANDLE.pattern, wanted):
            pattern += re.escape(wanted[at:match.start()])
            name = match[0]
            at = match.end()
            if name == "…":
                pattern += ".*"
            elif name in self.bound:
                pattern += re.escape(self.bound[name])
            elif name in fresh:
                pattern += f"(?P=h{fresh.index(name)})"
            else:
                pattern += f"(?P<h{len(fresh)}>[0-9b-df-hj-np-tv-xz]{{3,5}})"
                fresh.append(name)
        found = re.fullmatch(pattern + re.escape(wanted[at:]), line)
        if found:
            self.bound.update({name: found[f"h{index}"] for index, name in enumerate(fresh)})
        return found is not None

    def end(self):
        for agent in self.agents:
            agent.terminate()
        for agent in self.agents:
            try:
                agent.wait(10)
            except subprocess.TimeoutExpired:
                agent.kill()
                agent.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def check(path):
    """Runs one document; returns what was wrong and how many commands were run."""
    story, findings, count = Story(), [], 0
    try:
        for _, lines in blocks(path):
            for number, machine, command, wanted in steps(lines):
                count += 1
                printed = story.run(machine, command).rstrip("\n").split("\n")
                printed = [line.rstrip() for line in printed] if printed != [""] else []
                wanted = [line.rstrip() for line in wanted if line.strip()]
                printed = [line for line in printed if line]
                if len(wanted) != len(printed) or not all(map(story.matches, wanted, printed)):
                    findings.append(f"{path.relative_to(ROOT)}:{number}: {command}\n    documented:\n"
                                    + "".join(f"      {line}\n" for line in wanted) + "    printed:\n"
                                    + "".join(f"      {line}\n" for line in printed))
    finally:
        story.end()
    return findings, count


def main(names):
    paths = [pathlib.Path(name).resolve() for name in names] or (
        [ROOT / "README.md"] + sorted((ROOT / "docs").rglob("*.md")))
    total, failed = 0, []
    for path in paths:
        if blocks(path):
            findings, count = check(path)
            total += count
            failed += findings
    for finding in failed:
        print("FAIL:", finding)
    print(f"{total} documented commands run, {len(failed)} differ")
    return 1 if failed or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
