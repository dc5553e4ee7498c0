# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the hedgerow authors
"""Virtual hosts on one machine, for tests that cross a network.

One network namespace holds a bridge; each host is a namespace with one cable into it, a mount
namespace with a `/run` of its own (so its own D-Bus and Avahi), and a host name. Nothing touches the
machine's interfaces; addresses are 198.18.x.y (RFC 2544). Namespaces carry the process id of the
run in their names, so two runs never meet and the leavings of a dead run are swept by the next.

    with Lab(3) as lab:
        lab.hosts[0].run("ping", "-c1", lab.hosts[1].address)
"""
import atexit
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

PREFIX = "hgl"
TOOLS = ("ip", "nft", "nsenter", "unshare", "dbus-daemon", "avahi-daemon")
AVAHI_CONF = """[server]
host-name={name}
use-ipv4=yes
use-ipv6=yes
allow-interfaces=eth0
ratelimit-interval-usec=1000000
ratelimit-burst=1000
[publish]
publish-workstation=no
[wide-area]
enable-wide-area=no
"""
LOSS_TABLE = """table inet loss {{
  chain arriving {{
    type filter hook input priority 0;
    iifname eth0 numgen random mod 100 < {percent} drop;
  }}
}}
"""


def command(*words, check=True, **options):
    """Runs a command with its output captured; the error message of a failure shows all of it."""
    done = subprocess.run(words, capture_output=True, text=True, **options)
    if check and done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def why_not():
    """The reason why no lab can be built here, or None."""
    if os.geteuid() != 0:
        return "the lab needs root for its network namespaces"
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        return "the lab needs " + ", ".join(missing) + " (Packaging/check installs them)"
    name = f"{PREFIX}{os.getpid()}-try"
    made = command("ip", "netns", "add", name, check=False)
    if made.returncode != 0:
        return "the kernel allows no network namespace: " + made.stderr.strip()
    try:
        for kind in (("type", "bridge"), ("type", "veth")):
            tried = command("ip", "-n", name, "link", "add", "try0", *kind, check=False)
            if tried.returncode != 0:
                return f"the kernel has no {kind[1]} interfaces: {tried.stderr.strip()}"
            command("ip", "-n", name, "link", "del", "try0", check=False)
    finally:
        command("ip", "netns", "del", name, check=False)
    return None


def wait_until(condition, seconds, what):
    """Polls until `condition()` is true and returns its value; fails after `seconds`.

    `what` is the text of the failure, or a function that makes it then."""
    end = time.monotonic() + seconds
    pause = 0.005
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(pause)
        pause = min(pause * 1.5, 0.1)


