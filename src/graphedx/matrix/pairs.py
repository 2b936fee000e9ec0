"""Which pairs there are to solve, and the arrays their answers go into."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx.graph import Graph
from graphedx.result import StopReason

STOPS = tuple(StopReason)
"""What the numbers in ``stops`` stand for."""
_CODES = {reason: code for code, reason in enumerate(STOPS)}
OPEN = -1
"""The stop of a pair that is not solved yet."""

Ids = NDArray[np.int64]


class Answer(NamedTuple):
    """What is known of one pair."""

    lower: float
    upper: float
    images: Sequence[int]
    stopped_by: StopReason
    nodes: int = 0


class Pairs:
    """The pairs of a matrix, numbered row by row.

    Of one list of graphs with itself the diagonal is left out, and with ``mirrored`` all below it too.
    """

    def __init__(self, rows: Sequence[Graph], columns: Sequence[Graph], *, square: bool, mirrored: bool) -> None:
        shape = (len(rows), len(columns))
        wanted = np.triu(np.ones(shape, dtype=bool), 1) if square and mirrored else np.ones(shape, dtype=bool)
        if square:
            np.fill_diagonal(wanted, False)
        self.ends = np.argwhere(wanted).astype(np.int32)  # (pairs, 2): row, column
        self.mirrored = mirrored
        self._starts = np.cumsum([0, *(np.flatnonzero(row).size for row in wanted)])  # first number of each row
        self._columns = np.cumsum(wanted, axis=1, dtype=np.int32) - 1  # a pair's place in its row
        self._sizes = np.array([graph.num_nodes for graph in rows], dtype=np.int64)
        self._other_sizes = np.array([graph.num_nodes for graph in columns], dtype=np.int64)

    def __len__(self) -> int:
        return len(self.ends)

    def number(self, row: int, column: int) -> int:
        """The number of a pair that is not left out."""
        return int(self._starts[row] + self._columns[row, column])

    def source_sizes(self) -> NDArray[np.int64]:
        """The nodes of each pair's source: how many images its answer has."""
        return self._sizes[self.ends[:, 0]]

    def easiest_first(self) -> Ids:
        """Pair numbers by the product of the sizes, so that even a run that never ends has soon solved most pairs."""
        work = self._sizes[self.ends[:, 0]] * self._other_sizes[self.ends[:, 1]]
        return np.argsort(work, kind="stable").astype(np.int64)


class Answers:
    """The answers to all pairs, as plain arrays that are filled in any order."""

    def __init__(self, pairs: Pairs) -> None:
        self.lower = np.full(len(pairs), np.nan)
        self.upper = np.full(len(pairs), np.nan)
        self.stops = np.full(len(pairs), OPEN, dtype=np.int8)
        self.nodes = np.zeros(len(pairs), dtype=np.int64)
        self._offsets = np.concatenate([[0], np.cumsum(pairs.source_sizes())])
        self._images = np.full(int(self._offsets[-1]), -1, dtype=np.int32)

    def __len__(self) -> int:
        return len(self.stops)

    def put(self, ids: Ids, answers: Sequence[Answer]) -> None:
        """Keep the answers to the pairs of these numbers."""
        self.lower[ids] = [answer.lower for answer in answers]
        self.upper[ids] = [answer.upper for answer in answers]
        self.nodes[ids] = [answer.nodes for answer in answers]
        for start, end, answer in zip(self._offsets[ids], self._offsets[ids + 1], answers, strict=True):
            self._images[start:end] = answer.images
        self.stops[ids] = [_CODES[answer.stopped_by] for answer in answers]

    def get(self, k: int) -> Answer:
        """The answer to one pair."""
        stop = STOPS[self.stops[k]]
        return Answer(float(self.lower[k]), float(self.upper[k]), self.images(k), stop, int(self.nodes[k]))

    def images(self, k: int) -> tuple[int, ...]:
        """The images of the source's nodes in the target."""
        return tuple(self._images[self._offsets[k] : self._offsets[k + 1]].tolist())

    def size(self, k: int) -> int:
        """How many images pair ``k`` has."""
        return int(self._offsets[k + 1] - self._offsets[k])

    @property
    def is_open(self) -> NDArray[np.bool_]:
        """Which pairs are not solved yet."""
        is_open: NDArray[np.bool_] = self.stops == OPEN
        return is_open

    @property
    def unproven(self) -> int:
        """How many solved pairs have bounds only."""
        return int(np.count_nonzero((self.lower != self.upper) & ~self.is_open))


def inverse(images: Sequence[int], size: int) -> tuple[int, ...]:
    """The same mapping read from the other side, whose graph has ``size`` nodes."""
    back = [-1] * size
    for i, image in _mapped(images):
        back[image] = i
    return tuple(back)


def _mapped(images: Sequence[int]) -> Iterator[tuple[int, int]]:
    return ((i, image) for i, image in enumerate(images) if image >= 0)
