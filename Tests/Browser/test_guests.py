# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Check 13: a guest link ticks only or reads only, expires, and is taken back while the page is open;
and the page for other devices of the LAN."""
import unittest

from selenium.webdriver.common.keys import Keys

from pages import Page, PageCase
from test_looks import THEMES, WIDTHS, axe_source


class GuestCase(PageCase):
    def browser(self, **options):
        page = Page(self.first, **options)
        self.addCleanup(page.quit)
        return page

    def text(self, page):
        return page.script("return document.body?.innerText ?? ''")

    def enter(self, page, name, role, ttl="1h"):
        """Opens a fresh guest link; returns what the agent says of it."""
        made = self.first.json("web", "--guest", f"@{name}", "--role", role, "--ttl", ttl)
        page.driver.get(made["url"])
        page.wait_live(name)
        return made


class GuestTests(GuestCase):
    def test_who_may_tick_ticks_and_finds_nothing_else_to_do(self):
        self.first.hedge("new", "private things")
        self.fresh("party", "milk", "eggs", both=False)
        guest = self.browser()
        self.enter(guest, "party", "tick")
        guest.wait_rows(["milk", "eggs"])
        self.assertEqual([one.text for one in guest.all("#nav li")], ["party\n2\nopen"])
        seen = guest.script("return document.body.innerText")
        self.assertIn("guest, may tick", seen)
        for word in ["private", "New list", "Deleted", "Peers", "Decisions", "kitchen"]:
            self.assertNotIn(word, seen)
        named = guest.script("""return [...document.querySelectorAll('button, input, select, a, summary')]
          .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest('.skip'))
          .map((one) => one.getAttribute('aria-label') || one.textContent.trim() || one.id)""")
        self.assertEqual(
            sorted(named), ["Order of the rows", "Search", "eggs", "hedgerow", "milk", "party2 open"])
        guest.part("milk", ".tick").click()
        guest.wait_rows(["eggs"])
        self.here.wait_rows(["eggs"])
        guest.one(".done-box summary").click()
        guest.wait(lambda: guest.one(".done-box .row"), 3, "the done row")
        guest.part("milk", ".tick").click()
        guest.wait_rows(["milk", "eggs"])
        # Keys and clicks that change rows for others do nothing here.
        guest.part("milk", ".text").click()
        guest.keys_down(Keys.ALT, Keys.ARROW_DOWN)
        guest.keys_down(Keys.CONTROL, "z")
        self.assertIsNone(guest.one(".editor"))
        self.first.add("party", "bread")
        guest.wait_rows(["milk", "eggs", "bread"])
        self.assertEqual(self.first.texts("party"), ["milk", "eggs", "bread"])
        # What the page does not offer, the agent refuses.
        status = guest.driver.execute_async_script("""const done = arguments[arguments.length - 1];
          fetch('/api/v1/lists/party/items', { method: 'POST', headers: { 'Content-Type': 'application/json' },
            body: '{"text":"evil"}' }).then((reply) => done(reply.status))""")
        self.assertEqual(status, 403)

    def test_who_may_read_has_nothing_to_press(self):
        self.fresh("rota", "sweep", both=False)
        guest = self.browser()
        self.enter(guest, "rota", "ro")
        guest.wait_rows(["sweep"])
        self.assertFalse(guest.part("sweep", ".tick").is_enabled())
        self.first.hedge("edit", "@rota", "sweep", "sweep the yard")
        guest.wait_rows(["sweep the yard"])
        self.assertFalse(guest.part("sweep the yard", ".tick").is_enabled())

    def test_a_page_that_is_open_goes_dark_when_its_link_is_taken_back(self):
        self.fresh("lent", "secret plans", both=False)
        guest = self.browser()
        made = self.enter(guest, "lent", "tick")
        guest.wait_rows(["secret plans"])
        self.first.hedge("web", "guest", "rm", made["name"])
        guest.wait(lambda: "This link is over" in self.text(guest), 8, "the page says so")
        self.assertNotIn("secret", guest.script("return document.documentElement.textContent"))
        guest.screen("guest-over-1280-light")
        guest.driver.get(made["url"])
        self.assertIn("This link is over", self.text(guest))

    def test_a_link_that_runs_out_ends_an_open_page(self):
        self.fresh("brief", "soon gone", both=False)
        guest = self.browser()
        self.enter(guest, "brief", "tick", ttl="1m")
        guest.wait_rows(["soon gone"])
        guest.wait(lambda: "This link is over" in self.text(guest), 75, "its time is over")

    def test_it_reads_and_ticks_without_a_script(self):
        self.fresh("plain guest", "milk", "eggs", both=False)
        guest = self.browser()
        guest.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        made = self.first.json("web", "--guest", "@plain guest")
        guest.driver.get(made["url"])
        guest.wait(lambda: "plain guest" in guest.one("h1").text, 5, "the list")
        self.assertEqual(len(guest.all("button[name=do]")), 2)
        guest.one("button[value=done]").click()
        guest.wait(lambda: guest.one("li.done"), 5, "ticked")
        self.assertEqual(self.first.texts("plain guest"), ["eggs"])

    def test_it_looks_right_for_eyes_and_readers(self):
        self.first.hedge("new", "visitors", "item:text!", "qty:int", "store:text")
        self.first.hedge("add", "@visitors", "oat milk", "qty=2", "store=Market")
        self.first.hedge("add", "@visitors", "sourdough", "qty=1")
        guest = self.browser()
        axe = axe_source()
        for role in ["tick", "ro"]:
            self.enter(guest, "visitors", role)
            for theme in THEMES:
                for width, height in WIDTHS:
                    with self.subTest(role=role, theme=theme, width=width):
                        guest.theme(theme, motion="reduce")
                        guest.size(width, height)
                        guest.screen(f"guest-{role}-{width}-{theme}")
                        guest.script(axe)
                        found = guest.driver.execute_async_script("""
                          const done = arguments[arguments.length - 1];
                          axe.run(document, { resultTypes: ['violations'] }).then((result) => done(
                            result.violations.map((one) => [one.id, one.nodes.map((node) => node.target.join(' '))])))""")
                        self.assertEqual(found, [])
                        self.assertLessEqual(
                            guest.script("return document.documentElement.scrollWidth - innerWidth"), 0)


class LANTests(GuestCase):
    def test_another_device_opens_the_page_over_tls_and_both_stay_live(self):
        self.fresh("shared", "one", both=False)
        link = self.first.json("web", "--lan", "on")
        self.addCleanup(self.first.hedge, "web", "--lan", "off")
        phone = self.browser(width=390, height=800, flags=["--ignore-certificate-errors"])
        phone.driver.get(link["lan_url"])
        phone.wait(lambda: phone.chip.startswith("Live"), 10, lambda: f"the page is live: {phone.chip}")
        handle = next(row["handle"] for row in self.first.json("lists")["lists"] if row["name"] == "shared")
        phone.driver.get(f"{link['lan_url'].split('/enter')[0]}/lists/{handle}")
        phone.wait_live("shared")
        self.here.add("two")
        phone.wait_rows(["one", "two"])
        phone.add("three")
        self.here.wait_rows(["one", "two", "three"])
        guest = self.first.json("web", "--guest", "@shared")
        self.assertTrue(guest["url"].startswith("https://"))
        self.here.driver.get(f"{self.first.origin}/#peers")
        self.here.wait(lambda: self.here.one(".print"), 5, "the fingerprint")
        self.assertEqual(self.here.one(".print").text, link["certificate"])
        for theme in THEMES:
            for width, height in WIDTHS:
                self.here.theme(theme, motion="reduce")
                self.here.size(width, height)
                self.here.screen(f"lan-{width}-{theme}")
        self.here.theme("light")
        self.here.size(1280, 860)
        messages = [entry["message"] for entry in phone.driver.get_log("browser") if entry["level"] == "SEVERE"]
        self.assertEqual(messages, [])


if __name__ == "__main__":
    unittest.main()
