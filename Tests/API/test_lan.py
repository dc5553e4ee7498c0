# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""The page for other devices of the LAN: TLS, its own certificate, off by default."""
import hashlib
import http.client
import json
import socket
import ssl
import time
import unittest

from api import Agent, APICase, exchange


class LANCase(APICase):
    def setUp(self):
        self.link = json.loads(self.agent.hedge("web", "--lan", "on", "--json").stdout)
        host, port = self.link["lan_url"].removeprefix("https://").split("/")[0].rsplit(":", 1)
        self.host, self.port = host, int(port)

    def connection(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection(self.host, self.port, timeout=20, context=context)
        connection.connect()
        return connection

    def over_tls(self, method, path, body=None, **headers):
        return exchange(self.connection(), method, path, body, headers)

    def enter(self):
        reply = self.over_tls("GET", "/enter/" + self.link["lan_url"].rsplit("/", 1)[1])
        self.assertEqual(reply.status, 200)
        self.assertTrue(reply.headers["Set-Cookie"].endswith("; HttpOnly; SameSite=Strict; Secure"))
        return reply.headers["Set-Cookie"].split(";")[0]


class LANTests(LANCase):
    def test_the_certificate_is_the_one_whose_fingerprint_is_told(self):
        connection = self.connection()
        self.addCleanup(connection.close)
        self.assertEqual(connection.sock.version(), "TLSv1.3")
        digest = hashlib.sha256(connection.sock.getpeercert(binary_form=True)).hexdigest().upper()
        pairs = ":".join(digest[at:at + 2] for at in range(0, 64, 2))
        self.assertEqual(self.link["certificate"], pairs)
        self.assertIn(pairs, self.agent.hedge("web").stdout)
        self.assertEqual(self.agent.status()["certificate"], pairs)
        cookie = self.enter()
        self.assertNotIn(pairs, self.over_tls("GET", "/", Host="evil.example").text)
        self.assertIn(pairs, self.over_tls("GET", "/", Cookie=cookie).text)

    def test_older_versions_and_plain_text_are_refused(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        with socket.create_connection((self.host, self.port), 10) as plain:
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                context.wrap_socket(plain)
        with socket.create_connection((self.host, self.port), 10) as plain:
            plain.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            self.assertNotIn(b"HTTP/1.1", plain.recv(4096))

    def test_the_link_works_there_once_and_the_cookie_reads_and_writes(self):
        self.made("over", "milk")
        cookie = self.enter()
        path = "/enter/" + self.link["lan_url"].rsplit("/", 1)[1]
        self.assertEqual(self.over_tls("GET", path).status, 401)
        self.assertEqual(self.agent.ask("GET", path).status, 401, "one link for both addresses")
        self.assertIn("milk", self.over_tls("GET", "/lists/over", Cookie=cookie).text)
        self.assertEqual(self.over_tls("GET", "/api/v1/lists").status, 401)
        origin = f"https://{self.host}:{self.port}"
        reply = self.over_tls(
            "POST", "/api/v1/lists/over/items", {"text": "eggs"}, Cookie=cookie, Origin=origin)
        self.assertEqual(reply.status, 201)
        self.assertEqual([row["text"] for row in self.rows("over")], ["milk", "eggs"])

    def test_names_and_origins_are_checked_there_too(self):
        self.made("checked", "milk")
        cookie = self.enter()
        for host in ["evil.example", f"evil.example:{self.port}", f"127.0.0.1:{self.agent.port}", ""]:
            for path in ["/", "/app.js", "/healthz", "/api/v1/lists"]:
                reply = self.over_tls("GET", path, Host=host, Cookie=cookie)
                self.assertIn(reply.status, (400, 403), (host, path))
        good = {"Cookie": cookie}
        for headers in [{"Origin": "https://evil.example"}, {"Origin": f"http://{self.host}:{self.port}"},
                        {"Sec-Fetch-Site": "cross-site"}, {}]:
            with self.subTest(headers):
                reply = self.over_tls(
                    "POST", "/api/v1/lists/checked/items", {"text": "evil"}, **good, **headers)
                self.assert_problem(reply, 403, "not-allowed")
        for name in ["localhost", socket.gethostname().split(".")[0].lower()]:
            self.assertEqual(
                self.over_tls("GET", "/", Host=f"{name}:{self.port}", Cookie=cookie).status, 200)
        self.assertEqual([row["text"] for row in self.rows("checked")], ["milk"])

    def test_figures_stay_on_this_machine(self):
        self.assertEqual(self.ask("GET", "/metrics").status, 200)
        reply = self.over_tls("GET", "/metrics", Authorization=self.bearer)
        self.assert_problem(reply, 403, "not-allowed")

    def test_a_stream_over_tls_tells_of_changes_and_ends_when_the_page_is_closed(self):
        agent = Agent()
        self.addCleanup(agent.remove)
        agent.hedge("new", "gro")
        url = json.loads(agent.hedge("web", "--lan", "on", "--json").stdout)["lan_url"]
        self.host, self.port = "127.0.0.1", int(url.split("/")[2].rsplit(":", 1)[1])
        token = "Bearer " + agent.token("script")
        connection = self.connection()
        self.addCleanup(connection.close)
        connection.request("GET", "/api/v1/events?initial=0", headers={"Authorization": token})
        answer = connection.getresponse()
        self.assertEqual(answer.status, 200)
        agent.hedge("add", "@gro", "milk")
        lines = iter(answer.readline, b"")
        self.assertTrue(any(line.startswith(b"event: add") for line in lines))
        self.assertEqual(agent.hedge("web", "--lan", "off").returncode, 0)
        try:
            answer.read()  # comes back because the stream was cut
        except (http.client.IncompleteRead, ssl.SSLError, ConnectionError):
            pass
        self.assertEqual(agent.hedge("ls", "@gro").stdout.split("\t")[2].strip(), "milk")


class CrowdTests(LANCase):
    def test_clients_that_never_finish_a_handshake_keep_nobody_out_and_are_let_go(self):
        self.made("crowded", "milk")
        start = time.monotonic()
        silent = []
        for number in range(400):
            client = socket.create_connection((self.host, self.port), 10)
            self.addCleanup(client.close)
            if number % 2:
                client.sendall(b"\x16\x03\x01\x02\x00\x01")  # the beginning of a hello
            silent.append(client)
        reply = self.over_tls("GET", "/api/v1/lists", Authorization=self.bearer)
        self.assertEqual(reply.status, 200)
        self.assertEqual(self.ask("GET", "/api/v1/lists").status, 200, "loopback is a door of its own")
        self.assertEqual(self.agent.hedge("ls", "@crowded").returncode, 0)
        self.assertLess(time.monotonic() - start, 8)
        silent[-1].settimeout(20)
        self.assertEqual(silent[-1].recv(1), b"")

    def test_strangers_of_the_lan_do_not_use_up_the_pace_of_this_machine(self):
        statuses = {self.over_tls("GET", "/enter/" + "0" * 64).status for _ in range(150)}
        self.assertEqual(statuses, {401, 429})
        self.assertEqual(self.agent.ask("GET", "/enter/" + "0" * 64).status, 401)


class SwitchTests(unittest.TestCase):
    def reach(self, port):
        try:
            socket.create_connection(("127.0.0.1", port), 5).close()
            return True
        except ConnectionError:
            return False

    def test_it_is_off_until_it_is_switched_on_and_both_are_kept_over_restarts(self):
        agent = Agent()
        self.addCleanup(agent.remove)
        self.assertIsNone(agent.status()["lan"])
        self.assertEqual(agent.hedge("web").stdout.count("\n"), 1)
        on = json.loads(agent.hedge("web", "--lan", "on", "--json").stdout)
        again = json.loads(agent.hedge("web", "--lan", "on", "--json").stdout)
        port = int(on["lan_url"].split("/")[2].rsplit(":", 1)[1])
        self.assertEqual(on["certificate"], again["certificate"])
        self.assertIn(f":{port}/", again["lan_url"])
        agent.hedge("new", "saved")
        self.assertEqual(agent.end(), 0)
        self.assertFalse(self.reach(port))
        agent.start()
        self.assertEqual(agent.status()["certificate"], on["certificate"])
        self.assertEqual(agent.status()["lan"], f"https://127.0.0.1:{port}")
        self.assertTrue(self.reach(port))
        self.assertIn("closed", agent.hedge("web", "--lan", "off").stdout)
        self.assertFalse(self.reach(port))
        self.assertIsNone(agent.status()["lan"])
        agent.hedge("new", "stored")
        self.assertEqual(agent.end(), 0)
        agent.start()
        self.assertIsNone(agent.status()["lan"])
        self.assertFalse(self.reach(port))

    def test_two_agents_of_one_machine_have_ports_of_their_own(self):
        ports = set()
        for name in ["one", "two"]:
            agent = Agent(name=name)
            self.addCleanup(agent.remove)
            reply = json.loads(agent.hedge("web", "--lan", "on", "--json").stdout)
            ports.add(reply["lan_url"].split("/")[2])
        self.assertEqual(len(ports), 2)

    def test_a_qr_code_has_the_address_for_other_devices(self):
        agent = Agent()
        self.addCleanup(agent.remove)
        plain = agent.hedge("web", "--qr").stdout
        lan = agent.hedge("web", "--lan", "on", "--qr").stdout
        self.assertIn("█", plain)
        lines = lan.splitlines()
        self.assertTrue(lines[0].startswith("http://127.0.0.1:"))
        self.assertTrue(lines[1].startswith("https://127.0.0.1:"))
        self.assertTrue(lines[2].startswith("certificate\t"))
        self.assertGreater(len(lines), 20)


if __name__ == "__main__":
    unittest.main()
