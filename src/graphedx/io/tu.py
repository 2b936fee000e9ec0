"""TU Dortmund folders: NAME_A.txt, NAME_graph_indicator.txt and, optionally, label and attribute files.

Nodes carry ``label`` (NAME_node_labels.txt) and ``attributes`` (NAME_node_attributes.txt), edges likewise; which of
them make the label is chosen by ``node_label`` and ``edge_label``.
"""

from __future__ import annotations

import codecs
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx._files import atomic_folder
from graphedx._quoting import quoted
from graphedx.convert.labels import LabelRule, label_reader, merge_directions
from graphedx.errors import FormatError, GraphError, OutputError
from graphedx.graph import Graph, Label
from graphedx.io._budget import MAX_NODES
from graphedx.io._load import load

_Numbers = NDArray[np.int64]
_SUFFIXES = (
    *("A", "graph_indicator", "graph_labels", "graph_attributes"),
    *("node_labels", "node_attributes", "edge_labels", "edge_attributes"),
)  # of all files that a TU set may have


def is_tu_folder(path: Path) -> bool:
    """Whether the folder holds NAME_A.txt."""
    return any(path.glob("*_A.txt"))


def parse_folder(
    folder: Path, *, node_label: LabelRule = "label", edge_label: LabelRule = "label", directed: bool = False
) -> list[Graph]:
    """Every graph of a TU folder, named NAME-1, NAME-2, ..., its nodes 0, 1, ...

    Undirected edges are usually listed in both directions; the two are merged and must have the same label.
    """
    graphs, nodes = [], 0
    for graph in stream_folder(folder, node_label=node_label, edge_label=edge_label, directed=directed):
        nodes += len(graph)
        if nodes > MAX_NODES:
            raise FormatError(f"has more than the limit of {MAX_NODES:,} nodes")
        graphs.append(graph)
    return graphs


def stream_folder(
    folder: Path, *, node_label: LabelRule = "label", edge_label: LabelRule = "label", directed: bool = False
) -> Iterator[Graph]:
    """The graphs of ``parse_folder`` one at a time: the files are read whole, into few bytes a number."""
    prefix = _prefix(folder)
    owner = np.array(_table(folder, f"{prefix}_graph_indicator.txt", "q", width=1).values, dtype=np.int64)
    pairs = np.array(_table(folder, f"{prefix}_A.txt", "q", width=2).values, dtype=np.int64).reshape(-1, 2)
    nodes = _attributes(folder, prefix, "node", len(owner))
    edges = _attributes(folder, prefix, "edge", len(pairs))
    node_reader, edge_reader = label_reader(node_label), label_reader(edge_label, "edge_label")
    for number, part in enumerate(_split(owner, pairs, f"{prefix}_graph_indicator.txt", f"{prefix}_A.txt"), 1):
        yield _graph(
            f"{prefix}-{number}",
            [node_reader(_row(nodes, node)) for node in part.nodes],
            part.edges,
            [edge_reader(_row(edges, line)) for line in part.lines],
            directed,
        )


