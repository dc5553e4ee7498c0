# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""The web door: who gets in, what is refused, what a crowd can do."""
import re
import socket
import time
import unittest

from api import Agent, APICase


class DoorCase(APICase):
    def enter(self):
        """Follows a fresh link; returns what the cookie header of a browser would be."""
        link = self.agent.hedge("web").stdout.strip()
        self.assertTrue(link.startswith(f"http://127.0.0.1:{self.agent.port}/enter/"), link)
        path = link[link.index("/enter"):]
        reply = self.agent.ask("GET", path)
        self.assertEqual(reply.status, 200)
        cookie = reply.headers["Set-Cookie"]
        self.assertRegex(cookie, r"; Path=/; Max-Age=\d+; HttpOnly; SameSite=Strict$")
        self.assertEqual(self.agent.ask("GET", path).status, 401, "a link is good once")
        return cookie.split(";")[0]

    @property
    def origin(self):
        return f"http://127.0.0.1:{self.agent.port}"


class SignInTests(DoorCase):
    def test_without_a_credential_nothing_is_told(self):
        self.made("secret", "milk")
        for path in ["/", "/lists/secret", "/api/v1/lists", "/api/v1/events", "/metrics",
                     "/api/v1/nowhere", "/api/v1/openapi.json"]:
            for headers in [{}, {"Authorization": "Bearer hedge_" + "0" * 64},
                            {"Cookie": f"hedge-{self.agent.port}=0"}]:
                with self.subTest(path, headers=headers):
                    reply = self.agent.ask("GET", path, **headers)
                    self.assertEqual(reply.status, 401)
                    self.assertNotIn("secret", reply.text)
                    self.assertNotIn("milk", reply.text)
        self.assertIn("hedge web", self.agent.ask("GET", "/").text)
        reply = self.agent.ask("GET", "/api/v1/lists")
        self.assert_problem(reply, 401, "not-signed-in")
        self.assertIn("Bearer", reply.headers["WWW-Authenticate"])

    def test_a_browser_reads_and_writes_without_a_script(self):
        self.made("plain", "milk <b>")
        cookie = self.enter()
        page = self.agent.ask("GET", "/lists/plain", Cookie=cookie)
        self.assertEqual(page.status, 200)
        self.assertIn("milk &lt;b&gt;", page.text)
        form = {"Cookie": cookie, "Origin": self.origin,
                "Content-Type": "application/x-www-form-urlencoded"}
        added = self.agent.ask("POST", "/lists/plain", b"do=add&text=oat+milk", **form)
        self.assertEqual((added.status, added.headers["Location"]), (303, "/lists/plain"))
        empty = self.agent.ask("POST", "/lists/plain", b"do=add&text=", **form)
        self.assertEqual(empty.status, 422)
        self.assertIn("text/html", empty.headers["Content-Type"])
        self.assertEqual([row["text"] for row in self.rows("plain")], ["milk <b>", "oat milk"])

    def test_cookies_and_tokens_live_over_a_restart_until_they_are_taken_back(self):
        agent = Agent()
        self.addCleanup(agent.remove)
        agent.hedge("new", "kept")
        token = "Bearer " + agent.token("script")
        path = agent.hedge("web").stdout.strip().split(str(agent.port))[1]
        cookie = agent.ask("GET", path).headers["Set-Cookie"].split(";")[0]
        agent.hedge("sync", "pause")
        self.assertEqual(agent.end(), 0)
        agent.start()
        self.assertEqual(agent.ask("GET", "/api/v1/lists", Cookie=cookie).status, 200)
        self.assertEqual(agent.ask("GET", "/api/v1/lists", Authorization=token).status, 200)
        self.assertIn("script", agent.hedge("web", "token", "ls").stdout)
        self.assertEqual(agent.hedge("web", "token", "rm", "script").returncode, 0)
        self.assertEqual(agent.ask("GET", "/api/v1/lists", Authorization=token).status, 401)

    def test_a_reading_token_does_not_write(self):
        self.made("readable", "milk")
        token = "Bearer " + self.agent.token("reader", "--ro")
        self.assertEqual(
            self.agent.ask("GET", "/api/v1/lists/readable/items", Authorization=token).status, 200)
        for method, path, body in [
                ("POST", "/api/v1/lists/readable/items", {"text": "x"}),
                ("POST", "/api/v1/txn", {"ops": []}), ("POST", "/api/v1/invite", {}),
                ("POST", "/api/v1/agent/stop", {}), ("DELETE", "/api/v1/peers?address=h:1", None)]:
            self.assert_problem(
                self.agent.ask(method, path, body, Authorization=token), 403, "not-allowed")

    def test_keys_are_made_in_a_terminal_only(self):
        for method, path, body in [("POST", "/api/v1/web/link", {}), ("GET", "/api/v1/web/tokens", None),
                                   ("POST", "/api/v1/web/tokens", {"name": "x"}),
                                   ("DELETE", "/api/v1/web/tokens/test", None)]:
            self.assert_problem(self.ask(method, path, body), 403, "not-allowed")


