# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""A device that was away until the others had dropped the history it lacks comes back with work of
its own: nothing deleted comes back, nothing of its work is lost, all end equal (row R11). A checkpoint that a disk damaged comes back from the others
(row D4)."""
import contextlib
import sqlite3

from agents import AgentCase
from lab import wait_until


class HistoryTests(AgentCase):
    # No day has to pass: what everybody connected has leaves the log, and who is away does not count.
    configuration = "[history]\ndays = 0\n\n[members]\nsilent_days = 0\n"

    def store(self, host):
        return host.json("inspect", "store")

    def wait_log_empty(self, *hosts):
        for host in hosts:
            wait_until(lambda: self.store(host)["log_changes"] == 0, 150,
                       lambda: f"{host.name}: the log is empty; it says {self.store(host)}")

    def test_r11_a_device_that_was_away_beyond_the_floor_comes_back(self):
        first, second, away = self.lab.hosts[:3]
        first.hedge("new", "trip")
        for text in ("tent", "stove", "rope", "map", "torch", "soap"):
            first.hedge("add", "@trip", text)
        self.lab.wait_equal("trip")
        self.wait_log_empty(first, second, away)

        away.cut()
        away.hedge("add", "@trip", "harmonica")
        away.hedge("edit", "@trip", "map", "sea", "chart")
        away.hedge("rm", "@trip", "soap")
        for number in range(30):
            first.hedge("add", "-q", "@trip", f"row {number}")
        first.hedge("rm", "@trip", "stove")
        second.hedge("rm", "@trip", "rope")
        second.hedge("edit", "@trip", "torch", "head", "torch")
        self.lab.wait_equal("trip", first, second, seconds=20)
        # The links between them have to be given up first. Then nobody waits for anybody: each side
        # is below the floor of the other.
        self.wait_log_empty(first, second, away)

        away.heal()
        self.lab.wait_in_sync(seconds=60)
        self.lab.wait_equal("trip", seconds=30)
        for host in self.lab.hosts:
            texts = host.texts("trip")
            self.assertEqual(
                {"tent", "sea chart", "head torch", "harmonica"} | {f"row {n}" for n in range(30)},
                set(texts), host.name)
            self.assertEqual(len(texts), 34, host.name)
        self.wait_log_empty(*self.lab.hosts)
        for host in self.lab.hosts:
            host.stop_agent()
            host.start_agent()
        self.lab.wait_equal("trip", seconds=30)

    def test_d4_a_damaged_checkpoint_is_kept_aside_and_comes_back_from_the_others(self):
        first, second, third = self.lab.hosts[:3]
        first.hedge("new", "cellar")
        rows = [f"bottle {number}" for number in range(40)]
        for text in rows:
            first.hedge("add", "-q", "@cellar", text)
        self.lab.wait_equal("cellar")
        self.wait_log_empty(first, second, third)
        second.stop_agent()
        path = second.folder / "home/data/hedgerow/space.db"
        with contextlib.closing(sqlite3.connect(path)) as database, database:
            number, block = database.execute(
                "SELECT number, bytes FROM chunks WHERE number >= 0 ORDER BY number LIMIT 1").fetchone()
            damaged = block[:-1] + bytes([block[-1] ^ 4])
            database.execute("UPDATE chunks SET bytes = ? WHERE number = ?", (damaged, number))
        # Cut off from the others it says what is wrong, and does not write over what it cannot read.
        second.cut()
        second.start_agent()
        copy = path.with_name("space.db.damaged")
        [warning] = [each for each in second.json("status")["warnings"] if each["code"] == "damaged-data"]
        self.assertIn(str(copy), warning["text"])
        second.hedge("new", "meanwhile")
        second.hedge("add", "@meanwhile", "candle")
        with contextlib.closing(sqlite3.connect(f"file:{copy}?mode=ro", uri=True)) as database:
            self.assertIn((damaged,), database.execute("SELECT bytes FROM chunks").fetchall())
        second.heal()
        self.lab.wait_equal("cellar", seconds=60)
        self.lab.wait_equal("meanwhile", seconds=60)
        self.assertEqual(second.texts("cellar"), rows)
        self.assertEqual(first.texts("meanwhile"), ["candle"])
        second.stop_agent()
        second.start_agent()
        self.assertEqual(second.texts("cellar"), rows)
        # Whoever owns the machine has to look once whether anything is missed.
        [warning] = [each for each in second.json("status")["warnings"] if each["code"] == "damaged-data"]
        self.assertIn("remove that file", warning["text"])
        copy.unlink()
        second.stop_agent()
        second.start_agent()
        self.assertEqual(second.json("status")["warnings"], [])
