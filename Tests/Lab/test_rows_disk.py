# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Rows D2, D5, D8 and D10 of the failure catalogue: full and read-only disks, two agents on one data
directory, data of a newer version, and a write-ahead log under load."""
import hashlib
import pathlib
import shutil
import sqlite3
import subprocess
import unittest

from agents import HEDGE, AgentCase, AgentHost, AgentLab
from lab import command, wait_until

MIB = 1 << 20


class DiskHost(AgentHost):
    @property
    def data(self):
        return self.folder / "home/data/hedgerow"

    @property
    def database(self):
        return self.data / "space.db"

    def mount(self, *words):
        """Mounts something empty where the data goes, for a device that never had any; seen by this
        host only."""
        shutil.rmtree(self.folder / "home/state", ignore_errors=True)
        self.data.mkdir(parents=True, exist_ok=True)
        self.data.chmod(0o700)
        self.run("mount", *words, self.data)
        self.run("chmod", "700", self.data)

    def warnings(self):
        return {warning["code"] for warning in self.json("status")["warnings"]}

    def fill(self, name, mib):
        self.run("dd", "if=/dev/zero", f"of={self.data / name}", "bs=64k", f"count={mib * 16}",
                 check=False)

    def refused(self):
        """Adds rows until one is refused; returns what was acknowledged and the refusal."""
        acknowledged = []
        for number in range(4000):
            text = f"row {number} " + "x" * 2000
            done = self.hedge("add", "-q", "@full", text, check=False)
            if done.returncode != 0:
                return acknowledged, done
            acknowledged.append(text)
        raise AssertionError("the disk never became full")


class DiskLab(AgentLab):
    host_type = DiskHost


class DiskCase(AgentCase):
    lab_type = DiskLab
    count = 1
    starts_avahi = False
    starts_agents = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.host = cls.lab.hosts[0]

    def assert_one_sentence(self, done):
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertGreater(len(done.stderr), 20)

    def assert_refused(self, done):
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assert_one_sentence(done)


class FullDiskTests(DiskCase):
    def shown_beyond(self, acknowledged, done):
        """What a list shows after a refusal: all that was acknowledged, and at most the change that
        was under way when the disk gave out, whose refusal says that it is kept."""
        shown = self.host.texts("full")
        self.assertEqual(shown[:len(acknowledged)], acknowledged)
        self.assertLessEqual(len(shown), len(acknowledged) + 1)
        if len(shown) > len(acknowledged):
            self.assertIn("kept in memory", done.stderr)
        return shown

    def assert_refused_with_nothing_done(self, shown):
        for _ in range(3):
            done = self.host.hedge("add", "@full", "y" * 5000, check=False)
            self.assert_refused(done)
            self.assertIn("nothing was written", done.stderr)
        self.assertEqual(self.host.texts("full"), shown)
        self.assertIn("disk-full", self.host.warnings())
        self.assertEqual(self.host.hedge("status", "--check", check=False).returncode, 9)

    def assert_resumes_alone(self, shown):
        host = self.host
        agent = host.agent
        wait_until(lambda: host.hedge("add", "-q", "@full", "after", check=False).returncode == 0,
                   15, lambda: f"writes are taken again\n{host.log()}")
        self.assertIsNone(agent.poll())
        wait_until(lambda: "disk-full" not in host.warnings(), 5, "the warning goes")
        host.kill_agent()
        host.start_agent("--no-discovery")
        self.assertEqual(host.texts("full"), [*shown, "after"])

    def test_d5_a_full_disk_refuses_writes_serves_reads_and_resumes_alone(self):
        host = self.host
        host.mount("-t", "tmpfs", "-o", "size=8m", "tmpfs")
        self.addCleanup(host.run, "umount", host.data, check=False)
        host.start_agent("--no-discovery")
        self.addCleanup(lambda: host.agent.poll() is None and host.kill_agent())
        host.hedge("new", "full")
        host.fill("ballast", 5)
        acknowledged, done = host.refused()
        self.assert_refused(done)
        self.assertRegex(done.stderr, "(?i)full|space")
        shown = self.shown_beyond(acknowledged, done)
        self.assert_refused_with_nothing_done(shown)
        done = host.hedge("sync", check=False)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stderr, "(?i)full|space")
        # Space returns: no restart, no command.
        host.run("rm", host.data / "ballast")
        self.assert_resumes_alone(shown)

        # An agent that is started on a full disk says so.
        host.stop_agent()
        host.fill("ballast", 9)
        done = host.hedge("agent", "run", "--no-discovery", check=False, timeout=20)
        self.assertEqual(done.returncode, 74, done.stderr)
        self.assertRegex(done.stderr, "(?i)full|space")
        host.run("rm", host.data / "ballast")
        host.start_agent("--no-discovery")
        self.assertEqual(host.texts("full"), [*shown, "after"])

    def test_d5_a_disk_that_fails_and_turns_read_only_refuses_writes_and_serves_reads(self):
        host = self.host
        image = host.folder / "disk.img"
        with open(image, "wb") as file:
            file.truncate(32 * MIB)
        command("mkfs.ext4", "-q", "-F", str(image))
        device = command("losetup", "--find", "--show", str(image), check=False).stdout.strip()
        if not device:
            raise unittest.SkipTest("the row needs a loop device")
        self.addCleanup(command, "losetup", "-d", device, check=False)
        host.mount("-o", "errors=remount-ro", device)
        self.addCleanup(host.run, "umount", host.data, check=False)
        host.run("rmdir", host.data / "lost+found", check=False)
        trigger = pathlib.Path("/sys/fs/ext4", pathlib.Path(device).name, "trigger_fs_error")
        if not trigger.exists():
            raise unittest.SkipTest("the kernel has no trigger_fs_error for ext4")
        host.start_agent("--no-discovery")
        self.addCleanup(lambda: host.agent.poll() is None and host.kill_agent())
        host.hedge("new", "full")
        host.hedge("add", "@full", "before")
        # What the kernel does when the disk fails: from now on every write is refused.
        trigger.write_text("a row of the failure catalogue")
        done = host.hedge("add", "@full", "refused", check=False)
        self.assert_refused(done)
        shown = self.shown_beyond(["before"], done)
        self.assert_refused_with_nothing_done(shown)
        self.assertIsNone(host.agent.poll())
        # Such a file system comes back only by a check: the agent ends when it is told to, then
        # everything that was acknowledged is there.
        host.agent.terminate()
        host.agent.wait(15)
        host.run("umount", host.data)
        command("e2fsck", "-p", device, check=False)
        host.run("mount", device, host.data)
        host.start_agent("--no-discovery")
        self.assertEqual(host.texts("full")[:1], ["before"])
        host.hedge("add", "@full", "after")
        self.assertEqual(host.texts("full")[-1], "after")


class TwoAgentsTests(DiskCase):
    def run_agents(self, count):
        """Starts agents at once; returns the processes with what they wrote to stderr."""
        host = self.host
        return [subprocess.Popen(
            host.inside(HEDGE, "agent", "run", "--no-discovery", "--name", f"a{number}"),
            env=host.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True) for number in range(count)]

    def assert_named(self, loser, winner):
        _, text = loser.communicate(timeout=20)
        self.assertEqual(loser.returncode, 75, text)
        sentences = [line for line in text.splitlines() if line.startswith("hedge")]
        self.assertEqual(len(sentences), 1, text)
        self.assertIn(f"pid {winner.pid};", sentences[0])

    def test_d8_only_one_of_many_agents_gets_the_data_and_the_others_name_it(self):
        host = self.host
        host.start_agent("--no-discovery")
        host.hedge("new", "one")
        for _ in range(20):
            for loser in self.run_agents(5):
                self.assert_named(loser, host.agent)
            self.assertEqual(host.hedge("lists").returncode, 0)
        host.kill_agent()
        for number in range(30):
            racers = self.run_agents(5)
            winners = wait_until(
                lambda: [r for r in racers if r.poll() is None] if sum(
                    r.poll() is None for r in racers) == 1 else None, 20, "one is left")
            self.assertEqual(len(winners), 1)
            for loser in racers:
                if loser is not winners[0]:
                    self.assert_named(loser, winners[0])
            wait_until(lambda: host.hedge("add", "-q", "@one", f"row {number}", check=False)
                       .returncode == 0, 10, "the winner answers")
            winners[0].kill()
            winners[0].communicate()
        host.start_agent("--no-discovery")
        self.assertEqual(host.texts("one"), [f"row {number}" for number in range(30)])
        host.stop_agent()


class NewerDataTests(DiskCase):
    def test_d10_data_of_a_newer_version_is_refused_and_not_touched(self):
        host = self.host
        host.start_agent("--no-discovery")
        host.hedge("new", "kept")
        host.stop_agent()
        with sqlite3.connect(host.database) as database:
            format_ = database.execute("PRAGMA user_version").fetchone()[0]
            database.execute(f"PRAGMA user_version={format_ + 7}")
        database.close()

        def bytes_of_all():
            return {str(path): hashlib.sha256(path.read_bytes()).hexdigest()
                    for path in sorted(host.data.rglob("*"))
                    if path.is_file() and path.name != "lock"}
        before = bytes_of_all()
        for _ in range(3):
            done = host.hedge("agent", "run", "--no-discovery", check=False, timeout=20)
            self.assertEqual(done.returncode, 78, done.stderr)
            self.assertIn(f"format {format_ + 7}", done.stderr)
            self.assertIn(f"knows {format_}", done.stderr)
            self.assertEqual(bytes_of_all(), before)
        with sqlite3.connect(host.database) as database:
            database.execute(f"PRAGMA user_version={format_}")
        database.close()
        host.start_agent("--no-discovery")
        self.assertEqual([each["name"] for each in host.json("lists")["lists"]], ["kept"])
        host.stop_agent()


class LogTests(DiskCase):
    def test_d2_no_reader_can_make_the_write_ahead_log_grow(self):
        host = self.host
        host.start_agent("--no-discovery")
        host.hedge("new", "busy")
        log = pathlib.Path(f"{host.database}-wal")
        # A program that opens the file beside the agent gets nothing to hold on to.
        reader = sqlite3.connect(f"file:{host.database}?mode=ro", uri=True, timeout=0)
        self.addCleanup(reader.close)
        with self.assertRaises(sqlite3.OperationalError):
            reader.execute("BEGIN").execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()
        # A client that never ends its read: a watcher that is stopped.
        watcher = host.start(HEDGE, "watch", "@busy", "--json", env=host.environment,
                             stdout=subprocess.PIPE)
        watcher.stdout.readline()
        text = "\n".join(f"row {number} " + "x" * 1500 for number in range(500))
        most = 0
        for _ in range(60):
            host.hedge("add", "-q", "@busy", "-", input=text)
            most = max(most, log.stat().st_size)
        print(f"\n  write-ahead log: at most {most / MIB:.1f} MiB under load", flush=True)
        self.assertLess(most, 80 * MIB)
        # Quiet: it is moved into the file, and what stays is cut to the limit.
        wait_until(lambda: log.stat().st_size <= 4 * MIB, 30,
                   lambda: f"the log is cut, it has {log.stat().st_size} bytes")
        self.assertEqual(len(host.items("busy")), 60 * 500)
        host.stop_agent()


if __name__ == "__main__":
    unittest.main()
