# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Guest links: one list, ticking or reading, until a time or until taken back."""
import json
import re
import time
import unittest

from api import Agent, APICase, Stream


class GuestCase(APICase):
    def guest(self, name, role, ttl="1h"):
        """Makes a link and opens it; returns the headers of a browser that did so."""
        made = json.loads(
            self.agent.hedge("web", "--guest", f"@{name}", "--role", role, "--ttl", ttl, "--json").stdout)
        self.last = made
        path = made["url"][made["url"].index("/guest/"):]
        reply = self.agent.ask("GET", path)
        self.assertEqual(reply.status, 200)
        cookie = reply.headers["Set-Cookie"]
        self.assertRegex(cookie, r"^hedge-guest-\d+=[0-9a-f]{64}; Path=/; Max-Age=\d+; HttpOnly; SameSite=Strict$")
        self.assertEqual(self.agent.ask("GET", path).status, 200, "a guest link may be opened again")
        return {"Cookie": cookie.split(";")[0], "Origin": f"http://127.0.0.1:{self.agent.port}"}

    def as_guest(self, method, path, body=None, **headers):
        return self.agent.ask(method, "/api/v1/" + path, body, **{**self.headers, **headers})


class GuestTests(GuestCase):
    ids = hidden = ()

    def setUp(self):
        if not GuestTests.ids:
            GuestTests.ids = self.made("shown", "milk", "eggs")
            GuestTests.hidden = self.made("vault", "gold bars")

    def test_a_guest_sees_one_list_alone(self):
        for role in ["tick", "ro"]:
            self.headers = self.guest("shown", role)
            lists = self.as_guest("GET", "lists").json["lists"]
            self.assertEqual([row["name"] for row in lists], ["shown"])
            for path in ["items", "items?list=shown", "lists/shown/items", f"lists/{lists[0]['handle']}/items",
                         f"lists/{lists[0]['id']}/items?show=all&shape=tree"]:
                reply = self.as_guest("GET", path)
                self.assertEqual((reply.status, [row["text"] for row in reply.json["items"]]),
                                 (200, ["milk", "eggs"]), path)
            self.assertEqual(self.as_guest("GET", f"items/{self.ids[0]}").json["item"]["text"], "milk")
            page = self.agent.ask("GET", "/", **self.headers)
            self.assertEqual(page.status, 200)
            self.assertIn("milk", page.text)
            self.assertIn(f'data-guest="{role}"', page.text)
            self.assertEqual('value="done"' in page.text, role == "tick")
            for word in ["vault", "gold", 'value="add"', 'value="rm"', 'value="edit"']:
                self.assertNotIn(word, page.text)

    def test_what_belongs_to_other_lists_is_like_nothing(self):
        self.headers = self.guest("shown", "tick")
        nothing = self.as_guest("GET", "lists/nowhere/items")
        self.assert_problem(nothing, 404, "unknown-item")
        for path in ["lists/vault/items", "items?list=vault", "items?list=vau", "columns?list=vault",
                     "lists/shown%2Fmilk/items", f"items/{self.hidden[0]}", "items/gold%20bars", "items/0",
                     f"lists/vault/items/{self.hidden[0]}", f"lists/shown/items/{self.hidden[0]}",
                     f"lists/shown/items?after={self.hidden[0]}", "events?list=vault",
                     "changes?list=vault"]:
            with self.subTest(path):
                reply = self.as_guest("GET", path)
                self.assertEqual((reply.status, reply.body), (404, nothing.body))
        for path in ["/lists/vault", "/lists/nowhere", f"/lists/{self.hidden[0]}"]:
            reply = self.agent.ask("GET", path, **self.headers)
            self.assertEqual(reply.status, 404)
            self.assertNotIn("gold", reply.text)

    def test_every_other_route_is_refused(self):
        paths = self.ask("GET", "/api/v1/openapi.json").json["paths"]
        open_to_guests = {
            ("GET", "/api/v1/lists"), ("GET", "/api/v1/items"), ("GET", "/api/v1/columns"),
            ("GET", "/api/v1/items/{item}"), ("GET", "/api/v1/lists/{list}/items"),
            ("GET", "/api/v1/lists/{list}/items/{item}"), ("GET", "/api/v1/events"),
            ("GET", "/api/v1/changes"), ("GET", "/api/v1/version"), ("GET", "/api/v1/openapi.json"),
            ("GET", "/healthz"), ("GET", "/readyz")}
        bodies = {"txn": {"ops": [{"op": "add", "list": "shown", "text": "x"}]}}
        tried = 0
        for role in ["tick", "ro"]:
            headers = self.guest("shown", role)
            for path, methods in paths.items():
                for method in [one.upper() for one in methods if one in ("get", "put", "post", "patch", "delete")]:
                    if (method, path) in open_to_guests:
                        continue
                    filled = re.sub(r"\{(list|name)\}", "shown", path)
                    filled = re.sub(r"\{[a-z]+\}", self.ids[0], filled)
                    query = {"/api/v1/find": "?word=gold", "/api/v1/inspect": "?list=vault",
                             "/api/v1/peers": "?address=127.0.0.1:1"}.get(path, "")
                    body = None if method in ("GET", "DELETE") else bodies.get(path.rsplit("/", 1)[1], {"text": "x"})
                    reply = self.agent.ask(method, filled + query, body, **headers)
                    tried += 1
                    with self.subTest(f"{role}: {method} {filled}"):
                        self.assertIn(reply.status, (400, 403, 404, 422), reply.text[:200])
                        for word in ["vault", "gold"]:
                            self.assertNotIn(word, reply.text)
        self.assertGreater(tried, 80)
        self.assertEqual([row["text"] for row in self.rows("shown")], ["milk", "eggs"])
        self.assertEqual(len(self.ask("GET", "/api/v1/lists").json["lists"]), 2)
        self.assertEqual(self.ask("GET", "/api/v1/peers").json["peers"], [])

    def test_who_may_tick_ticks_and_does_nothing_else(self):
        self.headers = self.guest("shown", "tick")
        item = self.ids[0]
        self.assertEqual(self.as_guest("PATCH", f"lists/shown/items/{item}", {"state": "done"}).status, 200)
        self.assertEqual(self.rows("shown")[0]["state"], "done")
        self.assertEqual(
            self.as_guest("POST", "txn", {"ops": [{"op": "undone", "item": item}]}).status, 200)
        self.assertEqual(self.rows("shown")[0]["state"], "open")
        form = {**self.headers, "Content-Type": "application/x-www-form-urlencoded"}
        for verb, state in [("done", "done"), ("undone", "open")]:
            reply = self.agent.ask("POST", "/lists/shown", f"do={verb}&item={item}".encode(), **form)
            self.assertEqual(reply.status, 303)
            self.assertEqual(self.rows("shown")[0]["state"], state)
        before = self.rows("shown")
        for op in [{"op": "add", "list": "shown", "text": "x"}, {"op": "set", "item": item, "text": "x"},
                   {"op": "edit", "item": item, "note": "x"}, {"op": "rm", "item": item},
                   {"op": "move", "item": item, "after": "bottom"}, {"op": "new", "name": "x"},
                   {"op": "clear", "list": "shown"}, {"op": "restore", "item": item}]:
            for ops in [[op], [{"op": "done", "item": item}, op]]:
                with self.subTest(op["op"], count=len(ops)):
                    self.assert_problem(self.as_guest("POST", "txn", {"ops": ops}), 403, "not-allowed")
        self.assert_problem(
            self.as_guest("PATCH", f"lists/shown/items/{item}", {"state": "done", "text": "x"}), 403, "not-allowed")
        self.assert_problem(
            self.as_guest("POST", "txn", {"ops": [{"op": "done", "item": self.hidden[0]}]}), 404, "unknown-item")
        for words in ["do=add&text=x", f"do=rm&item={item}", f"do=edit&item={item}&text=x", f"do=up&item={item}"]:
            self.assertEqual(self.agent.ask("POST", "/lists/shown", words.encode(), **form).status, 403, words)
        self.assertEqual(
            self.agent.ask("POST", "/lists/vault", f"do=done&item={self.hidden[0]}".encode(), **form).status, 404)
        self.assertEqual(self.rows("shown"), before)
        self.assertEqual(self.rows("vault")[0]["state"], "open")

    def test_who_may_read_changes_nothing(self):
        self.headers = self.guest("shown", "ro")
        item = self.ids[0]
        before = self.rows("shown")
        self.assert_problem(self.as_guest("PATCH", f"lists/shown/items/{item}", {"state": "done"}), 403, "not-allowed")
        self.assert_problem(
            self.as_guest("POST", "txn", {"ops": [{"op": "done", "item": item}]}), 403, "not-allowed")
        form = {**self.headers, "Content-Type": "application/x-www-form-urlencoded"}
        self.assertEqual(
            self.agent.ask("POST", "/lists/shown", f"do=done&item={item}".encode(), **form).status, 403)
        self.assertEqual(self.rows("shown"), before)

    def test_a_write_from_another_site_is_none_of_a_guest_either(self):
        self.headers = self.guest("shown", "tick")
        for origin in ["http://evil.example", None]:
            headers = {"Cookie": self.headers["Cookie"], **({"Origin": origin} if origin else {})}
            reply = self.agent.ask(
                "PATCH", f"/api/v1/lists/shown/items/{self.ids[0]}", {"state": "done"}, **headers)
            self.assert_problem(reply, 403, "not-allowed")
        self.assertEqual(self.rows("shown")[0]["state"], "open")

    def test_undo_in_the_terminal_does_not_take_back_what_a_guest_did(self):
        self.agent.hedge("add", "@vault", "silver")
        self.headers = self.guest("shown", "tick")
        self.as_guest("PATCH", f"lists/shown/items/{self.ids[1]}", {"state": "done"})
        self.agent.hedge("undo")
        self.assertEqual(self.rows("shown")[1]["state"], "done")
        self.assertEqual([row["text"] for row in self.rows("vault")], ["gold bars"])
        self.as_guest("PATCH", f"lists/shown/items/{self.ids[1]}", {"state": "open"})


