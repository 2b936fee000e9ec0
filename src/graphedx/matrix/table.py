"""DistanceMatrix: proven bounds for every pair, the distances where they are proven, and the mapping of any pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx._files import AnyPath
from graphedx.costs import EditCosts
from graphedx.engine.answers import STOPS, Answers, Bounded
from graphedx.errors import GraphError
from graphedx.graph import Graph
from graphedx.matrix.pairs import Pairs, inverse
from graphedx.result import GedResult, StopReason

Floats = NDArray[np.float64]


class Solved(NamedTuple):
    """The inputs of a matrix and the answer to each of its pairs."""

    rows: Sequence[Graph]
    columns: Sequence[Graph]
    costs: EditCosts
    method: str
    pairs: Pairs
    answers: Answers


@dataclass(frozen=True, eq=False)
class DistanceMatrix(Bounded):
    """Proven bounds on the distance from each row's graph to each column's; arrays are read-only.

    ``lower <= distance <= upper`` in every cell, and where they meet the distance is ``proven``.

    >>> from graphedx import Graph, distance_matrix
    >>> path, ring = Graph(3, [(0, 1), (1, 2)]), Graph(3, [(0, 1), (1, 2), (0, 2)])
    >>> distance_matrix([path, ring]).distances
    array([[0., 1.],
           [1., 0.]])
    """

    remedy: ClassVar[str] = "raise the limits"

    lower: Floats  # (rows, columns)
    upper: Floats  # (rows, columns)
    stops: NDArray[np.int8]  # (rows, columns): places in tuple(StopReason)
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    _solved: Solved | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        shape = (len(self.rows), len(self.columns))
        for name in ("lower", "upper", "stops"):
            array = getattr(self, name)
            if array.shape != shape:
                raise GraphError(f"{name} must have the shape {shape} of the names, got {array.shape}")
            array.flags.writeable = False

    @classmethod
    def from_answers(cls, solved: Solved) -> DistanceMatrix:
        """Spread the answers over the cells; those on a diagonal that was left out are 0, by the identity."""
        shape = (len(solved.rows), len(solved.columns))
        row, column = solved.pairs.ends.T
        cells = []
        for values in (solved.answers.lower, solved.answers.upper, solved.answers.stops):
            cell = np.zeros(shape, dtype=values.dtype)  # STOPS[0] is PROVED
            cell[row, column] = values
            if solved.pairs.mirrored:
                cell[column, row] = values
            cells.append(cell)
        return cls(cells[0], cells[1], cells[2], _names(solved.rows), _names(solved.columns), solved)

    def __repr__(self) -> str:
        proven = int(np.count_nonzero(self.proven))
        return f"DistanceMatrix({len(self.rows)} x {len(self.columns)}, {proven} of {self.proven.size} proven)"

    def count(self, reason: StopReason) -> int:
        """In how many cells the solver stopped for this reason."""
        return int(np.count_nonzero(self.stops == STOPS.index(reason)))

    def result(self, row: int, column: int) -> GedResult:
        """The result of one cell, with its mapping and edit path; nothing is solved again.

        Raises:
            GraphError: the matrix was loaded from a file, which holds no graphs.
        """
        if self._solved is None:
            raise GraphError("this matrix was loaded from a file, which holds no graphs; use graphedx.ged on the pair")
        i, j = range(len(self.rows))[row], range(len(self.columns))[column]
        rows, columns, costs, method, pairs, answers = self._solved
        source, target = rows[i], columns[j]
        if not pairs.diagonal and i == j:
            return GedResult(source, target, costs, method, 0.0, 0.0, StopReason.PROVED, tuple(range(len(source))))
        if pairs.mirrored and i > j:
            lower, upper, images, stop, nodes = answers.get(pairs.number(j, i))
            images = inverse(images, len(source))
        else:
            lower, upper, images, stop, nodes = answers.get(pairs.number(i, j))
        return GedResult(source, target, costs, method, lower, upper, stop, tuple(images), nodes)

    def save(self, path: AnyPath, *, overwrite: bool = False) -> None:
        """Write ``.csv`` or ``.parquet`` with a row for each pair, or ``.npz`` with the arrays; whole or not at all."""
        from graphedx.matrix import files

        files.save(self, path, overwrite=overwrite)

    @classmethod
    def load(cls, path: AnyPath) -> DistanceMatrix:
        """A saved matrix, bounds and names; the graphs are not in the file, so ``result`` is not to be had."""
        from graphedx.matrix import files

        return files.load(path)


def _names(graphs: Sequence[Graph]) -> tuple[str, ...]:
    return tuple(graph.name or f"graph {i}" for i, graph in enumerate(graphs))
