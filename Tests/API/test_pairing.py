# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Joins that people give up and repeat, over real agents on loopback."""
import unittest

from api import loopback


class RepeatedJoinTests(unittest.TestCase):
    def setUp(self):
        self.host, self.guest = (loopback.Agent(name) for name in ("den", "loft"))
        for agent in (self.host, self.guest):
            self.addCleanup(agent.remove)
            agent.start()
        self.host.hedge("new", "groceries")
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


if __name__ == "__main__":
    unittest.main()
