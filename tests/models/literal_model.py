"""GraphEdX as the paper writes it: one graph at a time, loops over edges, explicit padding, with a model's weights."""

from __future__ import annotations

from itertools import combinations

import torch
from torch import Tensor

from graphedx import Graph
from graphedx.models.graphedx import GraphEdX
from graphedx.models.layers.pair_embedding import PairEmbedding
from graphedx.models.layers.propagation import GatedPropagation
from models.layers.literal import pair_plan, terms


def features_of(graph: Graph, vocabulary: tuple[str, ...] = ()) -> Tensor:
    """(n, F): a constant, or the label as one-hot."""
    if not vocabulary:
        return torch.ones(len(graph), 1, dtype=torch.float64)
    hot = [[float(label == known) for known in vocabulary] for label in graph.node_labels]
    return torch.tensor(hot, dtype=torch.float64).view(len(graph), len(vocabulary))


def propagated(layer: GatedPropagation, graph: Graph, x: Tensor) -> Tensor:
    """One message for every edge and direction, of (sender, receiver, 1), summed, into the recurrent unit."""
    h: Tensor = layer.encoder(x)
    for _ in range(layer.steps):
        received = [x.new_zeros(layer.message.out_features) for _ in range(len(graph))]
        for edge in graph.edge_index:
            for sender, receiver in (edge, edge[::-1]):
                message = layer.message(torch.cat((h[sender], h[receiver], x.new_ones(1))))
                received[receiver] = received[receiver] + message
        h = layer.update(torch.stack(received), h) if len(graph) else h
    return h


def padded(rows: Tensor, size: int) -> Tensor:
    return torch.cat((rows, rows.new_zeros(size - len(rows), rows.shape[1])))


def pair_vectors(layer: PairEmbedding, graph: Graph, h: Tensor) -> Tensor:
    """(C(N, 2), D) of padded node embeddings h (N, d), in the order of ``combinations``."""

    def mlp(u: int, v: int, edge: bool) -> Tensor:
        hidden = torch.relu(layer.first(torch.cat((h[u], h[v], h.new_tensor([float(edge)])))))
        vector: Tensor = layer.second(hidden)
        return vector

    edges = edge_bits(graph, len(h))
    rows = [
        mlp(u, v, bool(edge)) + mlp(v, u, bool(edge))
        for (u, v), edge in zip(combinations(range(len(h)), 2), edges, strict=True)
    ]
    return torch.stack(rows) if rows else h.new_zeros(0, layer.second.out_features)


def edge_bits(graph: Graph, size: int) -> Tensor:
    joined = {frozenset(edge) for edge in graph.edge_index}
    return torch.tensor([frozenset(pair) in joined for pair in combinations(range(size), 2)], dtype=torch.bool)


def node_bits(graph: Graph, size: int) -> Tensor:
    return torch.arange(size) < len(graph)


def soft_plan(a: Tensor, b: Tensor, temperature: float, iterations: int, noise: Tensor | float = 0.0) -> Tensor:
    """Sinkhorn's plan of the L1 distances of all rows of a to all rows of b."""
    log_plan = (noise - (a[:, None, :] - b[None, :, :]).abs().sum(2)) / temperature
    for _ in range(iterations):
        log_plan = log_plan - torch.logsumexp(log_plan, dim=1, keepdim=True)
        log_plan = log_plan - torch.logsumexp(log_plan, dim=0, keepdim=True)
    return log_plan.exp()


def node_vectors(model: GraphEdX, graph: Graph, vocabulary: tuple[str, ...] = ()) -> Tensor:
    """(N, d): padded after the propagation."""
    return padded(propagated(model.nodes, graph, features_of(graph, vocabulary)), model.config.max_nodes)


def node_plan(model: GraphEdX, x: Tensor, y: Tensor, noise: Tensor | float = 0.0) -> Tensor:
    return soft_plan(model.alignment(x), model.alignment(y), model.config.temperature, model.config.iterations, noise)


def literal_distance(model: GraphEdX, source: Graph, target: Graph, costs: Tensor) -> Tensor:
    """The score of one pair, all node pairs against all by the full alignment S."""
    size, config = model.config.max_nodes, model.config
    x, y = node_vectors(model, source), node_vectors(model, target)
    plan = node_plan(model, x, y)
    real = node_bits(source, size)[:, None] ^ node_bits(target, size)[None, :]
    nodes = terms(x, y, plan, real, config.node_term)
    edge = edge_bits(source, size)[:, None] ^ edge_bits(target, size)[None, :]
    r, q = pair_vectors(model.pairs, source, x), pair_vectors(model.pairs, target, y)
    edges = terms(r, q, pair_plan(plan), edge, config.edge_term)
    return costs[2:4] @ edges + config.node_weight * costs[:2] @ nodes
