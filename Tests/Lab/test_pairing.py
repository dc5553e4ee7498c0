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
                # By address: what is tried here is the code, not how an inviter is found.
                done = stranger.hedge("join", "-", "--at", f"{first.address}:7644",
                                      input=code + "\n", check=False)
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertTrue(done.stderr.strip(), "a sentence says why")
                self.assertEqual(done.stdout, "")
        self.assertEqual(first.export("groceries"), before)
        self.assertEqual(stranger.json("lists")["lists"], [])
        for host in (first, second, third):
            names = {peer["name"] for peer in host.json("peers")["peers"]}
            self.assertNotIn(stranger.name, names)


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
