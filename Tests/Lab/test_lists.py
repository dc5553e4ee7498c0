# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Whole lists on two hosts: cleared, renamed, dropped, their columns; looking across lists."""
import unittest

from agents import AgentCase


class ListTests(AgentCase):
    count = 2

    def setUp(self):
        self.first, self.second = self.lab.hosts

    def new(self, name, *words):
        self.first.hedge("new", name, *words)
        self.lab.wait_equal(name)

    def test_clear_rename_drop_and_back(self):
        first, second = self.first, self.second
        self.new("shop")
        first.hedge("add", "@shop", "-", input="".join(f"row {n}\n" for n in range(14)))
        handles = [item["handle"] for item in first.items("shop")]
        first.hedge("done", "@shop", *handles[:12])
        self.lab.wait_equal("shop")
        asked = second.hedge("clear", "@shop", check=False)
        self.assertEqual(asked.returncode, 10, asked.stderr)
        self.assertEqual(second.json("clear", "@shop", "-n")["changed"], 12)
        second.hedge("clear", "@shop", "-y")
        self.lab.wait_equal("shop")
        self.assertEqual(first.texts("shop"), ["row 12", "row 13"])
        second.hedge("undo")
        self.lab.wait_equal("shop")
        self.assertEqual(len(first.texts("shop")), 14)
        first.hedge("rename", "@shop", "food")
        self.lab.wait_equal("food")
        self.assertEqual(first.hedge("drop", "@food", check=False).returncode, 10)
        first.hedge("drop", "@food", "-y")
        self.lab.wait_in_sync()
        self.assertNotIn("food", [row["name"] for row in first.json("lists")["lists"]])
        second.hedge("restore", "@food")
        self.lab.wait_equal("food")
        self.assertEqual(len(first.texts("food")), 14)

    def test_a_renamed_column_keeps_what_was_written_apart(self):
        first, second = self.first, self.second
        self.new("stock", "name:text!", "qty:text", "shop:text")
        first.hedge("add", "@stock", "milk", "qty=2")
        first.hedge("add", "@stock", "eggs", "qty=lots")
        self.lab.wait_equal("stock")
        for host in self.lab.hosts:
            host.cut()
        first.hedge("cols", "@stock", "rename", "qty", "amount")
        second.hedge("set", "@stock", "milk", "qty=9")
        for host in self.lab.hosts:
            host.heal()
        self.lab.wait_in_sync()
        self.lab.wait_equal("stock")
        self.assertEqual(first.items("stock")[0]["cols"]["amount"], "9")
        plan = first.hedge("cols", "@stock", "retype", "amount", "int", "-n", check=False)
        self.assertEqual(plan.returncode, 8, plan.stderr)
        self.assertIn("eggs", plan.stderr)
        done = first.hedge("cols", "@stock", "retype", "amount", "int", check=False)
        self.assertEqual(done.returncode, 8)
        self.lab.wait_equal("stock")
        cells = [item["cols"]["amount"] for item in second.items("stock")]
        self.assertEqual(cells, [9, "lots"])
        second.hedge("cols", "@stock", "order", "shop")
        second.hedge("cols", "@stock", "drop", "amount")
        self.lab.wait_equal("stock")
        names = [column["name"] for column in first.json("cols", "@stock")["columns"]]
        self.assertEqual(names, ["shop", "name"])
        self.assertEqual(first.texts("stock"), ["milk", "eggs"], "the text stays the text")
        self.assertEqual(first.hedge("cols", "@stock", "drop", "name", check=False).returncode, 5)

    def test_find_feeds_other_commands_and_a_terminal_has_a_list(self):
        first = self.first
        self.new("trips")
        first.hedge("add", "@trips", "Rome,", "Oslo")
        first.hedge("add", "@trips/Rome", "needle ticket")
        found = first.json("find", "NEEDLE")["items"]
        self.assertEqual([(item["text"], item["path"]) for item in found],
                         [("needle ticket", ["Rome"])])
        lines = first.hedge("find", "needle").stdout
        first.hedge("done", "-", input=lines)
        self.assertEqual(first.json("find", "needle")["items"], [])
        environment = {**first.environment, "HEDGE_TERMINAL": "t1"}
        self.new("second")
        self.assertEqual(first.hedge("add", "x", check=False, env=environment).returncode, 2)
        first.hedge("use", "@second", env=environment)
        first.stop_agent()
        first.start_agent()
        first.hedge("add", "here", env=environment)
        self.assertEqual(first.texts("second"), ["here"])
        first.hedge("use", "--none", env=environment)
        preset = {**environment, "HEDGE_LIST": "@trips"}
        first.hedge("add", "Bern", env=preset)
        self.assertEqual(first.texts("trips")[-1], "Bern")
        self.lab.wait_in_sync()


if __name__ == "__main__":
    unittest.main()
