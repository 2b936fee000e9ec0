"""Graphs for tests of models: of all sizes from none, sparse and dense, in one piece and in several."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import torch

from graphedx import Graph
from graphedx.models.batching import GraphBatch, graph_batch

LABELS = ("C", "N", "O")


def random_graph(nodes: int, density: float, seed: int) -> Graph:
    chance = random.Random(seed)
    edges = [pair for pair in combinations(range(nodes), 2) if chance.random() < density]
    return Graph(nodes, edges, node_labels=[chance.choice(LABELS) for _ in range(nodes)])


GRAPHS = (
    Graph(0),
    Graph(1, node_labels=["N"]),
    random_graph(3, 1.0, 0),
    random_graph(4, 0.5, 1),
    random_graph(5, 0.4, 2),
    random_graph(5, 0.0, 3),
    random_graph(6, 0.3, 4),
)
PAIRS = torch.tensor([(0, 0), (0, 4), (6, 0), (1, 2), (2, 3), (3, 4), (4, 3), (5, 6), (6, 4), (4, 4)])


def doubles(graphs: tuple[Graph, ...] = GRAPHS, vocabulary: tuple[str, ...] = ()) -> GraphBatch:
    """A batch in double precision."""
    batch = graph_batch(graphs, vocabulary)
    return replace(batch, x=batch.x.double())
