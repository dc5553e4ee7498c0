# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Agents killed at any moment, responders killed and restarted: nothing acknowledged is lost."""
import os
import random
import signal
import threading
import time
import unittest

from agents import AgentCase
from lab import wait_until

BUDGET = int(os.environ.get("HEDGEROW_BUDGET", "1"))


class Writer(threading.Thread):
    """Adds rows on one host without pause and remembers those that were acknowledged."""

    def __init__(self, host, prefix):
        super().__init__(daemon=True)
        self.host, self.prefix = host, prefix
        self.acknowledged = []
        self.tried = 0
        self.is_stopping = False

    def run(self):
        while not self.is_stopping:
            self.tried += 1
            text = f"{self.prefix} {self.host.name} row {self.tried}"
            if self.host.hedge("add", "-q", "@load", text, check=False).returncode == 0:
                self.acknowledged.append(text)

    def stop(self):
        self.is_stopping = True
        self.join(30)


class KillTests(AgentCase):
    def test_no_acknowledged_edit_is_lost_to_a_hundred_kills_under_load(self):
        seed = int(os.environ.get("HEDGEROW_SEED", random.randrange(1 << 30)))
        choice = random.Random(seed)
        self.lab.hosts[0].hedge("new", "load")
        self.lab.wait_equal("load")
        acknowledged = set()
        for number in range(1, BUDGET + 1):
            start = time.monotonic()
            acknowledged |= self.kill_under_load(choice, 100, f"round {number}")
            print(f"\n  seed {seed}: {100 * number} kills, the last 100 in {time.monotonic() - start:.0f} s, "
                  f"{len(acknowledged)} edits acknowledged", flush=True)
            self.lab.wait_equal("load", seconds=60)
            for host in self.lab.hosts:
                texts = host.texts("load")
                self.assertEqual(acknowledged - set(texts), set(), f"lost on {host.name}")
                self.assertEqual(len(texts), len(set(texts)), f"doubled on {host.name}")

    def kill_under_load(self, choice, kills, name):
        """Kills agents while every host writes; what was acknowledged meanwhile."""
        writers = [Writer(host, name) for host in self.lab.hosts]
        for writer in writers:
            writer.start()
        for _ in range(kills):
            host = choice.choice(self.lab.hosts)
            time.sleep(choice.uniform(0, 0.25))
            host.kill_agent()
            host.start_agent(wait=False)
            host.wait_for_agent(60)
        for writer in writers:
            writer.stop()
        return {text for writer in writers for text in writer.acknowledged}


class ResponderTests(AgentCase):
    def test_a_killed_responder_breaks_no_link_and_is_used_again(self):
        first, second, third = self.lab.hosts
        first.hedge("new", "news")
        self.lab.wait_equal("news")
        for host in self.lab.hosts:
            host.kill_avahi()
        second.hedge("add", "@news", "written without a responder")
        self.lab.wait_equal("news", seconds=3)
        self.lab.wait_in_sync(seconds=3)
        for host in self.lab.hosts:
            host.start_avahi()
        # A killed discovery child is as harmless.
        for pid in first.processes_with("discovery-child"):
            os.kill(pid, signal.SIGKILL)
        third.hedge("add", "@news", "written without a child")
        self.lab.wait_equal("news", seconds=3)

    def test_an_agent_finds_its_peers_again_when_it_starts_before_its_responder(self):
        first, second, third = self.lab.hosts
        second.stop_agent()
        second.kill_avahi()
        second.start_agent()
        second.start_avahi()
        self.lab.wait_in_sync(seconds=20)


if __name__ == "__main__":
    unittest.main()
