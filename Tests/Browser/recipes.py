# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Runs the fenced commands of a recipe, each on the agent that its fence names."""
import os
import re
import signal
import subprocess
import tempfile
import threading

from pages import ROOT

FOLDER = ROOT / "docs/user/recipes"


class Shell:
    """A bash that goes on from block to block, so that functions and jobs stay."""

    def __init__(self, agent):
        self.folder = tempfile.TemporaryDirectory(prefix=f"hedge-recipe-{agent.name}-")
        self.process = subprocess.Popen(
            ["bash", "--noprofile", "--norc"], env=agent.environment, cwd=self.folder.name, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)

    def run(self, text, seconds=30):
        """Runs a block to its end; a command of it that fails fails the block. Returns what it printed."""
        block = f"{self.folder.name}/block.sh"
        with open(block, "w", encoding="utf-8") as file:
            # A line that begins with `!` is to fail.
            file.write(re.sub(r"^! (.*)$", r"if \1; then echo 'did not fail: \1' >&2; false; fi", text, flags=re.M))
        self.process.stdin.write(f"set -eE; trap 'echo \"END $?\"' ERR; . ./block.sh; set +eE; trap - ERR; echo 'END 0'\n")
        self.process.stdin.flush()
        out = []
        clock = threading.Timer(seconds, self.kill)
        clock.start()
        try:
            return self.read(text, out)
        finally:
            clock.cancel()

    def read(self, text, out):
        for line in self.process.stdout:
            if line.startswith("END "):
                if line.strip() != "END 0":
                    raise AssertionError(f"a command failed ({line.strip()}):\n{text}\n{''.join(out)}")
                return "".join(out)
            out.append(line)
        raise AssertionError(f"the shell ended, or its time was over:\n{text}\n{''.join(out)}")

    def kill(self):
        """Ends the shell and all that it started."""
        os.killpg(self.process.pid, signal.SIGKILL)

    def close(self):
        self.process.stdin.close()
        if self.process.poll() is None:
            self.kill()
        self.process.wait()
        self.process.stdout.close()
        self.folder.cleanup()


def blocks(name):
    """`(host, text)` of every fenced block that names a host."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    return re.findall(r"^```sh (\w+)\n(.*?)^```$", text, flags=re.M | re.S)


def run(name, agents, wait):
    """Runs a recipe; before each block `wait()` lets the agents come in step. Returns the outputs."""
    shells = {agent.name: Shell(agent) for agent in agents}
    try:
        outputs = []
        for host, text in blocks(name):
            wait()
            outputs.append(shells[host].run(text))
        return outputs
    finally:
        for shell in shells.values():
            shell.close()
