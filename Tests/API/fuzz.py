#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Lets schemathesis ask a real agent everything that its OpenAPI document allows, and more.

No answer may be a 5xx, break the document, or take what the document forbids. The tool goes into a
virtual environment below .build, once; `--examples N` and `--seconds N` bound the run.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import threading
import venv

from api import Agent
from loopback import ROOT

TOOL = "schemathesis==4.32.5"
PLACE = ROOT / ".build/api/venv"
CHECKS = ["not_a_server_error", "status_code_conformance", "content_type_conformance",
          "response_headers_conformance", "response_schema_conformance", "unsupported_method",
          "allow_header_conformance", "negative_data_rejection", "use_after_free", "ignored_auth"]
EVENTS, STOP = "/api/v1/events", "/api/v1/agent/stop"
# Streams have no end of their own and the tool reads to the end, so they have a run of their own: each
# ends with the first change (`count`) of a kind that comes all the time (`only`), also of this device
# (`not_mine`); all else is the tool's choice.
BOUNDS = f"""
[[operations]]
include-path = "{EVENTS}"
parameters = {{ "query.count" = 1, "query.only" = "set", "query.not_mine" = 0 }}
"""


def tool():
    program = PLACE / "bin/schemathesis"
    if not program.exists():
        venv.create(PLACE, with_pip=True, clear=True)
        subprocess.run([PLACE / "bin/pip", "install", "--quiet", TOOL], check=True)
    return program


def seed(agent):
    """Something to find: lists with every type of column, children, what is done and removed."""
    for words in [("new", "groceries", "qty:int", "price:num", "store:enum(corner|market)"),
                  ("add", "@groceries", "milk", "qty=2", "price=1.20"),
                  ("add", "@groceries", "eggs,", "bread,", "jam"), ("done", "@groceries", "bread"),
                  ("rm", "@groceries", "jam"), ("new", "odd", "on:date", "at:time", "ok:bool", "n:counter"),
                  ("add", "@odd", "one", "on=2026-01-01", "ok=true", "n+=1"),
                  ("add", "@groceries", "candles", "--under", "eggs")]:
        agent.hedge(*words)


class Feed(threading.Thread):
    """Changes an item again and again until it is told to end, so that streams end."""

    def __init__(self, agent, token):
        super().__init__(daemon=True)
        self.agent, self.token, self.over = agent, token, threading.Event()

    def run(self):
        number = 0
        while not self.over.wait(0.02):
            number += 1
            self.agent.ask("POST", "/api/v1/txn", {"ops": [
                {"op": "set", "list": "groceries", "item": "milk", "cols": {"qty": number}}]},
                Authorization=f"Bearer {self.token}")


def run(agent, token, options, *words, config=""):
    """Lets the tool run; returns its exit code."""
    (agent.home / "tool.toml").write_text(config)
    words = [tool(), "--config-file", agent.home / "tool.toml", "run",
             f"http://127.0.0.1:{agent.port}/api/v1/openapi.json",
             "--header", f"Authorization: Bearer {token}", "--checks", ",".join(CHECKS),
             "--max-examples", str(options.examples), "--seed", str(options.seed),
             "--phases", "examples,coverage,fuzzing", "--rate-limit", "400/s",
             "--request-timeout", "20", "--continue-on-failure", "--warnings", "off",
             "--suppress-health-check", "all", "--no-color", "--output-truncate", "true", *words]
    try:
        return subprocess.run(words, cwd=agent.home, timeout=options.seconds).returncode
    except subprocess.TimeoutExpired:
        print(f"not through after {options.seconds} s: use fewer --examples", flush=True)
        return 1


def look_back(agent, token):
    """Whether every route but the stop was asked, streams were read to their end, and nothing was answered
    by a 5xx; returns 1 if not."""
    headers = {"Authorization": f"Bearer {token}"}
    paths = agent.ask("GET", "/api/v1/openapi.json", **headers).json["paths"]
    figures = agent.ask("GET", "/metrics", **headers).text
    answers = {}
    for route, code, count in re.findall(
            r'^hedgerow_http_requests_total\{route="([^"]*)",code="(\d+)"\} (\d+)$', figures, re.M):
        answers.setdefault(route, {})[int(code)] = int(count)
    unasked = [path for path in paths if path != STOP and path not in answers]
    broken = {route: codes for route, codes in answers.items() if any(code >= 500 for code in codes)}
    print(f"asked {len(answers)} routes {sum(sum(codes.values()) for codes in answers.values())} times; "
          f"streams that were read to their end: {answers.get(EVENTS, {}).get(200, 0)}")
    print(f"never asked: {unasked}; answered by a 5xx: {broken}")
    return 1 if unasked or broken or not answers.get(EVENTS, {}).get(200) else 0


def stop(agent, token):
    """Stops the agent through the API, which the tool cannot ask twice; returns what went wrong."""
    headers = {"Authorization": f"Bearer {token}"}
    for body, kind in [(b"{", "application/json"), (b'{"x":1}', "application/json"), (b"[]", "application/json"),
                       (b"{}", "text/plain")]:
        answer = agent.ask("POST", STOP, body, Content_Type=kind, **headers)
        if answer.status // 100 != 4 or answer.headers["Content-Type"] != "application/problem+json":
            return f"{body!r} as {kind} was answered by {answer.status}"
    answer = agent.ask("POST", STOP, {}, **headers)
    if answer.status != 200 or answer.json["done"] != "stopping":
        return f"it answered {answer.status}: {answer.text}"
    try:
        code = agent.process.wait(20)
    except subprocess.TimeoutExpired:
        return "it runs on"
    return f"it ended with {code}" if code else None


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--examples", type=int, default=30, help="requests of each operation")
    options.add_argument("--seconds", type=int, default=240, help="each run at most so long")
    options.add_argument("--seed", type=int, default=7643)
    options = options.parse_args()
    agent = Agent()
    try:
        seed(agent)
        token = agent.token("fuzz")
        status = run(agent, token, options, "--exclude-path", EVENTS, "--exclude-path", STOP)
        # Whatever became of the lists: there is one with an item that changes.
        agent.hedge("new", "groceries", "qty:int", check=False)
        agent.hedge("add", "@groceries", "milk", check=False)
        feed = Feed(agent, token)
        feed.start()
        try:
            status = run(agent, token, options, "--include-path", EVENTS, config=BOUNDS) or status
        finally:
            feed.over.set()
            feed.join(20)
        status = look_back(agent, token) or status
        if agent.process.poll() is not None:
            print(f"the agent is gone: {agent.process.returncode}\n{agent.log()}")
            status = 1
        elif trouble := stop(agent, token):
            print(f"the agent did not stop well: {trouble}\n{agent.log()}")
            status = 1
    finally:
        agent.remove()
    return status


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    sys.exit(main())
