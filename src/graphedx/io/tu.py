"""TU Dortmund folders: NAME_A.txt, NAME_graph_indicator.txt and, optionally, label and attribute files.

Nodes carry ``label`` (NAME_node_labels.txt) and ``attributes`` (NAME_node_attributes.txt), edges likewise; which of
them make the label is chosen by ``node_label`` and ``edge_label``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from graphedx._files import atomic_folder
from graphedx.convert.labels import LabelRule, label_reader, merge_directions
from graphedx.errors import FormatError, GraphError, OutputError
from graphedx.graph import Graph, Label
from graphedx.io._load import decode, load


def is_tu_folder(path: Path) -> bool:
    """Whether the folder holds NAME_A.txt."""
    return any(path.glob("*_A.txt"))


def parse_folder(
    folder: Path, *, node_label: LabelRule = "label", edge_label: LabelRule = "label", directed: bool = False
) -> list[Graph]:
    """Every graph of a TU folder, named NAME-1, NAME-2, ..., its nodes 0, 1, ...

    Undirected edges are usually listed in both directions; the two are merged and must have the same label.
    """
    prefix = _prefix(folder)
    owner = [number for (number,) in _table(folder, f"{prefix}_graph_indicator.txt", int, width=1)]
    pairs = _table(folder, f"{prefix}_A.txt", int, width=2)
    nodes = _attributes(folder, prefix, "node", len(owner))
    edges = _attributes(folder, prefix, "edge", len(pairs))
    node_reader, edge_reader = label_reader(node_label), label_reader(edge_label, "edge_label")
    parts = _split(owner, pairs, f"{prefix}_graph_indicator.txt", f"{prefix}_A.txt")
    graphs = []
    for number, (members, lines) in enumerate(parts, 1):
        place = {node: i for i, node in enumerate(members)}
        graphs.append(
            _graph(
                f"{prefix}-{number}",
                [node_reader(_row(nodes, node - 1)) for node in members],
                [(place[pairs[line][0]], place[pairs[line][1]]) for line in lines],
                [edge_reader(_row(edges, line)) for line in lines],
                directed,
            )
        )
    return graphs


def write_folder(graphs: Sequence[Graph], folder: Path, overwrite: bool) -> None:
    """A TU folder; labels must be whole numbers, on all nodes (edges) or on none. Node names are not kept."""
    prefix = folder.name
    files = _contents(graphs)
    if overwrite:
        _require_ours(folder, prefix)
    with atomic_folder(folder, overwrite=overwrite) as temporary:
        for suffix, lines in files.items():
            (temporary / f"{prefix}_{suffix}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="ascii")


def _require_ours(folder: Path, prefix: str) -> None:
    """Overwriting replaces the whole folder, so it must hold nothing but a TU set of this name."""
    try:
        foreign = [path.name for path in folder.iterdir() if not path.name.startswith(f"{prefix}_")]
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise OutputError(f"{folder}: cannot be replaced: {(error.strerror or str(error)).lower()}") from None
    if foreign:
        raise OutputError(f"{folder}: holds {foreign[0]!r}, which is not part of a TU set; it was left as it is")


def _prefix(folder: Path) -> str:
    found = sorted(path.name.removesuffix("_A.txt") for path in folder.glob("*_A.txt"))
    if len(found) != 1:
        raise FormatError(f"a TU folder holds one NAME_A.txt, this one {len(found)}")
    return found[0]


def _table(folder: Path, file: str, number: Callable[[str], Any], width: int | None = None) -> list[tuple[Any, ...]]:
    """The comma-separated numbers of each line; of the same width on every line."""
    try:
        lines = decode(load(folder / file)).splitlines()
    except FormatError as error:
        raise FormatError(f"{file}: {error}") from None
    rows: list[tuple[Any, ...]] = []
    while lines and not lines[-1].strip():
        lines.pop()
    for i, line in enumerate(lines, 1):
        try:
            row = tuple(number(entry) for entry in line.split(","))
        except ValueError:
            raise FormatError(f"{file}: line {i} must hold numbers with commas between, got {line[:60]!r}") from None
        width = width or len(row)
        if len(row) != width:
            raise FormatError(f"{file}: line {i} must hold {width} numbers, got {len(row)}")
        rows.append(row)
    return rows


def _attributes(folder: Path, prefix: str, kind: str, count: int) -> dict[str, list[Label]]:
    columns: dict[str, list[Label]] = {}
    for key, suffix, number in (("label", "labels", int), ("attributes", "attributes", float)):
        file = f"{prefix}_{kind}_{suffix}.txt"
        if (folder / file).exists():
            rows = _table(folder, file, number)
            if len(rows) != count:
                raise FormatError(f"{file}: has {len(rows)} lines for {count} {kind}s")
            columns[key] = [row[0] if len(row) == 1 else row for row in rows]
    return columns


def _row(columns: dict[str, list[Label]], i: int) -> dict[str, Any]:
    return {key: column[i] for key, column in columns.items()}


def _split(
    owner: list[int], pairs: list[tuple[Any, ...]], indicator: str, adjacency: str
) -> list[tuple[list[int], list[int]]]:
    """For each graph its nodes (numbered from 1 over the whole set) and its lines in NAME_A.txt."""
    if owner and not 1 <= min(owner) <= max(owner) <= len(owner):
        raise FormatError(f"{indicator}: graphs are numbered from 1 to at most the number of nodes, {len(owner)}")
    parts: list[tuple[list[int], list[int]]] = [([], []) for _ in range(max(owner, default=0))]
    for node, number in enumerate(owner, 1):
        parts[number - 1][0].append(node)
    for line, (u, v) in enumerate(pairs):
        if not (1 <= u <= len(owner) and 1 <= v <= len(owner)):
            raise FormatError(f"{adjacency}: line {line + 1} names a node beyond 1 to {len(owner)}: {u}, {v}")
        if owner[u - 1] != owner[v - 1]:
            raise FormatError(f"{adjacency}: line {line + 1} joins nodes of two graphs: {u}, {v}")
        parts[owner[u - 1] - 1][1].append(line)
    return parts


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
        raise FormatError(f"graph {name!r}: {error}") from None


def _contents(graphs: Sequence[Graph]) -> dict[str, list[str]]:
    files: dict[str, list[str]] = {"A": [], "graph_indicator": []}
    node_labels: list[Label] = []
    edge_labels: list[Label] = []
    first = 1
    for number, graph in enumerate(graphs, 1):
        if not len(graph):
            raise FormatError(f"graph {number} has no nodes, which a TU folder cannot hold")
        files["graph_indicator"] += [str(number)] * len(graph)
        node_labels += graph.node_labels
        for (u, v), label in zip(graph.edge_index, graph.edge_labels, strict=True):
            for a, b in ((u, v),) if graph.directed else ((u, v), (v, u)):
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
    if len(numbers) != width or not all(isinstance(n, int) and not isinstance(n, bool) for n in numbers):
        raise FormatError(
            f"a TU folder holds whole numbers as {kind} labels (or tuples of {width} of them), got {label!r}; "
            "number the labels first"
        )
    return ", ".join(str(number) for number in numbers)
