# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""`hedge tui` in a real terminal (tmux), against real agents on loopback.

Nothing leaves loopback.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Loopback"))
import loopback
from loopback import HEDGE

DEADLINE = 15


def eventually(probe, what):
    return loopback.eventually(probe, DEADLINE, what)


class Agent(loopback.Agent):
    def rows(self, name):
        """Texts of all rows, indented by depth, with a mark for those that are done."""
        page = self.json("ls", "@" + name, "-a", "--tree")
        return [("x " if row["state"] == "done" else "") + "  " * row.get("depth", 0) + row["text"]
                for row in page["items"]]


class Terminal:
    """A tmux of its own with one window."""

    def __init__(self, root, agent, *words, columns=80, rows=24, locale="C.UTF-8", shell=None):
        self.socket = os.path.join(root, f"tmux-{columns}-{rows}-{len(os.listdir(root))}")
        env = dict(agent.environment, LC_ALL=locale, TERM="xterm-256color")
        env.pop("TMUX", None)
        self.env = env
        command = " ".join([str(HEDGE), "tui", *words])
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(rows),
                  shell or f"echo BEFORE; {command}; echo LEFT $?; exec cat")

    def tmux(self, *words):
        return subprocess.run(
            ["tmux", "-f", "/dev/null", "-S", self.socket, *words], env=self.env,
            capture_output=True, text=True, timeout=30, check=True).stdout

    def lines(self):
        return self.tmux("capture-pane", "-p").split("\n")

    def line(self, *parts):
        return next((line for line in self.lines() if all(part in line for part in parts)), None)

    def sees(self, *parts):
        return eventually(lambda: self.line(*parts), f"{parts} on screen:\n" + "\n".join(self.lines()))

    def type(self, *keys):
        for key in keys:
            self.tmux("send-keys", key)

    def text(self, text):
        self.tmux("send-keys", "-l", text)

    def end(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], env=self.env,
                       capture_output=True, timeout=30, check=False)


