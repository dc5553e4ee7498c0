#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Lets schemathesis ask a real agent everything that its OpenAPI document allows, and more.

No answer may be a 5xx, break the document, or take what the document forbids. The tool goes into a
virtual environment below .build, once; `--examples N` and `--seconds N` bound the run.
"""
import argparse
import pathlib
import subprocess
import sys
import venv

from api import ROOT, Agent

TOOL = "schemathesis==4.32.5"
PLACE = ROOT / ".build/api/venv"
CHECKS = ["not_a_server_error", "status_code_conformance", "content_type_conformance",
          "response_headers_conformance", "response_schema_conformance", "unsupported_method",
          "allow_header_conformance", "negative_data_rejection", "use_after_free", "ignored_auth"]
# A stream has no end, a stopped agent no answer, and a code that may fit waits for its inviter.
LEFT_OUT = ["/api/v1/events", "/api/v1/agent/stop", "/api/v1/join"]


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


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--examples", type=int, default=30, help="requests of each operation")
    options.add_argument("--seconds", type=int, default=240, help="at most so long")
    options.add_argument("--seed", type=int, default=7643)
    options = options.parse_args()
    program = tool()
    agent = Agent("--log", "error")
    try:
        seed(agent)
        token = agent.token("fuzz")
        words = [program, "run", f"http://127.0.0.1:{agent.port}/api/v1/openapi.json",
                 "--header", f"Authorization: Bearer {token}", "--checks", ",".join(CHECKS),
                 "--max-examples", str(options.examples), "--seed", str(options.seed),
                 "--phases", "examples,coverage,fuzzing", "--rate-limit", "400/s",
                 "--request-timeout", "20", "--continue-on-failure", "--warnings", "off",
                 "--suppress-health-check", "all", "--no-color", "--output-truncate", "true"]
        for path in LEFT_OUT:
            words += ["--exclude-path", path]
        try:
            status = subprocess.run(words, cwd=agent.folder, timeout=options.seconds).returncode
        except subprocess.TimeoutExpired:
            print(f"not through after {options.seconds} s: use fewer --examples", flush=True)
            status = 1
        if agent.process.poll() is not None:
            print(f"the agent is gone: {agent.process.returncode}\n{agent.lines()}")
            status = 1
        elif agent.end() != 0:
            print(f"the agent did not stop well\n{agent.lines()}")
            status = 1
    finally:
        agent.stop()
    return status


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    sys.exit(main())
