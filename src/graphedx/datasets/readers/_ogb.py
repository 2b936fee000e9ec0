"""The raw folders of the Open Graph Benchmark: one long table each of edges and node features, cut by counts.

See Hu et al., "Open Graph Benchmark: Datasets for Machine Learning on Graphs", 2020.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from graphedx._quoting import quoted
from graphedx.convert.labels import merge_directions
from graphedx.datasets.readers._files import Lines, files_below, unpacked_name
from graphedx.errors import DatasetError, FormatError, GraphError
from graphedx.graph import Graph, Label
from graphedx.io._budget import NodeBudget

NodeLabel = Callable[[str], Label]
"""From the first feature of a node or an edge to its label; what it does not know is a ValueError that says so."""


class Raw(NamedTuple):
    """The files of a raw folder."""

    nodes: Path  # how many nodes each graph has
    edges: Path  # how many edges
    pairs: Path  # the edges, each by the places of its ends in its graph
    node_features: Path
    edge_features: Path | None


def find(path: Path) -> Raw | None:
    """The raw folder at or below this one, if there is one; two of them, or one without its files, are refused."""
    if not path.is_dir():
        return None
    tables = [file for file in files_below(path, "edge.csv") if unpacked_name(file) == "edge.csv"]
    if not tables:
        return None
    if len(tables) > 1:
        raise DatasetError(f"{path}: holds {len(tables)} files edge.csv.gz; give the folder of one dataset")
    folder = tables[0].parent
    there = {unpacked_name(file): file for file in files_below(folder, ".csv") if file.parent == folder}
    missing = [name for name in ("num-node-list", "num-edge-list", "node-feat") if f"{name}.csv" not in there]
    if missing:
        raise DatasetError(f"{folder}: has edge.csv.gz but no {missing[0]}.csv.gz, which an OGB raw folder has")
    return Raw(
        there["num-node-list.csv"],
        there["num-edge-list.csv"],
        tables[0],
        there["node-feat.csv"],
        there.get("edge-feat.csv"),
    )


def graphs(raw: Raw, prefix: str, node_label: NodeLabel, edge_label: NodeLabel | None = None) -> Iterator[Graph]:
    """Undirected graphs named PREFIX-0, PREFIX-1, ... as OGB numbers them; an edge listed both ways is one edge.

    All tables are read in step, so that never more than one graph is in memory, and what the counts announce must be
    there, no more and no less.
    """
    nodes, edges = Lines(raw.nodes), Lines(raw.edges)
    most = _most_nodes(raw)
    pairs, node_features = Lines(raw.pairs), Lines(raw.node_features)
    edge_features = Lines(raw.edge_features) if raw.edge_features and edge_label else None
    number = -1
    for number, text in enumerate(nodes):
        node_count = _count(nodes, text, most)
        [edges_text] = edges.take(1, f"{raw.nodes.name} goes on: both have a line for every graph")
        edge_count = _count(edges, edges_text, most)
        ends = _pairs(pairs, edge_count, node_count, f"graph {number} has {edge_count} edges by {raw.edges.name}")
        node_labels = _labels(node_features, node_count, node_label, f"graph {number} has {node_count} nodes")
        edge_labels: Sequence[Label] = [None] * edge_count
        if edge_features and edge_label:
            edge_labels = _labels(edge_features, edge_count, edge_label, f"graph {number} has {edge_count} edges")
        try:
            merged, merged_labels = merge_directions(ends, edge_labels)
            yield Graph(
                node_count,
                merged,
                node_labels=node_labels,
                edge_labels=merged_labels if edge_features else None,
                name=f"{prefix}-{number}",
            )
        except GraphError as error:
            raise FormatError(f"{raw.pairs}: graph {number}: {error}") from None
    if number < 0:
        raise FormatError(f"{raw.nodes}: the file is empty")
    for table in filter(None, (edges, pairs, node_features, edge_features)):
        table.require_end(f"{raw.nodes.name} and {raw.edges.name} announce less")


def _most_nodes(raw: Raw) -> int:
    """Return how many nodes, and edges, one graph may have; packed files hold up to a thousand times their size.

    The limit goes by the files as they are on disk, which have about one byte for each node of a whole dataset.
    """
    size = sum(file.stat().st_size for file in raw if file is not None and file.is_file())
    return NodeBudget(size).limit


def _count(lines: Lines, text: str, most: int) -> int:
    try:
        count = int(text)
    except ValueError:
        count = -1
    if not 0 <= count <= most:
        raise lines.error(f"must be a number from 0 to {most} (for files of this size), got {quoted(text)}")
    return count


def _pairs(lines: Lines, count: int, nodes: int, why: str) -> list[tuple[int, int]]:
    result = []
    for i, line in enumerate(lines.take(count, why), 1):
        try:
            u, v = line.split(",")
            pair = int(u), int(v)
        except ValueError:
            raise lines.error(f"must be two node numbers, got {quoted(line)}", back=count - i) from None
        if not (0 <= pair[0] < nodes and 0 <= pair[1] < nodes):
            raise lines.error(f"names a node beyond 0 to {nodes - 1}: {quoted(line)}", back=count - i)
        result.append(pair)
    return result


def _labels(lines: Lines, count: int, label: NodeLabel, why: str) -> list[Label]:
    result = []
    for i, line in enumerate(lines.take(count, why), 1):
        try:
            result.append(label(line.partition(",")[0]))
        except ValueError as error:
            raise lines.error(f"{error}", back=count - i) from None
    return result
