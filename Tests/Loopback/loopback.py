# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Agents on loopback for tests of the API, the page and the live view.

The programs come from `HEDGEROW_PROGRAMS` or `.build/release`. Nothing here announces itself: agents have
no discovery and are joined by address.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ.get("HEDGEROW_PROGRAMS", ROOT / ".build/release")).resolve()
HEDGE = PROGRAMS / "hedge"


def environment(home):
    """What programs see of the machine whose user lives in `home`; nothing of the one the test runs on."""
    kept = {key: value for key, value in os.environ.items()
            if not key.startswith(("XDG_", "HEDGE")) and key != "HOME"}
    return {**kept, "HOME": str(home), "LC_ALL": "C.UTF-8",
            "XDG_CONFIG_HOME": str(home / "config"), "XDG_DATA_HOME": str(home / "data"),
            "XDG_STATE_HOME": str(home / "state"), "XDG_RUNTIME_DIR": str(home / "run"),
            "PATH": f"{PROGRAMS}:{os.environ['PATH']}"}


def eventually(probe, seconds, what):
    """The first true answer of `probe`, asked until the deadline; `what` says what was waited for."""
    end = time.monotonic() + seconds
    while True:
        answer = probe()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(0.02)


class Agent:
    """An agent with a home of its own, spoken to by `hedge`. Its ports are chosen by the system at the
    first start and kept at the next ones."""

    def __init__(self, name, *flags, web_port=0):
        self.name, self.flags = name, flags
        self.home = pathlib.Path(tempfile.mkdtemp(prefix=f"hedge-{name}-"))
        (self.home / "run").mkdir(mode=0o700)
        self.environment = environment(self.home)
        self.process = None
        self.peer_port, self.web_port = 0, web_port

    def start(self):
        with open(self.home / "log", "ab") as log:
            self.process = subprocess.Popen(
                [HEDGE, "agent", "run", "--name", self.name, "--no-discovery", "--bind", "127.0.0.1",
                 "--port", str(self.peer_port), "--web-port", str(self.web_port), *self.flags],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

        def answers():
            if self.process.poll() is not None:
                raise AssertionError(f"{self.name} ended with {self.process.returncode}\n{self.log()}")
            return self.hedge("agent", "status", check=False).returncode == 0
        eventually(answers, 20, lambda: f"{self.name} answers\n{self.log()}")
        self.peer_port = self.json("agent", "status")["peer_port"]
        if self.web_port == 0:
            self.web_port = int(self.json("status")["web"].rsplit(":", 1)[1])

    def log(self):
        return (self.home / "log").read_text(errors="replace")[-4000:]

    def end(self):
        """Asks the agent to end, also one that was paused; returns its exit code."""
        if self.process.poll() is None:
            self.resume()
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.kill()
        return self.process.returncode

    def kill(self):
        self.process.kill()
        self.process.wait()

    def pause(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)

    def remove(self):
        if self.process:
            self.end()
        shutil.rmtree(self.home, ignore_errors=True)

    def hedge(self, *words, check=True, **options):
        if "input" not in options:
            options.setdefault("stdin", subprocess.DEVNULL)
        done = subprocess.run([HEDGE, *words], env=self.environment, capture_output=True, text=True,
                              timeout=60, **options)
        if check and done.returncode != 0:
            raise AssertionError(f"{self.name}: hedge {' '.join(words)}: exit {done.returncode}\n"
                                 f"{done.stdout}{done.stderr}{self.log()}")
        return done

    def json(self, *words):
        return json.loads(self.hedge(*words, "--json").stdout)

    def texts(self, name, *flags):
        return [item["text"] for item in self.json("ls", f"@{name}", *flags)["items"]]

    def join(self, other):
        """Becomes a peer of another agent, by address."""
        code = other.json("invite", "--no-input")["code"]
        self.hedge("join", "-", "--at", f"127.0.0.1:{other.peer_port}", input=code + "\n")
