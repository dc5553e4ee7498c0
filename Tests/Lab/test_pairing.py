# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Pairing over mDNS with one-time codes, and what a stranger gets."""
import random
import time
import unittest

from agents import AgentCase


class PairingTests(AgentCase):
    is_paired = False
    count = 4

    def test_three_hosts_are_in_sync_five_seconds_after_two_codes_and_a_stranger_gets_nothing(self):
        first, second, third, stranger = self.lab.hosts
        first.hedge("new", "groceries")
        first.hedge("add", "@groceries", "milk,", "eggs")
        codes = []
        start = time.monotonic()
        for guest in (second, third):
            codes.append(first.code())
            guest.hedge("join", "-", input=codes[-1] + "\n")
        self.lab.wait_in_sync(first, second, third, seconds=5)
        took = time.monotonic() - start
        print(f"\n  paired and in sync after {took:.2f} s", flush=True)
        self.assertLess(took, 5)
        self.lab.wait_equal("groceries", first, second, third)

        # The stranger: a used code, an unknown one, a mistyped one.
        before = first.export("groceries")
        for code, status in ((codes[0], 4), (unknown_code(), 4), (codes[1][:-1] + ("7" if codes[1][-1] != "7" else "8"), 2)):
            with self.subTest(code=code):
                done = stranger.hedge("join", "-", input=code + "\n", check=False)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertTrue(done.stderr.strip(), "a sentence says why")
                self.assertEqual(done.stdout, "")
        self.assertEqual(first.export("groceries"), before)
        self.assertEqual(stranger.json("lists")["lists"], [])
        for host in (first, second, third):
            names = {peer["name"] for peer in host.json("peers")["peers"]}
            self.assertNotIn(stranger.name, names)

    def test_a_stranger_is_refused_however_lately_the_inviter_announced_itself(self):
        """Each announcement takes the place of one whose goodbye comes later: both name one address."""
        first, _, _, stranger = self.lab.hosts
        for pause in (0, 0.9, 1.1, 1.3, 1.6):
            for _ in range(3):
                first.code()
            time.sleep(pause)
            with self.subTest(pause=pause):
                done = stranger.hedge("join", "-", input=unknown_code() + "\n", check=False)
                self.assertEqual(done.returncode, 4, done.stderr)


class RoleTests(AgentCase):
    is_paired = False

    def test_two_open_codes_give_two_roles_and_roles_are_kept(self):
        admin, member, reader = self.lab.hosts
        admin.hedge("new", "groceries")
        codes = [admin.json("invite", "--no-input", "--role", role)["code"]
                 for role in ("member", "reader")]
        reader.hedge("join", "-", input=codes[1] + "\n")
        member.hedge("join", "-", input=codes[0] + "\n")
        self.lab.wait_in_sync()
        roles = {peer["name"]: peer["role"] for peer in admin.json("peers")["peers"]}
        self.assertEqual(roles, {member.name: "member", reader.name: "reader"})
        interfaces = {peer["interface"] for peer in admin.json("peers")["peers"]}
        self.assertEqual(interfaces, {"eth0"})

        member.hedge("add", "@groceries", "milk")
        self.lab.wait_equal("groceries")
        before = reader.export("groceries")
        for words in (("add", "@groceries", "mine"), ("add", "-n", "@groceries", "mine"),
                      ("new", "other"), ("done", "@groceries", "milk"), ("invite", "--no-input")):
            with self.subTest(words=words):
                done = reader.hedge(*words, check=False)
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(reader.export("groceries"), before)
        done = member.hedge("invite", "--no-input", check=False)
        self.assertEqual((done.returncode, done.stdout), (4, ""), done.stderr)
        self.assertIn("admin", done.stderr)


class RestartTests(AgentCase):
    is_paired = False
    count = 2

    def test_a_joiner_that_is_killed_right_after_the_join_finds_the_inviter_without_mdns(self):
        inviter, joiner = self.lab.hosts
        inviter.hedge("new", "groceries")
        code = inviter.code()
        joiner.stop_agent()
        joiner.kill_avahi()
        joiner.start_agent("--no-discovery")
        joiner.hedge("join", "-", "--at", f"{inviter.address}:7644", input=code + "\n")
        joiner.kill_agent()
        # The inviter alone must not mend it.
        inviter.kill_agent()
        joiner.start_agent("--no-discovery")
        inviter.start_agent("--no-discovery")
        self.lab.wait_in_sync()
        self.lab.wait_equal("groceries")


LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def unknown_code():
    """A code whose check letter fits and that nobody gave out."""
    digits = [random.randrange(32) for _ in range(19)]
    check = 0
    for digit in digits:
        check = (check ^ digit) << 1
        check ^= 0b100101 if check & 32 else 0
    text = "".join(LETTERS[digit] for digit in digits + [check])
    return "-".join(text[at:at + 5] for at in range(0, 20, 5))


if __name__ == "__main__":
    unittest.main()
