"""What is to be done: pairs of graphs and the question that is asked of each; and how a worker does it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx import _kernels, solvers
from graphedx.costs import EditCosts
from graphedx.engine.answers import Answer, Block, Ids
from graphedx.engine.fingerprint import fingerprint
from graphedx.graph import Graph

_MOST_LABELS = 2000  # a shared vocabulary means a table of labels x labels


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


class Question(NamedTuple):
    """What is asked of every pair; the method goes by its name, so that a question can travel."""

    method: str
    costs: EditCosts
    time_limit: float | None = None
    cutoff: float | None = None
    options: tuple[tuple[str, bool | int], ...] = ()

    @property
    def is_native(self) -> bool:
        """Whether the native core solves whole lists of pairs; complains about a method that there is not."""
        return solvers.get(self.method).native

    @property
    def request(self) -> _kernels.Request:
        """For the native core; options that are not given have their defaults."""
        method = solvers.get(self.method)
        return method.request(method.checked(dict(self.options)), self.time_limit, self.cutoff)

    def answer(self, source: Graph, target: Graph, cancel: Cancel) -> Answer | None:
        """One pair; ``None`` if cancelled before the end."""
        if self.is_native:
            found = _kernels.solve_pair(source, target, self.costs, self.request, cancel.flag)
            return None if found is None else Answer(*found)
        r = solvers.get(self.method).solve(
            source, target, costs=self.costs, time_limit=self.time_limit, cutoff=self.cutoff, **dict(self.options)
        )
        return Answer(r.lower, r.upper, r.images, r.stopped_by, r.nodes)


@dataclass(frozen=True, eq=False)
class Work:
    """Numbered pairs of graphs, and what is asked of each. Plain values: it can be sent to other machines."""

    question: Question
    sources: Sequence[Graph]
    targets: Sequence[Graph]  # the very same list where graphs are compared with each other
    ends: NDArray[np.int32]  # (pairs, 2): places in sources and targets

    def __len__(self) -> int:
        return len(self.ends)

    @cached_property
    def source_sizes(self) -> NDArray[np.int64]:
        """The nodes of each pair's source: how many images its answer has."""
        return _sizes(self.sources)[self.ends[:, 0]]

    @cached_property
    def difficulty(self) -> NDArray[np.int64]:
        """A measure of the expected work, pair by pair: the product of the sizes."""
        return self.source_sizes * _sizes(self.targets)[self.ends[:, 1]]

    @cached_property
    def fingerprint(self) -> str:
        """Equal work has the same in every run, on every machine."""
        question = self.question
        others = None if self.targets is self.sources else self.targets
        mark = [question.method, question.time_limit, question.cutoff, sorted(question.options)]
        return fingerprint(self.sources, others, question.costs, mark)


class Desk:
    """Where a worker solves pairs of one work: its graphs are encoded once for the native core."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._batch = _batch(work) if work.question.is_native else None
        shift = 0 if work.targets is work.sources else len(work.sources)
        self._ends = work.ends + np.array([0, shift], dtype=np.int32)

    def solve(self, ids: Ids, question: Question, cancel: Cancel) -> Block:
        """Answers to the pairs of these numbers, in order; fewer if cancelled."""
        if self._batch is None:
            return self._one_by_one(ids, question, cancel)
        found = self._batch.columns(self._ends[ids], question.request, cancel.flag)
        done = ids[: len(found.lower)]
        return Block(done, found.lower, found.upper, found.nodes, found.stops, found.images)

    def _one_by_one(self, ids: Ids, question: Question, cancel: Cancel) -> Block:
        found: list[Answer] = []
        for i, j in self._work.ends[ids]:
            answer = None if cancel.wished else question.answer(self._work.sources[i], self._work.targets[j], cancel)
            if answer is None:
                break
            found.append(answer)
        return Block.of(ids[: len(found)], found)


def _sizes(graphs: Sequence[Graph]) -> NDArray[np.int64]:
    return np.array([graph.num_nodes for graph in graphs], dtype=np.int64)


def _batch(work: Work) -> _kernels.Batch | None:
    """All graphs over one vocabulary, or ``None`` if that is too large or has labels without a cost."""
    graphs = work.sources if work.targets is work.sources else [*work.sources, *work.targets]
    labels = {label for graph in graphs for label in graph.node_classes[0]}
    edge_labels = {label for graph in graphs for label in graph.edge_classes[0]}
    if max(len(labels), len(edge_labels)) > _MOST_LABELS:
        return None
    try:
        return _kernels.Batch(graphs, work.question.costs)
    except Exception:
        if work.question.costs.all_numbers:
            raise
        # Some labels never meet in any pair and need no cost; if those that do have none, their pair will say so.
        return None