class GuestEventTests(GuestCase):
    def test_a_stream_tells_of_one_list_and_what_leaves_it_is_gone(self):
        ids = self.made("seen", "milk", "eggs")
        hidden = self.made("unseen", "gold")
        self.headers = self.guest("seen", "ro")
        stream = Stream(self.agent, "/api/v1/events", **self.headers)
        self.addCleanup(stream.close)
        opening = stream.until("live")
        self.assertEqual([event["json"].get("text") for event in opening if event["event"] == "item"],
                         ["milk", "eggs"])
        cursor = opening[-1]["json"]["cursor"]
        self.ask("POST", "/api/v1/txn", {"ops": [{"op": "set", "item": hidden[0], "text": "silver"}]})
        self.ask("POST", "/api/v1/lists/unseen/items", {"text": "copper"})
        self.ask("POST", f"/api/v1/lists/seen/items/{ids[0]}/move", {"list": "unseen", "after": "bottom"})
        self.ask("POST", f"/api/v1/lists/unseen/items/{hidden[0]}/move", {"list": "seen", "after": "bottom"})
        self.ask("PATCH", f"/api/v1/lists/seen/items/{ids[1]}", {"state": "done"})
        told = [stream.next()["json"] for _ in range(3)]
        changes = self.as_guest("GET", f"changes?since={cursor}").json["events"]
        for events in [told, changes]:
            self.assertEqual([(event["ev"], event["id"]) for event in events],
                             [("rm", ids[0]), ("mv", hidden[0]), ("done", ids[1])])
            self.assertNotIn("unseen", json.dumps(events))

    def test_a_stream_ends_when_the_link_is_taken_back(self):
        self.made("watched", "milk")
        self.headers = self.guest("watched", "tick")
        other = self.guest("watched", "tick")
        name = self.agent.hedge("web", "guest", "ls").stdout.splitlines()[-2].split("\t")[0]
        streams = [Stream(self.agent, "/api/v1/events?initial=0", **headers)
                   for headers in [self.headers, other]]
        for stream in streams:
            self.addCleanup(stream.close)
            stream.next()
        self.agent.hedge("web", "guest", "rm", name)
        streams[0].response.read()  # returns because the stream ended
        self.agent.hedge("add", "@watched", "eggs")
        self.assertEqual(streams[1].until("add")[-1]["json"]["text"], "eggs")
        self.assert_problem(self.as_guest("GET", "lists"), 401, "not-signed-in")
        page = self.agent.ask("GET", "/", **self.headers)
        self.assertEqual(page.status, 401)
        self.assertIn("This link is over", page.text)
        self.headers = other
        self.assertEqual(self.as_guest("GET", "lists").status, 200)
        self.assertEqual(self.agent.hedge("web", "guest", "rm", name, check=False).returncode, 3)

    def test_a_deleted_list_is_gone_for_its_guests(self):
        self.made("short", "milk")
        self.headers = self.guest("short", "tick")
        self.agent.hedge("drop", "@short", "--yes")
        self.assertEqual(self.as_guest("GET", "lists").json["lists"], [])
        self.assert_problem(self.as_guest("GET", "lists/short/items"), 404, "unknown-item")
        self.assertEqual(self.agent.ask("GET", "/", **self.headers).status, 404)


