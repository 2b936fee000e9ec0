"""Answers to numbered pairs: a block of them as columns, and the arrays that blocks are put into in any order."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx.errors import NotProvenError
from graphedx.result import StopReason

STOPS = tuple(StopReason)
"""What the numbers in ``stops`` stand for."""
CODES = {reason: code for code, reason in enumerate(STOPS)}
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


@dataclass(frozen=True, slots=True)
class Block:
    """The answers to the pairs of some numbers, column by column: what workers send and journals keep."""

    BYTES_A_PAIR: ClassVar[int] = 33  # its images aside; before them is their number
    ids: Ids
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    nodes: NDArray[np.int64]
    stops: NDArray[np.int8]
    images: NDArray[np.int32]  # of all its pairs, one after the other

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of(cls, ids: Ids, answers: Sequence[Answer]) -> Block:
        """From answers one by one."""
        return cls(
            ids,
            np.array([answer.lower for answer in answers], dtype=np.float64),
            np.array([answer.upper for answer in answers], dtype=np.float64),
            np.array([answer.nodes for answer in answers], dtype=np.int64),
            np.array([CODES[answer.stopped_by] for answer in answers], dtype=np.int8),
            np.array([image for answer in answers for image in answer.images], dtype=np.int32),
        )

    def chosen(self, wanted: NDArray[np.bool_], sizes: NDArray[np.int64]) -> Block:
        """The answers that are wanted; ``sizes`` says how many images each has."""
        if wanted.all():
            return self
        return Block(
            self.ids[wanted],
            self.lower[wanted],
            self.upper[wanted],
            self.nodes[wanted],
            self.stops[wanted],
            self.images[np.repeat(wanted, sizes)],
        )

    @property
    def unproven(self) -> int:
        """How many of the answers are bounds only."""
        return int(np.count_nonzero(self.lower != self.upper))

    def to_bytes(self) -> bytes:
        """The same on every machine."""
        columns = (
            self.ids.astype("<i8", copy=False),
            self.lower.astype("<f8", copy=False),
            self.upper.astype("<f8", copy=False),
            self.nodes.astype("<i8", copy=False),
            self.stops.astype("<i1", copy=False),
            self.images.astype("<i4", copy=False),
        )
        return struct.pack("<I", len(self)) + b"".join(column.tobytes() for column in columns)

    @classmethod
    def from_bytes(cls, content: bytes) -> Block:
        """Raises ValueError if the content cannot be a block."""
        if len(content) < 4:
            raise ValueError("a block is cut short")
        (count,) = struct.unpack_from("<I", content)
        place = 4
        columns: list[NDArray[np.generic]] = []
        for kind in ("<i8", "<f8", "<f8", "<i8", "<i1"):
            columns.append(np.frombuffer(content, kind, count, place))
            place += columns[-1].nbytes
        columns.append(np.frombuffer(content[place:], "<i4"))
        ids, lower, upper, nodes, stops, images = (column.astype(column.dtype.newbyteorder("=")) for column in columns)
        if len(stops) and not 0 <= stops.min() <= stops.max() < len(STOPS):
            raise ValueError("a block has a stop that nobody knows")
        return cls(ids, lower, upper, nodes, stops, images)


class Answers:
    """The answers to all pairs of some work, as plain arrays that are filled in any order.

    ``sizes`` says how many images each pair's answer has: the nodes of its source.
    """

    def __init__(self, sizes: NDArray[np.int64]) -> None:
        self.lower = np.full(len(sizes), np.nan)
        self.upper = np.full(len(sizes), np.nan)
        self.stops = np.full(len(sizes), OPEN, dtype=np.int8)
        self.nodes = np.zeros(len(sizes), dtype=np.int64)
        self.sizes = sizes
        self._offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self._images = np.full(int(self._offsets[-1]), -1, dtype=np.int32)

    def __len__(self) -> int:
        return len(self.stops)

    def put(self, block: Block) -> None:
        """Keep a block's answers; raises ValueError if they are of other pairs than these."""
        ids = block.ids
        if len(ids) and not 0 <= ids.min() <= ids.max() < len(self):
            raise ValueError("a block names a pair that is not there")
        places = self._places(ids)
        if len(places) != len(block.images):
            raise ValueError("a block does not fit the graphs")
        self.lower[ids] = block.lower
        self.upper[ids] = block.upper
        self.nodes[ids] = block.nodes
        self._images[places] = block.images
        self.stops[ids] = block.stops

    def block(self, ids: Ids) -> Block:
        """The answers to the pairs of these numbers."""
        images = self._images[self._places(ids)]
        return Block(ids, self.lower[ids], self.upper[ids], self.nodes[ids], self.stops[ids], images)

    def get(self, k: int) -> Answer:
        """The answer to one pair."""
        stop = STOPS[self.stops[k]]
        return Answer(float(self.lower[k]), float(self.upper[k]), self.images(k), stop, int(self.nodes[k]))

    def images(self, k: int) -> tuple[int, ...]:
        """The images of the source's nodes in the target."""
        return tuple(self._images[self._offsets[k] : self._offsets[k + 1]].tolist())

    @property
    def is_open(self) -> NDArray[np.bool_]:
        """Which pairs are not solved yet."""
        is_open: NDArray[np.bool_] = self.stops == OPEN
        return is_open

    @property
    def unproven(self) -> int:
        """How many solved pairs have bounds only."""
        return int(np.count_nonzero((self.lower != self.upper) & ~self.is_open))

    def _places(self, ids: Ids) -> NDArray[np.int64]:
        """Where the images of these pairs are kept, one pair after the other."""
        sizes = self.sizes[ids]
        starts = np.cumsum(sizes) - sizes  # of each pair in the result
        return np.repeat(self._offsets[ids] - starts, sizes) + np.arange(int(sizes.sum()))


class Bounded:
    """Proven bounds on many distances, as arrays of any shape: ``lower <= distance <= upper`` in every place."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    remedy: ClassVar[str]
    """What helps where the two do not meet."""

    @cached_property
    def proven(self) -> NDArray[np.bool_]:
        """Which distances are known."""
        proven: NDArray[np.bool_] = self.lower == self.upper
        proven.flags.writeable = False
        return proven

    @property
    def distances(self) -> NDArray[np.float64]:
        """The proven distances.

        Raises:
            NotProvenError: some are not proven; the message says how many.
        """
        unproven = int(np.count_nonzero(~self.proven))
        if unproven:
            raise NotProvenError(
                f"{unproven} of {self.proven.size} distances are not proven; use lower and upper, or {self.remedy}"
            )
        return self.upper
