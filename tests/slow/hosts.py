"""Ray hosts in network namespaces of this machine.

Each host has its own network, process, mount and UTS namespace: its own IP address and host name, its own processes and
its own folder for Ray's sockets. A switch namespace connects the hosts, so the network of the machine stays as it is.
The end of a host's first process ends all processes of the host.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PORT = 6379
STORE = 80_000_000  # bytes; Ray's least is 75 MB
START_TIMEOUT = 120.0  # seconds
_FIRST_PROCESS = 'mount --bind "$1" "$2" && hostname "$3" && shift 3 && exec "$@"'


def missing() -> str:
    """Return why hosts cannot be made here; an empty string if they can."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return "network namespaces need Linux and root"
    for tool in ("ip", "unshare", "nsenter", "setpriv", "mount", "hostname"):
        if shutil.which(tool) is None:
            return f"the command {tool} is missing (iproute2, util-linux)"
    if find_spec("ray") is None:
        return "ray is not installed"
    name = f"gxprobe{os.getpid()}"
    probe = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, check=False)
    if probe.returncode:
        return f"network namespaces are not allowed here: {probe.stderr.strip()}"
    _ip("netns", "del", name)
    return ""


class Host:
    """One machine of the cluster."""

    def __init__(self, network: Network, number: int) -> None:
        self.name, self.address = f"host{number}", f"10.77.0.{number + 1}"
        self._network, self._namespace = network, f"{network.prefix}h{number}"
        self._plug = f"port{number}"  # its end of the cable at the switch
        self._folder = network.folder / self.name
        self._folder.mkdir()
        self._process: subprocess.Popen[bytes] | None = None
        self._space = ""  # the process namespace
        network.add_namespace(self._namespace)
        _ip(
            "link", "add", self._plug, "netns", network.switch, "type", "veth", "peer", "eth0", "netns", self._namespace
        )
        _ip("-n", network.switch, "link", "set", self._plug, "master", "bridge", "up")
        _ip("-n", self._namespace, "addr", "add", f"{self.address}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            _ip("-n", self._namespace, "link", "set", device, "up")

    def start(self, head: Host | None = None) -> None:
        """Start Ray as a worker of a head, or as the head itself, with one CPU."""
        where = [f"--address={head.address}:{PORT}"] if head else ["--head", f"--port={PORT}"]
        if head is None:
            where += ["--include-dashboard=false", f"--temp-dir={self._network.ray_folder}"]
        ray = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", "--disable-usage-stats", *where]
        ray += [f"--node-ip-address={self.address}", "--num-cpus=1", f"--object-store-memory={STORE}"]
        # The host ends with this process: setpriv tells the kernel so, and unshare passes it on.
        space = ["unshare", "--mount", "--pid", "--uts", "--fork", "--kill-child", "--mount-proc"]
        first = ["sh", "-c", _FIRST_PROCESS, "sh", str(self._folder), str(self._network.ray_folder), self.name, *ray]
        with (self._network.folder / f"{self.name}.log").open("ab") as log:
            self._process = subprocess.Popen(
                ["setpriv", "--pdeathsig=KILL", "ip", "netns", "exec", self._namespace, *space, *first],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=_environment(self._network.home),
                start_new_session=True,
            )

    def command(self, *arguments: str) -> list[str]:
        """Return a command line that runs this command on the host."""
        return ["nsenter", f"--target={self._first()}", "--net", "--mount", "--pid", "--uts", *arguments]

    def popen(self, *arguments: str, **keywords: Any) -> subprocess.Popen[str]:
        """Start a command on the host."""
        return subprocess.Popen(self.command(*arguments), env=_environment(self._network.home), text=True, **keywords)

    def cut(self) -> None:
        """Take the cable out: packets vanish, nothing is refused."""
        _ip("-n", self._network.switch, "link", "set", self._plug, "down")

    def mend(self) -> None:
        """Put the cable back in."""
        _ip("-n", self._network.switch, "link", "set", self._plug, "up")

    def kill(self) -> None:
        """Kill all processes of the host with SIGKILL."""
        if self._process is not None:
            self._process.kill()  # its child, the first process of the host, dies with it
            self._process.wait()
            deadline = time.monotonic() + 10
            while self.processes() and time.monotonic() < deadline:
                time.sleep(0.05)
            self._process = None
            self._space = ""

    def processes(self, title: str = "") -> list[int]:
        """Return the processes of the host whose command line begins like this; Ray writes the task into it."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                is_here = _process_space(folder.name) == self._space
                if is_here and (folder / "cmdline").read_bytes().startswith(title.encode()):
                    found.append(int(folder.name))
            except OSError:
                continue  # it has ended
        return found

    def _first(self) -> int:
        assert self._process is not None
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        return int(children[0])

    def wait_started(self) -> None:
        """Wait until the first process has its namespaces."""
        deadline = time.monotonic() + START_TIMEOUT
        while time.monotonic() < deadline:
            assert self._process is not None and self._process.poll() is None, self.log()
            try:
                space = _process_space(str(self._first()))
            except (OSError, IndexError):
                time.sleep(0.05)
                continue
            if space != _process_space("self"):
                self._space = space
                return
        raise TimeoutError(f"{self.name} has not started: {self.log()}")

    def log(self) -> str:
        """Return what Ray has printed at its start."""
        path = self._network.folder / f"{self.name}.log"
        return path.read_text(errors="replace")[-2000:] if path.exists() else ""


class Network:
    """A head and workers behind one switch; use it as a context, which removes all of them at its end."""

    def __init__(self, workers: int = 2) -> None:
        self.prefix = f"gx{os.getpid()}"
        self.switch = f"{self.prefix}sw"
        self._count, self._namespaces = 1 + workers, []
        self.hosts: list[Host] = []

    def __enter__(self) -> Network:
        self.folder = Path(
            tempfile.mkdtemp(prefix="gx", dir="/tmp")
        )  # sockets lie in it, and their paths must be short
        self.ray_folder = self.folder / "ray"
        self.home = self.folder / "home"
        self.ray_folder.mkdir()
        self.home.mkdir()
        _remove_leftovers()
        try:
            self.add_namespace(self.switch)
            _ip("-n", self.switch, "link", "add", "bridge", "type", "bridge")
            _ip("-n", self.switch, "link", "set", "bridge", "up")
            for number in range(self._count):
                self.hosts.append(Host(self, number))
            self.start(*self.hosts)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for host in self.hosts:
            host.kill()
        for name in self._namespaces:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def head(self) -> Host:
        return self.hosts[0]

    @property
    def address(self) -> str:
        return f"{self.head.address}:{PORT}"

    def add_namespace(self, name: str) -> None:
        self._namespaces.append(name)
        _ip("netns", "add", name)

    def start(self, *hosts: Host) -> None:
        """Start Ray on these hosts, and wait until all have joined the head."""
        for host in hosts:
            if host is self.head:
                host.start()
                host.wait_started()
                self._wait(lambda: self.alive() >= 1)
            else:
                host.mend()
                host.start(self.head)
                host.wait_started()
        self._wait(lambda: self.alive() >= len(self.hosts))

    def alive(self) -> int:
        """Return how many hosts the head counts as alive."""
        code = "import ray, sys; gcs = ray._raylet.GcsClient(address=sys.argv[1]); print(sum(" \
            "node.state == 0 for node in gcs.get_all_node_info(timeout=5).values()))"  # fmt: skip
        done = subprocess.run(
            self.head.command(sys.executable, "-c", code, self.address),
            env=_environment(self.home),
            capture_output=True,
            text=True,
            check=False,
        )
        return int(done.stdout) if done.returncode == 0 else 0

    def _wait(self, condition: Any) -> None:
        deadline = time.monotonic() + START_TIMEOUT
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError("the hosts have not joined: " + "\n".join(host.log() for host in self.hosts))
            time.sleep(0.5)


def _ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")


def _remove_leftovers() -> None:
    """Remove the namespaces of runs that were killed; their hosts have ended with them."""
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=False).stdout
    for name, run in re.findall(r"^(gx(\d+)(?:sw|h\d+))\b", listed, re.MULTILINE):
        if not Path(f"/proc/{run}").exists():
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


def _process_space(process: str) -> str:
    return str(Path(f"/proc/{process}/ns/pid").readlink())


def _environment(home: Path) -> dict[str, str]:
    # A home folder of its own: Ray takes a token for its cluster from ~/.ray if there is one.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    return kept | {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "HOME": str(home)}
