"""From raw graphs to three splits by the paper's rules: what is kept, in which order, and which pairs there are."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from graphedx._quoting import quoted
from graphedx.datasets.classes import first_of_classes
from graphedx.errors import DatasetError
from graphedx.graph import Graph

_T = TypeVar("_T")
Report = Callable[[int], object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Which graphs of a source make up a dataset; the defaults keep one graph of every structure."""

    max_nodes: int | None = None
    max_graphs: int | None = None
    distinct: bool = True
    labelled: bool = False  # whether graphs that differ in labels only are distinct
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value, least in (("max_nodes", self.max_nodes, 0), ("max_graphs", self.max_graphs, 1)):
            if value is not None and not (_is_whole(value) and value >= least):
                raise DatasetError(f"{name} must be a whole number >= {least} or None, got {quoted(value)}")
        if not _is_whole(self.seed):
            raise DatasetError(f"seed must be a whole number, got {quoted(self.seed)}")


class Counts(NamedTuple):
    """How many graphs were left after each step of the cleaning."""

    read: int
    within_size: int
    distinct: int | None  # None where isomorphic graphs are kept
    kept: int
    stopped_early: bool  # the source may hold more: reading ended with the last graph that was kept

    def dropped(self, rules: Rules) -> str:
        """Say how many graphs were dropped and why, and how to keep them; nothing if all were kept."""
        distinct = self.within_size if self.distinct is None else self.distinct
        alike = (
            "structure and labels"
            if rules.labelled
            else "structure, whatever the labels (labelled=True tells them apart)"
        )
        reasons = [
            (self.read - self.within_size, f"have more than max_nodes={rules.max_nodes} nodes"),
            (self.within_size - distinct, f"repeat an earlier graph's {alike}; distinct=False keeps them"),
            (distinct - self.kept, f"are beyond max_graphs={rules.max_graphs}"),
        ]
        told = [f"{count:,} {reason}" for count, reason in reasons if count]
        return f"kept {self.kept:,} of {self.read:,} graphs: {'; '.join(told)}" if told else ""


def cleaned(
    graphs: Iterable[Graph], rules: Rules, *, count_all: bool = True, report: Report | None = None
) -> tuple[list[Graph], Counts]:
    """The graphs that are small enough, the first of every isomorphism class, and of those the first ``max_graphs``.

    Reads on to the end to count all classes, unless ``count_all`` is false; ``report`` is told how many are read.
    """
    kept, counts = cleaned_with_origins(graphs, rules, count_all=count_all, report=report)
    return [graph for graph, _ in kept], counts


def cleaned_with_origins(
    graphs: Iterable[Graph], rules: Rules, *, count_all: bool = True, report: Report | None = None
) -> tuple[list[tuple[Graph, int]], Counts]:
    """Return what ``cleaned`` returns, each graph with its position in the input, from 0."""
    intake = _Intake(graphs, rules.max_nodes, report)
    most = None if count_all else rules.max_graphs
    stream: Iterator[Graph] = islice(intake, most)
    if rules.distinct:
        stream = first_of_classes(intake, labelled=rules.labelled, most=most)
    kept: list[tuple[Graph, int]] = []
    left = 0
    for left, graph in enumerate(stream, 1):
        if rules.max_graphs is None or left <= rules.max_graphs:
            kept.append((graph, intake.read - 1))  # the stream is read one graph at a time
    intake.require_some()
    distinct = left if rules.distinct else None
    return kept, Counts(intake.read, intake.fitting, distinct, len(kept), not intake.finished)


def shuffled(graphs: Sequence[_T], seed: int = 0) -> list[_T]:
    """In the order of ``random.seed(seed); random.shuffle(graphs)``, without touching the global state."""
    order = list(graphs)
    random.Random(seed).shuffle(order)
    return order


def split_sizes(count: int) -> tuple[int, int, int]:
    """60, 20 and 20 per cent, rounded as the paper does.

    >>> split_sizes(911)
    (546, 182, 183)
    """
    train, val = int(0.6 * count), int(0.2 * count)
    return train, val, count - train - val


def pairs_within(span: range) -> NDArray[np.int32]:
    """Every (i, j) with i <= j in the span, row by row: combinations with replacement.

    >>> pairs_within(range(3, 5)).tolist()
    [[3, 3], [3, 4], [4, 4]]
    """
    return pairs_at(span, np.arange(pair_count(len(span))))


def pair_count(graphs: int) -> int:
    """How many pairs ``pairs_within`` so many graphs there are."""
    return graphs * (graphs + 1) // 2


def pairs_at(span: range, ids: NDArray[np.int64]) -> NDArray[np.int32]:
    """The rows of ``pairs_within`` at these places, without making all others."""
    lengths = np.arange(len(span), 0, -1)
    starts = np.cumsum(lengths) - lengths  # of the pairs (i, i), (i, i + 1), ... of each i
    first = np.searchsorted(starts, ids, side="right") - 1
    pairs = np.empty((len(ids), 2), dtype=np.int32)
    pairs[:, 0] = first + span.start
    pairs[:, 1] = ids - starts[first] + first + span.start
    return pairs


class _Intake:
    """The graphs that are small enough, counted while they pass."""

    def __init__(self, graphs: Iterable[Graph], most_nodes: int | None, report: Report | None) -> None:
        self._graphs = graphs
        self._most_nodes = most_nodes
        self._report = report or (lambda _: None)
        self._smallest: int | None = None
        self.read = 0
        self.fitting = 0
        self.finished = False

    def __iter__(self) -> Iterator[Graph]:
        directed: bool | None = None
        for graph in self._graphs:
            if directed is not None and graph.directed != directed:
                raise DatasetError(
                    f"graph {quoted(graph.name)} is {_kind(graph.directed)} but those before it are {_kind(directed)}; "
                    "a dataset holds graphs of one kind: convert the others first"
                )
            directed = graph.directed
            self.read += 1
            self._report(self.read)
            self._smallest = len(graph) if self._smallest is None else min(self._smallest, len(graph))
            if self._most_nodes is None or len(graph) <= self._most_nodes:
                self.fitting += 1
                yield graph
        self.finished = True

    def require_some(self) -> None:
        """Say which step left nothing."""
        if self.read == 0:
            raise DatasetError("there are no graphs to make a dataset of")
        if self.fitting == 0:
            raise DatasetError(
                f"none of the {self.read} graphs has at most {self._most_nodes} nodes, the smallest has "
                f"{self._smallest}; raise max_nodes"
            )


def _kind(directed: bool) -> str:
    return "directed" if directed else "undirected"


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
