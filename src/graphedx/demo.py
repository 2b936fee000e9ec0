"""A tour in one command: functions of the standard library as trees, all distances proven, one edit path drawn."""

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
from graphedx._files import AnyPath, atomic_write
from graphedx.api import DistanceMatrix, distance_matrix
from graphedx.costs import UNIT
from graphedx.engine import Report
from graphedx.errors import GraphError, OutputError
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
_PAGE, _PATH_PAGE, _MATRIX = "index.html", "path.html", "matrix.csv"
_NEAREST = 12


class DemoReport(NamedTuple):
    """What the demo did, and where its page is."""

    page: Path
    functions: int
    pairs: int
    proven: int
    seconds: float


def run(
    out: AnyPath = "demo-report", *, functions: int = 60, overwrite: bool = False, progress: bool | Report = True
) -> DemoReport:
    """Compare functions of the standard library and write ``index.html``, ``path.html`` and ``matrix.csv`` to a folder.

    Pairs that are not proven in a quarter of a second are counted, hatched in the heat map and left out of the table.
    """
    folder = Path(out)
    _prepare(folder, overwrite)
    graphs = library_functions(functions)
    start = perf_counter()
    matrix = distance_matrix(graphs, costs=UNIT, time_limit=SECONDS_A_PAIR, progress=progress)
    seconds = perf_counter() - start
    shown = interesting_pair(matrix, graphs)
    pairs = len(graphs) * (len(graphs) - 1) // 2
    proven = int(np.count_nonzero(np.triu(matrix.proven, 1)))
    report = DemoReport(folder / _PAGE, len(graphs), pairs, proven, seconds)
    pages = _pages(report, matrix, graphs, shown)
    matrix.save(folder / _MATRIX, overwrite=overwrite)
    for name, content in pages.items():
        with atomic_write(folder / name, overwrite=overwrite, mode="w") as file:
            file.write(content)
    return report


def library_functions(count: int) -> list[Graph]:
    """The same functions every time: of each module in turn one, plain names before dunder methods."""
    turns = zip_longest(*(_functions(module) for module in MODULES))
    chosen = [graph for turn in turns for graph in turn if graph is not None][:count]
    if len(chosen) < 2:
        raise GraphError("the source of Python's standard library is not installed, and the demo is about it")
    return chosen


def interesting_pair(matrix: DistanceMatrix, graphs: list[Graph]) -> GedResult:
    """A near pair from two modules whose edit path shows most kinds of edits; the nearest of these."""
    candidates = sorted(_cross_pairs(matrix, graphs))[: 4 * len(graphs)] or [(0.0, 0, 1)]
    results = [matrix.result(i, j) for _, i, j in candidates]
    return max(results, key=lambda r: len({type(edit) for edit in r.edit_path()}))  # of equals the first, the nearest


def _cross_pairs(matrix: DistanceMatrix, graphs: list[Graph]) -> Iterator[tuple[float, int, int]]:
    """(distance by size, row, column) of proven pairs of different functions from different modules."""
    for i, j in np.argwhere(np.triu(matrix.proven & (matrix.upper > 0), 1)).tolist():
        if _module(graphs[i]) != _module(graphs[j]):
            yield float(matrix.upper[i, j]) / (len(graphs[i]) + len(graphs[j])), i, j


def _prepare(folder: Path, overwrite: bool) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {(error.strerror or str(error)).lower()}") from None
    for name in (_PAGE, _PATH_PAGE, _MATRIX):
        if (folder / name).exists() and not overwrite:
            raise OutputError(
                f"{folder / name}: exists already and was left as it is; pass overwrite=True to replace it"
            )


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
        _renamed(graph, f"{module}.{graph.name}")
        for graph in found.values()
        if FEWEST_NODES <= len(graph) <= MOST_NODES and "<locals>" not in graph.name
    ]
    return tuple(sorted(fitting, key=lambda graph: "__" in graph.name))


def _module(graph: Graph) -> str:
    return max((module for module in MODULES if graph.name.startswith(f"{module}.")), key=len)


