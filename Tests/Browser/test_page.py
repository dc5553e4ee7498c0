# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""What a person does with the page: two agents, a browser on each."""
import time
import unittest

from selenium.webdriver.common.keys import Keys

from pages import PageCase, drag, glide, wait_until


class TogetherTests(PageCase):
    def test_adding_moving_and_deleting_is_seen_on_the_other_page_within_a_second(self):
        self.fresh("both", "one", "two")
        for page, other, text in ((self.here, self.there, "three"), (self.there, self.here, "four")):
            page.add(text)
            page.wait(lambda: text in page.rows, 1, f"{text} is shown where it was added")
            other.wait(lambda: text in other.rows, 1, f"{text} is seen on the other page")
        for page in (self.here, self.there):
            page.wait_rows(["one", "two", "three", "four"], 1)
        self.there.menu("four", "Move to top")
        self.here.wait_rows(["four", "one", "two", "three"], 1)
        self.here.menu("one", "Delete")
        self.there.wait_rows(["four", "two", "three"], 1)
        self.here.wait(lambda: self.here.one(".bar-undo"), 1, "undo is offered").click()
        self.there.wait_rows(["four", "one", "two", "three"], 2)
        self.here.wait_rows(["four", "one", "two", "three"], 2)
        self.assertEqual(self.first.texts("both"), ["four", "one", "two", "three"])

    def test_several_rows_moved_at_once_end_in_the_same_order_everywhere(self):
        texts = [f"row {number}" for number in range(12)]
        self.fresh("shuffled", *texts)
        for moved in (["row 3", "row 7", "row 1"], ["row 10", "row 0", "row 5", "row 11"]):
            self.second.hedge("mv", "@shuffled", *moved, "--top")
            expected = self.second.texts("shuffled")
            for page in (self.here, self.there):
                page.wait_rows(expected, 5)

    def test_ticks_texts_and_columns_arrive_and_a_number_shows_by_how_much_it_changed(self):
        self.fresh("stocks", "ACME", columns=("price:num", "qty:int"))
        self.here.part("ACME", "[data-col=price]").click()
        self.here.keys("101,40", Keys.ENTER)
        self.there.wait(lambda: self.there.part("ACME", "[data-col=price]").text == "101.4", 2, "the price")
        self.here.part("ACME", "[data-col=price]").click()
        self.here.keys("102.1", Keys.ENTER)
        badge = lambda: self.there.part("ACME", ".badge").text
        self.there.wait(lambda: badge().startswith("▲ +0.7"), 2, "the badge that goes up")
        self.assertIn("study", badge())
        self.assertEqual(self.here.part("ACME", ".badge").text, "", "own edits have no badge")
        self.here.part("ACME", "[data-col=price]").click()
        self.here.keys("99", Keys.ENTER)
        self.there.wait(lambda: badge().startswith("▼ −3.1"), 2, lambda: f"the badge that goes down: {badge()}")
        self.here.part("ACME", ".text").click()
        self.here.keys("ACME Ltd", Keys.ENTER)
        self.there.row("ACME Ltd")
        self.there.part("ACME Ltd", ".tick").click()
        self.here.wait(lambda: self.here.rows == [] and self.here.one(".done-count").text == "1", 2, "the tick")

    def test_what_is_refused_is_said_and_taken_back(self):
        self.fresh("checked", "widget", columns=("bars:int!=1",), both=False)
        self.here.part("widget", "[data-col=bars]").click()
        self.here.keys("lots", Keys.ENTER)
        self.assertIn("whole number", self.here.one(".editor-note").text)
        self.here.keys(Keys.ESCAPE)
        self.assertEqual(self.here.part("widget", "[data-col=bars]").text, "1")
        self.here.add("gadget color=red")
        self.assertIn("no column “color”", self.here.one("#add-note").text)
        self.assertEqual(self.here.rows, ["widget"])
        self.here.script("document.getElementById('add').value = ''")
        self.here.add("gadget bars=7")
        self.here.wait_rows(["widget", "gadget"])
        self.assertEqual(self.here.part("gadget", "[data-col=bars]").text, "7")
        # A refusal of the agent, not of the page: the row goes and its words come back.
        self.here.script("document.querySelector('.add-fields').replaceChildren()")
        self.here.script("document.getElementById('add').value = 'x'.repeat(20000)")
        self.here.one(".add .primary").click()
        self.here.wait(lambda: "16384" in self.here.one("#add-note").text, 3, "the agent's words")
        self.here.wait_rows(["widget", "gadget"])
        self.assertEqual(len(self.here.script("return document.getElementById('add').value")), 20000)


