"""The paper's data sets as its text and notebook make them, and the numbers that it reports."""

from __future__ import annotations

import gzip
import json
import random
import warnings
from collections.abc import Iterable
from itertools import combinations_with_replacement
from pathlib import Path

import networkx as nx

from graphedx import Graph, ged
from graphedx.costs import UNIFORM
from record import load
from shared_data import read_gexf_folders, read_tu

MOST_NODES = 20
MOST_GRAPHS = 1000
SETS = ("AIDS", "Mutag", "Linux", "Code2-like")
"""The sets of the figure; the paper's Code2 is not at hand, see ``read_code``."""


def read_set(name: str, data: Path) -> list[Graph]:
    """Structure only, at most 20 nodes, the first of every isomorphism class in the order of the file."""
    raw = data / "data" / "raw"
    if name == "AIDS":
        return classes(read_tu(raw / "AIDS" / "AIDS_TU.tar.gz"))
    if name == "Mutag":
        return classes(read_tu(raw / "Mutagenicity" / "Mutagenicity_TU.tar.gz"))
    if name == "Linux":
        folders = read_gexf_folders(raw / "Linux" / "LINUX_gexf.tar.gz", None)
        return classes([*folders["train"], *folders["test"]])
    if name == "Code2-like":
        return classes(read_code(raw / "Code2_substitute" / "python_stdlib_ast_le20.jsonl.gz"))
    raise ValueError(f"there is no set {name!r}; there are {', '.join(SETS)}")


def read_code(path: Path) -> list[Graph]:
    """Syntax trees of the standard library's functions that have docstrings, as all of ogbg-code2's have."""
    with gzip.open(path, "rt") as file:
        trees = [json.loads(line) for line in file]
    return [Graph(tree["n"], map(tuple, tree["edges"])) for tree in trees if tree["doc"]]


def classes(graphs: Iterable[Graph]) -> list[Graph]:
    """The first graph of every isomorphism class."""
    alike: dict[str, list[Graph]] = {}
    found: list[Graph] = []
    for graph in (graph.unlabelled() for graph in graphs if len(graph) <= MOST_NODES):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # networkx tells that its hashes changed once; ours are not kept
            key = nx.weisfeiler_lehman_graph_hash(graph.to_networkx(), iterations=4)
        if not any(
            ged(graph, other, costs=UNIFORM, method="exact", cutoff=0).upper == 0 for other in alike.get(key, ())
        ):
            alike.setdefault(key, []).append(graph)
            found.append(graph)
    return found[:MOST_GRAPHS]


def tested_graphs(graphs: list[Graph]) -> list[Graph]:
    """The last fifth after the paper's shuffle."""
    shuffled = list(graphs)
    random.Random(0).shuffle(shuffled)
    return shuffled[int(0.6 * len(shuffled)) + int(0.2 * len(shuffled)) :]


def sampled_pairs(graphs: list[Graph], count: int, seed: int) -> list[tuple[int, int]]:
    """Some of the pairs i <= j that the paper tests on, a graph with itself too."""
    pairs = list(combinations_with_replacement(range(len(graphs)), 2))
    return random.Random(seed).sample(pairs, min(count, len(pairs)))


def reported_mse(data: Path) -> dict[tuple[str, str], float]:
    """(data set, costs) -> the MSE of the paper's GraphEdX on its test pairs; empty if the tables are not there."""
    rows = load(data / "paper" / "tables.csv")
    return {
        (row["dataset"], row["costs"]): float(row["value"])
        for row in rows
        if (row["table"], row["method"], row["metric"]) == ("baselines", "GraphEdX", "MSE")
    }
