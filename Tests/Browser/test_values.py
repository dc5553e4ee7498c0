# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""What an item holds is what the page shows and keeps: late columns, lines, big numbers, open children."""
import unittest

from selenium.webdriver.common.keys import Keys

from pages import PageCase


class ValueTests(PageCase):
    def cell(self, text, column):
        return self.here.part(text, f".cell[data-col='{column}']")

    def item(self, name, text):
        return next(item for item in self.first.json("ls", f"@{name}", "--all", "--tree")["items"]
                    if item["text"] == text)

    def test_a_text_column_that_came_later_has_values_of_its_own(self):
        self.fresh("shed", "kale", columns=("qty:int",), both=False)
        self.first.hedge("cols", "@shed", "add", "foo:text", "link:url")
        self.first.hedge("set", "@shed", "kale", "foo=bar")
        self.here.wait(lambda: self.cell("kale", "foo").text == "bar", 5, "the value is shown")
        self.assertEqual(self.here.one(".head-title").text.lower(), "item")
        self.cell("kale", "foo").click()
        self.here.keys("baz", Keys.ENTER)
        self.here.wait(lambda: self.item("shed", "kale")["cols"]["foo"] == "baz", 5, "it is kept")

    def test_the_first_text_column_of_a_list_is_the_heading_of_its_texts(self):
        self.fresh("staff", "Ann", columns=("role:int", "name:text"), both=False)
        self.assertEqual(self.here.one(".head-title").text.lower(), "name")
        self.assertIsNone(self.here.one(".cell[data-col='name']"))

    def test_what_is_open_under_a_ticked_row_stays_among_the_open_ones(self):
        self.fresh("feast", "drinks", "cake", both=False)
        self.first.hedge("add", "@feast", "--under", "drinks", "juice")
        self.here.wait(lambda: [1, "juice"] in self.here.tree, 5, "the child is shown")
        self.first.hedge("done", "@feast", "drinks")
        self.here.wait(lambda: self.here.part("drinks", ".tick").is_selected(), 5, "it is ticked")
        self.assertEqual(self.here.tree, [[0, "drinks"], [1, "juice"], [0, "cake"]])
        self.assertTrue(self.here.row("juice").is_displayed())
        self.assertFalse(self.here.one(".done-box").is_displayed())
        self.first.hedge("done", "@feast", "juice")
        self.here.wait(lambda: self.here.tree == [[0, "cake"]], 5, "all of it is done now")
        self.assertTrue(self.here.one(".done-box").is_displayed())

    def test_pasted_lines_keep_what_stands_under_what(self):
        self.fresh("plan", "old", both=False)
        self.here.paste("#add", "- [ ] one\n  - [x] sub\n  - next\n- two\n")
        self.here.wait(lambda: self.here.tree == [[0, "old"], [0, "one"], [1, "sub"], [1, "next"], [0, "two"]], 5,
                       lambda: f"seen {self.here.tree}")
        self.assertTrue(self.here.part("sub", ".tick").is_selected())
        self.here.wait(lambda: self.here.one(".bar-undo"), 3, "undo is offered").click()
        self.here.wait(lambda: self.here.tree == [[0, "old"]], 5, "it was one step")

    def test_lines_of_a_text_stay_apart_when_it_is_edited(self):
        self.fresh("poem", both=False)
        self.first.hedge("add", "@poem", "one\ntwo")
        self.here.wait(lambda: self.here.rows == ["one\ntwo"], 5, "it is there")
        self.here.part("one\ntwo", ".text").click()
        self.here.keys(Keys.END, "!", Keys.ENTER)
        self.here.wait(lambda: self.here.rows == ["one\ntwo!"], 5, lambda: f"seen {self.here.rows}")
        self.assertEqual(self.item("poem", "one\ntwo!")["text"], "one\ntwo!")

    def test_a_number_beyond_53_bits_is_shown_and_counted_as_it_is(self):
        self.fresh("stars", "sky", columns=("seen:counter", "n:int"), both=False)
        self.first.hedge("set", "@stars", "sky", "seen-=9223372036854775807", "n=9007199254740993")
        self.here.wait(lambda: self.cell("sky", "seen").text == "-9223372036854775807", 5,
                       lambda: f"seen {self.cell('sky', 'seen').text}")
        self.assertEqual(self.cell("sky", "n").text, "9007199254740993")
        self.cell("sky", "seen").click()
        self.here.one("button[aria-label='Raise seen of sky']").click()
        self.here.wait(lambda: self.item("stars", "sky")["cols"]["seen"] == -9223372036854775806, 5, "counted")
        self.here.show("stars")
        self.assertEqual(self.cell("sky", "seen").text, "-9223372036854775806")


if __name__ == "__main__":
    unittest.main()
