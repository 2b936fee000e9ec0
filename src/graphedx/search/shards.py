"""An index in parts, each searched by a process of a Ray cluster; the answers are those of the whole index."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from functools import cached_property
from itertools import accumulate, count, pairwise
from numbers import Integral
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import Any

import numpy as np

from graphedx._collection import TIED, Found
from graphedx._files import AnyPath, atomic_folder
from graphedx._kernels import CancelFlag
from graphedx._limits import as_limit
from graphedx.costs import UNIT, EditCosts
from graphedx.engine.ray_cluster import connected, library, line_of
from graphedx.errors import EngineError, IdError, MethodError
from graphedx.graph import Graph
from graphedx.search import files
from graphedx.search.hits import Asked, Hits, gathered
from graphedx.search.index import GraphIndex, nearest
from graphedx.search.state import State

_STOPPING = "stopping"
_ATTEMPTS = 4  # calls of a part, each of them to a new process
_RECOVERY_TIMEOUT = 300.0  # seconds until a part whose process is lost has to be open again
_SECONDS_BETWEEN_PINGS = 1.0


def split(index: GraphIndex, folder: AnyPath, parts: int) -> list[Path]:
    """Write the index as so many files of about the same number of graphs into a new folder, and return their paths."""
    if isinstance(parts, bool) or not isinstance(parts, Integral) or parts < 1:
        raise MethodError(f"parts must be a whole number >= 1, got {parts!r}")
    ids = index.ids
    if parts > max(len(ids), 1):
        raise MethodError(f"an index of {len(ids):,} graphs cannot be split into {parts:,} parts")
    bounds = [len(ids) * k // parts for k in range(parts + 1)]
    names = [f"part-{k:04d}.gxi" for k in range(parts)]
    with atomic_folder(folder) as place:
        for name, (start, end) in zip(names, pairwise(bounds), strict=True):
            some = ids[start:end]
            GraphIndex.build((index[id] for id in some), ids=some).save(place / name)
    return [Path(folder) / name for name in names]


class ShardedIndex:
    """The indexes of several files, searched as if they were one, each by a process of its own on a Ray cluster.

    ``paths`` are the files in order, as ``split`` returns them, at places that all machines of the cluster can read; no
    two may have an id in common. ``address`` is that of the cluster, as for the engine ``ray``. Use it as a context: it
    stays connected until its end, and so do the graphs of its hits.
    """

    def __init__(self, paths: Iterable[AnyPath], *, address: str | None = None) -> None:
        self._paths = [Path(path).resolve() for path in paths]
        if not self._paths:
            raise MethodError("an index needs at least one part, got none")
        self._address = address
        self._ids: tuple[str, ...] = ()
        self._shards: list[Any] = []
        self._numbers = count()  # of searches
        self._open = ExitStack()

    def __enter__(self) -> ShardedIndex:
        self._ray = library()
        with ExitStack() as opening:
            opening.enter_context(connected(self._ray, self._address, None))
            # A part whose machine is lost is opened again on another one, however often that happens. A call is given
            # up after three retries, so a query that kills its process ends with an error.
            settings = {
                "max_concurrency": 2,
                "max_restarts": -1,
                "max_task_retries": 3,
                "scheduling_strategy": "SPREAD",
            }
            # Who stops a search must not wait for those that go on.
            shard = self._ray.remote(concurrency_groups={_STOPPING: 1}, **settings)(Shard)
            self._shards = [shard.remote(path) for path in self._paths]
            opening.callback(self._leave)
            ids = self._ask(range(len(self._shards)), "ids")
            self._ids = tuple(id for some in ids for id in some)
            if len(set(self._ids)) < len(self._ids):
                raise IdError("two parts have graphs of the same id; no index has parts like that")
            self._starts = [0, *accumulate(map(len, ids))]
            self._open = opening.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()
        self._shards = []

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all graphs, part by part."""
        return self._ids

    def search(self, query: Any, k: int = 10, *, costs: EditCosts = UNIT, time_limit: float | None = None) -> Hits:
        """As ``GraphIndex.search``; the time limit holds for each part, and all are searched at the same time."""
        return self._found(Asked.checked(query, costs, k=k), time_limit)

    def range(self, query: Any, radius: float, *, costs: EditCosts = UNIT, time_limit: float | None = None) -> Hits:
        """As ``GraphIndex.range``."""
        return self._found(Asked.checked(query, costs, radius=radius), time_limit)

    def _found(self, asked: Asked, time_limit: float | None) -> Hits:
        self._require_open()
        start, limit, number = perf_counter(), as_limit("time_limit", time_limit), next(self._numbers)
        try:
            parts = self._ask(range(len(self._shards)), "nearest", asked, limit, number)
        except BaseException:
            for shard in self._shards:
                shard.stop.options(concurrency_group=_STOPPING).remote(number)
            raise
        return gathered(asked, self, merged(parts, self._starts, asked.k), perf_counter() - start)

    def id_of(self, position: int) -> str:
        return self._ids[position]

    def graph(self, position: int) -> Graph:
        """Fetched from the process that has it."""
        self._require_open()
        part = bisect_right(self._starts, position) - 1
        graph: Graph = self._ask([part], "graph", position - self._starts[part])[0]
        return graph.renamed(self._ids[position])

    def _require_open(self) -> None:
        if not self._shards:
            raise EngineError("the parts of this index are not open; use it within: with ShardedIndex(paths) as index")

    def _ask(self, parts: Sequence[int], method: str, *arguments: Any) -> list[Any]:
        """Call a method of these parts at the same time, and return what each of them answers."""
        references = [self._call(part, method, *arguments) for part in parts]
        return [
            self._answer(reference, part, method, *arguments) for part, reference in zip(parts, references, strict=True)
        ]

    def _call(self, part: int, method: str, *arguments: Any) -> Any:
        return getattr(self._shards[part], method).remote(*arguments)

    def _answer(self, reference: Any, part: int, method: str, *arguments: Any) -> Any:
        """Wait for an answer; if the process of the part is lost, ask again as soon as the part is open elsewhere."""
        errors = self._ray.exceptions
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return self._ray.get(reference)
            except errors.RayError as error:
                cause = getattr(error, "cause", None)
                if isinstance(cause, Exception) and not isinstance(cause, errors.RayError):
                    raise cause from None  # what a process says of its file or of the query
                if not isinstance(error, errors.RayActorError) or attempt == _ATTEMPTS:
                    raise EngineError(self._lost(part, attempt, error)) from None
            self._wait_until_open(part, attempt)
            reference = self._call(part, method, *arguments)
        raise AssertionError("unreachable")

    def _wait_until_open(self, part: int, attempt: int) -> None:
        """Wait until a process has the part again; Ray needs about a minute to notice that a machine is unreachable."""
        errors, deadline = self._ray.exceptions, monotonic() + _RECOVERY_TIMEOUT
        while True:
            try:
                self._ray.get(self._call(part, "ping"), timeout=max(0.0, deadline - monotonic()))
                return
            except errors.RayError as error:
                is_final = isinstance(error, getattr(errors, "ActorDiedError", ()))
                if is_final or not isinstance(error, errors.RayActorError) or monotonic() >= deadline:
                    raise EngineError(self._lost(part, attempt, error)) from None
            sleep(_SECONDS_BETWEEN_PINGS)

    def _lost(self, part: int, attempts: int, error: Exception) -> str:
        return f"{self._paths[part].name} was lost with its process, attempt {attempts}: {line_of(error)}"

    def _leave(self) -> None:
        for shard in self._shards:
            self._ray.kill(shard)


