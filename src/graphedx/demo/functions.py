"""Functions of the standard library, compared with each other: all distances, and one pair that is worth showing."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

from graphedx import io
from graphedx.api import DistanceMatrix, distance_matrix
from graphedx.costs import UNIT
from graphedx.engine import Report
from graphedx.errors import GraphError
from graphedx.graph import Graph
from graphedx.result import GedResult

MODULES = (
    *("textwrap", "string", "statistics", "functools", "random", "shlex", "fractions", "calendar", "reprlib"),
    *("contextlib", "glob", "fnmatch", "shutil", "tempfile", "base64", "hmac", "secrets", "queue", "types"),
    *("dataclasses", "difflib", "json.decoder", "json.encoder", "copy", "heapq", "bisect", "colorsys", "sched"),
    *("configparser", "csv", "argparse", "collections", "enum", "operator", "numbers", "ipaddress", "logging"),
)
FEWEST_NODES, MOST_NODES = 8, 25
SECONDS_A_PAIR = 0.25


class Comparison(NamedTuple):
    """All distances between some functions, and how long they took."""

    graphs: list[Graph]
    matrix: DistanceMatrix
    seconds: float

    @property
    def pairs(self) -> int:
        return len(self.graphs) * (len(self.graphs) - 1) // 2

    @property
    def proven(self) -> int:
        return int(np.count_nonzero(np.triu(self.matrix.proven, 1)))


def library_functions(count: int | None = None) -> list[Graph]:
    """The same functions every time, so many or all: of each module in turn one, plain names before dunder methods."""
    turns = zip_longest(*(_functions(module) for module in MODULES))
    chosen = [graph for turn in turns for graph in turn if graph is not None][:count]
    if len(chosen) < 2:
        raise GraphError("the source of Python's standard library is not installed, and the demo is about it")
    return chosen


def compared(graphs: list[Graph], progress: bool | Report) -> Comparison:
    """The distances of all pairs, relabelling included; pairs that take longer than ``SECONDS_A_PAIR`` keep bounds."""
    start = perf_counter()
    matrix = distance_matrix(graphs, costs=UNIT, time_limit=SECONDS_A_PAIR, progress=progress)
    return Comparison(graphs, matrix, perf_counter() - start)


def interesting_pair(matrix: DistanceMatrix, graphs: list[Graph]) -> GedResult:
    """A near pair from two modules whose edit path shows most kinds of edits; the nearest of these."""
    candidates = sorted(cross_pairs(matrix, graphs))[: 4 * len(graphs)] or [(0.0, 0, 1)]
    results = [matrix.result(i, j) for _, i, j in candidates]
    return max(results, key=lambda r: len({type(edit) for edit in r.edit_path()}))  # of equals the first, the nearest


def cross_pairs(matrix: DistanceMatrix, graphs: list[Graph]) -> Iterator[tuple[float, int, int]]:
    """(distance by size, row, column) of proven pairs of different functions from different modules."""
    for i, j in np.argwhere(np.triu(matrix.proven & (matrix.upper > 0), 1)).tolist():
        if module_of(graphs[i]) != module_of(graphs[j]):
            yield float(matrix.upper[i, j]) / (len(graphs[i]) + len(graphs[j])), i, j


def module_of(graph: Graph) -> str:
    return max((module for module in MODULES if graph.name.startswith(f"{module}.")), key=len)


def short_names(graphs: list[Graph]) -> list[str]:
    """Module and function, without the class between them where that is clear: a heat map has little room."""
    short = [f"{module_of(graph)}.{graph.name.rpartition('.')[2]}" for graph in graphs]
    return [name if short.count(name) == 1 else graph.name for name, graph in zip(short, graphs, strict=True)]


@lru_cache
def _functions(module: str) -> tuple[Graph, ...]:
    """The functions and methods of a module that have a suitable size, those of equal name once."""
    try:
        spec = importlib.util.find_spec(module)
    except ImportError:
        return ()
    if spec is None or spec.origin is None or not spec.origin.endswith(".py") or not Path(spec.origin).is_file():
        return ()  # built in, frozen, or only compiled
    found = {graph.name: graph for graph in io.read_all(spec.origin, format="python")}
    fitting = [
        graph.renamed(f"{module}.{graph.name}")
        for graph in found.values()
        if FEWEST_NODES <= len(graph) <= MOST_NODES and "<locals>" not in graph.name
    ]
    return tuple(sorted(fitting, key=lambda graph: "__" in graph.name))
