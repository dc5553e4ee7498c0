# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Notifications and hooks: two paired agents, real programs that are told."""
import http.server
import json
import os
import shutil
import subprocess
import threading
import time
import unittest

from api import Agent, Stream
from loopback import PROGRAMS


def eventually(condition, seconds=15):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"did not happen within {seconds} s")


class Collector:
    """Listens on loopback and keeps what is posted."""

    def __init__(self):
        self.bodies = bodies = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/notices"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(5)


class NotifyTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.here, cls.there = Agent(name="study"), Agent(name="den")
        cls.addClassCleanup(cls.here.remove)
        cls.addClassCleanup(cls.there.remove)
        code = json.loads(cls.here.hedge("invite", "--no-input", "--json").stdout)["code"]
        port = json.loads(cls.here.hedge("agent", "status", "--json").stdout)["peer_port"]
        cls.there.hedge("join", code, "--at", f"127.0.0.1:{port}")

    def setUp(self):
        self.name = self.id().rsplit("_", 1)[1]
        self.here.hedge("new", self.name, "symbol:text!", "price:num")
        self.here.hedge("add", f"@{self.name}", "ACME", "price=120")
        eventually(lambda: "ACME" in self.there.hedge("ls", f"@{self.name}", check=False).stdout)
        self.notices = self.here.home / f"notices-{self.name}"
        self.here.hedge("notify", "to", "--exec", f"cat >> {self.notices}; echo >> {self.notices}")

    def told(self):
        if not self.notices.exists():
            return []
        return [json.loads(line) for line in self.notices.read_text().splitlines() if line]

    def price(self, number, agent=None):
        (agent or self.there).hedge("set", f"@{self.name}", "ACME", f"price={number}")

    def arrived(self, number):
        eventually(lambda: str(number) in self.here.hedge("ls", f"@{self.name}").stdout)

    def test_a_switched_row_is_told_of_to_every_sink_and_own_edits_are_not(self):
        collector = Collector()
        self.addCleanup(collector.stop)
        stream = Stream(self.here, "/api/v1/events?initial=0",
                        Authorization="Bearer " + self.here.token("badge"))
        self.addCleanup(stream.close)
        self.here.hedge("notify", "to", "--post", collector.url)
        self.here.hedge("notify", "on", "-l", self.name, "ACME", "price")
        self.price(119, self.here)
        self.price(118)
        told = eventually(self.told)
        self.assertEqual(len(told), 1)
        self.assertEqual(told[0]["body"], "ACME: price 119 → 118, by den")
        self.assertEqual(told[0]["events"][0]["by"], "den")
        eventually(lambda: collector.bodies)
        self.assertEqual(collector.bodies, told)
        kinds = []
        while "notice" not in kinds:
            kinds.append(stream.next()["event"])
        self.here.hedge("notify", "to", "--post", "")

    def test_many_changes_are_told_together(self):
        self.here.hedge("notify", "on", f"@{self.name}", "--every", "2s")
        for number in range(30):
            self.price(200 + number)
        self.arrived(229)
        eventually(lambda: sum(notice["count"] for notice in self.told()) == 30)
        self.assertLess(len(self.told()), 10)

    def test_an_edge_is_told_once_and_rules_live_over_a_restart(self):
        self.here.hedge("notify", "on", f"@{self.name}", "price<100", "--edge")
        self.assertEqual(self.here.end(), 0)
        self.here.start()
        shown = json.loads(self.here.hedge("notify", "ls", "--json").stdout)
        self.assertIn("price<100", [rule["where"] for rule in shown["rules"]])
        self.price(99)
        eventually(self.told)
        self.price(98)
        self.arrived(98)
        self.assertEqual([notice["body"] for notice in self.told()], ["ACME: price 120 → 99, by den"])
        self.here.hedge("notify", "off", f"@{self.name}")
        self.assertEqual(self.here.hedge("notify", "off", f"@{self.name}", check=False).returncode, 3)

    def test_silence(self):
        self.here.hedge("notify", "on", f"@{self.name}")
        self.here.hedge("notify", "mute", "1h")
        self.price(50)
        self.arrived(50)
        self.assertEqual(self.told(), [])
        self.here.hedge("notify", "mute", "off")
        self.here.hedge("notify", "test")
        self.assertEqual([notice["body"] for notice in eventually(self.told)], ["notifications work"])

    def test_nonsense(self):
        for words, code in [(("on",), 2), (("on", "@nowhere"), 3), (("to", "--post", "https://x/"), 2),
                            (("to", "--quiet-hours", "late"), 2), (("to",), 2), (("mute", "soon"), 2),
                            (("on", f"@{self.name}", "pric<1"), 2), (("dance",), 2)]:
            self.assertEqual(self.here.hedge("notify", *words, check=False).returncode, code, words)
        reply = self.here.ask("PATCH", "/api/v1/notify", {"exec": "touch /tmp/evil"},
                              Authorization="Bearer " + self.here.token("remote"))
        self.assertEqual(reply.status, 403)


