# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Agents on loopback and real browsers that look at them.

The browser is Debian's chromium with its driver, headless.
"""
import atexit
import pathlib
import shutil
import sys
import tempfile
import time
import unittest

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Loopback"))
import loopback
from loopback import ROOT

SCREENS = ROOT / ".build/check/screens"


def wait_until(condition, seconds, what):
    """Polls until `condition()` is true and returns what it gave; `what` says what was waited for."""
    end = time.monotonic() + seconds
    last = None
    while True:
        try:
            last = condition()
        except (WebDriverException, AssertionError) as error:
            last = None
            problem = error
        else:
            problem = None
        if last:
            return last
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what}"
                                 + (f" ({problem})" if problem else ""))
        time.sleep(0.01)


class Agent(loopback.Agent):
    """An agent and the address of its page."""

    def add(self, name, *texts, flags=()):
        """Adds items, each its own text, as one step."""
        self.hedge("add", f"@{name}", *flags, "-", input="\n".join(texts) + "\n")

    def link(self):
        """A fresh one-time address of the page."""
        return self.json("web")["url"]

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.web_port}"

    def wait_for_list(self, name, seconds=10):
        wait_until(lambda: any(row["name"] == name for row in self.json("lists")["lists"]), seconds,
                   f"{self.name} has the list {name}")


class Page:
    """A browser with one window on the page of an agent."""

    def __init__(self, agent, width=1280, height=860, flags=()):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        self.profile = tempfile.mkdtemp(prefix="hedge-browser-")
        for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                     "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run",
                     "--disable-component-update", "--no-proxy-server", "--lang=en-GB",
                     f"--user-data-dir={self.profile}", f"--window-size={width},{height}", *flags):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.driver = webdriver.Chrome(options, Service("/usr/bin/chromedriver"))
        self.driver.set_script_timeout(30)
        self.agent = agent
        self.size(width, height)
        self.theme("light")

    def quit(self):
        try:
            self.driver.quit()
        finally:
            shutil.rmtree(self.profile, ignore_errors=True)

    # The look

    def size(self, width, height, is_touch=False):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_touch})
        self.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": is_touch})

    def theme(self, name, motion="no-preference"):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": name},
            {"name": "prefers-reduced-motion", "value": motion}]})

    def screen(self, name):
        SCREENS.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(SCREENS / f"{name}.png"))

    # Where

    def sign_in(self):
        """Opens the page by a one-time link."""
        self.driver.get(self.agent.link())
        self.wait(lambda: self.one("#chip"), 10, "the page is there")
        self.wait(lambda: self.chip.startswith("Live"), 10, lambda: f"the page is live: {self.chip}")

    def show(self, name):
        """Opens a list by its address and waits until it is live."""
        handle = next(row["handle"] for row in self.agent.json("lists")["lists"] if row["name"] == name)
        self.driver.get(f"{self.agent.origin}/lists/{handle}")
        self.wait_live(name)

    def wait_live(self, name):
        self.wait(lambda: self.script("return document.querySelector('main')?.ariaBusy") is None
                  and self.one("h1") and self.one("h1").text == name and self.chip.startswith("Live"), 10,
                  lambda: f"{name} is shown and live: {self.chip}")

    # What is seen

    def wait(self, condition, seconds, what):
        def look():
            try:
                return condition()
            except (WebDriverException, IndexError):
                return None
        return wait_until(look, seconds, what)

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def one(self, selector):
        found = self.driver.find_elements(By.CSS_SELECTOR, selector)
        return found[0] if found else None

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    @property
    def chip(self):
        return self.script("return document.getElementById('chip')?.textContent ?? ''")

    @property
    def said(self):
        """All that the live region says now."""
        return self.script("return document.getElementById('say').textContent")

    @property
    def rows(self):
        """Texts of the open rows at the top, in order."""
        return self.script("return [...document.querySelectorAll('#rows > .block > .row')]"
                           ".map((row) => row.querySelector('.text').textContent)")

    @property
    def tree(self):
        """All rows as [depth, text], in order."""
        return self.script("""return [...document.querySelectorAll('#rows .row')].map((row) => {
          let depth = 0;
          for (let at = row.parentElement.closest('.row'); at; at = at.parentElement.closest('.row')) depth++;
          return [depth, row.querySelector('.text').textContent];
        })""")

    def row(self, text):
        return self.wait(lambda: self.script(
            "return [...document.querySelectorAll('.row')]"
            ".find((row) => row.querySelector('.text').textContent === arguments[0])", text), 5,
            f"there is a row {text}")

    def part(self, text, selector):
        return self.row(text).find_element(By.CSS_SELECTOR, selector)

    def wait_rows(self, texts, seconds=5):
        self.wait(lambda: self.rows == texts, seconds, lambda: f"rows {texts}, seen {self.rows}")

    @property
    def focus(self):
        """Name of the element that has the focus, as a reader says it."""
        return self.script("const now = document.activeElement;"
                           "return now.getAttribute('aria-label') || now.textContent || now.id || now.tagName")

    # What is done

    def keys(self, *keys):
        ActionChains(self.driver, duration=10).send_keys(*keys).perform()

    def keys_down(self, held, key):
        ActionChains(self.driver, duration=10).key_down(held).send_keys(key).key_up(held).perform()

    def alt(self, key):
        self.keys_down(Keys.ALT, key)

    def add(self, text):
        box = self.one("#add")
        box.click()
        self.keys(text, Keys.ENTER)

    def paste(self, selector, text):
        """Pastes into a field, as the clipboard would."""
        self.script("""const data = new DataTransfer();
          data.setData('text/plain', arguments[1]);
          const field = document.querySelector(arguments[0]);
          field.focus();
          field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
          """, selector, text)

    def menu(self, text, entry):
        """Chooses an entry of a row's menu."""
        self.part(text, ":scope > .line > .more").click()
        self.wait(lambda: self.one(".menu"), 2, "the menu is open")
        found = [item for item in self.all(".menu [role=menuitem]") if item.text.startswith(entry)]
        found[0].click()

    def centre(self, element):
        box = element.rect
        top = self.script("return scrollY")
        return int(box["x"] + box["width"] / 2), int(box["y"] - top + box["height"] / 2)


