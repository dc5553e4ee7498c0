# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Units of the user: what `agent install` writes, that systemd takes it, and a socket handed over."""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest

from agents import HEDGE, HEDGED, AgentCase, need
from lab import wait_until

STUB = """#!/bin/sh
echo "$@" >> "$HOME/systemctl.log"
"""


class InstallTests(AgentCase):
    count = 1
    is_paired = False
    starts_avahi = False

    def setUp(self):
        self.host = self.lab.hosts[0]
        self.home = self.host.folder / "home"
        self.units = self.home / "config/systemd/user"
        tools = self.home / "tools"
        tools.mkdir(parents=True, exist_ok=True)
        (tools / "systemctl").write_text(STUB)
        (tools / "systemctl").chmod(0o755)
        self.log = self.home / "systemctl.log"
        self.log.unlink(missing_ok=True)
        self.env = {**self.host.environment, "PATH": f"{tools}:{self.host.environment['PATH']}"}
        self.host.run("rm", "-rf", "/run/systemd/system")

    def hedge(self, *words, check=True):
        return self.host.hedge(*words, check=check, env=self.env)

    def run_systemd(self):
        self.host.run("mkdir", "-p", "/run/systemd/system")

    def test_without_systemd_it_says_so_and_writes_nothing(self):
        for verb in ("install", "uninstall"):
            self.hedge("agent", "uninstall", check=False)
        done = self.hedge("agent", "install", check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("hedge agent run", done.stderr)
        self.assertEqual(list(self.units.glob("*")), [])

    def test_install_may_be_repeated_and_uninstall_leaves_nothing(self):
        self.run_systemd()
        first = self.hedge("agent", "install", "--name", "my study")
        self.assertIn("loginctl enable-linger", first.stdout)
        service = (self.units / "hedgerow.service").read_text()
        self.assertIn(f'ExecStart={HEDGE} agent run --name "my study"\n', service)
        self.assertIn("enable --quiet hedgerow.socket hedgerow.service", self.log.read_text())
        before = {path: path.stat().st_mtime_ns for path in self.units.iterdir()}
        again = self.hedge("agent", "install", "--name", "my study")
        self.assertIn("already installed", again.stdout)
        self.assertEqual({path: path.stat().st_mtime_ns for path in self.units.iterdir()}, before)
        self.hedge("agent", "uninstall")
        self.assertEqual(list(self.units.iterdir()), [])
        self.assertIn("nothing is installed", self.hedge("agent", "uninstall").stdout)

    def test_a_dry_run_shows_the_units(self):
        shown = self.hedge("agent", "install", "-n").stdout
        self.assertIn("Type=notify", shown)
        self.assertIn("ListenStream=%t/hedgerow/agent.sock", shown)
        self.assertFalse(self.log.exists())

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not here")
    def test_systemd_takes_the_units(self):
        self.run_systemd()
        self.hedge("agent", "install")
        units = [str(self.units / name) for name in ("hedgerow.service", "hedgerow.socket")]
        done = subprocess.run(["systemd-analyze", "--user", "--man=no", "verify", *units], text=True,
                              capture_output=True, env={**os.environ, "XDG_RUNTIME_DIR": str(self.home)})
        about_us = [line for line in done.stderr.splitlines() if "hedgerow" in line]
        self.assertEqual(about_us, [], done.stderr)
        done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--threshold=65",
                               units[0]], text=True, capture_output=True)
        print("\n  " + done.stdout.strip().splitlines()[-1], flush=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.hedge("agent", "uninstall")


class ManagedAgentTests(unittest.TestCase):
    """An agent under a service manager that the test plays."""

    def setUp(self):
        need(HEDGE)
        need(HEDGED)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hedgerow-managed-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def start(self, *words, **environment):
        agent = subprocess.Popen(
            [*words, str(HEDGE), "agent", "run", "--data", str(self.folder / "data"), "--port", "0",
             "--bind", "127.0.0.1", "--no-discovery", "--web-port", "off"],
            env={**os.environ, **environment}, stderr=subprocess.DEVNULL)

        def end():
            agent.kill()
            agent.wait()
        self.addCleanup(end)
        return agent

    def test_it_reports_readiness_state_and_life(self):
        notices = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(notices.close)
        notices.bind(str(self.folder / "notify"))
        notices.settimeout(10)
        agent = self.start(NOTIFY_SOCKET=str(self.folder / "notify"), WATCHDOG_USEC="400000")
        seen = []
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and seen.count("WATCHDOG=1") < 4:
            seen += notices.recv(4096).decode().splitlines()
        self.assertIn("READY=1", seen)
        self.assertIn("STATUS=0 lists, no peers", seen)
        self.assertGreaterEqual(seen.count("WATCHDOG=1"), 4)
        agent.send_signal(signal.SIGTERM)
        self.assertEqual(agent.wait(10), 0)
        notices.settimeout(0.2)
        try:
            while True:
                seen += notices.recv(4096).decode().splitlines()
        except TimeoutError:
            self.assertIn("STOPPING=1", seen)

    @unittest.skipUnless(shutil.which("systemd-socket-activate"), "systemd-socket-activate is not here")
    def test_the_first_command_starts_it_through_a_socket_that_was_handed_over(self):
        path = self.folder / "manager.sock"
        self.start("systemd-socket-activate", "-l", str(path))
        wait_until(path.exists, 10, lambda: "the socket is there")

        def hedge(*words):
            return subprocess.run([HEDGE, "--socket", str(path), *words], text=True, capture_output=True,
                                  timeout=20)
        self.assertEqual(hedge("new", "first").returncode, 0)
        self.assertEqual(hedge("add", "@first", "milk").returncode, 0)
        self.assertIn("milk", hedge("ls", "@first").stdout)
        self.assertFalse((self.folder / "data/agent.sock").exists(), "no socket of its own")


if __name__ == "__main__":
    unittest.main()