class TroubleTests(PageCase):
    def test_a_silent_agent_is_shown_after_four_seconds_and_nothing_is_lost(self):
        self.fresh("silent", "before")
        self.first.pause()
        try:
            start = time.monotonic()
            self.here.wait(lambda: self.here.chip == "Reconnecting…", 10, "the chip says so")
            self.assertGreater(time.monotonic() - start, 3.9, "trouble is shown only when it lasts")
            self.second.add("silent", "meanwhile 1", "meanwhile 2")
        finally:
            self.first.resume()
        self.here.wait(lambda: self.here.chip.startswith("Live"), 10, "live again")
        self.here.wait_rows(["before", "meanwhile 1", "meanwhile 2"], 10)
        self.assertEqual(self.here.script("return document.querySelectorAll('#rows > .block > .row').length"), 3)

    def test_the_page_recovers_by_itself_when_the_agent_was_restarted(self):
        self.fresh("restarted", "before")
        self.first.end()
        self.here.wait(lambda: self.here.chip.startswith("Agent stopped: showing "), 12, lambda: self.here.chip)
        self.assertTrue(self.here.one("#add").get_property("disabled"), "a copy is read-only")
        self.second.hedge("add", "@restarted", "while away")
        self.first.start()
        self.here.wait(lambda: self.here.chip.startswith("Live"), 15, lambda: f"live again: {self.here.chip}")
        self.here.wait_rows(["before", "while away"], 25)
        self.here.add("after")
        self.there.wait_rows(["before", "while away", "after"], 25)


    def test_rows_added_while_the_agent_is_away_come_once_and_in_order(self):
        self.fresh("patient", "before")
        lines = [f"late {number}" for number in range(20)]
        self.first.end()
        self.here.paste("#add", "\n".join(lines))
        self.here.wait_rows(["before", *lines])
        self.first.start()
        self.here.wait(lambda: self.here.chip.startswith("Live"), 15, lambda: f"live again: {self.here.chip}")
        wait_until(lambda: self.first.texts("patient") == ["before", *lines], 15, "they are written, once")
        self.here.wait_rows(["before", *lines], 10)
        self.there.wait_rows(["before", *lines], 25)

    def test_an_answer_that_is_lost_does_not_add_twice(self):
        self.fresh("lost", "before", both=False)
        # The first answer to a write never comes in, though the agent took it.
        self.here.script("""const real = window.fetch; let lost = 2;
          window.fetch = async (path, options) => {
            const answer = await real(path, options);
            if (options?.method === "POST" && String(path).endsWith("/txn") && lost-- > 0) throw new TypeError("gone");
            return answer;
          };""")
        self.here.paste("#add", "one\ntwo\nthree")
        self.here.wait(lambda: "Added 3 items" in self.here.one(".bars").text, 10, "the third try is answered")
        self.here.wait_rows(["before", "one", "two", "three"])
        self.assertEqual(self.first.texts("lost"), ["before", "one", "two", "three"])

    def test_rows_that_were_refused_can_be_tried_again(self):
        self.fresh("again", "before", both=False)
        self.here.script("""const real = window.fetch; window.isBroken = true;
          window.fetch = (path, options) => window.isBroken && options?.method === "POST"
            ? Promise.resolve(new Response('{"title":"the disk is full"}', { status: 507 })) : real(path, options);""")
        self.here.paste("#add", "one\ntwo")
        self.here.wait(lambda: "2 rows not added: the disk is full" in self.here.one(".bars").text, 3, "it is said")
        self.here.wait_rows(["before"])
        self.here.script("window.isBroken = false")
        self.here.one(".bar-undo").click()
        self.here.wait_rows(["before", "one", "two"])
        wait_until(lambda: self.first.texts("again") == ["before", "one", "two"], 3, "written")


