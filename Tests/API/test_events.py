# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Streams of events: server-sent and as lines, cut and resumed."""
import json
import unittest

from api import APICase, Stream


class StreamTests(APICase):
    def stream(self, path="/api/v1/events", **headers):
        stream = Stream(self.agent, path, Authorization=self.bearer, **headers)
        self.addCleanup(stream.close)
        return stream

    def test_a_stream_shows_what_is_there_then_what_changes(self):
        self.made("shown", "milk")
        stream = self.stream("/api/v1/events?lists=shown")
        opening = stream.until("live")
        self.assertEqual([event["event"] for event in opening], ["hello", "item", "live"])
        self.assertEqual(int(opening[0]["retry"]), 2000)
        self.assertNotIn("id", opening[0], "a cut before live must start anew")
        self.assertNotIn("id", opening[1])
        self.ask("POST", "/api/v1/lists/shown/items", {"text": "eggs"}, X_Hedge_Client="tab-1")
        added = stream.next()
        self.assertEqual(added["event"], "add")
        self.assertEqual(added["id"], added["json"]["cursor"])
        self.assertEqual(added["json"]["client"], "tab-1")
        self.assertTrue(added["json"]["mine"])

    def test_a_cut_stream_goes_on_without_loss_or_repeat(self):
        self.made("cut")
        stream = self.stream("/api/v1/events?lists=cut")
        last = stream.until("live")[-1]["id"]
        seen = []
        for round in range(5):
            for number in range(3):
                self.ask("POST", "/api/v1/lists/cut/items", {"text": f"{round}.{number}"})
            for _ in range(2):
                event = stream.next()
                seen.append(event["json"]["text"])
                last = event["id"]
            stream.close()
            stream = self.stream("/api/v1/events?lists=cut", Last_Event_ID=last)
            for event in stream.until("live"):
                if event["event"] == "add":
                    seen.append(event["json"]["text"])
                last = event.get("id", last)
        self.assertEqual(seen, [f"{round}.{number}" for round in range(5) for number in range(3)])

    def test_an_unknown_cursor_is_a_gap_and_a_fresh_start(self):
        self.made("gap", "milk")
        opening = self.stream("/api/v1/events?lists=gap", Last_Event_ID="c-1").until("live")
        self.assertEqual([e["event"] for e in opening], ["hello", "gap", "item", "live"])

    def test_lines_for_who_asks_for_them(self):
        self.made("lines", "milk")
        connection = self.agent.connection()
        self.addCleanup(connection.close)
        connection.request("GET", "/api/v1/events?lists=lines&count=1", headers={
            "Accept": "application/x-ndjson", "Authorization": self.bearer})
        response = connection.getresponse()
        self.assertEqual(response.headers["Content-Type"], "application/x-ndjson")
        kinds = [json.loads(response.readline())["ev"] for _ in range(3)]
        self.assertEqual(kinds, ["hello", "item", "live"])
        self.ask("POST", "/api/v1/lists/lines/items", {"text": "eggs"})
        self.assertEqual([json.loads(line)["ev"] for line in response.read().splitlines()], ["add"])

    def test_changes_without_a_stream(self):
        self.made("caught", "milk")
        cursor = self.ask("GET", "/api/v1/lists/caught/items").json["cursor"]
        self.assertEqual(self.ask("GET", f"/api/v1/changes?since={cursor}").json["events"], [])
        self.ask("POST", "/api/v1/lists/caught/items", {"text": "eggs"})
        reply = self.ask("GET", f"/api/v1/changes?since={cursor}&list=caught").json
        self.assertEqual([e["ev"] for e in reply["events"]], ["add"])
        old = self.ask("GET", "/api/v1/changes?since=c-1")
        self.assertEqual(old.status, 200)
        self.assertEqual([e["ev"] for e in old.json["events"]], ["gap"])

    def test_streams_beyond_the_limit_are_told_to_come_again(self):
        streams = [self.stream() for _ in range(48)]
        reply = self.ask("GET", "/api/v1/events")
        self.assert_problem(reply, 503, "busy")
        self.assertEqual(reply.headers["Retry-After"], "1")
        for stream in streams:
            stream.close()


if __name__ == "__main__":
    unittest.main()
