# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""A removed device (reliability T1, T2, T3, T6): what it wrote behind the remover's back is nowhere, it is told."""
import unittest

from agents import AgentCase
from lab import wait_until


class RemovalCase(AgentCase):
    def removal(self, host, name):
        """What `members` says of a removed device."""
        rows = [row for row in host.json("members")["members"] if row["name"] == name]
        self.assertEqual(len(rows), 1, f"{host.name} knows {rows}")
        return rows[0]


class RevokeTests(RemovalCase):
    def test_t6_a_device_that_is_off_is_removed_and_told_when_it_is_back(self):
        first, second, third = self.lab.hosts
        first.hedge("new", "fruit")
        third.hedge("add", "@fruit", "from before")
        self.lab.wait_equal("fruit")
        third.cut()
        third.hedge("add", "@fruit", "its own")
        # Not asked for on a terminal, not said with --yes: nothing happens.
        refused = first.hedge("revoke", third.name, "--no-input", check=False)
        self.assertEqual(refused.returncode, 10, refused)
        answer = first.json("revoke", third.name, "--yes")
        # The one that is there has confirmed it by then.
        self.assertEqual((answer["name"], answer["by"], answer["unconfirmed"]), (third.name, first.name, []))
        row = self.removal(first, third.name)
        self.assertEqual((row["state"], row["removed_by"]), ("removed", first.name))
        wait_until(lambda: self.removal(first, third.name)["unconfirmed"] == [], 20,
                   lambda: f"{self.removal(first, third.name)} although {second.name} is there")
        self.assertEqual(self.removal(second, third.name)["removed_by"], first.name)
        third.heal()
        wait_until(lambda: any(w["code"] == "removed" for w in third.json("status")["warnings"]), 60,
                   lambda: f"{third.name} is not told: {third.json('status')}")
        text = third.hedge("status").stdout
        self.assertIn(f"this device was removed from the space by {first.name}", text)
        refused = third.hedge("add", "@fruit", "more", check=False)
        self.assertEqual(refused.returncode, 4, refused)
        self.assertIn(first.name, refused.stderr)
        self.assertEqual(sorted(third.texts("fruit")), ["from before", "its own"])
        second.hedge("add", "@fruit", "from after")
        self.lab.wait_equal("fruit", first, second)
        for host in [first, second]:
            self.assertEqual(sorted(host.texts("fruit")), ["from after", "from before"])
        self.assertNotIn("from after", third.texts("fruit"))
        third.stop_agent()
        third.start_agent()
        self.assertEqual(third.hedge("add", "@fruit", "more", check=False).returncode, 4)
        self.assertEqual(third.json("peers")["removed_by"], first.name)
        self.assertEqual(first.hedge("revoke", third.name, "--yes", check=False).returncode, 5)


class TakenBackTests(RemovalCase):
    def test_t3_what_others_took_from_it_meanwhile_is_taken_back(self):
        first, second, third = self.lab.hosts
        first.hedge("new", "nuts")
        for text in ["walnut", "hazel"]:
            third.hedge("add", "@nuts", text)
        self.lab.wait_equal("nuts")
        first.cut()
        third.hedge("add", "@nuts", "behind its back")
        third.hedge("edit", "@nuts", "walnut", "renamed")
        self.lab.wait_equal("nuts", second, third)
        second.hedge("add", "@nuts", "cashew")
        first.hedge("revoke", third.name, "--yes")
        self.assertEqual(self.removal(first, third.name)["unconfirmed"], [second.name])
        self.assertEqual([row["unconfirmed"] for row in first.json("peers")["removals"]], [[second.name]])
        first.heal()
        expected = ["cashew", "hazel", "walnut"]
        wait_until(lambda: all(sorted(host.texts("nuts")) == expected for host in [first, second]), 60,
                   lambda: f"{first.texts('nuts')} and {second.texts('nuts')}")
        wait_until(lambda: self.removal(first, third.name)["unconfirmed"] == [], 30,
                   lambda: f"{self.removal(first, third.name)}")
        self.lab.wait_in_sync(first, second)
        codes = {warning["code"] for warning in second.json("status")["warnings"]}
        self.assertIn("quarantine", codes)
        second.kill_agent()
        second.start_agent()
        self.assertEqual(sorted(second.texts("nuts")), expected)
        self.lab.wait_in_sync(first, second)


if __name__ == "__main__":
    unittest.main()