class GuestNoticeTests(unittest.TestCase):
    def test_notices_of_the_owner_are_none_of_a_guest(self):
        here, there = Agent(name="study"), Agent(name="den")
        self.addCleanup(here.remove)
        self.addCleanup(there.remove)
        code = json.loads(here.hedge("invite", "--no-input", "--json").stdout)["code"]
        port = json.loads(here.hedge("agent", "status", "--json").stdout)["peer_port"]
        there.hedge("join", code, "--at", f"127.0.0.1:{port}")
        for name in ["seen", "vault"]:
            here.hedge("new", name)
        here.hedge("notify", "on", "@vault")
        url = here.hedge("web", "--guest", "@seen", "--role", "ro").stdout.strip()
        cookie = here.ask("GET", url[url.index("/guest/"):]).headers["Set-Cookie"].split(";")[0]
        owner = Stream(here, "/api/v1/events?initial=0", Authorization="Bearer " + here.token("owner"))
        guest = Stream(here, "/api/v1/events?initial=0", Cookie=cookie)
        for stream in [owner, guest]:
            self.addCleanup(stream.close)
        there.hedge("sync")
        there.hedge("add", "@vault", "gold")
        self.assertIn("gold", owner.until("notice")[-1]["data"])
        here.hedge("add", "@seen", "milk")
        told = guest.until("add")
        self.assertEqual([event["event"] for event in told], ["hello", "add"])
        self.assertEqual(told[-1]["json"]["text"], "milk")


