"""Which pairs of a matrix there are to solve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from graphedx.graph import Graph


class Pairs:
    """The pairs of a matrix, numbered row by row.

    With ``mirrored``, cells below the diagonal are left out. Without ``diagonal``, so is the diagonal: every graph is
    then at distance 0 from itself.
    """

    def __init__(
        self, rows: Sequence[Graph], columns: Sequence[Graph], *, mirrored: bool = False, diagonal: bool = True
    ) -> None:
        wanted = np.ones((len(rows), len(columns)), dtype=bool)
        if mirrored:
            wanted = np.triu(wanted)
        if not diagonal:
            np.fill_diagonal(wanted, False)
        self.ends = np.argwhere(wanted).astype(np.int32)  # (pairs, 2): row, column
        self.mirrored = mirrored
        self.diagonal = diagonal
        self._starts = np.cumsum([0, *(np.flatnonzero(row).size for row in wanted)])  # first number of each row
        self._columns = np.cumsum(wanted, axis=1, dtype=np.int32) - 1  # a pair's place in its row

    def __len__(self) -> int:
        return len(self.ends)

    def number(self, row: int, column: int) -> int:
        """The number of a pair that is not left out."""
        return int(self._starts[row] + self._columns[row, column])


def inverse(images: Sequence[int], size: int) -> tuple[int, ...]:
    """The same mapping read from the other side, whose graph has ``size`` nodes."""
    back = [-1] * size
    for i, image in _mapped(images):
        back[image] = i
    return tuple(back)


def _mapped(images: Sequence[int]) -> Iterator[tuple[int, int]]:
    return ((i, image) for i, image in enumerate(images) if image >= 0)
