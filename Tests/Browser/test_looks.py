# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""How the page looks: accessible by axe in every width and theme, with pictures to look at."""
import importlib.util
import pathlib
import unittest

from selenium.webdriver.common.keys import Keys

from pages import PageCase

WIDTHS = ((320, 720), (768, 1000), (1280, 860))
THEMES = ("light", "dark")


def axe_source():
    """The text of axe-core, from the package that brings it."""
    package = importlib.util.find_spec("axe_core_python").submodule_search_locations[0]
    return (pathlib.Path(package) / "axe.min.js").read_text()


class LookTests(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.axe = axe_source()
        first = cls.first
        first.hedge("new", "groceries", "qty:int", "price:num", "store:enum(Market|Corner shop|Bakery)")
        for words in (["oat milk", "qty=2", "price=2.10", "store=Market"], ["eggs", "qty=12", "price=3.40"],
                      ["sourdough", "qty=1", "price=4.20", "store=Bakery"], ["tomatoes", "qty=6", "store=Market"],
                      ["olive oil", "price=8.90", "store=Corner shop"], ["picnic"], ["coffee", "qty=1", "price=6.50"]):
            first.hedge("add", "@groceries", *words)
        first.add("groceries/picnic", "blanket", "lemonade", "plums")
        first.hedge("done", "-l", "groceries/picnic", "plums")
        first.hedge("done", "-l", "groceries", "coffee")
        for name in ("flat jobs", "reading", "workshop stock"):
            first.hedge("new", name)
        first.add("flat jobs", "bleed the radiators", "call the landlord", "fix the bell")
        first.add("reading", "The Hedgerow Handbook", "A Field Guide to Moss")
        cls.second.wait_for_list("reading")
        cls.first.hedge("new", "empty one")

    def violations(self):
        # The page's own policy allows no foreign script, so axe is handed to the driver.
        self.here.script(self.axe)
        found = self.here.driver.execute_async_script("""
          const done = arguments[arguments.length - 1];
          axe.run(document, { resultTypes: ['violations'] }).then((result) => done(result.violations.map(
            (one) => [one.id, one.nodes.map((node) => node.target.join(' ')).slice(0, 5)])))""")
        return [one for one in found if one]

    def still(self):
        self.here.wait(lambda: self.here.script(
            "return document.getAnimations().every((one) => one.playState !== 'running')"), 3, "nothing moves")

    def look(self, name):
        """Every width and theme: no violation, no sideways scrolling, a picture."""
        for theme in THEMES:
            for width, height in WIDTHS:
                with self.subTest(name=name, theme=theme, width=width):
                    self.here.theme(theme, motion="reduce")
                    self.here.size(width, height)
                    self.still()
                    self.here.screen(f"{name}-{width}-{theme}")
                    self.assertEqual(self.violations(), [])
                    self.assertLessEqual(
                        self.here.script("return document.documentElement.scrollWidth - innerWidth"), 0)

    def tearDown(self):
        self.here.theme("light")
        self.here.size(1280, 860)

    def test_a_list_with_columns_children_and_changes(self):
        self.here.show("groceries")
        self.here.wait(lambda: len(self.here.rows) == 6, 3, "the rows")
        self.second.hedge("set", "@groceries", "eggs", "price=3.60")
        self.second.hedge("set", "@groceries", "oat milk", "price=1.95")
        self.here.wait(lambda: len([one for one in self.here.all(".badge") if one.text]) == 2, 3, "both badges")
        self.here.script("document.querySelector('.done-box').open = true")
        self.here.wait(lambda: self.here.one(".done-box .row"), 2, "the done rows")
        self.look("list")

    def test_a_menu_a_question_and_the_details(self):
        self.here.show("groceries")
        self.here.part("oat milk", ".more").click()
        self.here.wait(lambda: self.here.one(".menu"), 2, "the menu")
        self.here.screen("menu-1280-light")
        self.assertEqual(self.violations(), [])
        self.here.keys(Keys.ESCAPE)
        self.here.menu("oat milk", "Details")
        self.here.wait(lambda: self.here.one(".panel textarea:enabled"), 3, "the details")
        self.look("details")
        self.here.keys(Keys.ESCAPE)
        self.here.one(".new-list").click()
        self.look("new-list")
        self.here.keys(Keys.ESCAPE)

    def test_an_empty_list_the_peers_and_the_other_views(self):
        self.here.show("empty one")
        self.look("empty")
        self.first.hedge("rm", "@flat jobs", "fix the bell")
        for view, word in (("trash", "fix the bell"), ("conflicts", "Decisions"), ("peers", "kitchen")):
            self.here.driver.get(f"{self.first.origin}/#{view}")
            self.here.wait(lambda: word in self.here.one("main").text, 5, f"{view} shows {word}")
            self.look(view)

    def test_forced_colours_keep_ticks_marks_and_the_list_that_is_open(self):
        self.here.show("groceries")
        self.here.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "forced-colors", "value": "active"}, {"name": "prefers-color-scheme", "value": "dark"}]})
        self.here.screen("forced-1280-dark")
        self.assertEqual(self.here.script("return getComputedStyle(document.querySelector('.tick')).appearance"), "auto")
        outline = self.here.script("return getComputedStyle(document.querySelector('#nav [aria-current]')).outlineStyle")
        self.assertEqual(outline, "solid")

    def test_the_lists_of_a_phone_are_in_a_drawer(self):
        self.here.show("groceries")
        self.here.size(390, 800, is_touch=True)
        self.here.one("#nav-toggle").click()
        self.here.wait(lambda: self.here.one("#nav a").is_displayed(), 2, "the drawer")
        self.still()
        self.here.screen("drawer-390-light")
        self.assertEqual(self.violations(), [])
        self.here.keys(Keys.ESCAPE)
        self.here.wait(lambda: not self.here.one("#nav a").is_displayed(), 2, "the drawer is shut")

    def test_at_four_hundred_percent_everything_is_still_there(self):
        self.here.show("groceries")
        self.here.size(320, 256)
        self.here.add("zoomed")
        self.here.wait(lambda: "zoomed" in self.here.rows, 3, "the add box works")
        self.assertLessEqual(self.here.script("return document.documentElement.scrollWidth - innerWidth"), 0)
        self.here.screen("zoom-400-light")


if __name__ == "__main__":
    unittest.main()
