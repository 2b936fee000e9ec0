"""Threads that take pairs from one list, and the main thread that collects what they find."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from numbers import Integral
from queue import Empty, SimpleQueue
from typing import NamedTuple

from graphedx import _kernels
from graphedx.errors import MethodError
from graphedx.matrix.pairs import Answer, Ids

_SECONDS_A_CHUNK = 0.05
_MOST_A_CHUNK = 32  # similar sizes can differ a thousandfold in time: a chunk must not hold many hard pairs
_PATIENCE = 5.0  # seconds for threads to notice that they should stop; pure Python methods may take longer


class Cancel:
    """A wish to stop that both Python and the native core can see."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self.flag = _kernels.CancelFlag()

    def set(self) -> None:
        self.flag.set()
        self._event.set()

    @property
    def wished(self) -> bool:
        return self._event.is_set()


Solve = Callable[[Ids, Cancel], list[Answer]]
"""Answers to the pairs of these numbers, in order; fewer if cancelled."""


class Done(NamedTuple):
    """Pairs that a thread has solved."""

    ids: Ids
    answers: list[Answer]


def worker_count(workers: int | None) -> int:
    """The number of threads asked for; by default one for each core this process may use."""
    if workers is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(workers, bool) or not isinstance(workers, Integral) or workers < 1:
        raise MethodError(f"workers must be a whole number >= 1 or None, got {workers!r}")
    return int(workers)


def solve_all(solve: Solve, ids: Ids, workers: int, collect: Callable[[Done], None]) -> None:
    """Solve the pairs of these numbers on threads; ``collect`` is called here, in the caller's thread.

    On Ctrl-C, or when a thread fails, the threads are stopped and what they have found by then is still collected.
    """
    cancel, chunks = Cancel(), _Chunks(ids, workers)
    results: SimpleQueue[Done | BaseException | None] = SimpleQueue()
    threads = [
        threading.Thread(target=_work, args=(solve, chunks, results, cancel), daemon=True, name=f"graphedx-{k}")
        for k in range(min(workers, len(ids)))
    ]
    for thread in threads:
        thread.start()
    try:
        _collect(results, len(threads), collect)
    except BaseException:
        cancel.set()
        deadline = time.monotonic() + _PATIENCE
        for thread in threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        _collect_rest(results, collect)
        raise


class _Chunks:
    """The pairs still to be taken, handed out in chunks that take about as long as the last ones took."""

    def __init__(self, ids: Ids, workers: int) -> None:
        self._ids, self._workers, self._next = ids, workers, 0
        self._lock = threading.Lock()
        self._seconds_a_pair = _SECONDS_A_CHUNK / 8

    def take(self) -> Ids:
        with self._lock:
            fair = (len(self._ids) - self._next) // (2 * self._workers)
            size = max(1, min(_MOST_A_CHUNK, fair, int(_SECONDS_A_CHUNK / self._seconds_a_pair)))
            chunk = self._ids[self._next : self._next + size]
            self._next += len(chunk)
            return chunk

    def took(self, pairs: int, seconds: float) -> None:
        with self._lock:
            self._seconds_a_pair = 0.5 * self._seconds_a_pair + 0.5 * max(seconds / pairs, 1e-6)


def _work(solve: Solve, chunks: _Chunks, results: SimpleQueue[Done | BaseException | None], cancel: Cancel) -> None:
    try:
        while not cancel.wished and len(chunk := chunks.take()):
            start = time.monotonic()
            answers = solve(chunk, cancel)
            chunks.took(len(chunk), time.monotonic() - start)
            results.put(Done(chunk[: len(answers)], answers))
        results.put(None)
    except BaseException as error:  # raised again where it can be seen, in the caller's thread
        results.put(error)


def _collect(results: SimpleQueue[Done | BaseException | None], running: int, collect: Callable[[Done], None]) -> None:
    while running:
        try:
            result = results.get(timeout=0.5)  # a wait without end would not hear Ctrl-C on every system
        except Empty:
            continue
        if isinstance(result, BaseException):
            raise result
        if result is None:
            running -= 1
        else:
            collect(result)


def _collect_rest(results: SimpleQueue[Done | BaseException | None], collect: Callable[[Done], None]) -> None:
    while not results.empty():
        result = results.get()
        if isinstance(result, Done):
            collect(result)