class EditTests(PageCase):
    def test_moments_are_picked_and_shown_by_the_clock_here(self):
        self.fresh("rota", "bins", columns=("at:time", "on:date"), both=False)
        self.here.part("bins", "[data-col=at]").click()
        self.here.wait(lambda: self.here.one(".editor input[type=datetime-local]"), 2, "a picker")
        self.here.script("""const field = document.querySelector('.editor input');
          field.value = '2026-12-24T18:00'; field.dispatchEvent(new Event('input'));""")
        self.here.keys(Keys.ENTER)
        wait_until(lambda: self.first.json("ls", "@rota")["items"][0]["cols"].get("at"), 3, "it is written")
        at = self.first.json("ls", "@rota")["items"][0]["cols"]["at"]
        self.assertEqual(self.here.script("return new Date(arguments[0]).getTime()", at),
                         self.here.script("return new Date('2026-12-24T18:00').getTime()"))
        self.assertIn("24", self.here.part("bins", "[data-col=at]").text)
        # An empty date says which column it is, and becomes a picker when it is gone to.
        field = self.here.one(".add-fields [name=on]")
        self.assertEqual(field.get_property("type"), "text")
        field.click()
        self.assertEqual(field.get_property("type"), "date")

    def test_a_field_that_is_being_edited_is_never_replaced(self):
        self.fresh("edited", "milk")
        self.here.part("milk", ".text").click()
        self.here.keys("oat milk")
        self.there.part("milk", ".text").click()
        self.there.keys("goat milk", Keys.ENTER)
        self.here.wait(lambda: "goat milk" in self.here.one(".editor-note").text, 3, "theirs is offered")
        self.assertEqual(self.here.one(".editor input").get_property("value"), "oat milk")
        self.here.keys(Keys.ENTER)
        self.there.row("oat milk")
        self.here.part("oat milk", ".text").click()
        self.here.keys("mine")
        self.there.part("oat milk", ".text").click()
        self.there.keys("theirs", Keys.ENTER)
        self.here.wait(lambda: self.here.one(".editor-note button"), 3, "theirs is offered")
        self.here.one(".editor-note button").click()
        self.here.keys(Keys.ENTER)
        self.assertEqual(self.here.rows, ["theirs"])
        self.assertEqual(self.first.texts("edited"), ["theirs"])

    def test_escape_leaves_the_value_and_blur_saves_it(self):
        self.fresh("escaped", "milk", "eggs", both=False)
        self.here.part("milk", ".text").click()
        self.here.keys("changed", Keys.ESCAPE)
        self.assertEqual((self.here.rows, self.here.focus), (["milk", "eggs"], "milk"))
        self.here.part("milk", ".text").click()
        self.here.keys("bread")
        self.here.one("#add").click()
        self.here.wait_rows(["bread", "eggs"])
        wait_until(lambda: self.first.texts("escaped") == ["bread", "eggs"], 3, "written")

    def test_two_hundred_pasted_lines_keep_their_order_and_are_one_step(self):
        self.fresh("pasted", "before")
        lines = [f"line {number} of 200" for number in range(1, 201)]
        self.here.paste("#add", "\n".join(f"- [ ] {line}" for line in lines) + "\n")
        self.here.wait_rows(["before", *lines], 5)
        self.there.wait_rows(["before", *lines], 5)
        wait_until(lambda: self.first.texts("pasted") == ["before", *lines], 5, "written in order")
        self.here.wait(lambda: self.here.one(".bar-undo"), 3, "undo is offered").click()
        self.here.wait_rows(["before"], 5)
        self.there.wait_rows(["before"], 5)

    def test_the_keys_of_undo_take_back_the_last_step_wherever_it_was_made(self):
        self.fresh("undone", "one", "two", both=False)
        self.first.hedge("mv", "@undone", "two", "--top")
        self.here.wait_rows(["two", "one"])
        self.here.one("h1").click()
        self.here.script("document.activeElement.blur()")
        self.here.keys_down(Keys.CONTROL, "z")
        self.here.wait_rows(["one", "two"])
        wait_until(lambda: self.first.texts("undone") == ["one", "two"], 3, "written")
        self.here.one(".head > .icon-button").click()
        next(one for one in self.here.all(".menu [role=menuitem]") if one.text.startswith("Redo")).click()
        self.here.wait_rows(["two", "one"])

    def test_remote_rows_above_leave_the_view_where_it_is(self):
        self.fresh("anchored", *[f"row {number}" for number in range(80)], both=False)
        self.here.script("scrollTo(0, 1500)")
        top = lambda: self.here.script("return arguments[0].getBoundingClientRect().top", row)
        row = self.here.script("return document.elementFromPoint(700, 400).closest('.row')")
        before = top()
        self.second.wait_for_list("anchored")
        self.second.add("anchored", "new 1", "new 2", "new 3", flags=["--top"])
        self.here.wait(lambda: self.here.rows[:3] == ["new 1", "new 2", "new 3"], 5, "the new rows")
        self.assertAlmostEqual(top(), before, delta=2)


