# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""The local API over TCP, as a program sees it."""
import shutil
import subprocess
import unittest

from api import APICase


class ItemTests(APICase):
    def test_the_whole_life_of_a_widget(self):
        self.assertEqual(
            self.ask("POST", "/api/v1/lists",
                     {"name": "widgets", "columns": ["name:text!", "bars:int"]}).status, 201)
        made = self.ask("POST", "/api/v1/lists/widgets/items", {"text": "Sprocket", "cols": {"bars": 3}})
        self.assertEqual(made.status, 201)
        place = made.headers["Location"]
        shown = self.ask("GET", place)
        self.assertEqual(shown.json["item"]["cols"], {"name": "Sprocket", "bars": 3})
        self.assertEqual(shown.headers["ETag"], made.headers["ETag"])
        changed = self.ask("PATCH", place, {"cols": {"bars": 4}, "state": "done"})
        self.assertEqual(changed.status, 200, changed.text)
        self.assertEqual(self.rows("widgets")[0]["state"], "done")
        self.assertEqual(self.ask("DELETE", place).status, 200)
        self.assertEqual(self.rows("widgets"), [])
        self.assert_problem(
            self.ask("POST", "/api/v1/lists/widgets/items", {"text": "x", "cols": {"bars": "lots"}}),
            422, "invalid-value")
        self.assert_problem(
            self.ask("POST", "/api/v1/lists/widgets/items", {"cols": {"bars": 1}}), 422, "missing-value")
        self.assertEqual(self.rows("widgets"), [])

    def test_put_is_safe_to_repeat(self):
        self.made("puts")
        path = "/api/v1/lists/puts/items/0123456789abcdef00000000"
        first, again = (self.ask("PUT", path, {"text": "milk"}) for _ in range(2))
        self.assertEqual((first.status, again.status), (201, 200))
        self.assertEqual(first.headers["Location"], path)
        self.assertEqual([row["id"] for row in self.rows("puts")], ["0123456789abcdef00000000"])
        self.assert_problem(self.ask("PUT", path, {"text": "x"}, If_None_Match="*"), 412, "stale")
        self.assert_problem(
            self.ask("PUT", "/api/v1/lists/puts/items/0123456789abcdef00000001", {"text": "x"}),
            422, "invalid-value")

    def test_every_row_of_a_transaction_keeps_the_id_that_its_client_made(self):
        self.made("chosen")
        nonce = "fedcba9876543210"
        ids = [f"{nonce}{number:08x}" for number in range(3)]
        ops = [{"op": "add", "list": "chosen",
                "rows": [{"text": text, "id": id} for text, id in zip(["milk", "eggs", "tea"], ids)]}]
        for made in [ids, []]:
            reply = self.ask("POST", "/api/v1/txn", {"ops": ops})
            self.assertEqual((reply.status, [one["id"] for one in reply.json["items"]]), (200, made))
            self.assertEqual([row["id"] for row in self.rows("chosen")], ids)
        for rows, status, kind in [
                ([{"text": "a", "id": ids[0]}, {"text": "b", "id": "11" * 8 + "00000001"}], 409, "conflict"),
                ([{"text": "a", "id": "11" * 8 + "00000000"}, {"text": "b", "id": "22" * 8 + "00000001"}],
                 422, "invalid-value"),
                ([{"text": "x" * 2000, "id": f"{'33' * 8}{number:08x}"} for number in range(100)], 422, "invalid-value")]:
            self.assert_problem(
                self.ask("POST", "/api/v1/txn", {"ops": [{"op": "add", "list": "chosen", "rows": rows}]}), status, kind)
        self.assertEqual(len(self.rows("chosen")), 3)

    def test_a_write_with_a_stale_revision_is_refused(self):
        item, other = self.made("stale", "milk", "eggs")
        path = f"/api/v1/lists/stale/items/{item}"
        tag = self.ask("GET", path).headers["ETag"]
        self.ask("PATCH", f"/api/v1/lists/stale/items/{other}", {"text": "12 eggs"})
        fine = self.ask("PATCH", path, {"text": "oat milk"}, If_Match=tag)
        self.assertEqual(fine.status, 200, "a neighbour that changed is no reason to refuse")
        for method, body, where in [("PATCH", {"text": "x"}, path), ("DELETE", None, path),
                                    ("POST", {"after": "top"}, path + "/move")]:
            self.assert_problem(self.ask(method, where, body, If_Match=tag), 412, "stale")
        self.assertEqual([row["text"] for row in self.rows("stale")], ["oat milk", "12 eggs"])
        self.assertEqual(
            self.ask("POST", path + "/move", {"after": "bottom"},
                     If_Match=fine.headers["ETag"]).status, 200)
        self.assertEqual(self.ask("DELETE", path, If_Match="*").status, 200)

    def test_what_was_seen_is_not_sent_again(self):
        item, = self.made("seen", "milk")
        for path in ["/api/v1/lists/seen/items", f"/api/v1/lists/seen/items/{item}", "/api/v1/lists"]:
            with self.subTest(path):
                tag = self.ask("GET", path).headers["ETag"]
                same = self.ask("GET", path, If_None_Match=f'"x", {tag}')
                self.assertEqual((same.status, same.body, same.headers["ETag"]), (304, b"", tag))
                self.ask("PATCH", f"/api/v1/lists/seen/items/{item}", {"note": path})
                self.assertEqual(self.ask("GET", path, If_None_Match=tag).status, 200)

    def test_a_list_revision_guards_a_transaction(self):
        self.made("guarded", "milk")
        tag = self.ask("GET", "/api/v1/lists/guarded/items").headers["ETag"]
        add = {"ops": [{"op": "add", "list": "guarded", "text": "x"}]}
        self.assertEqual(self.ask("POST", "/api/v1/txn", add, If_Match=tag).status, 200)
        self.assert_problem(self.ask("POST", "/api/v1/txn", add, If_Match=tag), 412, "stale")

    def test_pages_of_a_list(self):
        ids = self.made("paged", *"abcde")
        first = self.ask("GET", "/api/v1/lists/paged/items?limit=2").json["items"]
        self.assertEqual([row["text"] for row in first], ["a", "b"])
        rest = self.ask("GET", f"/api/v1/lists/paged/items?limit=9&after={ids[1]}").json["items"]
        self.assertEqual([row["text"] for row in rest], ["c", "d", "e"])
        found = self.ask("GET", "/api/v1/lists/paged/items?where=text~d").json["items"]
        self.assertEqual([row["text"] for row in found], ["d"])
        self.assertEqual(self.ask("GET", "/api/v1/lists/paged/items?nonsense=1").status, 200)

    def test_a_transaction_is_all_or_nothing(self):
        self.made("whole", "milk")
        bad = {"ops": [{"op": "add", "list": "whole", "text": "x"},
                       {"op": "set", "list": "whole", "item": "nothing", "text": "y"}]}
        self.assert_problem(self.ask("POST", "/api/v1/txn", bad), 404, "unknown-item")
        self.assertEqual(len(self.rows("whole")), 1)

    def test_refusals_are_problem_objects(self):
        item, = self.made("refusals", "milk")
        path = "/api/v1/lists/refusals/items"
        self.assert_problem(self.ask("GET", "/api/v1/nowhere"), 404, "unknown-route")
        put = self.ask("PUT", path, {"text": "x"})
        self.assert_problem(put, 405, "method-not-allowed")
        self.assertEqual(put.headers["Allow"], "GET, HEAD, POST")
        brewed = self.ask("BREW", path)
        self.assert_problem(brewed, 405, "method-not-allowed")
        self.assertEqual(brewed.headers["Allow"], "GET, HEAD, POST")
        self.assert_problem(
            self.ask("POST", path, b"text=x", Content_Type="text/plain"), 415, "unsupported-media-type")
        self.assert_problem(self.ask("POST", path, b"{"  , Content_Type="application/json"),
                            400, "malformed-request")
        self.assert_problem(self.ask("POST", path, {"txt": "x"}), 422, "unknown-field")
        self.assert_problem(self.ask("PATCH", f"{path}/{item}", {"cols": {"pric": 1}}),
                            422, "unknown-column")
        self.assert_problem(self.ask("POST", path, b"x" * (1 << 20) + b"x",
                                     Content_Type="application/json"), 413, "too-large")
        self.assertEqual(self.ask("HEAD", path).body, b"")
        self.assertEqual(self.ask("HEAD", path).status, 200)