class ForgeryTests(DoorCase):
    def test_a_foreign_name_gets_nothing_even_with_a_credential(self):
        for host in ["evil.example", f"evil.example:{self.agent.port}", "127.0.0.1", ""]:
            for path in ["/", "/app.js", "/healthz", "/api/v1/lists"]:
                reply = self.ask("GET", path, Host=host)
                self.assertIn(reply.status, (400, 403), (host, path))

    def test_a_cross_site_write_changes_nothing(self):
        self.made("target", "milk")
        cookie = self.enter()
        path = "/api/v1/lists/target/items"
        json_body = {"text": "evil"}
        for headers in [{"Origin": "http://evil.example"}, {"Origin": "http://localhost:3000"},
                        {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"},
                        {"Sec-Fetch-Site": "same-site"}, {}]:
            with self.subTest(headers):
                self.assert_problem(
                    self.agent.ask("POST", path, json_body, Cookie=cookie, **headers), 403, "not-allowed")
                form = self.agent.ask(
                    "POST", "/lists/target", b"do=add&text=evil", Cookie=cookie,
                    Content_Type="application/x-www-form-urlencoded", **headers)
                self.assertEqual(form.status, 403)
        for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]:
            self.assert_problem(
                self.agent.ask("POST", path, b'{"text":"evil"}', Cookie=cookie, Origin=self.origin,
                               Content_Type=kind), 415, "unsupported-media-type")
            self.assert_problem(
                self.agent.ask("POST", "/api/v1/sync/pause", b"", Cookie=cookie, Origin=self.origin,
                               Content_Type=kind), 415, "unsupported-media-type")
        self.assertEqual([row["text"] for row in self.rows("target")], ["milk"])
        fine = self.agent.ask("POST", path, {"text": "eggs"}, Cookie=cookie, Origin=self.origin)
        self.assertEqual(fine.status, 201)

    def test_every_answer_keeps_the_browser_in(self):
        for path in ["/", "/app.js", "/healthz", "/api/v1/lists", "/nowhere"]:
            headers = self.agent.ask("GET", path).headers
            policy = headers["Content-Security-Policy"]
            self.assertTrue(policy.startswith("default-src 'none'; script-src 'self'"))
            self.assertIn("frame-ancestors 'none'", policy)
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(headers["Referrer-Policy"], "no-referrer")
            self.assertIsNone(headers["Access-Control-Allow-Origin"])

    def test_files_of_the_page_are_asked_for_once(self):
        for name, kind in [("app.js", "text/javascript"), ("app.css", "text/css"),
                           ("icon.svg", "image/svg+xml")]:
            first = self.agent.ask("GET", f"/{name}")
            self.assertTrue(first.headers["Content-Type"].startswith(kind))
            again = self.agent.ask("GET", f"/{name}", If_None_Match=first.headers["ETag"])
            self.assertEqual((first.status, again.status, again.body), (200, 304, b""))


class CrowdTests(DoorCase):
    def open(self, text=b""):
        client = socket.create_connection(("127.0.0.1", self.agent.port), 10)
        self.addCleanup(client.close)
        client.sendall(text)
        return client

    def test_slow_clients_keep_nobody_out_and_are_let_go(self):
        self.made("crowded", "milk")
        start = time.monotonic()
        slow = [self.open(b"GET / HTTP/1.1\r\nHost: 127.0.0.1") for _ in range(400)]
        self.assertEqual(self.ask("GET", "/api/v1/lists").status, 200)
        self.assertEqual(self.agent.hedge("ls", "@crowded").returncode, 0)
        self.assertLess(time.monotonic() - start, 8)
        # The last of them is still held: it goes when its time is over, without a byte from us.
        slow[-1].settimeout(20)
        self.assertEqual(slow[-1].recv(1), b"")
        self.assertEqual(self.ask("GET", "/api/v1/lists").status, 200)

    def test_who_does_not_sign_in_is_slowed_down(self):
        agent = Agent()
        self.addCleanup(agent.remove)
        connection = agent.connection()
        self.addCleanup(connection.close)
        statuses = []
        for _ in range(300):
            connection.request("GET", "/api/v1/lists")
            response = connection.getresponse()
            response.read()
            statuses.append(response.status)
            if response.status == 429:
                self.assertRegex(response.headers["Retry-After"], r"^\d+$")
        self.assertEqual(set(statuses), {401, 429})
        token = agent.token("other")
        self.assertEqual(agent.ask("GET", "/api/v1/lists", Authorization=f"Bearer {token}").status, 200)

    def test_a_head_without_end_is_refused(self):
        client = self.open(b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 20_000)
        client.settimeout(20)
        self.assertTrue(re.match(rb"HTTP/1.1 4(31|13|00)", client.recv(64)))


if __name__ == "__main__":
    unittest.main()