class KeyboardTests(PageCase):
    def tab_to(self, selector, limit=60):
        for _ in range(limit):
            if self.here.script("return document.activeElement?.matches(arguments[0])", selector):
                return
            self.here.keys(Keys.TAB)
        self.fail(f"{selector} cannot be reached by Tab")

    def test_everything_can_be_done_by_keys(self):
        self.first.hedge("new", "another")
        self.fresh("keys", both=False)
        here = self.here
        here.script("document.activeElement.blur()")
        self.tab_to("#add")
        here.keys("one", Keys.ENTER, "two", Keys.ENTER, "three", Keys.ENTER)
        here.wait_rows(["one", "two", "three"])
        self.tab_to("#rows .row:nth-child(1) .grip")
        here.keys(Keys.SPACE)
        here.wait(lambda: "one lifted, 1 of 3" in here.said, 2, "the lift is said")
        here.keys(Keys.DOWN, Keys.DOWN)
        here.wait(lambda: "one, 3 of 3" in here.said, 2, "each step is said")
        here.keys(Keys.ESCAPE)
        here.wait_rows(["one", "two", "three"])
        self.assertEqual(here.focus, "Move one")
        here.keys(Keys.SPACE, Keys.DOWN, Keys.SPACE)
        here.wait_rows(["two", "one", "three"])
        wait_until(lambda: self.first.texts("keys") == ["two", "one", "three"], 3, "the move is written once")
        here.alt(Keys.DOWN)
        here.wait_rows(["two", "three", "one"])
        self.assertEqual(here.focus, "Move one", "the focus follows the item")
        here.alt(Keys.RIGHT)
        here.wait(lambda: here.tree == [[0, "two"], [0, "three"], [1, "one"]], 2, lambda: str(here.tree))
        here.alt(Keys.LEFT)
        here.wait_rows(["two", "three", "one"])
        here.keys(Keys.TAB, Keys.TAB, Keys.ENTER, "uno", Keys.ENTER)
        here.wait_rows(["two", "three", "uno"])
        here.keys(Keys.TAB, Keys.ENTER)
        here.wait(lambda: here.one(".menu"), 2, "the menu of the row")
        here.keys(Keys.END, Keys.ENTER)
        here.wait_rows(["two", "three"])
        self.tab_to(".bar-undo")
        here.keys(Keys.ENTER)
        here.wait_rows(["two", "three", "uno"])
        here.script("document.getElementById('add').focus()")
        self.tab_to("#rows .row:nth-child(1) .tick")
        here.keys(Keys.SPACE)
        here.wait_rows(["three", "uno"])
        self.assertEqual(here.focus, "three", "the focus goes on to the next row")
        here.script("document.body.focus(); document.activeElement.blur()")
        here.script("document.querySelector('.brand').focus()")
        self.tab_to("#nav a[href*=lists]:not([aria-current])")
        here.keys(Keys.ENTER)
        here.wait(lambda: here.one("h1").text != "keys", 3, "another list is shown")

    def test_a_position_can_be_typed_and_a_row_goes_to_another_list(self):
        self.first.hedge("new", "target")
        self.fresh("typed", "a", "b", "c", "d", both=False)
        self.here.menu("a", "Move to position")
        self.here.wait(lambda: self.here.one("dialog[open]"), 2, "the question")
        self.here.keys("3", Keys.ENTER)
        self.here.wait_rows(["b", "c", "a", "d"])
        self.here.menu("c", "Move to another list")
        self.here.script("""const list = document.querySelector('dialog select');
          list.value = [...list.options].find((one) => one.textContent === 'target').value""")
        self.here.one("dialog .primary").click()
        self.here.wait_rows(["b", "a", "d"])
        wait_until(lambda: self.first.texts("target") == ["c"], 3, "it is in the other list")


