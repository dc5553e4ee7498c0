# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Rows K1, K2 and K4 of the failure catalogue: agents whose wall clock is wrong.

`libfaketime` is put before the agent (the client is static and keeps the true time); only the wall
clock is moved, as a wrong clock does, never the monotonic one."""
import glob
import time
import unittest

from agents import AgentCase, AgentHost, AgentLab
from lab import wait_until

LIBRARIES = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")
HOUR = 3600


class ClockHost(AgentHost):
    """A host whose agent sees the wall clock off by some seconds, changeable while it runs."""

    @property
    def environment(self):
        file = self.folder / "clock"
        if not file.exists():
            return super().environment
        return {**super().environment, "LD_PRELOAD": LIBRARIES[0], "FAKETIME_TIMESTAMP_FILE": str(file),
                "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "NO_FAKE_STAT": "1"}

    def set_clock(self, seconds):
        self.folder.joinpath("clock.new").write_text(f"{seconds:+d}\n")
        self.folder.joinpath("clock.new").rename(self.folder / "clock")

    def warnings(self):
        return self.json("status")["warnings"]

    def restart(self):
        self.stop_agent()
        self.start_agent()


class ClockLab(AgentLab):
    host_type = ClockHost


class ClockCase(AgentCase):
    lab_type = ClockLab

    @classmethod
    def setUpClass(cls):
        if not LIBRARIES:
            raise unittest.SkipTest("the clock rows need libfaketime (Packaging/check installs it)")
        super().setUpClass()

    def fresh_list(self, name):
        self.lab.hosts[0].hedge("new", name, "price:int")
        self.lab.wait_equal(name)

    def value(self, host, name, text):
        return next(item for item in host.items(name) if item["text"] == text)["cols"].get("price")


class SkewTests(ClockCase):
    def test_k1_an_hour_off_syncs_on_and_is_named_with_its_offset(self):
        for offset in (HOUR, -HOUR):
            with self.subTest(offset=offset):
                right, wrong, third = self.lab.hosts
                name = f"k1-{abs(offset)}-{'ahead' if offset > 0 else 'behind'}"
                wrong.set_clock(offset)
                wrong.restart()
                self.lab.wait_in_sync()
                self.fresh_list(name)
                wrong.hedge("add", f"@{name}", "from the wrong clock", "price=1")
                right.hedge("add", f"@{name}", "from the right clock")
                self.lab.wait_equal(name)
                right.hedge("set", "-l", name, "from the wrong clock", "price=2")
                self.lab.wait_equal(name)
                self.assertEqual(self.value(third, name, "from the wrong clock"), 2)
                for host, sign in ((right, 1), (third, 1), (wrong, -1)):
                    found = [w for w in host.warnings() if w["code"] == "clock-skew"]
                    self.assertTrue(found, f"{host.name} says so: {host.warnings()}")
                    who = wrong if host is not wrong else right
                    text = " ".join(w["text"] for w in found)
                    self.assertIn(who.name, text)
                    peer = next(p for p in host.json("peers")["peers"] if p["name"] == who.name)
                    self.assertAlmostEqual(peer["clock_offset_s"], sign * offset, delta=5)
                self.assertIn("clock", right.hedge("status").stdout)
        # While the links are up: the clock is put right, and goes wrong again.
        def warned():
            right.hedge("sync", check=False)
            return [w for w in right.warnings() if w["code"] == "clock-skew"]
        wrong.set_clock(0)
        wait_until(lambda: not warned(), 10, lambda: f"the warning goes: {right.warnings()}")
        wrong.set_clock(2 * HOUR)
        found = wait_until(warned, 10, lambda: f"the warning comes: {right.warnings()}")
        self.assertRegex(found[0]["text"], r"7[12]\d\d s ahead")


class FarFutureTests(ClockCase):
    def test_k2_a_clock_in_2069_neither_wins_for_ever_nor_pulls_the_others(self):
        right, wrong, third = self.lab.hosts
        self.fresh_list("k2")
        right.hedge("add", "@k2", "milk", "price=1")
        self.lab.wait_equal("k2")
        wrong.set_clock(43 * 365 * 24 * HOUR)
        wrong.restart()
        self.lab.wait_in_sync()
        wrong.hedge("set", "-l", "k2", "milk", "price=2")
        wrong.hedge("add", "@k2", "written in the future")
        self.lab.wait_equal("k2")
        self.assertEqual(self.value(right, "k2", "milk"), 2)
        # Whoever has seen it beats it.
        third.hedge("set", "-l", "k2", "milk", "price=3")
        self.lab.wait_equal("k2")
        self.assertEqual(self.value(wrong, "k2", "milk"), 3)
        # Nobody else writes in the future because of it.
        right.hedge("add", "@k2", "written now")
        self.lab.wait_equal("k2")
        now = time.strftime("%Y", time.gmtime())
        item = next(i for i in third.items("k2") if i["text"] == "written now")
        self.assertEqual(item["at"][:4], now)
        self.assertTrue([w for w in right.warnings() if w["code"] == "clock-skew"], right.warnings())
        # All of it outlasts restarts, with the clock right again.
        wrong.set_clock(0)
        for host in self.lab.hosts:
            host.kill_agent()
            host.start_agent()
        self.lab.wait_in_sync()
        wrong.hedge("set", "-l", "k2", "milk", "price=4")
        self.lab.wait_equal("k2")
        for host in self.lab.hosts:
            self.assertEqual(self.value(host, "k2", "milk"), 4)
            self.assertEqual(host.texts("k2"), ["milk", "written in the future", "written now"])


class StepBackTests(ClockCase):
    def test_k4_a_clock_that_steps_back_stops_no_write_and_no_timer(self):
        right, stepping, third = self.lab.hosts
        stepping.set_clock(0)
        stepping.restart()
        self.lab.wait_in_sync()
        self.fresh_list("k4")
        stepping.hedge("add", "@k4", "row", "price=0")
        number = 0
        for offset in (-2 * 24 * HOUR, 30 * 60, -10 * 365 * 24 * HOUR, 0):
            number += 1
            stepping.hedge("set", "-l", "k4", "row", f"price={number}")
            stepping.set_clock(offset)
            number += 1
            stepping.hedge("set", "-l", "k4", "row", f"price={number}")
            if offset == -2 * 24 * HOUR:
                # The clock that counts is on disk with each change.
                stepping.kill_agent()
                stepping.start_agent()
                self.lab.wait_in_sync()
                number += 1
                stepping.hedge("set", "-l", "k4", "row", f"price={number}")
            self.lab.wait_equal("k4")
            for host in self.lab.hosts:
                self.assertEqual(self.value(host, "k4", "row"), number, f"on {host.name}")
        # Links are kept alive by the other clock: nobody was lost on the way.
        self.assertEqual(right.in_sync_with(), {stepping.name, third.name})


if __name__ == "__main__":
    unittest.main()
