# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Bad input: the documented exit code, one sentence that says what to do, nothing changed."""
import unittest

from agents import HEDGE, AgentCase


class BadInputTests(AgentCase):
    count = 1
    is_paired = False
    starts_avahi = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.host = cls.lab.hosts[0]
        cls.host.hedge("new", "stock", "item:text!", "qty:int", "price:num", "size:enum(s|m|l)")
        cls.host.hedge("add", "@stock", "bolt", "qty=3")
        cls.handle = cls.host.items("stock")[0]["handle"]

    def refused(self, statuses, *words, input=None, **options):
        """Runs a command that must fail so and leave everything as it was."""
        before = self.host.export("stock")
        if input is not None:
            options.update(input=input, text=False)
        done = self.host.hedge(*words, check=False, **options)
        message = done.stderr if isinstance(done.stderr, str) else done.stderr.decode()
        statuses = statuses if isinstance(statuses, tuple) else (statuses,)
        self.assertIn(done.returncode, statuses, message)
        self.assertFalse(done.stdout, "nothing on standard output")
        lines = message.strip().splitlines()
        self.assertEqual(len(lines), 1, message)
        self.assertTrue(all(character.isprintable() for character in lines[0]), repr(lines[0]))
        self.assertEqual(self.host.export("stock"), before)
        return lines[0]

    def test_an_unknown_list_is_named(self):
        self.assertIn("nolist", self.refused(3, "ls", "@nolist"))
        self.refused(3, "add", "@nolist", "x")

    def test_an_unknown_item_is_named(self):
        self.assertIn("nothing", self.refused(3, "done", "@stock", "nothing"))

    def test_an_unknown_column_comes_with_a_suggestion(self):
        self.assertIn("price", self.refused(2, "set", "@stock", self.handle, "pric=2"))
        self.refused(2, "add", "@stock", "nut", "pric=2")

    def test_a_value_of_another_type_is_refused(self):
        for value in ("qty=lots", "qty=1.5", "price=cheap", "size=xl"):
            with self.subTest(value):
                self.refused(2, "set", "@stock", self.handle, value)

    def test_empty_text_is_refused(self):
        self.refused(2, "add", "@stock", "")
        self.refused(2, "new", "")

    def test_an_unknown_verb_or_flag_is_refused(self):
        self.refused(2, "ad", "@stock", "x")
        self.refused(2, "ls", "@stock", "--no-such-flag")

    def test_a_malformed_table_is_refused_whole(self):
        for text in (b'a,b\n"open,1\n', b'a,b\n1,2,3\n', b"a,a\n1,2\n"):
            with self.subTest(text):
                self.refused((2, 8), "import", "@stock", "-", "--format", "csv", input=text)

    def test_text_beyond_the_limit_is_refused(self):
        self.refused(2, "add", "@stock", "-", input=b"x" * (1 << 20) + b"\n")

    def test_nul_and_broken_utf8_are_refused(self):
        self.refused(2, "add", "@stock", "-", input=b"a\x00b\n")
        self.refused(2, "add", "@stock", "-", input=b"a\xff\xfeb\n")
        self.refused(2, "add", "@stock", b"a\xff".decode(errors="surrogateescape"))

    def test_hostile_text_is_kept_and_shown_without_control_characters(self):
        self.host.hedge("new", "hostile")
        self.host.hedge("add", "@hostile", "-", input="red \x1b[31m\u202egnp.exe\x07\n")
        shown = self.host.hedge("ls", "@hostile").stdout
        self.assertNotIn("\x1b", shown)
        self.assertNotIn("\u202e", shown)
        self.assertEqual(self.host.texts("hostile"), ["red \x1b[31m\u202egnp.exe\x07"])

    def test_errors_in_json_are_one_object_on_standard_error(self):
        import json
        done = self.host.hedge("set", "@stock", self.handle, "pric=2", "--json", check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        problem = json.loads(done.stderr)
        self.assertEqual((problem["v"], problem["exit"]), (1, 2))

    def test_the_socket_of_another_user_is_closed(self):
        words = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", HEDGE)
        done = self.host.run(*words, "ls", "@stock", check=False, env=self.host.environment)
        self.assertIn(done.returncode, (4, 6), done.stderr)
        self.assertTrue(done.stderr.strip())

    def test_without_an_agent_the_command_says_how_to_start_it(self):
        self.host.stop_agent()
        try:
            done = self.host.hedge("add", "@stock", "x", check=False)
            self.assertEqual(done.returncode, 6)
            self.assertIn("hedge agent run", done.stderr)
        finally:
            self.host.start_agent()


if __name__ == "__main__":
    unittest.main()