class PointerTests(PageCase):
    def test_rows_are_dragged_by_mouse_and_nested_by_going_right(self):
        self.fresh("dragged", "one", "two", "three")
        drag(self.here, "one", "three")
        self.here.wait_rows(["two", "three", "one"])
        self.there.wait_rows(["two", "three", "one"], 1)
        drag(self.here, "one", "two", after=0.2)
        self.there.wait_rows(["one", "two", "three"], 1)
        drag(self.here, "three", "one", right=70)
        self.there.wait(lambda: self.there.tree == [[0, "one"], [1, "three"], [0, "two"]], 2,
                        lambda: str(self.there.tree))

    def test_rows_are_dragged_by_touch_on_a_phone(self):
        self.fresh("touched", "one", "two", "three", both=False)
        self.here.size(390, 800, is_touch=True)
        try:
            drag(self.here, "three", "one", is_touch=True, after=0.2)
            self.here.wait_rows(["three", "one", "two"])
            for part in (".grip", ".tick", ".text", ".more"):
                box = self.here.script("""const box = arguments[0].getBoundingClientRect();
                  const around = getComputedStyle(arguments[0], '::after');
                  const more = around.position === 'absolute' ? -2 * parseFloat(around.top || 0) : 0;
                  return [box.width + more, box.height + more]""", self.here.part("one", part))
                self.assertGreaterEqual(box[1], 43 if part != ".grip" else 35, f"{part} is a target for a thumb")
        finally:
            self.here.size(1280, 860)
        wait_until(lambda: self.first.texts("touched") == ["three", "one", "two"], 3, "written")

    def test_the_page_scrolls_while_a_row_is_held_at_its_edge(self):
        self.fresh("long", *[f"row {number}" for number in range(120)], both=False)
        self.here.script("scrollTo(0, 0)")
        start = self.here.centre(self.here.part("row 0", ".grip"))
        glide(self.here, [start, (start[0], 500), (start[0], 840)], hold=1.5)
        moved = self.here.wait(lambda: self.here.rows.index("row 0"), 3, "the row was dropped")
        self.assertGreater(moved, 20, "further down than the window is high")
        wait_until(lambda: self.first.texts("long").index("row 0") == moved, 3, "written")