class Host:
    """One virtual host. Every command of it runs through `nsenter` at its anchor process."""

    def __init__(self, lab, number):
        self.lab = lab
        self.number = number
        self.name = f"h{number}"
        self.space = f"{lab.tag}-{self.name}"
        self.address = f"198.18.0.{number}"
        self.folder = lab.folder / self.name
        self.processes = []
        self.avahi = None
        self._wire()
        self._anchor()

    def _wire(self):
        (self.folder / "run").mkdir(parents=True)
        command("ip", "netns", "add", self.space)
        # No wait for duplicate address detection: it would cost each test two seconds.
        command("ip", "netns", "exec", self.space, "sh", "-c",
                "echo 0 > /proc/sys/net/ipv6/conf/default/accept_dad", check=False)
        port = f"v{self.number}"
        command("ip", "-n", self.lab.switch, "link", "add", port, "type", "veth",
                "peer", "name", "eth0", "netns", self.space)
        command("ip", "-n", self.lab.switch, "link", "set", port, "master", "br0", "up")
        for words in ("link set lo up", f"addr add {self.address}/24 dev eth0", "link set eth0 up",
                      "route add 224.0.0.0/4 dev eth0"):
            command("ip", "-n", self.space, *words.split())

    def _anchor(self):
        script = ("mount --make-rprivate / && mount --bind \"$0\" /run && "
                  "mkdir -p /run/dbus /run/avahi-daemon && hostname \"$1\" && "
                  "touch /run/anchored && exec sleep infinity")
        self.anchor = subprocess.Popen(
            ["ip", "netns", "exec", self.space, "unshare", "-m", "-u", "sh", "-c", script,
             str(self.folder / "run"), self.name],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until((self.folder / "run/anchored").exists, 10, f"{self.name} has its own /run")

    def inside(self, *words):
        return ["nsenter", "-t", str(self.anchor.pid), "-m", "-n", "-u", "--", *map(str, words)]

    def run(self, *words, check=True, **options):
        """Runs a command on this host and waits for it."""
        return command(*self.inside(*words), check=check, **options)

    def start(self, *words, log=None, **options):
        """Starts a process on this host; it is ended with the lab at the latest."""
        options.setdefault("stdin", subprocess.DEVNULL)
        with open(self.folder / log if log else os.devnull, "ab") as sink:
            options.setdefault("stdout", sink)
            options.setdefault("stderr", sink)
            process = subprocess.Popen(self.inside(*words), **options)
        self.processes.append(process)
        return process

    def pids(self):
        """Every process of this host."""
        return list(map(int, command("ip", "netns", "pids", self.space, check=False).stdout.split()))

    def processes_with(self, word):
        """Processes of this host that have this word among their arguments."""
        def arguments(pid):
            try:
                return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
            except OSError:
                return []
        return [pid for pid in self.pids() if word in arguments(pid)]

    # Responder -------------------------------------------------------------------------------

    def start_avahi(self):
        """Starts D-Bus (once) and Avahi; returns when Avahi is on the bus."""
        bus = self.folder / "run/dbus/system_bus_socket"
        if not bus.exists():
            self.start("dbus-daemon", "--system", "--nofork", "--nopidfile", "--nosyslog",
                       log="dbus.log")
            wait_until(bus.exists, 10, f"{self.name}: D-Bus is up")
        conf = self.folder / "avahi.conf"
        conf.write_text(AVAHI_CONF.format(name=self.name))
        self.avahi = self.start("avahi-daemon", "-f", conf, "--no-rlimits", "--no-chroot",
                                "--no-drop-root", log="avahi.log")
        log = self.folder / "avahi.log"
        wait_until(lambda: "Server startup complete" in log.read_text(errors="replace"), 10,
                   f"{self.name}: Avahi is up")

    def kill_avahi(self):
        """Ends Avahi without giving it a chance to say goodbye."""
        self.avahi.kill()
        self.avahi.wait()
        self.avahi = None
        (self.folder / "avahi.log").write_text("")
        (self.folder / "run/avahi-daemon/pid").unlink(missing_ok=True)

    # Network ---------------------------------------------------------------------------------

    def cut(self):
        """Pulls the cable at the bridge's end: no packet passes, the link stays up."""
        command("ip", "-n", self.lab.switch, "link", "set", f"v{self.number}", "nomaster")

    def heal(self):
        command("ip", "-n", self.lab.switch, "link", "set", f"v{self.number}", "master", "br0")

    def lose(self, percent):
        """Drops this share of the packets that arrive; 0 ends it."""
        self.run("nft", "delete", "table", "inet", "loss", check=False)
        if percent:
            self.run("nft", "-f", "-", input=LOSS_TABLE.format(percent=percent))

    # End -------------------------------------------------------------------------------------

    def remove(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                process.kill()
        self.anchor.kill()
        for pid in self.pids():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        for process in [*self.processes, self.anchor]:
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream:
                    stream.close()
        command("ip", "netns", "del", self.space, check=False)


class Lab:
    """A bridge and its hosts; a context manager that always cleans up."""

    host_type = Host

    def __init__(self, count=3, avahi=True):
        sweep()
        Lab.serial = getattr(Lab, "serial", 0) + 1
        self.tag = f"{PREFIX}{os.getpid()}-{Lab.serial}"
        self.switch = f"{self.tag}-sw"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hgl"))
        self.hosts = []
        atexit.register(self.remove)
        try:
            command("ip", "netns", "add", self.switch)
            command("ip", "-n", self.switch, "link", "add", "br0", "type", "bridge",
                    "mcast_snooping", "0")
            command("ip", "-n", self.switch, "link", "set", "br0", "up")
            for number in range(1, count + 1):
                self.hosts.append(self.host_type(self, number))
            if avahi:
                for host in self.hosts:
                    host.start_avahi()
        except BaseException:
            self.remove()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()

    def remove(self):
        """Ends every process of the lab and deletes what it made; may be called twice."""
        atexit.unregister(self.remove)
        for host in self.hosts:
            host.remove()
        self.hosts = []
        command("ip", "netns", "del", self.switch, check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def sweep():
    """Removes namespaces whose run is dead: nothing of a killed run stays for ever."""
    for line in command("ip", "netns", "list", check=False).stdout.splitlines():
        name = line.split()[0] if line.split() else ""
        owner = name.removeprefix(PREFIX).split("-")[0]
        if not name.startswith(PREFIX) or not owner.isdigit() or pathlib.Path("/proc", owner).exists():
            continue
        for pid in command("ip", "netns", "pids", name, check=False).stdout.split():
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        command("ip", "netns", "del", name, check=False)


class LabCase(unittest.TestCase):
    """A test class with one lab for all of its tests."""

    count = 3
    lab_type = Lab
    starts_avahi = True

    @classmethod
    def setUpClass(cls):
        reason = why_not()
        if reason:
            raise unittest.SkipTest(reason)
        cls.lab = cls.lab_type(cls.count, avahi=cls.starts_avahi)
        cls.addClassCleanup(cls.lab.remove)


def _stop(*_):
    raise SystemExit(143)


# A run that is told to stop cleans up like one that ends: SystemExit passes every `finally`.
signal.signal(signal.SIGTERM, _stop)
