"""Large graphs from real pieces, and copies of them with a known number of random edits; seeded, no download needed."""

from __future__ import annotations

import ast
import csv
import gzip
import random
import sysconfig
import warnings
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from graphedx import Graph
from graphedx.graph import Label

MOST_BONDS = 3  # an atom with more gets no further one when molecules are joined
FUNCTIONS_A_MODULE = 10

Edges = dict[tuple[int, int], Label]


def labelled_edges(graph: Graph) -> Edges:
    return dict(zip(graph.edge_index, graph.edge_labels, strict=True))


# -- molecules --------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=2)
def smiles(data: Path | None) -> tuple[str, ...]:
    """Connected molecules: the folder of raw data's MUV set, else the first 5,000 of NCI's, which come with rdkit."""
    if data is not None:
        with gzip.open(data / "data" / "raw" / "PCBA_substitute" / "muv_smiles.csv.gz", "rt", newline="") as file:
            found = [row["smiles"] for row in csv.DictReader(file)]
    else:
        from rdkit import RDConfig

        lines = (Path(RDConfig.RDDataDir) / "NCI" / "first_5K.smi").read_text().splitlines()
        found = [line.split()[0] for line in lines if line.strip()]
    return tuple(text for text in found if "." not in text)


def molecule(nodes: int, seed: int, data: Path | None = None) -> Graph:
    """Random molecules joined by single bonds, each to the one before; the last is cut so that the size is exact."""
    rng = random.Random(f"molecule/{nodes}/{seed}")
    labels: list[Label] = []
    edges: Edges = {}
    before: list[int] = []  # where the next molecule may be joined
    while len(labels) < nodes:
        piece = first_reached(Graph.from_smiles(rng.choice(smiles(data)), strict=False), nodes - len(labels))
        offset = len(labels)
        labels += piece.node_labels
        edges.update({(offset + u, offset + v): label for (u, v), label in labelled_edges(piece).items()})
        around = neighbours(piece)
        free = [offset + node for node in range(len(piece)) if len(around[node]) <= MOST_BONDS] or [offset]
        if before:
            edges[rng.choice(before), rng.choice(free)] = "SINGLE"
        before = free
    return Graph(nodes, list(edges), node_labels=labels, edge_labels=list(edges.values()), name=f"molecule {nodes}")


def neighbours(graph: Graph) -> list[list[int]]:
    around: list[list[int]] = [[] for _ in range(len(graph))]
    for u, v in graph.edge_index:
        around[u].append(v)
        around[v].append(u)
    return around


def first_reached(graph: Graph, most: int) -> Graph:
    """The first ``most`` nodes that a breadth-first walk from node 0 meets, with the edges between them."""
    around, order, place = neighbours(graph), [0], {0: 0}
    for node in order:  # grows as we go
        for other in around[node]:
            if other not in place and len(order) < most:
                place[other] = len(order)
                order.append(other)
    edges = {(place[u], place[v]): w for (u, v), w in labelled_edges(graph).items() if u in place and v in place}
    labels = [graph.node_labels[node] for node in order]
    return Graph(len(order), list(edges), node_labels=labels, edge_labels=list(edges.values()))


# -- programs ---------------------------------------------------------------------------------------------------------


def program(nodes: int, seed: int) -> Graph:
    """Functions of Python's standard library below one root: syntax trees with the order of siblings and name uses.

    Directed, as program graphs are. Node labels are AST types; edge labels are "child", "next sibling" and "next use"
    (from a name to its next occurrence in the function). Which functions there are depends on the Python version.
    """
    rng = random.Random(f"program/{nodes}/{seed}")
    folder = Path(sysconfig.get_paths()["stdlib"])
    modules = sorted(path for path in folder.glob("*.py") if not path.name.startswith("_"))
    rng.shuffle(modules)
    labels: list[Label] = ["Module"]
    edges: Edges = {}
    before = None
    for function in (function for path in modules for function in some_functions(path, rng)):
        if len(labels) == nodes:
            break
        root = len(labels)
        edges[0, root] = "child"
        if before is not None:
            edges[before, root] = "next sibling"
        before = root
        add_tree(function, nodes, labels, edges)
    if len(labels) < nodes:
        raise ValueError(f"the standard library gave {len(labels)} nodes; ask for fewer than {nodes}")
    ends = list(edges)
    return Graph(
        nodes, ends, node_labels=labels, edge_labels=list(edges.values()), directed=True, name=f"program {nodes}"
    )


def some_functions(path: Path, rng: random.Random) -> list[ast.stmt]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the code that is read
        tree = ast.parse(path.read_bytes())
    found: list[ast.stmt] = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    return rng.sample(found, min(len(found), FUNCTIONS_A_MODULE))


def add_tree(function: ast.stmt, most: int, labels: list[Label], edges: Edges) -> None:
    """Append the function's tree in preorder, until there are ``most`` nodes. Load and Store are left out."""
    last_use: dict[str, int] = {}
    last_child: dict[int, int] = {}
    pending: list[tuple[ast.AST, int | None]] = [(function, None)]
    while pending and len(labels) < most:
        node, parent = pending.pop()
        here = len(labels)
        labels.append(type(node).__name__)
        if parent is not None:
            edges[parent, here] = "child"
            if parent in last_child:
                edges[last_child[parent], here] = "next sibling"
            last_child[parent] = here
        name = node.id if isinstance(node, ast.Name) else node.arg if isinstance(node, ast.arg) else None
        if name is not None:
            if name in last_use:
                edges.setdefault((last_use[name], here), "next use")  # siblings already: one edge only
            last_use[name] = here
        children = [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr_context)]
        pending += [(child, here) for child in reversed(children)]


