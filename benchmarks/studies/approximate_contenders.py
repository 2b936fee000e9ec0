"""What else could find or rank the nearest molecules: distances of sets of node vectors, and trained models.

GraphEdX, GREED and GMN-Embed are those that ``graphedx experiment run`` has trained, for structure only and on graphs
of at most 20 nodes; those that are not there are left out. GraphEdX takes larger ones all the same: the size that it
pads to has no part in its weights.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import faiss
import numpy as np
import torch
from numpy.typing import NDArray

from graphedx import EditCosts, Graph, load_model
from graphedx.costs import UNIFORM
from graphedx.errors import ModelError
from studies.tree_distances import QuadtreeIndex, Sets, Tree, flowtree

GRAPHEDX = {
    name: f"{name.lower()}/uniform/graphedx/edge_term=xor,node_term=diff_align,node_weight=1/seed=0"
    for name in ("AIDS", "Molhiv", "Mutagenicity")
}
GRAPH_VECTORS = {"GREED": "aids/uniform/greed/seed=0", "GMN-Embed": "aids/uniform/gmn_embed/seed=0"}
_CHUNK = 1000  # graphs that are encoded at a time
_LABELS = 10  # that are told apart, the commonest
_DEGREES = 5
_STEPS = 3
_SEED = 0

Positions = NDArray[np.int64]
Nodes = Callable[[Sequence[Graph]], Sets]


class Contender(NamedTuple):
    name: str
    ranks_all: Callable[[Graph, int], Positions] | None  # the nearest of all graphs, so many
    ranks: Callable[[Graph, Positions], tuple[Positions, float]] | None  # the candidates by distance; and the seconds


def contenders(members: Sequence[Graph], costs: EditCosts, runs: Path) -> Iterator[Contender]:
    """All that can be had for these costs."""
    yield from _trees("node views", _node_views(members, costs), members)
    if costs != UNIFORM:
        return  # no model was trained for labels
    for name, folder in GRAPHEDX.items():
        if model := _model(runs / folder):
            if name == "Molhiv":
                yield from _trees("GraphEdX nodes", lambda graphs, model=model: _encoded_nodes(model, graphs), members)
            yield Contender(f"GraphEdX of {name}", None, _divergence(model, members))
    for name, folder in GRAPH_VECTORS.items():
        if model := _model(runs / folder):
            yield Contender(f"{name} of AIDS, flat L2", _graph_vectors(model, members), None)


def _trees(name: str, nodes: Nodes, members: Sequence[Graph]) -> Iterator[Contender]:
    sets = nodes(members)
    tree = Tree(sets.points, _SEED)
    index = QuadtreeIndex(tree, sets)

    def by_quadtree(query: Graph, count: int) -> Positions:
        found = index.distances(nodes([query]).points)
        near = np.argpartition(found, count - 1)[:count]
        return near[np.argsort(found[near], kind="stable")]

    yield Contender(f"Quadtree, {name}", by_quadtree, None)
    ends = np.cumsum(sets.sizes)
    cells = tree.cells(sets.points)

    def by_flowtree(query: Graph, near: Positions) -> tuple[Positions, float]:
        start = process_time()
        at = np.concatenate([np.arange(ends[one] - sets.sizes[one], ends[one]) for one in near])
        found = flowtree(tree, nodes([query]).points, Sets(sets.points[at], sets.sizes[near]), cells[at])
        return near[np.argsort(found, kind="stable")], process_time() - start

    yield Contender(f"Flowtree, {name}", None, by_flowtree)


def _node_views(members: Sequence[Graph], costs: EditCosts) -> Nodes:
    """What a node sees, which an edit changes only nearby: walks of 0 to 3 steps from it, by where they end.

    Ends are told apart by their degrees, and by their labels where these cost something; each step counts a third.
    """
    labels: list[str] = []
    if costs != UNIFORM:
        every, counts = np.unique([str(label) for graph in members for label in graph.node_labels], return_counts=True)
        labels = every[np.argsort(-counts, kind="stable")[:_LABELS]].tolist()
    places = {label: _DEGREES + k for k, label in enumerate(labels)}
    width = _DEGREES + len(labels) + bool(labels)

    def nodes(graphs: Sequence[Graph]) -> Sets:
        sizes = np.array([len(graph) for graph in graphs])
        firsts = np.cumsum(sizes) - sizes
        ends = np.array(
            [(first + u, first + v) for first, graph in zip(firsts, graphs, strict=True) for u, v in graph.edge_index],
            dtype=np.int64,
        ).reshape(-1, 2)
        ends = np.concatenate([ends, ends[:, ::-1]])
        ends = ends[np.argsort(ends[:, 0], kind="stable")]
        degrees = np.bincount(ends[:, 0], minlength=sizes.sum())
        seen = np.zeros((sizes.sum(), width), np.float32)
        seen[np.arange(len(seen)), np.minimum(degrees, _DEGREES - 1)] = 1
        if labels:
            own = [places.get(str(label), width - 1) for graph in graphs for label in graph.node_labels]
            seen[np.arange(len(seen)), own] = 1
        views = [seen]
        linked = degrees > 0  # only these have a place in ``ends``
        starts = (np.cumsum(degrees) - degrees)[linked]
        for _ in range(_STEPS):
            further = np.zeros_like(seen)
            if len(ends):
                further[linked] = np.add.reduceat(views[-1][ends[:, 1]], starts, axis=0) / 3
            views.append(further)
        return Sets(np.concatenate(views, axis=1), sizes)

    return nodes


def _model(folder: Path) -> Any:
    try:
        return load_model(folder)
    except ModelError as error:
        print(f"left out: {error}")
        return None


def _fit_for(model: Any, nodes: int) -> None:
    """Let GraphEdX pad to as many nodes as there are."""
    model.model.config = replace(model.model.config, max_nodes=nodes)


def _encoded_nodes(model: Any, graphs: Sequence[Graph]) -> Sets:
    _fit_for(model, max(map(len, graphs)))
    parts = [
        model.prepare(graphs[first : first + _CHUNK]).encoded.node.numpy() for first in range(0, len(graphs), _CHUNK)
    ]
    return Sets(np.concatenate(parts), np.array([len(graph) for graph in graphs]))


def _divergence(model: Any, members: Sequence[Graph]) -> Callable[[Graph, Positions], tuple[Positions, float]]:
    def ranks(query: Graph, near: Positions) -> tuple[Positions, float]:
        candidates = [members[int(one)] for one in near]
        _fit_for(model, max(map(len, [query, *candidates])))
        prepared = model.prepare(candidates)  # would be kept with the index
        start = process_time()
        found = model.matrix([query], prepared, costs=UNIFORM)[0]
        return near[np.argsort(found, kind="stable")], process_time() - start

    return ranks


def _graph_vectors(model: Any, members: Sequence[Graph]) -> Callable[[Graph, int], Positions]:
    def vectors(graphs: Sequence[Graph]) -> NDArray[np.float32]:
        encoded: torch.Tensor = model.prepare(graphs).encoded
        return np.ascontiguousarray(encoded.numpy(), dtype=np.float32)

    rows = np.concatenate([vectors(members[k : k + _CHUNK]) for k in range(0, len(members), _CHUNK)])
    index = faiss.IndexFlatL2(rows.shape[1])
    index.add(rows)
    return lambda query, count: index.search(vectors([query]), count)[1][0]
