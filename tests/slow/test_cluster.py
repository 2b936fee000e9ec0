"""Three Ray hosts, of which one loses its network and one is killed in mid-run; the results stay the same.

Run with ``python -m pytest -s tests/slow/test_cluster.py`` as root; it takes some minutes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import graphedx as gx
from datasets.labels.samples import contents
from graphedx.costs import UNIFORM
from graphedx.search.shards import split
from slow.cluster_driver import answers, dense_graphs, matrix_graphs
from slow.hosts import Host, Network, missing

REASON = missing()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON)

DRIVER = Path(__file__).with_name("cluster_driver.py")
TIMEOUT = 420.0  # seconds for a scenario; by default Ray needs about one minute to notice a host without network


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    with Network(workers=2) as network:
        yield network


class Run:
    """A scenario that runs on the head, and what happened when."""

    def __init__(self, network: Network, scenario: str, folder: Path) -> None:
        self._folder, self._start = folder, time.time()
        self._happened: list[tuple[float, str]] = []
        self._errors = (folder / "stderr").open("w+")
        self._output = (folder / "stdout").open("w+")
        arguments = sys.executable, str(DRIVER), scenario, str(folder), network.address
        self.process = network.head.popen(*arguments, stdout=self._output, stderr=self._errors)

    def events(self, kind: str) -> list[tuple[float, str]]:
        path = self._folder / "events"
        lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        return [(when, what) for when, word, what in lines if word == kind]

    def note(self, what: str) -> None:
        self._happened.append((time.time(), what))

    def wait_busy(self, host: Host, title: str, done: int) -> None:
        """Wait until so many results have arrived and the host works on a task of this title."""
        deadline = time.time() + TIMEOUT
        while len(self.events("done")) < done or not host.processes(title):
            assert self.process.poll() is None, f"ended too early:\n{self.printed()}"
            assert time.time() < deadline, f"{host.name} got no work"
            time.sleep(0.01)

    def wait(self) -> None:
        """Wait for the end, which has to come without a word to the user."""
        try:
            self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            pytest.fail(f"no end after {TIMEOUT:g} s\n{self.story()}\n{self.printed()}")
        self.note("end")
        print(self.story())
        assert self.process.returncode == 0, self.printed()
        assert "Traceback" not in self.printed()

    def printed(self) -> str:
        return "".join(Path(file.name).read_text() for file in (self._output, self._errors))

    def story(self) -> str:
        """Return a line for each thing that was done to the cluster and each loss."""
        lines = self._happened + [(when, f"lost {what[:160]}") for when, what in self.events("lost")]
        done = [when for when, _ in self.events("done")]
        return "\n".join(
            f"{when - self._start:7.1f} s  {sum(each <= when for each in done):4d} results  {what}"
            for when, what in sorted(lines)
        )


def run_with_failures(network: Network, scenario: str, folder: Path, title: str) -> Run:
    """Cut one worker host off and kill the other while both work; both are started again afterwards."""
    _, first, second = network.hosts
    run = Run(network, scenario, folder)
    try:
        run.wait_busy(first, title, done=4)
        run.note(f"{first.name} is cut off")
        first.cut()
        run.wait_busy(second, title, done=len(run.events("done")) + 2)
        run.note(f"{second.name} is killed")
        second.kill()
        run.wait()
    finally:
        run.process.kill()
        for host in (first, second):
            host.kill()
    return run


def revive(network: Network) -> None:
    network.start(*(host for host in network.hosts if not host.processes()))


def test_labels_are_the_same_bytes(network: Network, tmp_path: Path) -> None:
    revive(network)
    dataset = gx.datasets.from_graphs(dense_graphs(50, 13, 26), "dense")
    here, there = (dataset.save(tmp_path / name) for name in ("here", "there"))
    gx.datasets.label(here, UNIFORM, progress=False)
    run = run_with_failures(network, "label", tmp_path, "ray::solve")
    assert run.events("lost")
    assert contents(there) == contents(here)


def test_a_matrix_is_the_same(network: Network, tmp_path: Path) -> None:
    revive(network)
    gx.distance_matrix(matrix_graphs()).save(tmp_path / "here.csv")
    run = run_with_failures(network, "matrix", tmp_path, "ray::solve")
    assert run.events("lost")
    assert (tmp_path / "there.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()


def test_a_sharded_search_finds_the_same(network: Network, tmp_path: Path) -> None:
    revive(network)
    index = gx.GraphIndex.build(dense_graphs(200, 12, 22))
    split(index, tmp_path / "parts", 6)
    run_with_failures(network, "search", tmp_path, "ray::Shard")
    assert (tmp_path / "there.json").read_text() == answers(index)
