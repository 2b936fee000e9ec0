"""The peer of a search: all graphs of a collection, one call of ``auto`` for each, on two threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx import EditCosts, Graph, GraphIndex
from graphedx._kernels import Batch, CancelFlag, Request

CHUNK = 100  # pairs that a thread takes at a time
PAIR_SECONDS = 5.0


class Scanned(NamedTuple):
    """Bounds on the distances to all graphs; where a limit struck before the end, infinite ones are left."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    seconds: float
    ended: bool

    def undecided(self, cutoff: float) -> int:
        """Of how many graphs it is not known whether they are within the cutoff."""
        return int(((self.lower <= cutoff) & (cutoff < self.upper)).sum())


class Scanner:
    """A collection and some queries, encoded beforehand; that takes none of the time of a scan."""

    def __init__(self, index: GraphIndex, queries: Sequence[Graph], costs: EditCosts, threads: int) -> None:
        self._batch = Batch([*queries, *(index[id] for id in index)], costs)
        self._start, self._graphs, self._threads = len(queries), len(index), threads

    def scan(self, query: int, k: int, cutoff: float | None, limit: float) -> Scanned:
        """With a cutoff that is known from the start, or with the k-th best distance so far; it ends at the limit."""
        lower, upper = np.zeros(self._graphs), np.full(self._graphs, np.inf)
        chunks, lock = self._chunks(), threading.Lock()
        nearest: list[float] = []  # the k least upper bounds so far
        cancel, struck = CancelFlag(), threading.Event()

        def strike() -> None:
            struck.set()
            cancel.set()

        def work() -> None:
            while not struck.is_set():
                with lock:
                    chunk = next(chunks, None)
                    best = cutoff if cutoff is not None else nearest[-1] if len(nearest) == k else None
                if chunk is None:
                    return
                pairs = np.stack([np.full_like(chunk, query), chunk + self._start], axis=1)
                found = self._batch.columns(pairs, Request("auto", PAIR_SECONDS, best), cancel)
                done = chunk[: len(found.lower)]
                lower[done], upper[done] = found.lower, found.upper
                with lock:
                    nearest[:] = sorted([*nearest, *found.upper.tolist()])[:k]

        timer, start = threading.Timer(limit, strike), perf_counter()
        timer.start()
        with ThreadPoolExecutor(self._threads) as pool:
            for thread in [pool.submit(work) for _ in range(self._threads)]:
                thread.result()
        seconds = perf_counter() - start
        timer.cancel()
        return Scanned(lower, upper, seconds, not struck.is_set())

    def _chunks(self) -> Iterator[NDArray[np.int32]]:
        """The first ones are small: without a cutoff, every pair is one too many."""
        start, size = 0, 5
        while start < self._graphs:
            yield np.arange(start, min(start + size, self._graphs), dtype=np.int32)
            start, size = start + size, min(2 * size, CHUNK)