class HostileTests(PageCase):
    STRINGS = [
        "<script>document.title='owned'</script>", "<img src=x onerror=\"document.title='owned'\">",
        "\"><svg onload=alert(1)>", "javascript:alert(1)", "{{7*7}} ${7*7} <%= 7*7 %>", "&lt;b&gt; &amp;amp;",
        "</textarea></title></style>", "مرحبا بالعالم", "\u202etxt.exe\u202c", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!͖̬̰̙̗̿̋ͥͥ̂ͣ̐́́͜͞",
        "👩‍👩‍👧‍👦 🏳️‍🌈", "w" * 3000, "<!--hedge:main-->", "constructor", "__proto__", "'; DROP TABLE items; --",
    ]

    def test_hostile_texts_are_texts_and_break_nothing(self):
        self.fresh("hostile")
        self.here.script("window.violations = 0;"
                         "addEventListener('securitypolicyviolation', () => window.violations++)")
        rows = [{"text": text} for text in self.STRINGS]
        status = self.here.driver.execute_async_script("""
          const done = arguments[arguments.length - 1];
          fetch('/api/v1/txn', { method: 'POST', headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({ ops: [{ op: 'add', list: 'hostile', rows: arguments[0] }] }) })
            .then((reply) => done(reply.status))""", rows)
        self.assertEqual(status, 200)
        for page in (self.here, self.there):
            page.wait_rows(self.STRINGS, 5)
            self.assertEqual(page.script("return document.title"), "hostile – hedgerow")
            self.assertEqual(page.all("#rows img, #rows svg:not(.icon), #rows script"), [])
            self.assertLessEqual(page.script("return document.documentElement.scrollWidth - innerWidth"), 0)
        self.assertEqual(self.here.script("return window.violations"), 0)
        self.here.driver.refresh()
        self.here.wait_rows(self.STRINGS, 10)
        self.first.hedge("new", "<img src=x onerror=alert(1)>")
        self.here.wait(lambda: any("<img" in link.text for link in self.here.all("#nav a")), 3, "its name is a name")
        self.assertEqual(self.here.all("#nav img"), [])

    def test_only_our_own_addresses_are_asked_and_the_console_is_quiet(self):
        self.fresh("quiet", "one", both=False)
        self.here.driver.get_log("browser")
        self.here.driver.refresh()
        self.here.wait_live("quiet")
        self.here.add("two")
        self.here.wait_rows(["one", "two"])
        names = self.here.script("return performance.getEntriesByType('resource').map((one) => one.name)")
        self.assertGreater(len(names), 3)
        self.assertEqual([name for name in names if not name.startswith(self.first.origin + "/")], [])
        self.assertEqual([line["message"] for line in self.here.driver.get_log("browser")], [])


class LostAndFoundTests(PageCase):
    def open(self, view):
        self.here.driver.get(f"{self.first.origin}/#{view}")
        self.here.wait(lambda: self.here.one("main h1"), 5, view)

    def card(self, text):
        return self.here.wait(lambda: next(
            (one for one in self.here.all(".card") if one.text.startswith(text)), None), 5, f"a card of {text}")

    def test_what_anybody_deleted_comes_back_to_its_place(self):
        self.fresh("regretted", "one", "two", "three", both=False)
        self.second.hedge("rm", "@regretted", "two")
        self.here.wait_rows(["one", "three"])
        self.open("trash")
        card = self.card("two")
        self.assertIn("from regretted", card.text)
        self.assertIn("kitchen", card.text)
        card.find_element("tag name", "button").click()
        wait_until(lambda: self.second.texts("regretted") == ["one", "two", "three"], 5, "back on both")
        self.here.show("regretted")
        self.here.wait_rows(["one", "two", "three"])

    def test_what_lost_its_place_stands_apart_and_comes_back_with_it(self):
        self.fresh("trips", "Rome", "Oslo", both=False)
        self.second.wait_for_list("trips")
        wait_until(lambda: self.second.texts("trips") == ["Rome", "Oslo"], 5, "the other machine has them")
        self.second.hedge("sync", "pause")
        self.first.hedge("rm", "@trips", "Rome")
        self.second.hedge("add", "@trips/Rome", "gloves")
        self.second.hedge("sync", "resume")
        wait_until(lambda: self.first.json("status")["recovered"], 10, "it is in Recovered")
        self.open("trash")
        self.here.wait(lambda: [one.text for one in self.here.all("main h2")][:1] == ["Recovered"], 3, "a section of its own")
        card = self.card("gloves")
        self.assertIn("from trips, in Rome", card.text)
        card.find_element("tag name", "button").click()
        wait_until(lambda: "gloves" in self.first.texts("trips/Rome"), 5, "both are back")
        self.here.show("trips")
        self.here.wait(lambda: self.here.one(".sum").text == "3 open", 3, "the heading counts all levels")
        self.open("peers")
        self.here.wait(lambda: self.first.json("peers")["peers"][0]["device"] in self.here.one(".view-peers").text, 3, "facts")

    def test_a_decision_shows_both_values_and_the_other_can_be_taken(self):
        self.fresh("decided", "milk", columns=("price:num",), both=False)
        self.first.hedge("sync", "pause")
        self.here.wait(lambda: "off the network" in self.here.chip, 8, lambda: f"the chip tells: {self.here.chip}")
        self.second.hedge("set", "@decided", "milk", "price=1.25")
        self.first.hedge("set", "@decided", "milk", "price=1.20")
        self.first.hedge("sync", "resume")
        wait_until(lambda: any(one["handle"] and one["list"] == "decided" for one in self.first.json("conflicts")["conflicts"]),
                   15, "a decision")
        self.open("conflicts")
        card = self.card("milk")
        values = {one.text for one in card.find_elements("css selector", ".side-value")}
        self.assertEqual(values, {"1.2", "1.25"})
        dropped = card.find_elements("css selector", ".side-value")[1].text
        card.find_element("tag name", "button").click()
        price = lambda agent: agent.json("ls", "@decided")["items"][0]["cols"]["price"]
        wait_until(lambda: price(self.first) == price(self.second) == dropped, 5, "the other value stands on both")
        self.here.wait(lambda: "was taken" in self.card("milk").text, 3, "the card says so")


