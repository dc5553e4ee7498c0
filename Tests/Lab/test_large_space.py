# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""More members than one node keeps links to: a few links each, and still everything reaches all."""
import time
import unittest

from agents import AgentCase
from lab import wait_until


class LargeSpaceTests(AgentCase):
    count = 20
    starts_avahi = False
    starts_agents = False

    def links(self, host):
        return sum(peer["via"] == "direct" for peer in host.json("peers")["peers"])

    def texts_everywhere(self, wanted, hosts, seconds):
        start = time.monotonic()
        for host in hosts:
            wait_until(lambda: host.texts("news") == wanted, seconds,
                       lambda: f"{host.name} shows {wanted}; it says "
                               f"{host.hedge('peers', check=False).stdout}")
        return time.monotonic() - start

    def test_twenty_members_keep_few_links_and_an_edit_reaches_all_past_dead_ones(self):
        first, *others = hosts = self.lab.hosts
        first.start_agent("--no-discovery")
        first.hedge("new", "news")
        for host in others:
            host.start_agent("--no-discovery")
            self.lab.invite(first, host, "--at", f"{first.address}:7644")
        # Eight of the shape, and whoever is on a visit or visited.
        wait_until(lambda: all(8 <= self.links(host) <= 12 for host in hosts), 90,
                   lambda: f"links: {[self.links(host) for host in hosts]}")
        hosts[7].hedge("add", "@news", "one")
        took = self.texts_everywhere(["one"], hosts, 10)
        print(f"\n  20 members, {sum(map(self.links, hosts)) / 20:.1f} links a node, an edit was "
              f"seen by all when asked one by one for {took:.1f} s", flush=True)
        dead = [hosts[number] for number in (0, 3, 4, 11, 12, 19)]
        for host in dead:
            host.kill_agent()
        alive = [host for host in hosts if host not in dead]
        hosts[8].hedge("add", "@news", "two")
        self.texts_everywhere(["one", "two"], alive, 30)
        for host in dead:
            host.start_agent("--no-discovery")
        self.texts_everywhere(["one", "two"], hosts, 30)
        hosts[0].hedge("add", "@news", "three")
        self.texts_everywhere(["one", "two", "three"], hosts, 30)


if __name__ == "__main__":
    unittest.main()
