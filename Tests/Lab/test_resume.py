# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Watching over restarts: a cursor goes on where it was, nothing twice, nothing missed."""
import json
import os
import random
import subprocess
import threading
import time
import unittest

from agents import HEDGE, AgentCase
from lab import wait_until

BUDGET = int(os.environ.get("HEDGEROW_BUDGET", "1"))


class Follower:
    """A script that watches, keeps the last cursor it saw, and comes back with it."""

    def __init__(self, host, *words):
        self.host, self.words = host, words
        self.cursor, self.events, self.gaps, self.watch = None, [], 0, None

    def connect(self):
        since = ["--since", self.cursor] if self.cursor else ["--no-initial"]
        self.watch = self.host.start(HEDGE, "watch", *self.words, *since, "--json",
                                     env=self.host.environment, stdout=subprocess.PIPE, text=True)

    def read(self):
        """Reads until the agent ends."""
        for line in self.watch.stdout:
            event = json.loads(line)
            if event["ev"] == "gap":
                self.gaps += 1
            if event["ev"] not in ("hello", "live", "gap", "item"):
                self.events.append(event)
            self.cursor = event.get("cursor", self.cursor)

    def end(self):
        self.watch.kill()
        self.watch.wait()


class ResumeTests(AgentCase):
    count = 1
    is_paired = False
    starts_avahi = False

    def setUp(self):
        self.host = self.lab.hosts[0]

    def catch_up(self, cursor, *words):
        """The lines from a cursor up to now."""
        watch = self.host.start(HEDGE, "watch", *words, "--since", cursor, "--json",
                                env=self.host.environment, stdout=subprocess.PIPE, text=True)
        lines = []
        try:
            for line in watch.stdout:
                lines.append(json.loads(line))
                if lines[-1]["ev"] == "live":
                    return lines
        finally:
            watch.kill()
            watch.wait()
        self.fail(f"the stream ended: {lines}")

    def test_a_cursor_outlives_kills_and_restarts(self):
        self.host.hedge("new", "kept", "n:int")
        follower = Follower(self.host, "@kept")
        written = []
        start = self.host.json("ls", "@kept")["cursor"]
        follower.cursor = start
        for round in range(8):
            follower.connect()
            reader = threading.Thread(target=follower.read)
            reader.start()
            for number in range(3):
                text = f"row {round}.{number}"
                self.host.hedge("add", "-q", "@kept", text, f"n={number}")
                written.append(text)
            # In every second round the follower is away while things happen.
            if round % 2:
                follower.end()
                reader.join(10)
                self.host.hedge("add", "-q", "@kept", f"unseen {round}")
                written.append(f"unseen {round}")
            if round % 3 == 2:
                self.host.stop_agent()
            else:
                self.host.kill_agent()
            reader.join(10)
            self.assertFalse(reader.is_alive(), "a stream ends with its agent")
            self.host.start_agent("--no-discovery")
        end = self.catch_up(follower.cursor, "@kept")
        follower.events += [e for e in end if e["ev"] == "add"]
        self.assertEqual(follower.gaps, 0)
        self.assertNotIn("gap", [e["ev"] for e in end])
        self.assertEqual([e["text"] for e in follower.events], written)
        # The whole history by the first cursor is the same, cursors and all, as often as one asks.
        whole = [e for e in self.catch_up(start, "@kept") if e["ev"] == "add"]
        self.assertEqual(whole, follower.events)
        self.assertEqual(whole, [e for e in self.catch_up(start, "@kept") if e["ev"] == "add"])
        numbers = [int(e["cursor"].removeprefix("c-")) for e in whole]
        self.assertEqual(numbers, sorted(set(numbers)))
        # The first line of a resumed stream repeats the cursor that was asked for.
        self.assertEqual(end[0]["cursor"], follower.cursor)

    def test_kills_under_load_lose_and_double_nothing(self):
        seed = int(os.environ.get("HEDGEROW_SEED", random.randrange(1 << 30)))
        choice = random.Random(seed)
        self.host.hedge("new", "load")
        follower = Follower(self.host, "@load")
        follower.cursor = self.host.json("ls", "@load")["cursor"]
        acknowledged, stop = [], threading.Event()

        def write():
            number = 0
            while not stop.is_set():
                number += 1
                if self.host.hedge("add", "-q", "@load", f"w{number}", check=False).returncode == 0:
                    acknowledged.append(f"w{number}")
        writer = threading.Thread(target=write)
        writer.start()
        try:
            for _ in range(12 * BUDGET):
                before = follower.gaps
                follower.connect()
                reader = threading.Thread(target=follower.read)
                reader.start()
                time.sleep(choice.uniform(0.05, 0.4))
                self.host.kill_agent()
                reader.join(10)
                self.host.start_agent("--no-discovery")
                if follower.gaps > before:
                    break
        finally:
            stop.set()
            writer.join(30)
        end = self.catch_up(follower.cursor, "@load")
        follower.events += [e for e in end if e["ev"] == "add"]
        gaps = follower.gaps + sum(e["ev"] == "gap" for e in end)
        print(f"\n  seed {seed}: {len(follower.events)} events, {gaps} gaps", flush=True)
        texts = [e["text"] for e in follower.events]
        self.assertEqual(len(texts), len(set(texts)), "nothing twice")
        if gaps == 0:
            shown = self.host.texts("load")
            # Told before a crash took it: then the stream says so by a gap, and there was none.
            self.assertEqual(texts, shown)
            self.assertLessEqual(set(acknowledged), set(texts))

    def test_a_foreign_cursor_is_a_gap_and_the_items_follow(self):
        self.host.hedge("new", "gap")
        self.host.hedge("add", "@gap", "a,", "b")
        lines = self.catch_up("c-12", "@gap")
        self.assertEqual([e["ev"] for e in lines], ["hello", "gap", "item", "item", "live"])


if __name__ == "__main__":
    unittest.main()
