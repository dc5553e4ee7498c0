# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""The main job: lists of three hosts in step, edited together and apart."""
import csv
import io
import os
import pathlib
import time
import unittest

from agents import AgentCase
from lab import wait_until

HEADER = ["Code", "Name", "Group", "Kind", "Town, region", "Since", "Number", "Made"]


def table(rows=503):
    """A table like those people have: quotes, commas, umlauts, leading zeros, doubled names."""
    towns = ["Ulm, Danube", "Graz", 'The "Old" Port', "Łódź", "São Tomé, Island", "Springfield"]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(HEADER)
    for row in range(rows):
        writer.writerow([f"P{row:03}", f"Part {row % 250} & Sons", f"group {row % 11}", f"kind {row % 60}",
                         towns[row % len(towns)], f"20{row % 26:02}-0{1 + row % 9}-1{row % 10}",
                         f"{row * 7919:010}", str(1800 + row % 220)])
    return text.getvalue()


class MainJobTests(AgentCase):
    def handles(self, name):
        return [item["handle"] for item in self.lab.hosts[0].items(name)]

    def test_an_imported_table_is_on_every_host_within_two_seconds(self):
        first, second, third = self.lab.hosts
        given = os.environ.get("HEDGEROW_TABLE")
        text = pathlib.Path(given).read_text() if given else table()
        rows = list(csv.reader(io.StringIO(text)))
        (first.folder / "table.csv").write_text(text)
        first.hedge("new", "table")
        first.hedge("import", "@table", first.folder / "table.csv", "--format", "csv")
        start = time.monotonic()
        self.lab.wait_equal("table", seconds=2)
        print(f"\n  {len(rows) - 1} rows equal on three hosts {time.monotonic() - start:.2f} s after the "
              "import", flush=True)
        items = third.items("table")
        self.assertEqual([item["text"] for item in items], [row[0] for row in rows[1:]])
        self.assertEqual(second.items("table"), items)
        # What went in comes out: the same cells, in the same order.
        back = second.hedge("export", "@table", "--format", "csv").stdout
        self.assertEqual(list(csv.reader(io.StringIO(back)))[1:], rows[1:])

    def test_edits_made_apart_come_together(self):
        first, second, third = self.lab.hosts
        first.hedge("new", "plan")
        first.hedge("add", "@plan", "-", input="".join(f"row {n}\n" for n in range(1, 31)))
        self.lab.wait_equal("plan")
        handles = self.handles("plan")
        fifth, tenth, anchor, last = handles[4], handles[9], handles[19], handles[-1]
        for host in self.lab.hosts:
            host.cut()
        first.hedge("mv", "@plan", fifth, "--top")
        second.hedge("mv", "@plan", fifth, "--bottom")
        second.hedge("edit", "@plan", fifth, "row five, edited")
        third.hedge("rm", "@plan", tenth)
        for host in (second, third):
            lines = "".join(f"{host.name} {n}\n" for n in range(20))
            host.hedge("add", "@plan", "--after", anchor, "-", input=lines)
        for host in self.lab.hosts:
            host.heal()
        start = time.monotonic()
        self.lab.wait_equal("plan", seconds=5)
        print(f"\n  equal {time.monotonic() - start:.2f} s after the cables were back", flush=True)
        texts = first.texts("plan")
        self.assertEqual(len(texts), 30 - 1 + 40)
        self.assertEqual(texts.count("row five, edited"), 1)
        self.assertNotIn("row 5", texts)
        self.assertNotIn("row 10", texts)
        self.assertIn(texts.index("row five, edited"), (0, len(texts) - 1))
        for name in ("h2", "h3"):
            run = [f"{name} {n}" for n in range(20)]
            at = texts.index(run[0])
            self.assertEqual(texts[at:at + 20], run, "a run of rows stays together")
        shown = third.json("show", "@plan", fifth)["item"]
        by = {field["name"]: field["by"] for field in shown["fields"]}
        self.assertEqual(by["text"], "h2")
        # One of two moves won; the journal names both, on every host, for people and for programs.
        winner, loser = ("h1", "h2") if texts[0] == "row five, edited" else ("h2", "h1")
        for host in self.lab.hosts:
            shown = host.json("show", "@plan", fifth)["item"]
            moves = [entry for entry in shown["overridden"] if entry["name"] == "place"]
            self.assertEqual([(entry["kept_by"], entry["dropped_by"]) for entry in moves], [(winner, loser)])
            self.assertEqual(shown["placed_by"], winner)
            line = next(line for line in host.hedge("show", "@plan", fifth).stdout.splitlines()
                        if line.startswith("overridden\tplace\t"))
            self.assertEqual((line.split("\t")[3], line.split("\t")[6]), (winner, loser))
            facts = dict(line.split("\t", 1) for line in host.hedge("inspect", fifth).stdout.splitlines())
            number = next(name for name, value in facts.items()
                          if name.startswith("overridden[") and value == "place").split(".")[0]
            self.assertEqual((facts[number + ".kept_by"], facts[number + ".dropped_by"]), (winner, loser))
            self.assertTrue(facts[number + ".kept"] and facts[number + ".dropped"], facts)

    def test_watch_prints_each_change_once_in_order_with_author_and_values(self):
        first, _, third = self.lab.hosts
        first.hedge("new", "stocks", "symbol:text!", "price:num")
        first.hedge("add", "@stocks", "ACME", "price=101.5")
        self.lab.wait_equal("stocks")
        watch = third.watch("@stocks")
        self.addCleanup(watch.end)
        watch.wait_for(lambda e: e["ev"] == "live", 5, "the stream is live")
        self.assertEqual(watch.of("hello")[0]["v"], 1)
        handle = self.handles("stocks")[0]
        times = []
        for price in range(100, 150):
            times.append(time.monotonic())
            first.hedge("set", "@stocks", handle, f"price={price}")
        first.hedge("add", "@stocks", "GLOBX")
        first.hedge("mv", "@stocks", handle, "--bottom")
        first.hedge("done", "@stocks", handle)
        first.hedge("undone", "@stocks", handle)
        first.hedge("rm", "@stocks", handle)
        watch.wait_for(lambda e: e["ev"] == "rm", 5, "the removal is seen")
        sets = [e for e in watch.of("set") if e["col"] == "price"]
        self.assertEqual([e["new"] for e in sets], [str(p) for p in range(100, 150)])
        self.assertEqual([e["old"] for e in sets], ["101.5"] + [str(p) for p in range(100, 149)])
        kinds = [event["ev"] for _, event in watch.events]
        self.assertEqual(kinds[kinds.index("live") + 51:], ["add", "mv", "done", "undone", "rm"])
        changes = [e for _, e in watch.events if "cursor" in e and e["ev"] not in ("hello", "live")]
        self.assertEqual({e["by"] for e in changes}, {"h1"})
        self.assertTrue(all(e["mine"] is False for e in changes))
        seen = [at for at, event in watch.events if event["ev"] == "set"]
        delays = sorted((there - here) * 1000 for here, there in zip(times, seen))
        print(f"\n  command started on h1 to line printed on h3: median {delays[25]:.1f} ms, "
              f"worst {delays[-1]:.1f} ms", flush=True)

    def test_a_host_that_was_off_for_a_thousand_edits_catches_up_by_itself(self):
        first, second, third = self.lab.hosts
        first.hedge("new", "thousand")
        self.lab.wait_equal("thousand")
        second.stop_agent()
        script = 'for n in $(seq 1000); do hedge add -q @thousand "edit $n" || exit 1; done'
        start = time.monotonic()
        first.run("sh", "-c", script, env=first.environment)
        print(f"\n  1,000 commands in {time.monotonic() - start:.1f} s", flush=True)
        second.start_agent()
        start = time.monotonic()
        self.lab.wait_equal("thousand", seconds=10)
        print(f"  caught up after {time.monotonic() - start:.2f} s", flush=True)
        self.assertEqual(second.texts("thousand"), [f"edit {n}" for n in range(1, 1001)])

    def test_agents_may_stop_and_start_in_any_order(self):
        first, second, third = self.lab.hosts
        first.hedge("new", "order")
        self.lab.wait_equal("order")
        for round, (off, writer) in enumerate(((first, second), (third, first), (second, third))):
            off.stop_agent()
            writer.hedge("add", "@order", f"while {off.name} was off")
            off.start_agent()
            off.hedge("add", "@order", f"after {off.name} was back")
        for host in self.lab.hosts:
            host.stop_agent()
        for host in (third, first, second):
            host.start_agent()
        self.lab.wait_equal("order", seconds=10)
        self.assertEqual(len(first.texts("order")), 6)


if __name__ == "__main__":
    unittest.main()