def _short_names(graphs: list[Graph]) -> list[str]:
    """Module and function, without the class between them where that is clear: a heat map has little room."""
    short = [f"{_module(graph)}.{graph.name.rpartition('.')[2]}" for graph in graphs]
    return [name if short.count(name) == 1 else graph.name for name, graph in zip(short, graphs, strict=True)]


def _renamed(graph: Graph, name: str) -> Graph:
    return Graph(graph.nodes, graph.edges, node_labels=graph.node_labels, name=name)


def _pages(report: DemoReport, matrix: DistanceMatrix, graphs: list[Graph], pair: GedResult) -> dict[str, str]:
    from graphedx.drawing import Section, clustered_heatmap_svg, edit_path_html, edit_path_svg, report_page

    title = f"{pair.source.name} → {pair.target.name}"
    path = pair.edit_path()
    optimal = "and no cheaper edits do" if pair.proven else f"and none of less than {pair.lower:g} do"
    sections = [
        Section(text=_summary(report), table=_numbers(report, graphs)),
        Section(
            "Every pair at once",
            "Each cell is the edit distance of two functions: dark is near, light is far. Rows and columns are in the "
            "order of a clustering, which is drawn on the left. Hover over a cell for its pair and distance.",
            clustered_heatmap_svg(matrix.upper, _short_names(graphs), proven=matrix.proven, dark=None),
        ),
        Section(
            f"One pair, edit by edit: {title}",
            f"These {len(path)} edits turn the tree on the left into the one on the right at a cost of {path.cost:g}, "
            f"{optimal}. Nodes that are matched have the same colour on both sides.",
            edit_path_svg(path, dark=None),
            links=[("Step through these edits", _PATH_PAGE)],
        ),
        Section("Nearest neighbours", _nearest_text(matrix), table=_nearest_table(matrix, graphs)),
        Section(links=[("All distances as CSV", _MATRIX)]),
    ]
    return {
        _PAGE: report_page("How alike are the functions of Python's standard library?", sections),
        _PATH_PAGE: edit_path_html(path, title=title),
    }


def _summary(report: DemoReport) -> list[str]:
    unproven = report.pairs - report.proven
    certainty = (
        "Every distance is proven: no cheaper edits exist for any pair."
        if unproven == 0
        else f"{unproven} of them could not be proven in {SECONDS_A_PAIR:g} s; they are hatched, at their upper bound."
    )
    return [
        f"{report.functions} functions, each as its abstract syntax tree: a node for each piece of syntax, labelled by "
        "its kind. The graph edit distance of two functions is the least number of edits (insert, delete or relabel a "
        "node, insert or delete an edge) that turn one tree into the other; names and constants do not count.",
        certainty,
    ]


def _numbers(report: DemoReport, graphs: list[Graph]) -> list[list[object]]:
    sizes = [len(graph) for graph in graphs]
    return [
        ["functions", "nodes each", "pairs", "proven", "total time", "mean time a pair"],
        [
            str(report.functions),
            f"{min(sizes)} to {max(sizes)}",
            f"{report.pairs:,}",
            f"{100 * report.proven / report.pairs:.4g} %",
            f"{report.seconds:.2f} s",
            f"{1000 * report.seconds / report.pairs:.2g} ms",
        ],
    ]


def _nearest_text(matrix: DistanceMatrix) -> str:
    same = int(np.count_nonzero(np.triu(matrix.proven & (matrix.upper == 0), 1)))
    alike = {0: "No pair has", 1: "One pair has"}.get(same, f"{same} pairs have")
    return f"{alike} the very same tree. These from different modules come next, by distance for their size:"


def _nearest_table(matrix: DistanceMatrix, graphs: list[Graph]) -> list[list[object]]:
    rows = [
        [graphs[i].name, graphs[j].name, float(matrix.upper[i, j]), len(graphs[i]), len(graphs[j])]
        for _, i, j in sorted(_cross_pairs(matrix, graphs))[:_NEAREST]
    ]
    return [["function", "function of another module", "distance", "nodes", "nodes of the other"], *rows]
