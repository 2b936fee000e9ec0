"""What the laws of models are tried on: every model in every setting that changes what it is told, and small graphs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from typing import Any, NamedTuple

import torch
from torch import Tensor

import graphedx as gx
from graphedx import EditCosts, Graph
from graphedx.models.base import PairModel, installed_models, kind_of, make, models, setting_names
from graphedx.models.predicting import Estimator, cost_tensor
from graphedx.training import PairData
from graphedx.training.data import pair_data
from models.graph_samples import GRAPHS, LABELS, random_graph

MOST_NODES = 8
SETTINGS: dict[str, dict[str, Any]] = {
    "bracket": {"expansions": 2},  # or its beam would prove the distances of graphs as small as these
}
TWO_TRIANGLES = Graph(6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)], node_labels="CNOCNO")


def with_bonds(graph: Graph) -> Graph:
    """The same graph with labels on its edges."""
    bonds = [(u + v) % 2 for u, v in graph.edge_index]
    return Graph(len(graph), graph.edge_index, node_labels=graph.node_labels, edge_labels=bonds)


VARIED = tuple(map(with_bonds, (*GRAPHS, random_graph(8, 0.3, 5), random_graph(7, 0.5, 6), TWO_TRIANGLES)))
"""None and one node, no edge, several parts, dense and sparse."""


class Case(NamedTuple):
    """A model, what is set, and whether it is told labels of nodes."""

    name: str
    settings: dict[str, Any]
    labelled: bool

    def __str__(self) -> str:
        return "-".join([self.name, *self.settings, *["labelled"] * self.labelled])

    @property
    def kind(self) -> type[PairModel]:
        return kind_of(self.name)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return LABELS if self.labelled and not self.kind.any_labels else ()

    @property
    def costs(self) -> EditCosts:
        """Uneven ones where the model is told them."""
        relabelling = (0.7, 0.5 if self.kind.any_labels else 0) if self.labelled else (0, 0)
        return EditCosts(*((3, 1, 2, 1.5) if self.settings else (1, 1, 1, 1)), *relabelling)

    @property
    def prices(self) -> Tensor:
        return cost_tensor(self.costs)

    def made(self, seed: int = 0) -> PairModel:
        """A new model, with weights by the seed."""
        chosen = {"features": self.kind.features(self.vocabulary), "max_nodes": MOST_NODES}
        chosen = {name: value for name, value in chosen.items() if name in setting_names(self.name)}
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return make(self.name, chosen | SETTINGS.get(self.name, {}) | self.settings)

    def estimator(self, seed: int = 0) -> Estimator:
        """One that has seen graphs: what is normalised by means of a batch has means of its own now."""
        model, data = self.made(seed), self.data()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            model.train()
            model.distances_and_penalty(data.graphs, data.ends, self.prices)
        return Estimator(model.eval(), self.costs, self.vocabulary)

    def data(self, graphs: Sequence[Graph] = VARIED) -> PairData:
        """All pairs of the graphs with their distances."""
        ends = list(combinations_with_replacement(range(len(graphs)), 2))
        return self.labelled_pairs(graphs, ends)

    def labelled_pairs(self, graphs: Sequence[Graph], ends: list[tuple[int, int]]) -> PairData:
        """These pairs with their distances, which are proven."""
        distances = [distance(graphs[i], graphs[j], self.costs) for i, j in ends]
        return pair_data(graphs, ends, distances, self.vocabulary, kind=self.kind)


def all_cases() -> Iterator[Case]:
    for name in sorted({*models(), *installed_models()}):
        for labelled in (False, True):
            yield Case(name, {}, labelled)
        for told in ("cost_features", "cost_guided"):
            if told in setting_names(name):
                yield Case(name, {told: True}, False)


@lru_cache(maxsize=10_000)
def distance(source: Graph, target: Graph, costs: EditCosts) -> float:
    return gx.ged(source, target, costs=costs, method="exact").distance


def renumbered(graph: Graph, seed: int) -> Graph:
    """The same graph with its nodes in another order."""
    order = list(range(len(graph)))
    random.Random(seed).shuffle(order)
    place = {old: new for new, old in enumerate(order)}
    edges = [(place[u], place[v]) for u, v in graph.edge_index]
    labels = [graph.node_labels[old] for old in order]
    return Graph(len(graph), edges, node_labels=labels, edge_labels=graph.edge_labels)


def tensors(encoded: Any) -> list[Tensor]:
    """All that an encoding is made of."""
    if isinstance(encoded, Tensor):
        return [encoded]
    return [tensor for part in encoded for tensor in tensors(part)]


def pairs_to_learn(case: Case) -> PairData:
    """64 pairs of 40 connected graphs of 3 to 6 nodes."""
    chance = random.Random(0)
    graphs = [_connected(chance.randint(3, 6), chance) for _ in range(40)]
    ends = chance.sample(list(combinations_with_replacement(range(len(graphs)), 2)), 64)
    return case.labelled_pairs(graphs, ends)


def _connected(nodes: int, chance: random.Random) -> Graph:
    tree = [(chance.randrange(node), node) for node in range(1, nodes)]
    others = [pair for pair in combinations(range(nodes), 2) if pair not in tree]
    edges = tree + chance.sample(others, min(len(others), chance.randint(0, 2)))
    return Graph(nodes, edges, node_labels=chance.choices(LABELS, k=nodes))