class NoticeTests(PageCase):
    def test_a_notice_is_shown_with_the_way_to_its_list(self):
        self.fresh("told of", "ACME", both=False)
        self.here.menu("ACME", "Notify me")
        self.here.wait(lambda: self.here.one(".bell"), 3, "it is on")
        self.second.wait_for_list("told of")
        self.fresh("not watched", "x", both=False)
        self.second.hedge("done", "-l", "told of", "ACME")
        self.here.wait(lambda: "told of: kitchen ticked ACME" in self.here.one(".bars").text, 5,
                       lambda: f"the notice: {self.here.one('.bars').text}")
        next(one for one in self.here.all(".bar-undo") if one.text == "Show").click()
        self.here.wait(lambda: self.here.one("h1").text == "told of", 3, "its list is shown")
        self.first.hedge("notify", "off", "-l", "told of", "ACME")

    def test_a_row_is_switched_on_and_off_in_its_menu_and_keeps_that(self):
        self.fresh("watched", "one", "two", both=False)
        rules = lambda: [rule["text"] for rule in self.first.json("notify", "ls")["rules"]]
        self.here.menu("one", "Notify me of changes")
        wait_until(lambda: rules() == ["one"], 3, "the rule")
        self.here.wait(lambda: self.here.part("one", ".bell").is_displayed(), 3, "the bell")
        self.here.driver.refresh()
        self.here.wait_live("watched")
        self.here.wait(lambda: self.here.part("one", ".bell").is_displayed(), 3, "the bell is still there")
        self.assertEqual(self.here.row("two").find_elements("css selector", ".bell"), [])
        self.here.menu("one", "Notify no more")
        wait_until(lambda: rules() == [], 3, "no rule")
        self.here.wait(lambda: not self.here.row("one").find_elements("css selector", ".bell"), 3, "no bell")


