# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""What was deleted long ago lies packed beside the lists: it is counted, shown in the trash, found by its
handle, and comes back whole, before and after a restart."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Loopback"))
import loopback
from loopback import eventually

ROWS = 1_200


class ColdItemTests(unittest.TestCase):
    def setUp(self):
        self.agent = loopback.Agent("attic")
        self.addCleanup(self.agent.remove)
        folder = self.agent.home / "config" / "hedgerow"
        folder.mkdir(parents=True, mode=0o700)
        # No day has to pass: what is on disk leaves the log.
        (folder / "hedgerow.conf").write_text("[history]\ndays = 0\n")
        self.agent.start()

    def store(self):
        return self.agent.json("inspect", "store")

    def wait_cold(self, count):
        eventually(lambda: self.store()["cold_items"] == count, 100,
                   lambda: f"{count} cold items; it says {self.store()}")

    def test_a_list_that_was_dropped_long_ago_comes_back_whole(self):
        agent = self.agent
        agent.hedge("new", "kept")
        agent.hedge("add", "@kept", "milk")
        agent.hedge("new", "old")
        lines = "".join(f"row {number}\n" for number in range(ROWS))
        agent.hedge("add", "@old", "-", input=lines)
        agent.hedge("drop", "@old", "-y")
        self.wait_cold(ROWS + 1)
        facts = self.store()
        self.assertEqual(facts["items"], ROWS + 3)
        self.assertEqual(facts["log_changes"], 0)
        self.assertEqual(facts["floor_held_by"], [])
        self.assertTrue(facts["floor"], facts)
        self.assertGreater(facts["cold_bytes"], ROWS)
        self.assertLess(facts["cold_bytes"], ROWS * 64)
        self.assertLess(facts["database_bytes"], 1 << 20)

        agent.end()
        agent.start()
        self.assertEqual(self.store()["cold_items"], ROWS + 1)
        row, = agent.json("trash")["trash"]
        self.assertEqual((row["text"], row["hidden"]), ("old", ROWS))
        inside = agent.json("log", row["handle"])
        self.assertEqual(inside["kind"], "log", inside)
        self.assertEqual(self.store()["cold_items"], ROWS + 1)

        agent.hedge("restore", row["handle"])
        self.assertEqual(self.store()["cold_items"], 0)
        self.assertEqual(agent.texts("old"), [f"row {number}" for number in range(ROWS)])
        self.assertEqual(agent.texts("kept"), ["milk"])
        agent.hedge("undo")
        self.wait_cold(ROWS + 1)
        agent.hedge("redo")
        self.assertEqual(len(agent.texts("old")), ROWS)

    def test_an_export_of_what_is_cold_comes_back_with_the_same_sums(self):
        agent = self.agent
        agent.hedge("new", "stock", "left:counter")
        agent.hedge("add", "@stock", "-", input="".join(f"part {number}\n" for number in range(ROWS)))
        agent.hedge("set", "@stock", "part 7", "left+=5")
        copy = agent.home / "stock.json"
        copy.write_text(agent.hedge("export", "@stock", "--format", "json").stdout)
        agent.hedge("drop", "@stock", "-y")
        self.wait_cold(ROWS + 1)
        agent.hedge("import", str(copy))
        row = next(item for item in agent.json("ls", "@stock")["items"] if item["text"] == "part 7")
        self.assertEqual(row["cols"]["left"], 5, row)


if __name__ == "__main__":
    unittest.main()
