# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Who did what, where it is by now, and what devices may do; on two hosts."""
import threading
import time
import unittest

from agents import AgentCase


class LogTests(AgentCase):
    count = 2

    def setUp(self):
        self.first, self.second = self.lab.hosts

    def test_the_log_tells_who_did_what_also_while_the_agent_is_stopped(self):
        first, second = self.first, self.second
        first.hedge("new", "story", "name:text!", "qty:int")
        self.lab.wait_equal("story")
        first.hedge("add", "@story", "milk,", "eggs")
        self.lab.wait_equal("story")
        second.hedge("set", "@story", "milk", "qty=3")
        second.hedge("rm", "@story", "eggs")
        self.lab.wait_equal("story")
        rows = first.json("log", "@story")["log"]
        told = [(row["by"], [item["op"] for item in row["items"]]) for row in rows]
        self.assertEqual(told, [(second.name, ["rm"]), (second.name, ["set"]),
                                (first.name, ["add", "add"]), (first.name, ["new"])])
        change = rows[1]["items"][0]
        self.assertEqual((change["col"], change["new"], change["text"]), ("qty", "3", "milk"))
        eggs = rows[0]["items"][0]["handle"]
        self.assertEqual(len(first.json("log", eggs)["log"]), 2)
        self.assertEqual(len(first.json("log", "@story", "--by", second.name)["log"]), 2)
        self.assertEqual(len(first.json("log", "--since", "1h", "--limit", "3")["log"]), 3)
        self.assertEqual(first.hedge("log", "--since", "soon", check=False).returncode, 2)
        self.assertEqual(first.hedge("log", "--by", "nobody", check=False).returncode, 3)
        first.stop_agent()
        self.assertEqual(first.json("log", "@story")["log"], rows)
        first.start_agent()
        self.lab.wait_in_sync()

    def test_wait_ends_when_the_changes_are_on_the_other_disk(self):
        first, second = self.first, self.second
        first.hedge("new", "later")
        self.lab.wait_equal("later")
        self.assertEqual(first.json("wait")["peers"], [second.name])
        second.cut()
        change = first.json("add", "@later", "milk")["txn"]
        start = time.monotonic()
        late = first.hedge("wait", change, "--timeout", "1", check=False)
        self.assertEqual(late.returncode, 7, late.stderr)
        self.assertGreater(time.monotonic() - start, 0.9)
        answers = []
        waiter = threading.Thread(
            target=lambda: answers.append(first.hedge("wait", "--all", change, check=False)))
        waiter.start()
        time.sleep(0.5)
        self.assertEqual(answers, [], "nobody has it yet")
        second.heal()
        waiter.join(30)
        self.assertEqual([done.returncode for done in answers], [0], answers)
        self.assertEqual(second.texts("later"), ["milk"])
        self.assertEqual(first.hedge("wait", "--any", "5", check=False).returncode, 3)
        self.assertEqual(first.hedge("wait", "t-00000000-9", check=False).returncode, 3)

    def test_names_and_roles_are_given_by_admins_and_hold(self):
        first, second = self.first, self.second
        rows = {row["name"]: row for row in first.json("members")["members"]}
        self.assertEqual(set(rows), {first.name, second.name})
        self.assertEqual(rows[second.name]["added_by"], first.name)
        first.hedge("new", "roles")
        self.lab.wait_equal("roles")
        first.hedge("role", second.name, "reader")
        self.lab.wait_in_sync()
        refused = second.hedge("add", "@roles", "milk", check=False)
        self.assertEqual(refused.returncode, 4, refused.stderr)
        self.assertEqual(second.hedge("role", second.name, "admin", check=False).returncode, 4)
        first.hedge("role", second.name, "member")
        self.lab.wait_in_sync()
        second.hedge("add", "@roles", "milk")
        self.lab.wait_equal("roles")
        self.assertEqual(first.hedge("role", first.name, "reader", check=False).returncode, 5)
        self.assertEqual(second.hedge("alias", first.name, "boss", check=False).returncode, 4)
        self.assertEqual(first.hedge("alias", second.name, first.name, check=False).returncode, 5)
        self.assertEqual(first.hedge("alias", second.name, "a/b", check=False).returncode, 2)
        old = second.name
        first.hedge("alias", old, "new name")
        self.lab.wait_equal("roles")
        names = {row["name"] for row in second.json("members")["members"]}
        self.assertEqual(names, {first.name, "new name"})
        second.hedge("alias", "new name", old)


if __name__ == "__main__":
    unittest.main()