class LiveViewInATerminal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("tmux"):
            raise AssertionError("tmux is missing: Packaging/check installs it")

    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="hedgerow-tui-")
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.kitchen = self.agent("kitchen")

    def agent(self, name):
        agent = Agent(name, web_port="off")
        self.addCleanup(agent.remove)
        agent.start()
        return agent

    def terminal(self, agent, *words, **size):
        terminal = Terminal(self.root, agent, *words, **size)
        self.addCleanup(terminal.end)
        return terminal

    def pair(self):
        den = self.agent("den")
        den.join(self.kitchen)
        return den

    def test_a_change_made_elsewhere_shows_with_its_author_and_back(self):
        self.kitchen.hedge("new", "groceries", "price:num")
        self.kitchen.hedge("add", "milk", "price=1.20")
        den = self.pair()
        view = self.terminal(self.kitchen)
        view.sees(">[ ] milk")
        view.sees("live", "den in sync")
        den.hedge("add", "@groceries", "tea")
        view.sees("[ ] tea", "den")
        den.hedge("set", "@groceries", "milk", "price=1.40")
        view.sees("milk", "1.4", "▲ +0.2 den")
        view.type("Space")
        eventually(lambda: den.rows("groceries") == ["x milk", "tea"], "the tick reaches den")

    def test_every_key_does_what_the_help_says(self):
        self.kitchen.hedge("new", "trips", "qty:int")
        self.kitchen.hedge("new", "other")
        view = self.terminal(self.kitchen, "@trips")
        view.sees("empty: a adds the first item")
        for text in ["one", "two", "three"]:
            view.type("a")
            view.sees("add:")
            view.text(text)
            view.type("Enter")
            view.sees(">[ ] " + text)
        self.assertEqual(self.kitchen.rows("trips"), ["one", "two", "three"])
        view.type("K")
        eventually(lambda: self.kitchen.rows("trips") == ["one", "three", "two"], "K moves up")
        eventually(lambda: "three" in (view.lines()[2]), "the view has the row moved")
        view.type("M-Down")
        eventually(lambda: self.kitchen.rows("trips") == ["one", "two", "three"], "Alt moves down")
        eventually(lambda: "three" in (view.lines()[3]), "the view has the row at its end")
        view.type(">")
        eventually(lambda: self.kitchen.rows("trips") == ["one", "two", "  three"], "> nests")
        view.sees(">[ ]   three")
        view.type("<")
        eventually(lambda: self.kitchen.rows("trips") == ["one", "two", "three"], "< comes out")
        view.sees(">[ ] three")
        view.type("e")
        view.sees("edit: three")
        view.type("C-u")
        view.text("drei")
        view.type("Enter")
        eventually(lambda: self.kitchen.rows("trips")[2] == "drei", "e edits")
        view.type("=")
        view.sees("set: qty=")
        view.text("7")
        view.type("Enter")
        view.sees("drei", "7")
        view.type("m")
        view.text("other")
        view.type("Enter")
        eventually(lambda: self.kitchen.rows("other") == ["drei"], "m moves to a list")
        view.type("g", "x")
        eventually(lambda: self.kitchen.rows("trips") == ["two"], "x deletes")
        view.type("/")
        view.text("nothing like it")
        view.type("Enter")
        view.sees("no match")
        view.type("Escape")
        view.sees("[ ] two")
        view.type("Tab")
        view.sees("other · 1 open")
        view.type("?")
        view.sees("move to another list")
        view.type("?")
        view.type("q")
        view.sees("LEFT 0")
        view.sees("BEFORE")

    def test_narrow_resized_and_without_utf8_it_stays_readable(self):
        self.kitchen.hedge("new", "groceries")
        self.kitchen.hedge("add", "日本のお茶 と 👨‍👩‍👧 emoji,", "cafe\u0301")
        view = self.terminal(self.kitchen, columns=40, rows=12)
        view.sees(">[ ] 日本のお茶 と 👨 emoji")
        view.sees("[ ] cafe\u0301")
        view.tmux("resize-window", "-x", "100", "-y", "30")
        view.sees("│", "[ ] cafe\u0301")
        plain = self.terminal(self.kitchen, locale="C")
        plain.sees("groceries | 2 open")

    def test_the_agent_may_stop_and_come_back(self):
        self.kitchen.hedge("new", "groceries")
        self.kitchen.hedge("add", "milk")
        view = self.terminal(self.kitchen)
        view.sees("live")
        self.kitchen.kill()
        view.sees("agent stopped")
        view.type("Space")
        view.sees("nothing was changed")
        self.kitchen.start()
        view.sees("live")
        self.kitchen.hedge("add", "tea")
        view.sees("[ ] tea")

    def test_text_from_data_cannot_steer_the_terminal(self):
        self.kitchen.hedge("new", "groceries")
        self.kitchen.hedge("add", "--", "a\u001b]0;owned\u0007b\u202ec")
        view = self.terminal(self.kitchen)
        view.sees("a\\x1b]0;owned\\x07b\\u{202e}c")

    def test_it_says_clearly_when_it_cannot_run(self):
        result = self.kitchen.hedge("tui", check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("needs a terminal", result.stderr)
        self.kitchen.kill()
        result = self.kitchen.hedge("tui", check=False)
        self.assertEqual(result.returncode, 6)
        self.assertIn("hedge agent run", result.stderr)

    def test_it_suspends_and_returns(self):
        self.kitchen.hedge("new", "groceries")
        self.kitchen.hedge("add", "milk")
        view = self.terminal(self.kitchen, shell="exec bash --norc --noprofile -i")
        view.text(f"{HEDGE} tui")
        view.type("Enter")
        view.sees(">[ ] milk")
        view.type("C-z")
        view.sees("Stopped")
        self.kitchen.hedge("add", "tea")
        view.text("fg")
        view.type("Enter")
        view.sees("[ ] tea")
        view.type("q")
        view.sees("Stopped")


if __name__ == "__main__":
    unittest.main()
