# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Agents on the hosts of a lab: started, spoken to by the `hedge` command, killed.

The programs come from `HEDGEROW_PROGRAMS` or `.build/release`.
"""
import json
import pathlib
import signal
import subprocess
import sys
import threading
import time
import unittest

from lab import Host, Lab, LabCase, wait_until

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Loopback"))
from loopback import HEDGE, PROGRAMS, environment

HEDGED = PROGRAMS / "hedged"


def need(program):
    """Skips the calling test class if a program was not built."""
    if not program.exists():
        raise unittest.SkipTest(f"{program} is not built: swift build -c release")


class AgentHost(Host):
    """A host with a home directory of its own and an agent."""

    agent = None

    @property
    def environment(self):
        return environment(self.folder / "home")

    def configure(self, text):
        """Writes the configuration of this host's user; read when an agent starts."""
        path = self.folder / "home/config/hedgerow/hedgerow.conf"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def start_agent(self, *flags, wait=True):
        runtime = self.folder / "home/run"
        runtime.mkdir(parents=True, exist_ok=True)
        runtime.chmod(0o700)
        self.agent = self.start(HEDGE, "agent", "run", "--name", self.name, *flags,
                                log="agent.log", env=self.environment)
        if wait:
            self.wait_for_agent()

    def wait_for_agent(self, seconds=10):
        def ready():
            if self.agent.poll() is not None:
                raise AssertionError(f"{self.name}: agent ended with {self.agent.returncode}\n"
                                     + self.log())
            return self.hedge("agent", "status", check=False).returncode == 0
        wait_until(ready, seconds, lambda: f"{self.name}: the agent answers\n{self.log()}")

    def kill_agent(self):
        self.agent.kill()
        self.agent.wait()

    def stop_agent(self):
        self.agent.send_signal(signal.SIGTERM)
        try:
            status = self.agent.wait(10)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self.name}: the agent does not stop\n{self.log()}")
        if status != 0:
            raise AssertionError(f"{self.name}: the agent stopped with {status}\n{self.log()}")

    def log(self, lines=40):
        path = self.folder / "agent.log"
        return "\n".join(path.read_text(errors="replace").splitlines()[-lines:]) if path.exists() else ""

    def hedge(self, *words, check=True, **options):
        """Runs `hedge` here; a failure shows the agent's log too."""
        options.setdefault("env", self.environment)
        options.setdefault("timeout", 60)
        if "input" not in options:
            options["stdin"] = subprocess.DEVNULL
        options.setdefault("text", True)
        done = subprocess.run(self.inside(HEDGE, *words), capture_output=True, **options)
        if check and done.returncode != 0:
            raise AssertionError(f"{self.name}: hedge {' '.join(map(str, words))}: exit "
                                 f"{done.returncode}\n{done.stdout}{done.stderr}{self.log()}")
        return done

    def code(self):
        """A fresh one-time code of this host."""
        return self.json("invite", "--no-input")["code"]

    def json(self, *words):
        return json.loads(self.hedge(*words, "--json").stdout)

    def items(self, name):
        """The rows of a list, in order."""
        return self.json("ls", f"@{name}", "-a")["items"]

    def texts(self, name):
        return [item["text"] for item in self.items(name)]

    def in_sync_with(self):
        """Names of the peers that this agent calls in sync."""
        done = self.hedge("peers", "--json", check=False)
        peers = json.loads(done.stdout)["peers"] if done.returncode == 0 else []
        return {peer["name"] for peer in peers if peer["state"] == "in_sync"}

    def export(self, name):
        return self.hedge("export", f"@{name}", "--format", "json").stdout

    def watch(self, *words):
        return Watch(self, *words)


class Watch:
    """`hedge watch --json` on a host; its lines are collected as they come."""

    def __init__(self, host, *words):
        self.process = host.start(HEDGE, "watch", *words, "--json", env=host.environment,
                                  stdout=subprocess.PIPE, log="watch.log", text=True)
        self.events = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.events.append((time.monotonic(), json.loads(line)))

    def of(self, *kinds):
        return [event for _, event in list(self.events) if event.get("ev") in kinds]

    def wait_for(self, condition, seconds, what):
        def seen():
            return next((event for _, event in list(self.events) if condition(event)), None)
        return wait_until(seen, seconds, lambda: f"{what}; seen {self.events[-20:]}")

    def end(self):
        self.process.kill()
        self.process.wait()
        self.reader.join(5)


class AgentLab(Lab):
    host_type = AgentHost

    def pair(self, *hosts):
        """Pairs the other hosts with the first, over mDNS, each with its own code."""
        hosts = hosts or self.hosts
        for guest in hosts[1:]:
            self.invite(hosts[0], guest)
        self.wait_in_sync(*hosts)

    def invite(self, host, guest, *join):
        guest.hedge("join", "-", *join, input=host.code() + "\n")

    def wait_in_sync(self, *hosts, seconds=20):
        hosts = hosts or self.hosts
        names = {host.name for host in hosts}
        for host in hosts:
            wait_until(lambda: host.in_sync_with() >= names - {host.name}, seconds,
                       lambda: f"{host.name} is in sync with all; it says "
                               f"{host.hedge('peers', check=False).stdout}\n{host.log()}")

    def wait_equal(self, name, *hosts, seconds=5):
        """Waits until the lossless exports of a list are the same bytes everywhere."""
        hosts = hosts or self.hosts
        def equal():
            exports = [host.hedge("export", f"@{name}", "--format", "json", check=False)
                       for host in hosts]
            texts = {done.stdout for done in exports}
            return len(texts) == 1 and all(done.returncode == 0 for done in exports) and texts.pop()
        return wait_until(equal, seconds, lambda: f"@{name} is the same everywhere: "
                          + "\n".join(f"{h.name}: {h.hedge('status', check=False).stdout}" for h in hosts))


class AgentCase(LabCase):
    """Agents on every host, all of them paired unless told otherwise."""

    lab_type = AgentLab
    is_paired = True
    starts_agents = True
    # Of every agent, in the form of hedgerow.conf.
    configuration = ""

    @classmethod
    def setUpClass(cls):
        need(HEDGE)
        need(HEDGED)
        super().setUpClass()
        if cls.starts_agents:
            for host in cls.lab.hosts:
                host.configure(cls.configuration)
                host.start_agent()
            if cls.is_paired:
                cls.lab.pair()
