# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""The page for other devices, opened from another host: by address and by name, never unasked."""
import hashlib
import json
import ssl
import unittest

from agents import AgentCase
from lab import wait_until


class PageOnLanTests(AgentCase):
    count = 2
    is_paired = False

    def setUp(self):
        self.here, self.there = self.lab.hosts

    def curl(self, url, *words):
        """What the other host gets: status and body; a refused connection is status 0."""
        done = self.there.run("curl", "--silent", "--insecure", "--noproxy", "*", "--max-time", "10",
                              "--write-out", "\n%{http_code}", *words, url, check=False)
        body, _, status = done.stdout.rpartition("\n")
        return int(status), body

    def test_another_host_opens_the_page_and_a_guest_link(self):
        here = self.here
        here.hedge("new", "gro")
        here.hedge("add", "@gro", "milk")
        loopback = here.json("web")
        self.assertIsNone(loopback["lan_url"])
        port = loopback["url"].split("/")[2].rsplit(":", 1)[1]
        self.assertEqual(self.curl(f"http://{here.address}:{port}/healthz")[0], 0, "loopback only")
        link = here.json("web", "--lan", "on")
        self.assertEqual(link["lan_url"].split("/")[2], f"{here.address}:7645")
        pem = self.there.run("openssl", "s_client", "-connect", f"{here.address}:7645", input="").stdout
        pem = pem[pem.index("-----BEGIN"):pem.index("-----END CERTIFICATE-----") + 25]
        digest = hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest().upper()
        self.assertEqual(link["certificate"].replace(":", ""), digest)
        jar = str(self.there.folder / "jar")
        self.assertEqual(self.curl(link["lan_url"], "--cookie-jar", jar)[0], 200)
        status, page = self.curl(f"https://{here.address}:7645/lists/gro", "--cookie", jar)
        self.assertEqual(status, 200)
        self.assertIn("milk", page)
        # A name that leads to this address is none of ours unless this machine is called so.
        foreign = ["--resolve", f"rebound.example:7645:{here.address}"]
        self.assertEqual(self.curl("https://rebound.example:7645/healthz", *foreign)[0], 403)
        self.assertEqual(self.curl(f"https://{here.address}:7645/api/v1/lists")[0], 401)
        guest = here.json("web", "--guest", "@gro", "--role", "ro")["url"]
        self.assertTrue(guest.startswith(f"https://{here.address}:7645/guest/"))
        other = str(self.there.folder / "guest-jar")
        self.assertEqual(self.curl(guest, "--cookie-jar", other)[0], 200)
        status, lists = self.curl(f"https://{here.address}:7645/api/v1/lists", "--cookie", other)
        self.assertEqual([row["name"] for row in json.loads(lists)["lists"]], ["gro"])
        here.hedge("web", "--lan", "off")
        self.assertEqual(self.curl(f"https://{here.address}:7645/healthz")[0], 0)

    def test_an_address_that_comes_later_opens_the_page_too(self):
        here = self.here
        here.hedge("web", "--lan", "on")
        self.addCleanup(here.hedge, "web", "--lan", "off")
        here.run("ip", "address", "add", "198.18.99.9/24", "dev", "eth0")
        self.there.run("ip", "address", "add", "198.18.99.8/24", "dev", "eth0")
        wait_until(lambda: self.curl("https://198.18.99.9:7645/healthz")[0] == 200, 10,
                   lambda: f"the new address is ours: {here.log()}")


if __name__ == "__main__":
    unittest.main()
