"""Where work runs: on threads of this process, or on a Ray cluster; the answers are the same.

One path of data: work (pairs and what is asked of them), schedule (which go out next), an engine (who solves them),
answers (what came back), journal (what survives a crash). ``run`` puts them together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from graphedx.engine.answers import Answer, Answers, Block, Ids
from graphedx.engine.local import LocalEngine
from graphedx.engine.progress import Progress, Report
from graphedx.engine.run import run
from graphedx.engine.work import Question, Work
from graphedx.errors import MethodError

__all__ = [
    "Answer",
    "Answers",
    "Block",
    "Engine",
    "Ids",
    "LocalEngine",
    "Progress",
    "Question",
    "Report",
    "Work",
    "opened",
    "run",
]


class Engine(Protocol):
    """Solves the pairs of these numbers, and tells ``collect`` in the caller's thread, in no promised order.

    Every pair is answered exactly once. When it raises, what was found by then has been collected.
    """

    def solve(self, work: Work, ids: Ids, collect: Callable[[Block], None]) -> None: ...


@contextmanager
def opened(
    engine: str | Engine = "local", *, workers: int | None = None, address: str | None = None
) -> Iterator[Engine]:
    """The engine of this name, for as long as this lasts: "local" threads, or a "ray" cluster at an address.

    An engine is taken as it is, and stays open.
    """
    if not isinstance(engine, str):
        if not callable(getattr(engine, "solve", None)) or isinstance(engine, type):
            raise MethodError(f"engine must be 'local', 'ray' or an Engine, got {type(engine).__name__}")
        yield engine
    elif engine == "local":
        if address is not None:
            raise MethodError("an address is for engine='ray'; the local engine runs in this process")
        yield LocalEngine(workers)
    elif engine == "ray":
        from graphedx.engine.ray_cluster import RayEngine

        with RayEngine(address, workers=workers) as cluster:
            yield cluster
    else:
        raise MethodError(f"there is no engine {engine!r}; there are local and ray")
