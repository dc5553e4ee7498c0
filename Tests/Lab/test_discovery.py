# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""The discovery child (`hedged discovery-child`) against real responders, spoken to in its frames."""
import socket
import struct
import time

from agents import HEDGED, need
from lab import LabCase, wait_until


class Child:
    """One discovery child on a host, driven as the agent drives it."""

    def __init__(self, host):
        ours, theirs = socket.socketpair()
        self.host = host
        self.socket = ours
        self.socket.setblocking(False)
        self.process = host.start(HEDGED, "discovery-child", stdin=theirs, log="child.log")
        theirs.close()
        self.buffer = b""
        self.events = []
        self.is_ended = False

    def advertise(self, name, port, txt=b"\x03v=1"):
        name = name.encode()
        self._send(b"\x10" + struct.pack(">H", len(name)) + name + struct.pack(">H", port)
                   + struct.pack(">H", len(txt)) + txt)

    def refresh(self):
        self._send(b"\x11")

    def _send(self, payload):
        self.socket.sendall(struct.pack(">H", len(payload)) + payload)

    def read(self):
        """Everything the child said so far, as tuples."""
        try:
            while piece := self.socket.recv(65536):
                self.buffer += piece
            self.is_ended = True
        except BlockingIOError:
            pass
        while len(self.buffer) >= 2:
            length = struct.unpack(">H", self.buffer[:2])[0]
            if len(self.buffer) < 2 + length:
                break
            self.events.append(parse(self.buffer[2:2 + length]))
            self.buffer = self.buffer[2 + length:]
        return self.events

    def wait_for(self, condition, seconds, what):
        return wait_until(lambda: next(filter(condition, self.read()), None), seconds,
                          lambda: f"{what}; ended: {self.process.poll()}; seen: {self.events}")

    def wait_for_calm(self):
        """Waits until half a second brought nothing new: no look-up is under way any more."""
        count, since = len(self.read()), time.monotonic()
        while time.monotonic() - since < 0.5:
            time.sleep(0.05)
            if len(self.read()) != count:
                count, since = len(self.events), time.monotonic()

    def forget(self):
        self.read()
        self.events = []


def parse(frame):
    kind = frame[0]
    if kind == 1:
        return ("running",) if frame[1] else ("waiting", struct.unpack(">i", frame[2:6])[0])
    if kind == 2:
        return ("advertised", frame[3:].decode())
    interface, size = struct.unpack(">IH", frame[1:7])
    name, rest = frame[7:7 + size].decode(), frame[7 + size:]
    if kind == 4:
        return ("lost", name, interface)
    port, size = struct.unpack(">HH", rest[:4])
    txt, rest = rest[4:4 + size], rest[4 + size:]
    addresses, count, rest = [], rest[0], rest[1:]
    for _ in range(count):
        length, scope = struct.unpack(">BI", rest[:5])
        family = socket.AF_INET if length == 4 else socket.AF_INET6
        addresses.append((socket.inet_ntop(family, rest[5:5 + length]), scope))
        rest = rest[5 + length:]
    return ("found", name, interface, port, txt, addresses)


class ChildCase(LabCase):
    @classmethod
    def setUpClass(cls):
        need(HEDGED)
        super().setUpClass()

    def child(self, host, name=None, port=7644):
        child = Child(host)
        def end():
            child.socket.close()
            child.process.wait(5)
        self.addCleanup(end)
        if name:
            child.advertise(name, port)
        return child


class DiscoveryTests(ChildCase):
    count = 2

    def test_two_hosts_find_each_other_with_addresses_of_both_families(self):
        first, second = self.lab.hosts
        kitchen, den = self.child(first, "kitchen", 7001), self.child(second, "den", 7002)
        kitchen.wait_for(lambda e: e[0] == "advertised", 5, "kitchen is announced")
        seen = kitchen.wait_for(
            lambda e: e[0] == "found" and e[1] == "den" and len(e[5]) == 2, 8, "den is found")
        self.assertEqual(seen[3:5], (7002, b"\x03v=1"))
        addresses = dict(seen[5])
        self.assertEqual(addresses.pop("198.18.0.2"), 0)
        (link_local, scope), = addresses.items()
        self.assertTrue(link_local.startswith("fe80:"))
        self.assertEqual(scope, seen[2], "a link-local address has its interface as scope")
        den.wait_for(lambda e: e[0] == "found" and e[1] == "kitchen", 5, "kitchen is found")
        # A clean end is a goodbye.
        den.socket.close()
        kitchen.wait_for(lambda e: e[0] == "lost" and e[1] == "den", 5, "den is lost")

    def test_a_new_port_replaces_the_old_one(self):
        first, second = self.lab.hosts
        watcher, mover = self.child(first), self.child(second, "mover", 7003)
        watcher.wait_for(lambda e: e[:2] == ("found", "mover") and e[3] == 7003, 8, "old port")
        mover.advertise("mover", 7004, b"\x03v=2")
        # An announcement made anew takes a new name: the name is no identity.
        seen = watcher.wait_for(
            lambda e: e[0] == "found" and e[1].startswith("mover") and e[3] == 7004, 8, "new port")
        self.assertEqual(seen[4], b"\x03v=2")

    def test_two_services_of_one_name_are_both_found(self):
        first, second = self.lab.hosts
        one, two = self.child(first, "twin", 7005), self.child(second, "twin", 7006)
        names = {c.wait_for(lambda e: e[0] == "advertised", 8, "announced")[1] for c in (one, two)}
        self.assertLessEqual(len(names), 2)
        one.wait_for(lambda e: e[0] == "found" and e[3] == 7006, 10, "the twin is found")

    def test_an_avahi_that_is_killed_and_restarted_is_used_again_within_five_seconds(self):
        first, second = self.lab.hosts
        loft, den = self.child(first, "loft"), self.child(second, "attic")
        loft.wait_for(lambda e: e[:2] == ("found", "attic"), 8, "attic is found")
        for _ in range(3):
            # Killed in the middle of look-ups, Avahi's client library may crash, and the child with
            # it: that is the agent's business, see test_agents.
            loft.wait_for_calm()
            loft.forget()
            first.kill_avahi()
            lost = loft.wait_for(lambda e: e[0] == "waiting", 3, "the death is noticed")
            self.assertNotEqual(lost[1], 0)
            first.start_avahi()
            start = time.monotonic()
            loft.wait_for(lambda e: e[0] == "running", 5, "running again")
            loft.wait_for(lambda e: e[0] == "advertised", 5, "announced again")
            loft.wait_for(lambda e: e[:2] == ("found", "attic"), 5, "attic is found again")
            self.assertLess(time.monotonic() - start, 5)
        self.assertIsNone(loft.process.poll())

    def test_an_agent_that_dies_takes_its_child_with_it(self):
        child = self.child(self.lab.hosts[0], "orphan")
        child.wait_for(lambda e: e[0] == "advertised", 8, "announced")
        child.socket.close()
        self.assertEqual(child.process.wait(5), 0)

    def test_a_child_told_nonsense_ends_instead_of_guessing(self):
        child = self.child(self.lab.hosts[0])
        child._send(b"\xee")
        self.assertEqual(child.process.wait(5), 70)


class LateResponderTests(ChildCase):
    """The same child on hosts whose Avahi comes later."""

    count = 1
    starts_avahi = False

    def test_an_avahi_that_comes_late_is_found(self):
        host, = self.lab.hosts
        child = self.child(host, "early")
        child.wait_for(lambda e: e[0] == "waiting", 5, "nothing answers")
        host.start_avahi()
        child.wait_for(lambda e: e[0] == "advertised", 8, "announced once it is there")

