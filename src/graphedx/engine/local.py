"""The local engine: threads over the native core, and the caller's thread that collects what they find."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from numbers import Integral
from queue import Empty, SimpleQueue

from graphedx.engine.answers import Block, Ids
from graphedx.engine.schedule import Errand, Schedule
from graphedx.engine.work import Cancel, Desk, Work
from graphedx.errors import MethodError

_SECONDS_A_BATCH = 0.05
_PATIENCE = 5.0  # seconds for threads to notice that they should stop; pure Python methods may take longer


def worker_count(workers: int | None) -> int:
    """The number of workers asked for; by default one for each core this process may use."""
    if workers is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(workers, bool) or not isinstance(workers, Integral) or workers < 1:
        raise MethodError(f"workers must be a whole number >= 1 or None, got {workers!r}")
    return int(workers)


class LocalEngine:
    """Solves pairs on threads of this process; the native core lets them run at the same time."""

    def __init__(self, workers: int | None = None) -> None:
        self._workers = worker_count(workers)

    def solve(self, work: Work, ids: Ids, collect: Callable[[Block], None]) -> None:
        """Solve the pairs of these numbers; ``collect`` is called in the caller's thread, in no promised order.

        On Ctrl-C, or when a thread fails, the threads are stopped and what they have found by then is still collected.
        """
        if not len(ids):
            return
        crew = _Crew(work, ids, min(self._workers, len(ids)))
        crew.start()
        try:
            crew.collect(collect)
        except BaseException:
            crew.stop()
            crew.collect_rest(collect)
            raise


class _Crew:
    def __init__(self, work: Work, ids: Ids, workers: int) -> None:
        self._desk, self._cancel = Desk(work), Cancel()
        self._schedule = Schedule(work, ids, workers=workers, seconds=_SECONDS_A_BATCH)
        self._turn = threading.Condition()  # who holds it may use the schedule
        self._results: SimpleQueue[Block | BaseException | None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._work, daemon=True, name=f"graphedx-{k}") for k in range(workers)]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._cancel.set()
        with self._turn:
            self._turn.notify_all()
        deadline = time.monotonic() + _PATIENCE
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def collect(self, collect: Callable[[Block], None]) -> None:
        running = len(self._threads)
        while running:
            try:
                result = self._results.get(timeout=0.5)  # a wait without end would not hear Ctrl-C on every system
            except Empty:
                continue
            if isinstance(result, BaseException):
                raise result
            if result is None:
                running -= 1
            elif len(result):
                collect(result)

    def collect_rest(self, collect: Callable[[Block], None]) -> None:
        while not self._results.empty():
            result = self._results.get()
            if isinstance(result, Block) and len(result):
                collect(result)

    def _work(self) -> None:
        try:
            while (errand := self._take()) is not None:
                start = time.monotonic()
                block = self._desk.solve(errand.ids, errand.question, self._cancel)
                with self._turn:
                    self._results.put(self._schedule.done(errand, block, time.monotonic() - start))
                    self._turn.notify_all()
            self._results.put(None)
        except BaseException as error:  # raised again where it can be seen, in the caller's thread
            self._results.put(error)

    def _take(self) -> Errand | None:
        """The next errand, waiting for one if others may still bring some back; ``None`` at the end."""
        with self._turn:
            while not self._cancel.wished:
                errand = self._schedule.take()
                if errand is not None or self._schedule.finished:
                    return errand
                self._turn.wait()
        return None
