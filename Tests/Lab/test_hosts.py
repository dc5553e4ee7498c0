# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""The lab itself: hosts reach each other, cables can be cut, nothing is left behind."""
import signal
import subprocess
import sys
import pathlib
import time
import unittest

from lab import Lab, LabCase, command, wait_until, why_not


ECHO = """
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("", 7)); print("up", flush=True)
while True: s.sendto(*s.recvfrom(64))
"""
ASK = """
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(0.05); got = 0
for _ in range(int(sys.argv[2])):
    s.sendto(b"?", (sys.argv[1], 7))
    try: got += len(s.recv(64))
    except OSError: pass
print(got)
"""


class HostsTests(LabCase):
    count = 2

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        echo = cls.lab.hosts[1].start(sys.executable, "-c", ECHO, stdout=subprocess.PIPE)
        echo.stdout.readline()

    def answers(self, asked=1):
        """How many of so many questions from the first host the second one answers."""
        first, second = self.lab.hosts
        return int(first.run(sys.executable, "-c", ASK, second.address, str(asked)).stdout)

    def test_hosts_have_their_own_name_and_address_and_reach_each_other(self):
        first, second = self.lab.hosts
        self.assertEqual(first.run("hostname").stdout.strip(), "h1")
        self.assertNotIn("198.18.", command("ip", "addr").stdout)
        self.assertEqual(self.answers(), 1)

    def test_a_cut_host_is_alone_until_the_cable_is_back(self):
        self.lab.hosts[1].cut()
        self.assertEqual(self.answers(3), 0)
        self.lab.hosts[1].heal()
        wait_until(self.answers, 5, "a question is answered again")

    def test_loss_loses_some_and_not_all(self):
        self.lab.hosts[1].lose(50)
        answered = self.answers(60)
        self.lab.hosts[1].lose(0)
        self.assertTrue(5 < answered < 55, answered)
        self.assertEqual(self.answers(), 1)


class CleanupTests(unittest.TestCase):
    def test_a_run_that_is_told_to_stop_leaves_nothing(self):
        if why_not():
            self.skipTest(why_not())
        script = "import time, lab\nwith lab.Lab(1, avahi=False) as l:\n print(l.tag, flush=True); time.sleep(60)"
        run = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True,
                               cwd=pathlib.Path(__file__).parent)
        tag = run.stdout.readline().strip()
        self.assertIn(tag, command("ip", "netns", "list").stdout)
        run.send_signal(signal.SIGTERM)
        run.wait(10)
        run.stdout.close()
        self.assertNotIn(tag, command("ip", "netns", "list").stdout)


if __name__ == "__main__":
    unittest.main()
