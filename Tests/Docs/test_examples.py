# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""The examples of the help are run, each as it stands there, where there is what they speak of.

    HEDGEROW_PROGRAMS=.build/release python3 -m unittest discover --start-directory Tests/Docs
"""
import re
import subprocess
import unittest

import run

# What needs a second machine, a desktop, the service manager or a person, or ends the agent.
ELSEWHERE = {
    "role": "a second device", "revoke": "a second device", "wait": "a second device", "join": "a second device",
    "invite": "waits for a second device", "watch": "does not end", "tui": "a terminal", "agent": "is the agent",
    "demo": "is run by the layer of that name", "status": "a second device",
    "web --open": "a browser", "conflicts take": "a second device", "sync": "stops the exchange", "help manual": "writes into the home",
}
HANDLE = re.compile(r"\b[a-z][0-9][a-z]\b")
FIXTURE = """
hedge new groceries item:text qty:int price:num store:text
hedge add @groceries milk qty=2, eggs qty=1, oat milk, bread
hedge new todo
hedge add @todo passport, letter
hedge new stocks price:num
hedge add @stocks ACME price=120
hedge new later
hedge new old
hedge new pantry sku:text
hedge cols @groceries add due:date
printf 'sku,text\\n1,rice\\n' >stock.csv
mkdir -p ~/.config/fish/completions
printf 'one\\ntwo\\n' >notes.txt
hedge use @groceries
hedge ls
"""


def examples():
    """The examples of all commands."""
    names = re.findall(r"^  ([a-z]+)(?:, [a-z]+)*   ", help_of(), re.MULTILINE)
    for name in names:
        for line in help_of(name).splitlines():
            found = re.match(r"^  ((?:eval \"\$\(|cat [a-z.]+ \| )?hedge .*?)   ", line)
            if found:
                yield found[1]


def help_of(*words):
    return subprocess.run([run.PROGRAMS / "hedge", "help", *words], check=True, capture_output=True, text=True).stdout


class Examples(unittest.TestCase):
    def test_each_is_done_where_there_is_what_it_speaks_of(self):
        done = 0
        for line in examples():
            if any(line.startswith(f"hedge {words}") for words in ELSEWHERE):
                continue
            story = run.Story()
            try:
                home, environment = story.environment("study")
                story.run("study", "hedge agent run &")

                def shell(text):
                    return subprocess.run(["bash", "-c", text], cwd=home, env=environment, text=True,
                                          capture_output=True, stdin=subprocess.DEVNULL, timeout=30)
                made = shell("set -e" + FIXTURE)
                self.assertEqual(made.returncode, 0, made.stderr)
                handles = [row.split("\t")[0] for row in made.stdout.splitlines() if "\topen\t" in row][-4:]
                prepare(shell, line, handles)
                # Handles of the help stand for those that there are, each for another one.
                known = iter(handles)
                bound = {}
                text = HANDLE.sub(lambda match: bound.setdefault(match[0], next(known)), line)
                # Nobody is there to type the name.
                result = shell(text + (" -y" if line.startswith("hedge drop") else ""))
                with self.subTest(line=line):
                    self.assertEqual(result.returncode, 0, result.stderr + result.stdout)
                done += 1
            finally:
                story.end()
        self.assertGreater(done, 40)


def prepare(shell, line, handles):
    """What must have happened before some of them."""
    if line.startswith("hedge new groceries"):
        shell("hedge drop -y @groceries")
    elif line.startswith("hedge cols @gro add"):
        shell("hedge cols @groceries drop store")
    elif line.startswith("hedge restore @"):
        shell("hedge drop -y @groceries")
    elif line.startswith("hedge restore"):
        shell(f"hedge rm {handles[0]}")
    elif line.startswith("hedge redo"):
        shell(f"hedge rm {handles[0]}; hedge undo")


if __name__ == "__main__":
    unittest.main()