class FigureTests(APICase):
    def test_health_and_readiness_need_no_credential(self):
        for path in ["/healthz", "/readyz"]:
            reply = self.agent.ask("GET", path)
            self.assertEqual((reply.status, reply.body), (200, b"ok\n"))

    def test_metrics_have_their_names_and_their_format(self):
        self.made("figures", "milk")
        self.ask("GET", "/api/v1/nowhere")
        reply = self.ask("GET", "/metrics")
        self.assertEqual(reply.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
        families, samples = {}, {}
        for line in reply.text.splitlines():
            if line.startswith("# TYPE "):
                _, _, name, kind = line.split(" ")
                families[name] = kind
            elif not line.startswith("# HELP "):
                self.assertRegex(
                    line, r'^hedgerow_[a-z_]+(\{([a-z_]+="([^"\\\n]|\\.)*",?)+\})? [0-9.]+$')
                name, value = line.rsplit(" ", 1)
                self.assertNotIn(name, samples)
                samples[name] = float(value)
        self.assertEqual(families, {f"hedgerow_{name}": kind for name, kind in {
            "build_info": "gauge", "lists": "gauge", "items": "gauge", "peers": "gauge",
            "peer_lag_changes": "gauge", "peer_last_contact_timestamp_seconds": "gauge",
            "changes_total": "counter", "merge_decisions_total": "counter", "store_bytes": "gauge",
            "http_requests_total": "counter", "sync_apply_seconds": "histogram",
            "hook_failures_total": "counter"}.items()})
        self.assertGreaterEqual(samples['hedgerow_items{state="open"}'], 1)
        self.assertGreater(samples["hedgerow_store_bytes"], 4096)
        self.assertGreaterEqual(samples['hedgerow_changes_total{origin="local"}'], 2)
        self.assertGreaterEqual(
            samples['hedgerow_http_requests_total{route="other",code="404"}'], 1)
        self.assertNotIn("figures", reply.text, "names of lists are nobody's business")
        if shutil.which("promtool"):
            done = subprocess.run(["promtool", "check", "metrics"], input=reply.text,
                                  capture_output=True, text=True, timeout=30)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
