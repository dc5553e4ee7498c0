# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Row R2 of the failure catalogue: a restart or an import must not use a number twice."""
import shutil
import threading
import time
import unittest

from agents import AgentCase


class Writer(threading.Thread):
    """Adds rows on one host without pause and remembers those that were acknowledged."""

    def __init__(self, host, name):
        super().__init__(daemon=True)
        self.host, self.prefix = host, name
        self.acknowledged = []
        self.is_stopping = False

    def run(self):
        number = 0
        while not self.is_stopping:
            number += 1
            text = f"{self.prefix} row {number}"
            if self.host.hedge("add", "-q", "@load", text, check=False).returncode == 0:
                self.acknowledged.append(text)

    def stop(self):
        self.is_stopping = True
        self.join(30)


class CounterTests(AgentCase):
    def alarms(self, host):
        codes = {warning["code"] for warning in host.json("status")["warnings"]}
        return codes & {"fork", "fingerprint", "quarantine", "cloned-data"}

    def no_alarm(self):
        """A number used twice would show as a fork, or as views that differ."""
        for host in self.lab.hosts:
            self.assertEqual(self.alarms(host), set(), host.name)

    def test_r2_restarts_at_once_under_load_use_no_number_twice(self):
        host = self.lab.hosts[1]
        self.lab.hosts[0].hedge("new", "load")
        self.lab.wait_equal("load")
        writers = [Writer(host, f"writer {number}") for number in range(3)]
        for writer in writers:
            writer.start()
        for number in range(40):
            time.sleep(0.02 * (number % 5))
            if number % 2:
                host.kill_agent()
            else:
                host.stop_agent()
            host.start_agent()
            if number % 10 == 5:
                rows = "\n".join(f"import {number} {row}" for row in range(200))
                host.hedge("import", "@load", "-", "--format", "lines", input=rows, check=False)
        for writer in writers:
            writer.stop()
        self.lab.wait_equal("load", seconds=30)
        acknowledged = {text for writer in writers for text in writer.acknowledged}
        print(f"\n  40 restarts, {len(acknowledged)} edits acknowledged", flush=True)
        self.assertGreater(len(acknowledged), 10)
        for each in self.lab.hosts:
            self.assertEqual(acknowledged - set(each.texts("load")), set(), f"lost on {each.name}")
        self.no_alarm()

    def test_r2_a_tail_lost_here_but_seen_by_peers_flows_back(self):
        first, second, third = self.lab.hosts
        first.hedge("new", "tail")
        first.hedge("add", "@tail", "early")
        self.lab.wait_equal("tail")
        first.stop_agent()
        home = first.folder / "home"
        kept = first.folder / "kept"
        for part in ("data", "state"):
            shutil.copytree(home / part, kept / part)
        first.start_agent()
        self.lab.wait_in_sync()
        for number in range(20):
            first.hedge("add", "-q", "@tail", f"late {number}")
        self.lab.wait_equal("tail")
        first.kill_agent()
        # A disk that lied: the file is the same one, with what it held before.
        for file in (kept / "data").rglob("*"):
            if file.is_file():
                (home / "data" / file.relative_to(kept / "data")).write_bytes(file.read_bytes())
        for file in (home / "data").rglob("*-wal"):
            file.write_bytes(b"")
        for file in (kept / "state").rglob("*"):
            if file.is_file():
                (home / "state" / file.relative_to(kept / "state")).write_bytes(file.read_bytes())
        first.start_agent()
        # It writes before it has heard of what it lost.
        first.hedge("add", "-q", "@tail", "after")
        self.lab.wait_in_sync()
        self.lab.wait_equal("tail")
        wanted = {"early", "after", *(f"late {number}" for number in range(20))}
        for host in self.lab.hosts:
            texts = host.texts("tail")
            self.assertEqual(set(texts), wanted, host.name)
            self.assertEqual(len(texts), len(wanted), host.name)
        # It had confirmed what it lost: it says so, and whoever met it first. No number was used twice.
        self.assertEqual(self.alarms(first), {"cloned-data"})
        for host in [second, third]:
            self.assertLessEqual(self.alarms(host), {"cloned-data"}, host.name)
        for host in self.lab.hosts:
            host.stop_agent()
            host.start_agent()
        self.lab.wait_in_sync()
        self.no_alarm()


if __name__ == "__main__":
    unittest.main()
