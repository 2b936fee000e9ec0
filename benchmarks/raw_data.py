"""Reads the folder of raw data of fixed benchmark pairs and public data sets; nothing of it is in the repository."""

from __future__ import annotations

import gzip
import io
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple, cast

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from graphedx import EditCosts, Graph, read_all


class Benchmark(NamedTuple):
    """Fixed pairs of unlabelled graphs."""

    graphs: list[Graph]
    pairs: list[tuple[int, int]]


def read_benchmark(path: Path) -> Benchmark:
    """G, then a line "n m u1 v1 ..." a graph; then P, then a line "i j" a pair."""
    numbers = iter(path.read_text().split())
    graphs = []
    for _ in range(int(next(numbers))):
        n, m = int(next(numbers)), int(next(numbers))
        graphs.append(Graph(n, [(int(next(numbers)), int(next(numbers))) for _ in range(m)]))
    pairs = [(int(next(numbers)), int(next(numbers))) for _ in range(int(next(numbers)))]
    return Benchmark(graphs, pairs)


def write_benchmark(benchmark: Benchmark, path: Path) -> None:
    """The same format, for programs that read it."""
    lines = [str(len(benchmark.graphs))]
    for graph in benchmark.graphs:
        ends = " ".join(f"{u} {v}" for u, v in graph.edge_index)
        lines.append(f"{len(graph)} {graph.num_edges} {ends}")
    lines += [str(len(benchmark.pairs)), *(f"{i} {j}" for i, j in benchmark.pairs)]
    path.write_text("\n".join(lines) + "\n")


def read_truth(path: Path) -> list[tuple[int, int, int]]:
    """(i, j, the proven maximum number of common edges) of every pair."""
    rows = (line.split() for line in path.read_text().splitlines())
    return [(int(i), int(j), int(common)) for i, j, common in rows]


def distance_from_common(source: Graph, target: Graph, common: int, costs: EditCosts) -> float:
    """The distance of graphs with so many common edges, under costs that are numbers and relabel for nothing."""
    node_del, node_ins, edge_del, edge_ins = numbers(costs)
    grown = len(target) - len(source)
    nodes = node_del * max(0, -grown) + node_ins * max(0, grown)
    return nodes + edge_del * (source.num_edges - common) + edge_ins * (target.num_edges - common)


def numbers(costs: EditCosts) -> tuple[float, float, float, float]:
    if not (costs.all_numbers and costs.node_sub == costs.edge_sub == 0):
        raise ValueError(f"costs must be numbers that relabel for nothing, got {costs}")
    node_del, node_ins, edge_del, edge_ins = costs.node_del, costs.node_ins, costs.edge_del, costs.edge_ins
    return cast("tuple[float, float, float, float]", (node_del, node_ins, edge_del, edge_ins))


def read_tu(archive: Path) -> list[Graph]:
    """Every labelled graph of a packed TU folder."""
    with tempfile.TemporaryDirectory() as folder, tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
        (matrix,) = Path(folder).rglob("*_A.txt")
        return read_all(matrix.parent)


def read_gexf_folders(archive: Path, label: str | None) -> dict[str, list[Graph]]:
    """ "train" and "test" -> their graphs, by increasing id."""
    found: dict[str, list[tuple[int, Graph]]] = {}
    with tarfile.open(archive) as tar:
        for member in tar.getmembers():
            path, file = Path(member.name), tar.extractfile(member) if member.isfile() else None
            if file is None or path.suffix != ".gexf":
                continue
            graph = Graph.from_networkx(nx.read_gexf(io.BytesIO(file.read())), node_label=label, edge_label=None)
            found.setdefault(path.parent.name, []).append((int(path.stem), graph))
    return {name: [graph for _, graph in sorted(some, key=lambda item: item[0])] for name, some in found.items()}


def read_table(path: Path) -> NDArray[np.float64]:
    """A packed matrix: .npy.gz, or .csv.gz with a header line and a first column of ids."""
    with gzip.open(path) as file:
        if path.name.endswith(".npy.gz"):
            matrix: NDArray[np.float64] = np.load(io.BytesIO(file.read()))
            return matrix
        rows = [line.decode().split(",")[1:] for line in file][1:]
    return np.array(rows, dtype=np.float64)