class PageCase(unittest.TestCase):
    """Two paired agents and a browser on each, shared by all tests of a run."""

    shared = None

    @classmethod
    def setUpClass(cls):
        if PageCase.shared is None:
            PageCase.shared = cls.make()
        cls.first, cls.second, cls.here, cls.there = PageCase.shared

    @staticmethod
    def make():
        first, second = Agent("study"), Agent("kitchen")
        pages = []

        def clean():
            PageCase.shared = None
            while pages:
                pages.pop().quit()
            for agent in (first, second):
                agent.remove()
        unittest.addModuleCleanup(clean)
        # Also where the run is broken off.
        atexit.register(clean)
        for agent in (first, second):
            agent.start()
        second.join(first)
        for agent in (first, second):
            pages.append(Page(agent))
            pages[-1].sign_in()
        return first, second, *pages

    def fresh(self, name, *items, columns=(), both=True):
        """A new list with items, shown on one page or on both."""
        self.first.hedge("new", name, *columns)
        if items:
            self.first.add(name, *items)
        self.here.show(name)
        if both:
            self.second.wait_for_list(name)
            self.there.show(name)
            self.there.wait_rows(list(items))
        self.here.wait_rows(list(items))


def drag(page, text, onto, is_touch=False, after=0.75, right=0):
    """Drags a row by its handle to a point of another row; `after` is how far down in it."""
    start = page.centre(page.part(text, ".grip"))
    line = page.part(onto, ".line").rect
    top = page.script("return scrollY")
    end = (start[0] + right, int(line["y"] - top + line["height"] * after))
    glide(page, [start, ((start[0] + end[0]) // 2, (start[1] + end[1]) // 2), end], is_touch)


def glide(page, points, is_touch=False, hold=0):
    """Moves a pointer along points, pressed; `hold` seconds at the end."""
    from selenium.webdriver.common.actions.action_builder import ActionBuilder
    from selenium.webdriver.common.actions.pointer_input import PointerInput
    pointer = PointerInput("touch" if is_touch else "mouse", "finger" if is_touch else "mouse")
    actions = ActionBuilder(page.driver, mouse=pointer, duration=40)
    pointer_actions = actions.pointer_action
    pointer_actions.move_to_location(*points[0])
    pointer_actions.pointer_down()
    for x, y in points[1:]:
        pointer_actions.move_to_location(x, y)
    if hold:
        pointer_actions.pause(hold)
    pointer_actions.pointer_up()
    actions.perform()