class HookTests(unittest.TestCase):
    def setUp(self):
        self.agent = Agent()
        self.addCleanup(self.agent.remove)
        self.folder = self.agent.home / "config/hedgerow/hooks.d"
        self.folder.mkdir(parents=True)
        self.agent.hedge("agent", "reload")

    def hook(self, name, text, mode=0o755):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(mode)

    def test_executables_are_told_in_order_of_what_is_on_disk(self):
        out = self.agent.home / "out"
        self.hook("20-second", f"echo second >> {out}; cat > /dev/null\n")
        self.hook("10-first", f"cat >> {out}\n")
        self.hook("30-others-may-write", f"echo never >> {out}\n", 0o777)
        self.hook("40-not-executable", f"echo never >> {out}\n", 0o644)
        self.agent.hedge("new", "gro")
        self.agent.hedge("add", "@gro", "milk")
        lines = eventually(lambda: out.exists() and len(out.read_text().splitlines()) >= 4
                           and out.read_text().splitlines())
        self.assertEqual(lines[1::2], ["second", "second"])
        events = [event for line in lines[::2] for event in json.loads(line)["events"]]
        self.assertEqual([event["ev"] for event in events], ["list", "add"])
        self.assertTrue(events[1]["mine"])

    def test_a_hook_that_fails_or_hangs_harms_nothing_and_is_shown(self):
        self.hook("bad", "exit 7\n")
        self.hook("slow", "sleep 100\n")
        self.agent.hedge("new", "gro")
        start = time.monotonic()
        for number in range(5):
            self.agent.hedge("add", "@gro", f"item {number}")
        self.assertLess(time.monotonic() - start, 5)
        warnings = eventually(
            lambda: len(found := [w["text"] for w in self.agent.status()["warnings"]
                                  if w["code"] == "hook-failed"]) == 2 and found, 25)
        self.assertEqual(sorted(warnings),
                         ["the hook bad ended with 7", "the hook slow took longer than 10 s"])
        figures = self.agent.ask("GET", "/metrics", Authorization="Bearer " + self.agent.token("m")).text
        self.assertNotIn("hedgerow_hook_failures_total 0", figures)
        self.assertEqual(self.agent.end(), 0)


class DesktopTests(unittest.TestCase):
    notice = json.dumps({"title": "stocks", "body": "ACME <b> & co"})

    def deliver(self, **environment):
        return subprocess.run(
            [PROGRAMS / "hedged", "deliver-desktop", "7"], input=self.notice, text=True,
            capture_output=True, timeout=20, env={**os.environ, **environment})

    def test_a_missing_bus_is_nobody_there(self):
        done = self.deliver(DBUS_SESSION_BUS_ADDRESS="unix:path=/nonexistent", XDG_RUNTIME_DIR="/nonexistent")
        self.assertEqual((done.returncode, done.stdout), (3, ""))

    def test_the_desktop_is_asked_over_its_bus(self):
        self.assertTrue(shutil.which("dbus-daemon"), "package dbus is needed")
        daemon = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--print-address"],
                                  stdout=subprocess.PIPE, text=True)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.kill)
        address = daemon.stdout.readline().strip()
        self.assertEqual(self.deliver(DBUS_SESSION_BUS_ADDRESS=address).returncode, 3,
                         "a bus without a desktop is nobody there")
        daemon.stdout.close()


if __name__ == "__main__":
    unittest.main()
