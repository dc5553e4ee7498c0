# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""The recipes of docs/user, as they are written, with two agents and the page."""
import json
import random
import threading
import time
import unittest

from selenium.webdriver.common.keys import Keys

import recipes
from pages import PageCase, wait_until


class RecipeCase(PageCase):
    def follow(self, name):
        """Runs the commands of a recipe; the agents are in step before each block."""
        return recipes.run(name, (self.first, self.second), self.in_step)

    def in_step(self):
        """Waits until both agents show the same, unless one of them is off the network."""
        def same():
            if self.first.json("status")["agent"]["paused"]:
                return True
            return len({agent.hedge("export", "--all", "--format", "json", check=False).stdout
                        for agent in (self.first, self.second)}) == 1
        wait_until(same, 20, "both agents show the same")

    def equal(self, name):
        self.in_step()
        texts = self.first.texts(name, "-a")
        self.assertEqual(texts, self.second.texts(name, "-a"))
        return texts


class RealtableTests(RecipeCase):
    def test_the_table_is_the_same_everywhere_while_both_sides_write(self):
        outputs = self.follow("realtable.md")
        self.assertEqual(self.equal("users"), ["Ada", "Grace", "Alan", "Edsger", "Barbara"])
        self.assertIn('"mine":true', outputs[2])
        self.assertIn("Barbara", outputs[-1])
        self.here.show("users")
        self.there.show("users")
        self.here.wait_rows(["Ada", "Grace", "Alan", "Edsger", "Barbara"])

        problems = []

        def write(agent, seed):
            choice = random.Random(seed)
            mine = []
            try:
                for number in range(50):
                    agent.hedge("add", "@users", f"{agent.name} {number}")
                    mine.append(f"{agent.name} {number}")
                    if number % 2:
                        agent.hedge("rm", "@users", mine.pop(choice.randrange(len(mine))))
                while mine:
                    agent.hedge("rm", "-l", "users", *[mine.pop() for _ in range(min(5, len(mine)))])
                agent.hedge("add", "@users", f"{agent.name} last")
            except AssertionError as problem:
                problems.append(problem)
        writers = [threading.Thread(target=write, args=(agent, 7)) for agent in (self.first, self.second)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join(240)
        self.assertEqual(problems, [])
        texts = self.equal("users")
        self.assertEqual(sorted(texts[5:]), ["kitchen last", "study last"])
        for page in (self.here, self.there):
            page.wait_rows(texts, 10)

    def test_a_reader_hears_that_the_page_is_busy_until_it_is_live(self):
        self.fresh("busy", "one", both=False)
        # Hold the stream back: the rows are there, the page is not live yet.
        self.here.driver.execute_cdp_cmd("Network.enable", {})
        self.here.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/api/v1/events*"]})
        try:
            self.here.driver.refresh()
            self.here.wait_rows(["one"])
            self.assertEqual(self.here.script("return document.querySelector('main').ariaBusy"), "true")
        finally:
            self.here.driver.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
        self.here.wait_live("busy")


class WidgetTests(RecipeCase):
    def test_create_read_update_delete_over_http_command_line_and_form(self):
        outputs = self.follow("widgets.md")
        self.assertEqual(self.equal("widgets"), ["Flange"])
        created = [json.loads(line) for line in outputs[2].splitlines() if line.startswith("{")]
        self.assertEqual([one["changed"] for one in created], [1, 0], "the same id twice is one widget")
        self.here.show("widgets")
        self.here.wait_rows(["Flange"])
        self.here.add("Bracket bars=2")
        wait_until(lambda: self.second.texts("widgets") == ["Flange", "Bracket"], 5, "seen by the other agent")


class StockTests(RecipeCase):
    def test_a_thousand_prices_end_equal_and_show_their_direction(self):
        outputs = self.follow("stocks.md")
        self.assertIn("3", outputs[4].split())
        prices = lambda agent: {item["text"]: float(item["cols"].get("price") or 0)
                                for item in agent.json("ls", "@stocks")["items"]}
        walked = prices(self.second)
        self.assertEqual(walked["GOLD"], 4228)
        name, price = outputs[-2].split()[-1].split(",")
        self.assertEqual(walked[name], float(price), "the last price of the walk")
        self.assertTrue(all(80 < walked[name] < 800 for name in ("AAPL", "GOOG", "AMZN", "MSFT", "NFLX", "TSLA")), walked)
        notices = (self.second.home / "notices.jsonl").read_text(encoding="utf-8")
        self.assertNotIn("INITECH", notices, "only what was switched on")
        self.there.show("stocks")
        badge = lambda row: self.there.part(row, ".badge").text
        self.first.hedge("set", "@stocks", "ACME", "price=100.00")
        self.there.wait(lambda: badge("ACME").startswith("▼ −1"), 3, lambda: badge("ACME"))
        self.assertRegex(badge("ACME"), r"^▼ −1\.00\s1\.0 %\sstudy$")
        choice = random.Random(11)
        last = {}
        start = time.monotonic()
        for _ in range(20):
            ops = []
            for _ in range(50):
                symbol = choice.choice(["ACME", "GLOBX", "INITECH"])
                price = f"{choice.randrange(1, 99999)}.{choice.randrange(10, 99)}"
                last[symbol] = float(price)
                ops.append({"op": "set", "list": "stocks", "item": symbol, "cols": {"price": price}})
            self.post(ops)
        print(f"\n  1,000 prices in {time.monotonic() - start:.1f} s", flush=True)
        for agent in (self.first, self.second):
            wait_until(lambda: last.items() <= prices(agent).items(), 10, f"{agent.name} has the last prices")
        self.there.wait(lambda: all(
            float(self.there.part(symbol, "[data-col=price]").text) == price for symbol, price in last.items()),
            5, "the page has the last prices")
        # What followed on the first notice came together; the switches outlive the agent.
        together = wait_until(lambda: next((one for one in self.notices() if one["count"] > 10), None), 45,
                              "one notice for many prices")
        self.assertIn("stocks", together["title"] + together["body"])
        self.assertLess(len(self.notices()), 12, "1,000 prices are a few notices")
        rules = lambda: sorted(json.dumps(rule) for rule in self.second.json("notify", "ls")["rules"])
        before = rules()
        self.second.end()
        self.second.start()
        self.assertEqual(rules(), before)
        self.there.wait(lambda: self.there.chip.startswith("Live"), 15, "the page is live again")
        before = len(self.notices())
        self.first.hedge("set", "@stocks", "ACME", "price=77.70")
        wait_until(lambda: len(self.notices()) > before, 15, "a notice after the restart")
        self.assertIn("ACME", json.dumps(self.notices()[-1]))

    def notices(self):
        """What the command of the second device was given so far."""
        text, found, decoder = (self.second.home / "notices.jsonl").read_text(encoding="utf-8"), [], json.JSONDecoder()
        while text.strip():
            one, end = decoder.raw_decode(text.lstrip())
            found.append(one)
            text = text.lstrip()[end:]
        return found

    def post(self, ops):
        self.here.driver.get(f"{self.first.origin}/") if "127.0.0.1" not in self.here.driver.current_url else None
        status = self.here.driver.execute_async_script("""
          const done = arguments[arguments.length - 1];
          fetch('/api/v1/txn', { method: 'POST', headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ ops: arguments[0] }) }).then((reply) => done(reply.status))""", ops)
        self.assertEqual(status, 200)


class ListMakerTests(RecipeCase):
    def test_lists_in_lists_go_and_come_back_and_nothing_added_meanwhile_is_lost(self):
        outputs = self.follow("list-maker.md")
        self.assertIn("gloves", outputs[-1])
        wait_until(lambda: "gloves" in self.second.hedge("trash").stdout, 10, "in Recovered on both")
        self.assertEqual(self.equal("trips"), ["Rome", "Athens"])
        self.assertEqual(self.equal("trips/Rome"), ["passport", "tickets"])
        self.here.show("trips")
        self.here.wait_rows(["Rome", "Athens"])
        self.here.menu("Rome", "Delete")
        self.here.wait(lambda: "2 items" in self.here.one("dialog").text, 2, "the page asks and says how many")
        self.here.keys(Keys.ESCAPE)
        self.here.one(".head > .icon-button").click()
        self.here.all(".menu [role=menuitem]")[-1].click()
        self.here.keys(Keys.ESCAPE)
        self.assertEqual(self.equal("trips"), ["Rome", "Athens"], "both questions can be declined")
        self.here.driver.get(f"{self.first.origin}/#trash")
        self.here.wait(lambda: "gloves" in self.here.one("main").text, 5, "the page lists it too")


if __name__ == "__main__":
    unittest.main()
