# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""The agent stopped: reads go on from its store, writes say how to start it, nothing is touched."""
import os
import re
import signal
import subprocess
import threading
import unittest

from agents import HEDGE, AgentCase

NOTE = re.compile(r"^hedge: agent not running, data as of [0-9-]* ?[0-9]{2}:[0-9]{2}$")


class StoppedTests(AgentCase):
    count = 1
    is_paired = False
    starts_avahi = False
    reads = [("lists",), ("ls", "@stock"), ("ls", "@stock", "-a", "--tree", "--where", "qty>1"),
             ("show", "@stock", "bolt"), ("export", "@stock"), ("export", "--all", "--format", "json"),
             ("peers",), (), ("ls", "@stock", "--json"), ("inspect", "@stock", "--json")]

    def setUp(self):
        self.host = self.lab.hosts[0]
        if self.host.agent.poll() is not None:
            self.host.start_agent("--no-discovery")
        if self.host.hedge("ls", "@stock", check=False).returncode != 0:
            self.host.hedge("new", "stock", "qty:int")
            self.host.hedge("add", "@stock", "bolt", "qty=3,", "nut", "qty=1,", "wåsher")

    def files(self):
        """Everything the agent wrote, but for the memory that SQLite maps beside a log."""
        found = {}
        for folder in ("data", "state"):
            for path in sorted((self.host.folder / "home" / folder).rglob("*")):
                if path.is_file() and path.stat().st_size and not path.name.endswith("-shm"):
                    found[path] = path.read_bytes()
        return found

    def compare_reads(self):
        before = {words: self.host.hedge(*words).stdout for words in self.reads}
        return before

    def check_reads(self, before):
        files = self.files()
        for words in self.reads:
            with self.subTest(words):
                done = self.host.hedge(*words)
                # Cursor and revision are those of a running agent.
                self.assertEqual(re.sub(r'"[cr]-[0-9]+"', "", done.stdout),
                                 re.sub(r'"[cr]-[0-9]+"', "", before[words]))
                self.assertRegex(done.stderr.splitlines()[0], NOTE)
        self.assertEqual(self.files(), files, "a read changes nothing")

    def test_reads_go_on_after_an_orderly_end(self):
        before = self.compare_reads()
        self.host.stop_agent()
        self.check_reads(before)

    def test_reads_see_what_a_killed_agent_had_acknowledged(self):
        self.host.hedge("add", "@stock", "rivet")
        before = self.compare_reads()
        self.host.kill_agent()
        self.check_reads(before)
        self.host.start_agent("--no-discovery")
        self.assertIn("rivet", self.host.texts("stock"))

    def test_a_refusal_is_the_same_as_ever(self):
        self.host.stop_agent()
        for words, code in ((("ls", "@nolist"), 3), (("show", "@stock", "nothing"), 3),
                            (("ls", "@stock", "--where", "pric>1"), 2)):
            done = self.host.hedge(*words, check=False)
            self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        done = self.host.hedge("ls", "@nolist", "--json", check=False)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_status_says_that_the_agent_is_stopped_and_a_check_fails(self):
        self.host.stop_agent()
        self.assertIsNone(self.host.json("status")["agent"]["uptime_s"])
        self.assertEqual(self.host.hedge("status", "--check", check=False).returncode, 6)

    def test_writes_and_streams_exit_6_with_the_command_that_starts_it(self):
        self.host.stop_agent()
        for words in (("add", "@stock", "x"), ("done", "@stock", "bolt"), ("new", "more"),
                      ("watch", "@stock"), ("invite", "--no-input"), ("sync",), ("agent", "status")):
            with self.subTest(words):
                done = self.host.hedge(*words, check=False)
                self.assertEqual(done.returncode, 6, done.stderr)
                self.assertIn("hedge agent run", done.stderr)

    def test_a_file_is_written_from_the_store_too(self):
        self.host.stop_agent()
        path = self.host.folder / "stock.csv"
        self.host.hedge("export", "@stock", "-o", path)
        self.assertIn("wåsher", path.read_text())

    def test_who_holds_the_data_and_does_not_answer_is_named(self):
        socket = self.host.folder / "home/run/hedgerow/agent.sock"
        socket.unlink()
        self.addCleanup(self.host.kill_agent)
        done = self.host.hedge("ls", "@stock", check=False)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn(f"pid {self.host.agent.pid}", done.stderr)

    def test_without_any_data_a_read_says_how_to_start(self):
        done = self.host.hedge("--data", self.host.folder / "nowhere", "ls", check=False)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertFalse((self.host.folder / "nowhere").exists())

    def test_a_named_socket_says_nothing_of_where_the_data_is(self):
        done = self.host.hedge("--socket", self.host.folder / "no.sock", "ls", check=False)
        self.assertEqual(done.returncode, 6, done.stderr)

    def test_readers_at_once_do_not_hinder_each_other(self):
        self.host.stop_agent()
        readers = [subprocess.Popen(self.host.inside(HEDGE, "ls", "@stock"), env=self.host.environment,
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(8)]
        for reader in readers:
            out, err = reader.communicate(timeout=60)
            self.assertEqual(reader.returncode, 0, err)
            self.assertIn(b"bolt", out)

    def test_an_agent_starts_while_others_read(self):
        self.host.stop_agent()
        codes, stop = [], threading.Event()

        def read():
            while not stop.is_set():
                codes.append(self.host.hedge("ls", "@stock", check=False).returncode)
        readers = [threading.Thread(target=read) for _ in range(2)]
        for reader in readers:
            reader.start()
        try:
            for _ in range(5):
                self.host.start_agent("--no-discovery")
                self.host.stop_agent()
        finally:
            stop.set()
            for reader in readers:
                reader.join(30)
        # For a moment at its start and at its end an agent holds the data and has no socket.
        self.assertLessEqual(set(codes), {0, 6})
        self.assertGreater(codes.count(0), len(codes) * 0.9, codes)


if __name__ == "__main__":
    unittest.main()