class Shard:
    """A part of an index, in the process that searches it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._flags: dict[int, CancelFlag] = {}  # by the number of the search, whichever of both comes first

    @cached_property
    def _state(self) -> State:
        return files.load(self._path)  # not at once: what is wrong with it could not be told then

    def ping(self) -> None:
        """Return; a call that comes back shows that the process is there."""

    def ids(self) -> tuple[str, ...]:
        return self._state.ids

    def graph(self, position: int) -> Graph:
        return self._state.collection.graph(position)

    def nearest(self, asked: Asked, time_limit: float | None, number: int) -> Found:
        """What is found here by the search of this number."""
        cancel = self._flags.setdefault(number, CancelFlag())
        try:
            return nearest(self._state, asked, time_limit, 1, cancel)
        finally:
            self._flags.pop(number, None)

    def stop(self, number: int) -> None:
        """End this search and no other; called while it goes on, or before it has begun."""
        self._flags.setdefault(number, CancelFlag()).set()


def merged(parts: Sequence[Found], starts: Sequence[int], k: int | None) -> Found:
    """What the parts have found as one: of the k nearest of each part, the k nearest and all that are as near.

    Nothing is missing: the k-th nearest of all is no further than that of any part, which lists all that are as near.
    """
    positions = np.concatenate([part.positions + start for part, start in zip(parts, starts, strict=False)])
    lower, upper = (np.concatenate([getattr(part, bound) for part in parts]) for bound in ("lower", "upper"))
    order = np.lexsort((positions, upper))
    complete, unseen = all(part.complete for part in parts), min(part.unseen for part in parts)
    if complete and k is not None and k < len(order):
        near = upper[order] <= upper[order[k - 1]] * TIED
        unseen, order = min([unseen, *lower[order[~near]][:1].tolist()]), order[near]
    searched, bounded = sum(part.searched for part in parts), sum(part.bounded for part in parts)
    return Found(positions[order], lower[order], upper[order], complete, unseen, bounded, searched)