# -- edits ------------------------------------------------------------------------------------------------------------


class Edited(NamedTuple):
    """An edited copy, and what its edits cost if each costs 1: an upper bound on the distance from the original."""

    graph: Graph
    planted: int


def edited(graph: Graph, count: int, seed: int) -> Edited:
    """A copy with ``count`` random edits and its nodes in random order.

    Edits relabel a node or an edge, delete or insert an edge, insert a node with an edge or delete a leaf with its
    edge (two edits each), all as likely where they are possible. No node or edge is edited twice, so that few edits
    undo each other; where the graph is too small for that, fewer are applied, and ``planted`` says how many.
    """
    rng = random.Random(f"edited/{count}/{seed}")
    draft, planted = _Draft(graph, rng), 0
    while planted < count:
        kinds = [(edit, cost) for edit, cost in draft.edits if planted + cost <= count]
        rng.shuffle(kinds)
        cost = next((cost for edit, cost in kinds if edit()), 0)
        if not cost:
            break
        planted += cost
    return Edited(draft.shuffled(), planted)


class _Draft:
    """A graph that can be changed. Every edit answers whether it could be done."""

    def __init__(self, graph: Graph, rng: random.Random) -> None:
        self.rng, self.directed, self.name = rng, graph.directed, f"{graph.name}, edited"
        self.nodes: dict[int, Label] = dict(enumerate(graph.node_labels))
        self.edges = labelled_edges(graph)
        self.at: dict[int, set[tuple[int, int]]] = {node: set() for node in self.nodes}
        for u, v in self.edges:
            self.at[u].add((u, v))
            self.at[v].add((u, v))
        # Dictionaries rather than sets: their order, and so what is drawn, is the same in every process.
        self.node_labels, self.edge_labels = (
            list(dict.fromkeys(graph.node_labels)),
            list(dict.fromkeys(graph.edge_labels)),
        )
        self.fresh_nodes, self.fresh_edges = dict.fromkeys(self.nodes), dict.fromkeys(self.edges)
        self.edits: list[tuple[Callable[[], bool], int]] = [
            (self.relabel_node, 1),
            (self.relabel_edge, 1),
            (self.delete_edge, 1),
            (self.insert_edge, 1),
            (self.insert_node, 2),
            (self.delete_leaf, 2),
        ]

    def relabel_node(self) -> bool:
        if not self.fresh_nodes or len(self.node_labels) < 2:
            return False
        node = self.rng.choice(list(self.fresh_nodes))
        self.nodes[node] = self.rng.choice([label for label in self.node_labels if label != self.nodes[node]])
        del self.fresh_nodes[node]
        return True

    def relabel_edge(self) -> bool:
        if not self.fresh_edges or len(self.edge_labels) < 2:
            return False
        edge = self.rng.choice(list(self.fresh_edges))
        self.edges[edge] = self.rng.choice([label for label in self.edge_labels if label != self.edges[edge]])
        del self.fresh_edges[edge]
        return True

    def delete_edge(self) -> bool:
        if not self.fresh_edges:
            return False
        self._drop(self.rng.choice(list(self.fresh_edges)))
        return True

    def insert_edge(self) -> bool:
        nodes = list(self.nodes)
        for _ in range(20 if len(nodes) > 1 else 0):  # a complete graph has no room
            u, v = self.rng.sample(nodes, 2)
            if (u, v) not in self.at[u] and (self.directed or (v, u) not in self.at[u]):
                self._add((u, v))
                return True
        return False

    def insert_node(self) -> bool:
        if not self.nodes:
            return False
        new, old = max(self.nodes) + 1, self.rng.choice(list(self.nodes))
        self.nodes[new], self.at[new] = self.rng.choice(self.node_labels), set()
        self._add((old, new))
        return True

    def delete_leaf(self) -> bool:
        leaves = [
            node for node in self.fresh_nodes if len(self.at[node]) == 1 and self.at[node] <= self.fresh_edges.keys()
        ]
        if not leaves:
            return False
        leaf = self.rng.choice(leaves)
        self._drop(*self.at[leaf])
        del self.nodes[leaf], self.at[leaf], self.fresh_nodes[leaf]
        return True

    def shuffled(self) -> Graph:
        order = list(self.nodes)
        self.rng.shuffle(order)
        place = {node: i for i, node in enumerate(order)}
        edges = [((place[u], place[v]), label) for (u, v), label in self.edges.items()]
        self.rng.shuffle(edges)
        return Graph(
            len(order),
            [ends for ends, _ in edges],
            node_labels=[self.nodes[node] for node in order],
            edge_labels=[label for _, label in edges],
            directed=self.directed,
            name=self.name,
        )

    def _add(self, edge: tuple[int, int]) -> None:
        self.edges[edge] = self.rng.choice(self.edge_labels or [None])
        for end in edge:
            self.at[end].add(edge)

    def _drop(self, edge: tuple[int, int]) -> None:
        del self.edges[edge], self.fresh_edges[edge]
        for end in edge:
            self.at[end].discard(edge)
