# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""The demo on loopback: what it says is true of what it left behind."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Loopback"))
from loopback import HEDGE, environment


class DemoTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        home = pathlib.Path(folder.name)
        (home / "run").mkdir(mode=0o700)
        self.environment = environment(home)
        self.addCleanup(self.demo, "stop")

    def demo(self, *words):
        return subprocess.run([HEDGE, "demo", *words], env=self.environment, capture_output=True,
                              text=True, timeout=90, stdin=subprocess.DEVNULL)

    def test_without_a_demo_there_is_none_to_stop_or_to_use(self):
        stop = self.demo("stop")
        self.assertEqual((stop.returncode, stop.stdout), (0, "no demo is running\n"))
        words = self.demo("env")
        self.assertEqual((words.returncode, words.stdout), (6, ""))
        self.assertIn("no demo is running", words.stderr)

    def test_once_points_to_nothing_that_it_removed(self):
        once = self.demo("--once")
        self.assertEqual(once.returncode, 0, once.stderr)
        for word in ("see  ", "try:", "stop:"):
            self.assertNotIn(word, once.stdout)
        self.assertTrue(once.stdout.endswith("hedge demo leaves it running\n"), once.stdout)
        self.assertEqual(self.demo("env").returncode, 6)

    def test_one_that_runs_is_used_and_stopped(self):
        start = self.demo()
        self.assertEqual(start.returncode, 0, start.stderr)
        self.assertIn("stop: hedge demo stop", start.stdout)
        self.assertIn("hedge-den()", self.demo("env").stdout)
        self.assertIn("demo stopped", self.demo("stop").stdout)
        self.assertEqual(self.demo("stop").stdout, "no demo is running\n")


if __name__ == "__main__":
    unittest.main()
