"""Tasks of a node that was lost without a word are sent again; a stand-in for Ray decides what arrives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import graphedx as gx
from engine.samples import assert_same, solved, work_of
from graphedx.engine import LocalEngine, Work, outstanding, ray_cluster
from graphedx.engine.ray_cluster import RayEngine
from graphedx.engine.work import Cancel, Desk
from matrix.samples import some_graphs


class RayError(Exception):
    """The base of all errors of Ray."""


class SilentRay:
    """A cluster of two nodes; the first tasks go to a node that never answers and is marked as dead after a while."""

    exceptions = SimpleNamespace(RayError=RayError)
    cloudpickle = SimpleNamespace(dumps=lambda work: b"")

    def __init__(self, work: Work, *, silent: int, late: bool) -> None:
        self._work, self._desk = work, Desk(work)
        self._silent, self._late = silent, late
        self._tasks: list[tuple[int, bytes, float | None]] = []  # with the number of the function
        self._functions = self._looks = self._waits = 0

    def is_initialized(self) -> bool:
        return True

    def put(self, content: bytes) -> bytes:
        return content

    def nodes(self) -> list[dict[str, Any]]:
        self._looks += 1
        return [{"NodeID": "a", "Alive": True}, {"NodeID": "b", "Alive": not self.has_lost_node}]

    @property
    def has_lost_node(self) -> bool:
        return self._looks > 20

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 1.0 if self.has_lost_node else 2.0}

    def remote(self, **_: object) -> Callable[[object], Any]:
        self._functions += 1
        return lambda function: SimpleNamespace(remote=self._send)

    def _send(self, origin: object, ids: bytes, time_limit: float | None) -> int:
        self._tasks.append((self._functions, ids, time_limit))
        return len(self._tasks) - 1

    def wait(self, tasks: Sequence[int], *, num_returns: int, timeout: float) -> tuple[list[int], list[int]]:
        self._waits += 1
        assert self._waits < 5000, "the tasks of the lost node were never sent again"
        # Until the node is lost, Ray waits for an answer to its request for a worker of that node.
        speaks = [task for task in tasks if task >= self._silent and (not self.has_lost_node or self._is_new(task))]
        if self._late and any(self._is_new(task) for task in speaks):
            speaks = [*tasks]  # the silent node is back
        arrived = speaks[:num_returns]
        return arrived, [task for task in tasks if task not in arrived]

    def _is_new(self, task: int) -> bool:
        return self._tasks[task][0] > 1

    def get(self, task: int) -> tuple[bytes, float]:
        _, ids, time_limit = self._tasks[task]
        question = self._work.question._replace(time_limit=time_limit)
        return self._desk.solve(np.frombuffer(ids, dtype=np.int64), question, Cancel()).to_bytes(), 0.01


@pytest.mark.parametrize("late", [False, True], ids=["never back", "back later"])
@pytest.mark.parametrize("silent", [1, 4], ids=["one task", "all tasks"])
def test_tasks_of_a_silent_node_are_sent_again(monkeypatch: pytest.MonkeyPatch, silent: int, late: bool) -> None:
    monkeypatch.setattr(ray_cluster, "_SECONDS_BETWEEN_LOOKS", -1.0)  # at every turn
    monkeypatch.setattr(ray_cluster, "_SECONDS_A_TASK", 0.01)
    monkeypatch.setattr(outstanding, "GRACE", 0.0)
    work = work_of(some_graphs(12, most_nodes=5), gx.EditCosts())
    monkeypatch.setattr(ray_cluster, "library", lambda: SilentRay(work, silent=silent, late=late))
    assert_same(solved(RayEngine(), work), solved(LocalEngine(1), work))