def write_folder(graphs: Sequence[Graph], folder: Path, overwrite: bool) -> None:
    """A TU folder; labels must be whole numbers, on all nodes (edges) or on none. Node names are not kept.

    Directed graphs are refused: nothing in the files says which way to read them.
    """
    prefix = folder.name
    files = _contents(graphs)
    if overwrite:
        _require_ours(folder, prefix)
    with atomic_folder(folder, overwrite=overwrite) as temporary:
        for suffix, lines in files.items():
            (temporary / f"{prefix}_{suffix}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="ascii")


def _require_ours(folder: Path, prefix: str) -> None:
    """Overwriting replaces the whole folder, so it must hold nothing but the files of a TU set of this name."""
    ours = {f"{prefix}_{suffix}.txt" for suffix in _SUFFIXES}
    try:
        foreign = sorted(
            path.name for path in folder.iterdir() if path.name not in ours or path.is_symlink() or not path.is_file()
        )
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise OutputError(f"{folder}: cannot be replaced: {(error.strerror or str(error)).lower()}") from None
    if foreign:
        raise OutputError(f"{folder}: holds {quoted(foreign[0])}, which is not part of a TU set; it was left as it is")


def _prefix(folder: Path) -> str:
    found = sorted(path.name.removesuffix("_A.txt") for path in folder.glob("*_A.txt"))
    if len(found) != 1:
        raise FormatError(f"a TU folder holds one NAME_A.txt, this one {len(found)}")
    return found[0]


@dataclass(frozen=True, slots=True)
class _Table:
    """The numbers of a file, row after row."""

    values: array[Any]
    width: int

    def __len__(self) -> int:
        return len(self.values) // self.width

    def column(self) -> Sequence[Label]:
        """One label a row: the number, or a tuple of the row's numbers."""
        if self.width == 1:
            return self.values
        return list(zip(*(self.values[i :: self.width] for i in range(self.width)), strict=True))


def _table(folder: Path, file: str, kind: str, width: int | None = None) -> _Table:
    """The comma-separated numbers of each line, whole ("q") or not ("d"); of the same width on every line."""
    try:
        content = load(folder / file).removeprefix(codecs.BOM_UTF8).rstrip()
    except FormatError as error:
        raise FormatError(f"{file}: {error}") from None
    values = array(kind)
    number: Callable[[bytes], Any] = int if kind == "q" else float
    for i, line in enumerate(BytesIO(content), 1):
        before = len(values)
        try:
            values.extend(map(number, line.split(b",")))
        except (ValueError, OverflowError):  # an int beyond 64 bits
            text = line.decode(errors="replace").rstrip("\r\n")[:60]
            raise FormatError(f"{file}: line {i} must hold numbers with commas between, got {quoted(text)}") from None
        width = width or len(values)
        if len(values) - before != width:
            raise FormatError(f"{file}: line {i} must hold {width} numbers, got {len(values) - before}")
    return _Table(values, width or 1)


def _attributes(folder: Path, prefix: str, kind: str, count: int) -> dict[str, Sequence[Label]]:
    columns: dict[str, Sequence[Label]] = {}
    for key, suffix, number in (("label", "labels", "q"), ("attributes", "attributes", "d")):
        file = f"{prefix}_{kind}_{suffix}.txt"
        if (folder / file).exists():
            rows = _table(folder, file, number)
            if len(rows) != count:
                raise FormatError(f"{file}: has {len(rows)} lines for {count} {kind}s")
            columns[key] = rows.column()
    return columns


def _row(columns: dict[str, Sequence[Label]], i: int) -> dict[str, Any]:
    return {key: column[i] for key, column in columns.items()}


class _Part(NamedTuple):
    """What belongs to one graph."""

    nodes: list[int]  # places in the files about nodes
    lines: list[int]  # places in the files about edges
    edges: list[tuple[int, int]]  # between places in ``nodes``


def _split(owner: _Numbers, pairs: _Numbers, indicator: str, adjacency: str) -> Iterator[_Part]:
    """Graph after graph, in the order of their numbers."""
    if len(owner) and not 1 <= owner.min() <= owner.max() <= len(owner):
        raise FormatError(f"{indicator}: graphs are numbered from 1 to at most the number of nodes, {len(owner)}")
    beyond = (pairs.min(axis=1) < 1) | (pairs.max(axis=1) > len(owner))
    if beyond.any():
        line, (u, v) = _first(beyond, pairs)
        raise FormatError(f"{adjacency}: line {line} names a node beyond 1 to {len(owner)}: {u}, {v}")
    ends = pairs - 1
    across = owner[ends[:, 0]] != owner[ends[:, 1]]
    if across.any():
        line, (u, v) = _first(across, pairs)
        raise FormatError(f"{adjacency}: line {line} joins nodes of two graphs: {u}, {v}")
    count = int(owner.max(initial=0))
    nodes, node_start = _grouped(owner, count)
    lines, line_start = _grouped(owner[ends[:, 0]], count)
    place = np.empty_like(owner)
    place[nodes] = np.arange(len(owner)) - node_start[owner[nodes] - 1]
    for i in range(count):
        of_graph = lines[line_start[i] : line_start[i + 1]]
        members = nodes[node_start[i] : node_start[i + 1]]
        yield _Part(members.tolist(), of_graph.tolist(), [(u, v) for u, v in place[ends[of_graph]].tolist()])


def _first(wrong: NDArray[np.bool_], pairs: _Numbers) -> tuple[int, list[int]]:
    line = int(wrong.argmax())
    return line + 1, pairs[line].tolist()


def _grouped(owner: _Numbers, count: int) -> tuple[_Numbers, _Numbers]:
    """The places ordered by owner, else as they are; and where those of owner 1, 2, ... begin."""
    order = np.argsort(owner, kind="stable")
    return order, np.searchsorted(owner[order], np.arange(1, count + 2))


def _graph(
    name: str, node_labels: list[Label], pairs: list[tuple[Any, Any]], edge_labels: list[Label], directed: bool
) -> Graph:
    try:
        if not directed:
            pairs, edge_labels = merge_directions(pairs, edge_labels)
        return Graph(
            len(node_labels), pairs, node_labels=node_labels, edge_labels=edge_labels, directed=directed, name=name
        )
    except GraphError as error:
        raise FormatError(f"graph {quoted(name)}: {error}") from None


def _contents(graphs: Sequence[Graph]) -> dict[str, list[str]]:
    files: dict[str, list[str]] = {"A": [], "graph_indicator": []}
    node_labels: list[Label] = []
    edge_labels: list[Label] = []
    first = 1
    for number, graph in enumerate(graphs, 1):
        if not len(graph):
            raise FormatError(f"graph {number} has no nodes, which a TU folder cannot hold")
        if graph.directed:
            raise FormatError(
                f"graph {number} is directed, and from a TU folder it would come back undirected; use json or graphml"
            )
        files["graph_indicator"] += [str(number)] * len(graph)
        node_labels += graph.node_labels
        for (u, v), label in zip(graph.edge_index, graph.edge_labels, strict=True):
            for a, b in ((u, v), (v, u)):
                files["A"].append(f"{first + a}, {first + b}")
                edge_labels.append(label)
        first += len(graph)
    for kind, labels in (("node", node_labels), ("edge", edge_labels)):
        if any(label is not None for label in labels):
            files[f"{kind}_labels"] = [_label_text(label, kind, labels[0]) for label in labels]
    return files


def _label_text(label: Label, kind: str, first: Label) -> str:
    numbers = label if isinstance(label, tuple) and len(label) > 1 else (label,)
    width = len(first) if isinstance(first, tuple) else 1
    if any(isinstance(n, int) and not -(2**63) <= n < 2**63 for n in numbers):  # may have too many digits to be shown
        raise FormatError(
            f"a TU folder holds whole numbers of 64 bits as {kind} labels, and here is a larger one; "
            "number the labels first"
        )
    if len(numbers) != width or not all(isinstance(n, int) and not isinstance(n, bool) for n in numbers):
        raise FormatError(
            f"a TU folder holds whole numbers as {kind} labels (or tuples of {width} of them), got {quoted(label)}; "
            "number the labels first"
        )
    return ", ".join(str(number) for number in numbers)
