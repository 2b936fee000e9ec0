"""Tiny data and models to train, the same in every run."""

import hashlib
import random
from pathlib import Path

import torch

import graphedx as gx
from graphedx.models.graphedx import GraphEdX, GraphEdXConfig
from graphedx.training import PairData, TrainConfig
from graphedx.training.data import pair_data

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


def tiny_config(**changes: object) -> TrainConfig:
    return TrainConfig(**{"learning_rate": 0.01, "batch": 8, "max_epochs": 6, **changes})


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}