class ListTests(PageCase):
    def test_a_list_gets_a_column(self):
        self.fresh("growing", "milk", both=False)
        self.here.one(".head > .icon-button").click()
        next(one for one in self.here.all(".menu [role=menuitem]") if one.text == "Add a column…").click()
        self.here.wait(lambda: self.here.one("dialog"), 2, "a question")
        self.here.keys("qty", Keys.TAB)
        self.here.script("document.querySelector('dialog select').value = 'int'")
        self.here.one("dialog .primary").click()
        self.here.wait(lambda: self.here.one(".heads").text.split() == ["item", "qty"], 3, "the column is there")
        self.here.part("milk", "[data-col=qty]").click()
        self.here.keys("2", Keys.ENTER)
        wait_until(lambda: self.first.json("ls", "@growing")["items"][0]["cols"]["qty"] == 2, 3, "written")
        self.second.wait_for_list("growing")
        self.second.hedge("cols", "@growing", "add", "price:num", "store:enum(a|b)")
        self.here.wait(lambda: self.here.one(".heads").text.split() == ["item", "qty", "price", "store"], 5, "others too")
        self.second.hedge("cols", "@growing", "drop", "price")
        self.here.wait(lambda: self.here.one(".heads").text.split() == ["item", "qty", "store"], 5, "and one less")
        self.assertEqual(self.here.rows, ["milk"])

    def test_lists_are_made_renamed_and_deleted_only_by_name(self):
        self.fresh("kept", both=False)
        here = self.here
        here.one(".new-list").click()
        here.keys(Keys.ENTER)
        here.wait(lambda: "needs a name" in here.one(".dialog-note").text, 2, "an empty name asks")
        here.keys("made here", Keys.TAB, "qty:int", Keys.ENTER)
        here.wait_live("made here")
        self.assertEqual(self.first.json("ls", "@made here")["items"], [])
        here.one(".head > .icon-button").click()
        here.one(".menu [role=menuitem]").click()
        here.keys("renamed", Keys.ENTER)
        here.wait(lambda: here.one("h1").text == "renamed", 3, "the new name")
        here.one(".head > .icon-button").click()
        here.all(".menu [role=menuitem]")[-1].click()
        here.keys("wrong", Keys.ENTER)
        here.wait(lambda: "not the name" in here.one(".dialog-note").text, 2, "another name is refused")
        here.keys(Keys.HOME, *[Keys.DELETE] * 5, "renamed", Keys.ENTER)
        names = lambda: [row["name"] for row in self.first.json("lists")["lists"]]
        wait_until(lambda: "renamed" not in names(), 3, "deleted")
        here.wait(lambda: here.one(".bar-undo"), 3, "undo is offered").click()
        wait_until(lambda: "renamed" in names(), 3, "restored")

    def test_deleting_a_row_with_children_asks_and_a_sorted_view_moves_nothing(self):
        self.fresh("trip", "Rome", "Athens", both=False)
        self.first.add("trip/Rome", "passport", "tickets")
        here = self.here
        here.wait(lambda: len(here.tree) == 4, 3, "the children")
        here.menu("Rome", "Delete")
        here.wait(lambda: "2 items" in here.one("dialog").text, 2, "it says how many")
        here.one("dialog .quiet").click()
        self.assertEqual(self.first.texts("trip"), ["Rome", "Athens"])
        here.script("const sort = document.querySelector('.sort'); sort.value = 'text';"
                    "sort.dispatchEvent(new Event('change'))")
        here.wait_rows(["Athens", "Rome"])
        self.assertEqual(self.first.texts("trip"), ["Rome", "Athens"])
        here.menu("Rome", "Delete")
        here.one("dialog .danger").click()
        here.wait_rows(["Athens"])
        here.wait(lambda: here.one(".bar-undo"), 3, "undo is offered").click()
        wait_until(lambda: self.first.texts("trip/Rome") == ["passport", "tickets"], 3, "all is back")
        here.wait_rows(["Athens", "Rome"])

    def test_a_search_looks_into_all_lists(self):
        self.first.hedge("new", "elsewhere")
        self.first.hedge("add", "@elsewhere", "blue paint")
        self.fresh("searched", "red paint", "brush", both=False)
        self.here.one("#search").click()
        self.here.keys("paint")
        self.here.wait_rows(["red paint"])
        self.here.wait(lambda: "blue paint" in self.here.one(".found").text, 3, "the other list")
        self.here.keys(Keys.ESCAPE)
        self.here.wait_rows(["red paint", "brush"])


if __name__ == "__main__":
    unittest.main()
