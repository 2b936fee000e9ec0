"""Tiny data and models to train, the same in every run."""

import hashlib
import random
from dataclasses import replace
from pathlib import Path

import torch

import graphedx as gx
from graphedx.models.bracket import Bracket, BracketConfig
from graphedx.models.egsc import Egsc, EgscConfig
from graphedx.models.graphedx import GraphEdX, GraphEdXConfig
from graphedx.training import PairData, TrainConfig, fit
from graphedx.training.data import joined, pair_data

COSTS = torch.tensor([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])


def tiny_graphs(count: int, seed: int) -> list[gx.Graph]:
    rng = random.Random(seed)
    sizes = [rng.randint(1, 5) for _ in range(count)]
    return [
        gx.Graph(n, [(i, j) for i in range(n) for j in range(i) if rng.random() < 0.5], name=f"g{k}")
        for k, n in enumerate(sizes)
    ]


def tiny_data(count: int = 6, seed: int = 0) -> PairData:
    """Every pair of some graphs; the differences of size are as good as distances to see whether it learns."""
    graphs = tiny_graphs(count, seed)
    ends = [(i, j) for i in range(count) for j in range(i, count)]
    sizes = [len(graph) + graph.num_edges for graph in graphs]
    return pair_data(graphs, ends, [abs(sizes[i] - sizes[j]) for i, j in ends])


def tiny_model(seed: int = 0, **settings: object) -> GraphEdX:
    torch.manual_seed(seed)
    return GraphEdX(GraphEdXConfig(**{"max_nodes": 5, "steps": 2, **settings}))


def tiny_bracket(seed: int = 0) -> Bracket:
    torch.manual_seed(seed)
    return Bracket(BracketConfig(width=4, layers=1, pooled=2, hidden=4, expansions=1))


def tiny_egsc(seed: int = 0) -> Egsc:
    """A model with batch normalisation: its state is more than its weights."""
    torch.manual_seed(seed)
    return Egsc(EgscConfig(width=4, layers=2, hidden=4))


def bracket_data(count: int = 4, seed: int = 0) -> PairData:
    """Labelled pairs of two sources under costs of their own, the first without costs of relabelling."""
    parts = []
    for k, costs in enumerate((COSTS, torch.tensor([3.0, 1.0, 2.0, 1.0, 0.5, 1.0]))):
        graphs = [
            gx.Graph(g.nodes, g.edges, node_labels=[str(i % 2) for i in range(len(g))])
            for g in tiny_graphs(count, seed + k)
        ]
        ends = [(i, j) for i in range(count) for j in range(count)]
        prices = gx.EditCosts(*costs.tolist())
        distances = [gx.ged(graphs[i], graphs[j], costs=prices).distance for i, j in ends]
        part = pair_data(graphs, ends, distances, kind=Bracket)
        parts.append(replace(part, costs=costs.expand(len(part), 6)))
    return joined(parts)


def tiny_config(**changes: object) -> TrainConfig:
    return TrainConfig(**{"learning_rate": 0.01, "batch": 8, "max_epochs": 6, **changes})


def trained(kind: str, folder: Path) -> None:
    """A run: of the paper's model, with noise too, of one with batch normalisation, or of bracket over one cycle."""
    if kind == "batch_norm":
        fit(tiny_egsc(), tiny_data(), tiny_data(4, 5), COSTS, tiny_config(max_epochs=4), folder=folder)
    elif kind == "one_cycle":
        config = tiny_config(max_epochs=4, one_cycle=True)
        fit(tiny_bracket(), bracket_data(), bracket_data(3, 5), COSTS, config, folder=folder)
    else:
        model = tiny_model(noise=0.2 if kind == "noise" else 0.0)
        fit(model, tiny_data(), tiny_data(4, 5), COSTS, tiny_config(), folder=folder)


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}
