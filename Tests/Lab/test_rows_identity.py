# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Row R1 of the failure catalogue: copied folders, restored backups, two live copies of one device.

Whatever was copied, every acknowledged edit of every copy ends up on every host, and somebody says so.
"""
import shutil
import signal
import unittest

from agents import AgentCase
from lab import wait_until


def codes(host):
    """The codes of the warnings that `status` gives."""
    return {warning["code"] for warning in host.json("status")["warnings"]}


class IdentityTests(AgentCase):
    def copy_home(self, source, target):
        """Puts all that belongs to the agent of one host into the place of another's."""
        for part in ["data", "state"]:
            shutil.rmtree(target.folder / "home" / part, ignore_errors=True)
            shutil.copytree(source.folder / "home" / part, target.folder / "home" / part,
                            symlinks=True)

    def everywhere(self, texts, name):
        def done():
            return all(set(texts) <= set(host.texts(name)) for host in self.lab.hosts)
        wait_until(done, 60, lambda: "edits missing: " + "; ".join(
            f"{host.name} lacks {sorted(set(texts) - set(host.texts(name)))[:5]}" for host in self.lab.hosts))
        for host in self.lab.hosts:
            rows = host.texts(name)
            self.assertEqual(len(rows), len(set(rows)), f"a row is doubled on {host.name}")

    def warned(self, *copies):
        """One of the copies says that there are two of it."""
        wait_until(lambda: any(codes(host) & {"cloned-data", "fork"} for host in copies),
                   30, lambda: f"nobody is warned: {[codes(host) for host in self.lab.hosts]}")

    def test_r1_a_restored_backup_loses_nothing_and_is_noticed(self):
        first, second, third = self.lab.hosts
        first.hedge("new", "backup")
        second.hedge("add", "@backup", "before the backup")
        self.lab.wait_equal("backup")
        second.stop_agent()
        kept = second.folder / "backup"
        shutil.copytree(second.folder / "home" / "data", kept, symlinks=True)
        second.start_agent()
        expected = ["before the backup"]
        for number in range(5):
            second.hedge("add", "@backup", f"after the backup {number}")
            expected.append(f"after the backup {number}")
        self.lab.wait_equal("backup")
        second.kill_agent()
        shutil.rmtree(second.folder / "home" / "data")
        shutil.copytree(kept, second.folder / "home" / "data", symlinks=True)
        second.start_agent()
        self.assertIn("cloned-data", codes(second))
        second.hedge("add", "@backup", "after the restore")
        third.hedge("add", "@backup", "meanwhile")
        self.everywhere(expected + ["after the restore", "meanwhile"], "backup")
        self.lab.wait_equal("backup")

    def test_r1_a_backup_restored_with_its_key_is_noticed_when_it_meets_the_others(self):
        first, second, third = self.lab.hosts
        first.hedge("new", "whole")
        second.hedge("add", "@whole", "before the backup")
        self.lab.wait_equal("whole")
        second.stop_agent()
        parts = ["data", "state"]
        for part in parts:
            shutil.move(second.folder / "home" / part, second.folder / f"whole-{part}")
            shutil.copytree(second.folder / f"whole-{part}", second.folder / "home" / part, symlinks=True)
        second.start_agent()
        second.hedge("add", "@whole", "after the backup")
        self.lab.wait_equal("whole")
        self.lab.wait_in_sync()
        second.stop_agent()
        # As a snapshot of the whole machine puts it back: the very files, token, key and all.
        for part in parts:
            shutil.rmtree(second.folder / "home" / part)
            shutil.move(second.folder / f"whole-{part}", second.folder / "home" / part)
        second.start_agent()
        second.hedge("add", "@whole", "after the restore")
        self.everywhere(["before the backup", "after the backup", "after the restore"], "whole")
        # Whoever meets it first says so, and it does itself.
        wait_until(lambda: "cloned-data" in codes(second) and "cloned-data" in codes(first) | codes(third), 30,
                   lambda: f"not all say it: {[codes(host) for host in self.lab.hosts]}")

    def test_r1_two_live_copies_keep_every_edit_of_both_and_are_warned_of(self):
        first, second, third = self.lab.hosts
        first.hedge("new", "copies")
        second.hedge("add", "@copies", "common")
        self.lab.wait_equal("copies")
        second.stop_agent()
        third.stop_agent()
        self.copy_home(second, third)
        second.start_agent()
        third.start_agent()
        expected = ["common"]
        for number in range(10):
            for host in [second, third]:
                host.hedge("add", "@copies", f"{host.name} writes {number}")
                expected.append(f"{host.name} writes {number}")
        self.everywhere(expected, "copies")
        self.warned(second, third)

    def test_r1_the_disk_of_a_running_machine_comes_to_life_beside_it(self):
        """A snapshot of a virtual machine's disk: taken while the agent runs and writes, tokens and all."""
        first, second, third = self.lab.hosts
        first.hedge("new", "image")
        second.hedge("add", "@image", "common")
        self.lab.wait_equal("image")
        third.stop_agent()
        second.hedge("add", "@image", "written just before")
        second.agent.send_signal(signal.SIGSTOP)
        try:
            self.copy_home(second, third)
        finally:
            second.agent.send_signal(signal.SIGCONT)
        expected = ["common", "written just before"]
        for number in range(5):
            second.hedge("add", "@image", f"the machine writes {number}")
            expected.append(f"the machine writes {number}")
        third.start_agent()
        for number in range(5):
            for host in [second, third]:
                host.hedge("add", "@image", f"{host.name} goes on {number}")
                expected.append(f"{host.name} goes on {number}")
        self.everywhere(expected, "image")
        self.warned(second, third)


if __name__ == "__main__":
    unittest.main()
