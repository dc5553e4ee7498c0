# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Joins that people give up and repeat, over real agents on loopback."""
import os
import pty
import re
import subprocess
import unittest

from api import loopback


class TwoAgents(unittest.TestCase):
    """A host with a list, and a guest that has nothing yet."""

    def setUp(self):
        self.host, self.guest = (loopback.Agent(name) for name in ("den", "loft"))
        for agent in (self.host, self.guest):
            self.addCleanup(agent.remove)
            agent.start()
        self.host.hedge("new", "groceries")


class RepeatedJoinTests(TwoAgents):
    def setUp(self):
        super().setUp()
        self.code = self.host.json("invite", "--no-input")["code"]
        self.address = f"127.0.0.1:{self.host.peer_port}"

    def test_a_join_that_was_given_up_does_not_end_the_next_one(self):
        late = self.guest.hedge("join", self.code, "--timeout", "1", check=False)
        self.assertEqual(late.returncode, 7, late.stderr)
        done = self.guest.hedge("join", self.code, "--at", self.address)
        self.assertIn("joined space home", done.stdout)
        self.assertEqual({row["name"] for row in self.guest.json("members")["members"]}, {"den", "loft"})

    def test_a_join_that_is_repeated_with_its_code_says_once_more_that_it_is_in(self):
        for _ in range(2):
            done = self.guest.hedge("join", self.code, "--at", self.address)
            self.assertIn("joined space home", done.stdout)
        self.assertEqual(len(self.host.json("members")["members"]), 2)

    def test_a_device_with_lists_is_told_commands_after_which_it_can_join(self):
        self.guest.hedge("new", "mine")
        done = self.guest.hedge("join", self.code, "--at", self.address, check=False)
        self.assertEqual(done.returncode, 4, done.stderr)
        advice = re.search("to begin anew: (.*); then start the agent", done.stderr)
        self.assertIsNotNone(advice, done.stderr)
        subprocess.run(advice[1], shell=True, check=True, env=self.guest.environment,
                       cwd=self.guest.home, timeout=60, capture_output=True)
        self.guest.end()
        self.guest.start()
        self.guest.hedge("join", self.code, "--at", self.address)
        self.guest.hedge("import", str(self.guest.home / "lists.json"))
        self.assertEqual({row["name"] for row in self.guest.json("lists")["lists"]}, {"groceries", "mine"})


class MemberTests(TwoAgents):
    def setUp(self):
        super().setUp()
        self.guest.join(self.host)

    def row(self, name):
        return next(row for row in self.host.json("members")["members"] if row["name"] == name)

    def on_terminal(self, *words):
        """The exit code of a command that may ask and is told no, and what it says."""
        outer, inner = pty.openpty()
        try:
            os.write(outer, b"no\n")
            done = subprocess.run([loopback.HEDGE, *words], env=self.host.environment, stdin=inner,
                                  stdout=inner, stderr=inner, timeout=60)
            return done.returncode, os.read(outer, 4096).decode()
        finally:
            os.close(inner)
            os.close(outer)

    def test_nobody_is_asked_about_a_device_that_is_not_there(self):
        code, told = self.on_terminal("revoke", "nix")
        self.assertEqual(code, 3, told)
        self.assertIn('no device "nix"', told)
        self.assertNotIn("for good?", told)
        code, told = self.on_terminal("revoke", "loft")
        self.assertEqual(code, 10, told)
        self.assertIn("for good?", told)
        self.assertEqual(self.row("loft")["state"], "active")

    def test_a_removed_device_was_last_met_when_it_was(self):
        self.host.hedge("revoke", "loft", "--yes")
        row = self.row("loft")
        self.assertEqual(row["state"], "removed")
        self.assertIsNotNone(row["at"])

    def test_a_reader_is_told_what_makes_it_a_member(self):
        self.host.hedge("role", "loft", "reader")
        def refused():
            done = self.guest.hedge("add", "@groceries", "milk", check=False)
            return done.returncode == 4 and done.stderr
        words = loopback.eventually(refused, 10, "loft may only read")
        self.assertIn("hedge role loft member", words)


if __name__ == "__main__":
    unittest.main()
