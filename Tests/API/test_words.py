# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""What the command line says of what is wrong, over a real agent: the thing that is, and what to do."""
import os
import pathlib
import socket
import stat
import tempfile
import threading
import unittest

from api import Agent, loopback


class WordTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.here = Agent()
        cls.addClassCleanup(cls.here.remove)
        cls.here.hedge("new", "shop", "price:num")
        cls.here.hedge("add", "@shop", "milk", "price=2")

    def refused(self, code, *words):
        done = self.here.hedge(*words, check=False)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_a_condition_that_no_cell_can_fulfil_is_refused_for_notices_too(self):
        self.assertIn("cannot be compared", self.refused(2, "notify", "on", "@shop", "price<abc"))
        self.assertEqual(self.here.json("notify", "ls")["rules"], [])

    def test_peers_rm_tells_a_device_from_an_address(self):
        self.assertIn("hedge revoke study", self.refused(2, "peers", "rm", "study"))
        self.assertIn("none was", self.refused(3, "peers", "rm", "192.0.2.1:7644"))

    def test_the_version_of_the_client_stands_beside_that_of_the_agent(self):
        version = self.here.json("version")
        self.assertEqual(version["client"], version["version"])

    def test_an_export_writes_into_a_pipe_and_through_a_link_and_replaces_neither(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            pipe, link, file = folder / "pipe", folder / "link", folder / "file"
            os.mkfifo(pipe)
            file.write_text("old")
            link.symlink_to("file")
            read = []
            reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
            reader.start()
            self.here.hedge("export", "@shop", "-o", str(pipe), "--format", "csv")
            reader.join(10)
            self.here.hedge("export", "@shop", "-o", str(link), "--format", "csv")
            self.assertTrue(stat.S_ISFIFO(pipe.stat().st_mode))
            self.assertTrue(link.is_symlink())
            self.assertIn("milk", file.read_text())
            self.assertEqual(read, [file.read_text()])
            self.assertEqual(sorted(os.listdir(folder)), ["file", "link", "pipe"])

    def test_a_list_that_is_not_there_is_not_asked_for(self):
        self.assertIn('no list "nope"', self.refused(3, "drop", "@nope"))
        self.assertIn("Did you mean shop?", self.refused(3, "drop", "-y", "@sho"))
        self.assertIn("--yes", self.refused(10, "drop", "@shop"))

    def test_what_a_guest_may_see_is_named_in_full(self):
        self.assertIn("Did you mean shop?", self.refused(3, "web", "--guest", "@sho"))
        self.assertEqual(self.here.json("web", "guest", "ls")["guests"], [])

    def test_a_dry_run_leaves_everything_as_it_was(self):
        before = self.here.hedge("export", "--all").stdout
        for words in (["add", "@shop", "x"], ["new", "zzz"], ["rm", "milk"], ["drop", "@shop"]):
            self.assertNotEqual(self.here.hedge("-n", *words).stdout, "")
        self.here.hedge("add", "-n", "@shop", "-", input="from input\n")
        self.refused(2, "sync", "-n", "pause")
        self.assertEqual(self.here.hedge("export", "--all").stdout, before)

    def test_status_says_whether_all_arrived(self):
        self.assertIn("all_arrived\tfalse\n", self.here.hedge("status").stdout)
        self.assertFalse(self.here.json("status")["all_arrived"])

    def test_an_address_where_no_inviter_is_is_named(self):
        alone = loopback.Agent("loft")
        self.addCleanup(alone.remove)
        alone.start()
        code = self.here.json("invite", "--no-input")["code"]
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{closed.getsockname()[1]}"
            done = alone.hedge("join", code, "--at", address, check=False)
        self.assertEqual(done.returncode, 7, done.stderr)
        self.assertIn(f"no inviter answered at {address}", done.stderr)

    def test_who_holds_the_data_or_the_port_is_told_without_our_files(self):
        data = self.here.hedge("agent", "run", "--data", self.here.json("agent", "status")["data"], check=False)
        self.assertEqual(data.returncode, 75)
        self.assertNotIn(".swift", data.stderr)
        other = loopback.Agent("attic", "--port", str(self.here.peer_port))
        self.addCleanup(other.remove)
        with self.assertRaises(Exception) as failure:
            other.start()
        self.assertIn("--port N", str(failure.exception))


if __name__ == "__main__":
    unittest.main()
