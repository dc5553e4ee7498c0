# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""One agent on loopback for a test class, and requests to its web door."""
import http.client
import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Loopback"))
import loopback


class Reply:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode()


class Agent(loopback.Agent):
    """An agent that runs at once, and requests to its web door."""

    def __init__(self, *flags, name="study"):
        super().__init__(name, *flags)
        self.start()

    @property
    def port(self):
        return self.web_port

    def status(self):
        return self.json("status")

    # Requests

    def token(self, name, *flags):
        return self.hedge("web", "token", "add", name, *flags).stdout.strip()

    def connection(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)

    def ask(self, method, path, body=None, **headers):
        return exchange(self.connection(), method, path, body, headers)


def exchange(connection, method, path, body=None, headers=None):
    """One request, after which the connection is closed. Header names are written with `_` for `-`; a
    body that is no bytes is sent as JSON."""
    headers = {name.replace("_", "-"): value for name, value in (headers or {}).items()}
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
        headers.setdefault("Content-Type", "application/json")
    try:
        connection.request(method, path, body, headers)
        return Reply(connection.getresponse())
    finally:
        connection.close()


class Stream:
    """A server-sent stream: its events come as dictionaries with `id`, `event`, `data`."""

    def __init__(self, agent, path="/api/v1/events", **headers):
        self.connection = agent.connection()
        self.connection.request("GET", path, headers={
            "Accept": "text/event-stream", **{k.replace("_", "-"): v for k, v in headers.items()}})
        self.response = self.connection.getresponse()
        if self.response.status != 200:
            raise AssertionError(f"{self.response.status} {self.response.read()}")

    def next(self):
        """The next event; comments are skipped, `retry` is kept in the event it stands before."""
        event = {}
        while True:
            line = self.response.readline().decode().rstrip("\n")
            if not line and event.get("data"):
                event["json"] = json.loads(event["data"])
                return event
            name, _, value = line.partition(": ")
            if name and line[0] != ":":
                event[name] = value

    def until(self, kind):
        events = []
        while not events or events[-1]["event"] != kind:
            events.append(self.next())
        return events

    def close(self):
        self.connection.close()


class APICase(unittest.TestCase):
    flags = ()

    @classmethod
    def setUpClass(cls):
        cls.agent = Agent(*cls.flags)
        cls.addClassCleanup(cls.agent.remove)
        cls.bearer = "Bearer " + cls.agent.token("test")

    def ask(self, method, path, body=None, **headers):
        headers.setdefault("Authorization", self.bearer)
        return self.agent.ask(method, path, body, **headers)

    def made(self, name, *texts, columns=()):
        """A fresh list with items; returns its id and the ids of the items."""
        ops = [{"op": "new", "name": name, "columns": list(columns)}]
        reply = self.ask("POST", "/api/v1/txn", {"ops": ops})
        self.assertEqual(reply.status, 200, reply.text)
        ids = []
        for text in texts:
            reply = self.ask("POST", f"/api/v1/lists/{name}/items", {"text": text})
            self.assertEqual(reply.status, 201, reply.text)
            ids.append(reply.json["items"][0]["id"])
        return ids

    def rows(self, name):
        return self.ask("GET", f"/api/v1/lists/{name}/items?show=all").json["items"]

    def assert_problem(self, reply, status, kind):
        self.assertEqual(reply.status, status, reply.text)
        self.assertEqual(reply.headers["Content-Type"], "application/problem+json")
        self.assertEqual(reply.json["type"], f"/problems/{kind}")
