# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Taking back and bringing back, on two hosts: undo, redo, restore, trash, merge decisions."""
import unittest

from agents import AgentCase
from lab import wait_until


class UndoTests(AgentCase):
    count = 2

    def setUp(self):
        self.first, self.second = self.lab.hosts

    def new(self, name, *words):
        self.first.hedge("new", name, *words)
        self.lab.wait_equal(name)

    def test_the_own_last_command_goes_back_also_after_it_was_sent_and_after_a_restart(self):
        first, second = self.first, self.second
        self.new("undo", "name:text!", "qty:int", "n:counter")
        first.hedge("add", "@undo", "milk,", "eggs,", "tea")
        first.hedge("set", "@undo", "milk", "qty=2", "n+=3")
        first.hedge("mv", "@undo", "tea", "1")
        first.hedge("rm", "@undo", "eggs")
        self.lab.wait_equal("undo")
        second.hedge("add", "@undo", "bread")
        self.lab.wait_equal("undo")
        first.kill_agent()
        first.start_agent()
        self.lab.wait_in_sync()
        self.assertIn("eggs", first.hedge("undo", "-n").stdout)
        self.assertEqual(first.texts("undo"), ["tea", "milk", "bread"], "a dry run changes nothing")
        first.hedge("undo")
        self.lab.wait_equal("undo")
        self.assertEqual(second.texts("undo"), ["tea", "milk", "eggs", "bread"])
        first.hedge("undo")
        first.hedge("undo")
        self.lab.wait_equal("undo")
        self.assertEqual(second.texts("undo"), ["milk", "eggs", "tea", "bread"])
        cells = second.items("undo")[0]["cols"]
        self.assertEqual((cells["qty"], cells["n"]), (None, 0))
        first.kill_agent()
        first.start_agent()
        for _ in range(3):
            first.hedge("redo")
        self.lab.wait_in_sync()
        self.lab.wait_equal("undo")
        self.assertEqual(second.texts("undo"), ["tea", "milk", "bread"])
        self.assertEqual(second.items("undo")[1]["cols"]["qty"], 2)
        self.assertIsNone(first.json("redo")["undone"], "nothing is left to redo")

    def test_what_the_other_changed_since_stays_and_is_named(self):
        first, second = self.first, self.second
        self.new("apart")
        first.hedge("add", "@apart", "milk,", "eggs")
        first.hedge("done", "@apart", "milk", "eggs")
        self.lab.wait_equal("apart")
        second.hedge("undone", "@apart", "milk")
        self.lab.wait_equal("apart")
        done = first.hedge("undo", check=False)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("milk", done.stderr)
        self.assertIn(second.name, done.stderr)
        self.assertEqual([item["state"] for item in first.items("apart")], ["open", "open"])
        # The other host never takes back what it did not do.
        steps = second.json("undo", "--list")["steps"]
        self.assertEqual([item["op"] for item in steps[0]["items"]], ["undone"])
        self.assertEqual(second.hedge("undo", "t-00000000-1", check=False).returncode, 3)

    def test_an_import_is_one_step(self):
        self.new("lines")
        text = "".join(f"row {n}\n" for n in range(2000))
        (self.first.folder / "rows.txt").write_text(text)
        self.first.hedge("import", "@lines", self.first.folder / "rows.txt", "--format", "lines")
        self.assertEqual(len(self.first.texts("lines")), 2000)
        self.first.hedge("undo")
        self.lab.wait_equal("lines")
        self.assertEqual(self.second.texts("lines"), [])
        self.first.hedge("redo")
        self.lab.wait_equal("lines")
        self.assertEqual(self.second.texts("lines"), [f"row {n}" for n in range(2000)])

    def test_what_anyone_removed_comes_back_and_recovered_items_come_out(self):
        first, second = self.first, self.second
        self.new("trips")
        first.hedge("add", "@trips", "Rome,", "Oslo")
        first.hedge("add", "@trips/Rome", "passport,", "tickets")
        self.lab.wait_equal("trips")
        second.hedge("rm", "@trips", "Rome")
        self.lab.wait_equal("trips")
        row = first.json("trash", "@trips")["trash"][0]
        self.assertEqual((row["text"], row["hidden"], row["by"]), ("Rome", 2, second.name))
        first.hedge("restore", row["handle"])
        self.lab.wait_equal("trips")
        self.assertEqual(second.texts("trips"), ["Rome", "Oslo"])
        self.assertEqual(second.texts("trips/Rome"), ["passport", "tickets"])
        for host in self.lab.hosts:
            host.cut()
        first.hedge("rm", "@trips", "Rome")
        second.hedge("add", "@trips/Rome", "hat")
        for host in self.lab.hosts:
            host.heal()
        self.lab.wait_in_sync()
        for host in self.lab.hosts:
            wait_until(lambda: host.json("status")["recovered"] == 1, 10,
                       lambda: f"{host.name} counts one: {host.hedge('status').stdout}")
            states = {row["text"]: row["state"] for row in host.json("trash", "@trips")["trash"]}
            self.assertEqual(states, {"Rome": "removed", "hat": "recovered"})
        second.hedge("restore", "hat")
        self.lab.wait_equal("trips")
        self.assertEqual(first.texts("trips/Rome"), ["passport", "tickets", "hat"])
        self.assertEqual(first.json("status")["recovered"], 0)

    def test_merge_decisions_are_told_and_the_other_value_can_be_taken(self):
        first, second = self.first, self.second
        self.new("clash", "name:text!", "price:num")
        first.hedge("add", "@clash", "milk", "price=1.10")
        self.lab.wait_equal("clash")
        for host in self.lab.hosts:
            host.cut()
        first.hedge("set", "@clash", "milk", "price=1.20")
        second.hedge("set", "@clash", "milk", "price=1.25")
        for host in self.lab.hosts:
            host.heal()
        self.lab.wait_in_sync()
        self.lab.wait_equal("clash")
        told = {}
        for host in self.lab.hosts:
            rows = host.json("conflicts", "@clash")["conflicts"]
            self.assertEqual(len(rows), 1)
            told[host] = rows[0]
        self.assertEqual(told[first]["kept"]["value"], told[second]["kept"]["value"])
        self.assertEqual({told[first]["kept"]["value"], told[first]["dropped"]["value"]},
                         {"1.2", "1.25"})
        self.assertEqual({told[first]["kept"]["by"], told[first]["dropped"]["by"]},
                         {first.name, second.name})
        first.kill_agent()
        first.start_agent()
        self.assertEqual(first.json("conflicts", "@clash")["conflicts"], [told[first]])
        self.assertEqual(first.json("status")["merge_decisions"], 1)
        first.hedge("conflicts", "take", told[first]["id"])
        self.lab.wait_in_sync()
        self.lab.wait_equal("clash")
        self.assertEqual(second.items("clash")[0]["cols"]["price"], told[first]["dropped"]["value"])
        self.assertTrue(first.json("conflicts", "@clash")["conflicts"][0]["taken"])
        first.hedge("undo")
        self.lab.wait_equal("clash")
        self.assertEqual(second.items("clash")[0]["cols"]["price"], told[first]["kept"]["value"])
        self.assertEqual(first.hedge("conflicts", "take", "c-999", check=False).returncode, 3)


if __name__ == "__main__":
    unittest.main()