class GuestTimeTests(unittest.TestCase):
    def test_a_link_is_over_after_its_time_also_while_a_stream_is_open(self):
        agent = Agent()
        self.addCleanup(agent.remove)
        agent.hedge("new", "gro")
        agent.hedge("add", "@gro", "milk")
        start = time.monotonic()
        made = json.loads(agent.hedge("web", "--guest", "@gro", "--ttl", "1m", "--json").stdout)
        path = made["url"][made["url"].index("/guest/"):]
        cookie = agent.ask("GET", path).headers["Set-Cookie"].split(";")[0]
        stream = Stream(agent, "/api/v1/events", Cookie=cookie)
        self.addCleanup(stream.close)
        stream.until("live")
        stream.connection.sock.settimeout(80)
        stream.response.read()  # heartbeats, then the end
        self.assertTrue(59 < time.monotonic() - start < 75, time.monotonic() - start)
        self.assertEqual(agent.ask("GET", "/api/v1/lists", Cookie=cookie).status, 401)
        self.assertEqual(agent.ask("GET", path).status, 401)
        self.assertEqual(agent.hedge("web", "guest", "ls").stdout, "")

    def test_links_are_listed_and_kept_over_a_restart(self):
        agent = Agent()
        self.addCleanup(agent.remove)
        agent.hedge("new", "gro")
        urls = [agent.hedge("web", "--guest", "@gro", "--role", role, "--ttl", "7d").stdout.strip()
                for role in ["tick", "ro"]]
        rows = [line.split("\t") for line in agent.hedge("web", "guest", "ls").stdout.splitlines()]
        self.assertEqual([row[1:3] for row in rows], [["gro", "ticks"], ["gro", "reads"]])
        self.assertTrue(all(re.fullmatch(r"g-[0-9a-f]{6}", row[0]) for row in rows))
        self.assertNotIn(urls[0].rsplit("/", 1)[1], agent.hedge("web", "guest", "ls", "--json").stdout)
        agent.hedge("add", "@gro", "milk")
        self.assertEqual(agent.end(), 0)
        agent.start()
        self.assertEqual(agent.ask("GET", "/guest/" + urls[0].rsplit("/", 1)[1]).status, 200)
        agent.hedge("web", "guest", "rm", rows[0][0])
        self.assertEqual(agent.ask("GET", "/guest/" + urls[0].rsplit("/", 1)[1]).status, 401)
        self.assertEqual(agent.ask("GET", "/guest/" + urls[1].rsplit("/", 1)[1]).status, 200)

    def test_mistakes_are_named(self):
        agent = Agent()
        self.addCleanup(agent.remove)
        agent.hedge("new", "gro")
        for words, code in [(["--guest", "@none"], 3), (["--guest", "@gro", "--role", "all"], 2),
                            (["--guest", "@gro", "--ttl", "5s"], 2), (["--guest", "@gro", "--ttl", "91d"], 2),
                            (["--guest", "@gro", "--ttl", "soon"], 2), (["--role", "ro"], 2),
                            (["guest", "add", "x"], 2), (["--lan", "maybe"], 2)]:
            with self.subTest(words):
                self.assertEqual(agent.hedge("web", *words, check=False).returncode, code)
        self.assertEqual(agent.hedge("web", "guest", "ls").stdout, "")


if __name__ == "__main__":
    unittest.main()
