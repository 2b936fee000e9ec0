"""Layers of the baselines written as loops over nodes, edges and neurons, for comparison with the fast ones."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import torch
from torch import Tensor

from graphedx import Graph
from graphedx.models.layers.pooling import GatedSum
from models.literal_model import features_of


def neighbours_of(graph: Graph) -> list[list[int]]:
    return [[a + b - u for a, b in graph.edge_index if u in (a, b)] for u in range(len(graph))]


def total(rows: list[Tensor], size: int) -> Tensor:
    return sum(rows, torch.zeros(size, dtype=torch.float64))


def inputs_of(model: Any, graph: Graph, vocabulary: tuple[str, ...], costs: Tensor) -> Tensor:
    """(n, F): labels or the constant 1; costs as node_ins, node_del, edge_ins, edge_del, instead of the constant."""
    features = features_of(graph, vocabulary)
    if not model.config.cost_features:
        return features
    node_del, node_ins, edge_del, edge_ins = costs[:4].tolist()
    rows = torch.tensor([[node_ins, node_del, edge_ins, edge_del]] * len(graph), dtype=torch.float64).view(-1, 4)
    return torch.cat([features, rows], 1) if vocabulary else rows


def two_layers(network: Any, row: Tensor) -> Tensor:
    """Linear, ReLU, Linear."""
    first, _, last = network
    hidden = (first.weight @ row + first.bias).clamp(min=0)
    found: Tensor = last.weight @ hidden + last.bias
    return found


def convolved(network: Any, graph: Graph, x: Tensor) -> list[Tensor]:
    """(n, width) of every layer of graph convolutions, before the activation."""
    near = [[u, *others] for u, others in enumerate(neighbours_of(graph))]
    found: list[Tensor] = []
    for layer in network.layers:
        rows = found[-1].clamp(min=0) if found else x
        outputs = []
        for u in range(len(graph)):
            shares = [layer.lin.weight @ rows[v] / math.sqrt(len(near[u]) * len(near[v])) for v in near[u]]
            outputs.append(total(shares, len(layer.bias)) + layer.bias)
        found.append(torch.stack(outputs))
    return found


def attention_pooled(pooling: Any, rows: Tensor, weights: Tensor | None = None) -> Tensor:
    """sum_u w_u sigmoid(x_u . c) x_u with c = tanh(W mean)."""
    weights = torch.ones(len(rows), dtype=torch.float64) if weights is None else weights
    weighted = [weight * row for weight, row in zip(weights, rows, strict=True)]
    mean = total(weighted, rows.shape[1]) / max(1.0, float(weights.sum()))
    context = torch.tanh(pooling.context.weight @ mean)
    return total([torch.sigmoid(row @ context) * part for row, part in zip(rows, weighted, strict=True)], rows.shape[1])


def gated_sum(layer: GatedSum, rows: Tensor) -> Tensor:
    size = layer.transform.in_features
    parts = []
    for row in rows:
        values, gates = two_layers(layer.values_and_gates, row).split(size)
        parts.append(torch.sigmoid(gates) * values)
    vector: Tensor = layer.transform.weight @ total(parts, size) + layer.transform.bias
    return vector


def tensor_network(network: Any, x: Tensor, y: Tensor) -> Tensor:
    rows = []
    for k, matrix in enumerate(network.bilinear):
        value = network.linear.bias[k] + network.linear.weight[k] @ torch.cat([x, y])
        for i in range(len(x)):
            for j in range(len(y)):
                value = value + x[i] * matrix[i, j] * y[j]
        rows.append(value.clamp(min=0))
    return torch.stack(rows)


def gin_layer(layer: Any, graphs: list[Graph], rows: list[Tensor], training: bool) -> list[Tensor]:
    """relu(norm(MLP((1 + eps) x_u + sum over neighbours))) of the nodes of all graphs; ``rows`` is by graph."""
    *network, norm = layer.nn
    found = []
    for graph, x in zip(graphs, rows, strict=True):
        near = neighbours_of(graph)
        sums = [(1 + layer.eps) * x[u] + total([x[v] for v in near[u]], x.shape[1]) for u in range(len(graph))]
        found.append([two_layers(network, one) for one in sums])
    every = torch.stack([row for graph_rows in found for row in graph_rows])
    norm = norm.module
    mean, variance = norm.running_mean, norm.running_var
    if training:
        mean, variance = every.mean(0), every.var(0, correction=0)
    scale = norm.weight / torch.sqrt(variance + norm.eps)
    return [
        torch.stack([((row - mean) * scale + norm.bias).clamp(min=0) for row in graph_rows]) for graph_rows in found
    ]


def distance_of(similarity: Tensor, source: Graph, target: Graph) -> Tensor:
    return -(len(source) + len(target)) / 2 * torch.log(similarity + 1e-7)


def hyperedge_of(graph: Graph, start: int, steps: int) -> set[int]:
    """The nodes that a walk visits most often, by fractions, which have no rounding."""
    neighbours = neighbours_of(graph)
    here = {start: Fraction(1)}
    visits = dict(here)
    for _ in range(steps):
        there: dict[int, Fraction] = {}
        for u, chance in here.items():
            for v in neighbours[u]:
                there[v] = there.get(v, Fraction(0)) + chance / len(neighbours[u])
        for v, chance in there.items():
            visits[v] = visits.get(v, Fraction(0)) + chance
        here = there
    last = sorted(visits.values(), reverse=True)[:steps][-1]
    return {u for u, number in visits.items() if number >= last}


def gradients(model: Any, distances: Tensor) -> list[Tensor]:
    weights = torch.randn(distances.shape, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    found = torch.autograd.grad((distances * weights).sum(), list(model.parameters()), allow_unused=True)
    return [
        torch.zeros_like(weight) if part is None else part
        for weight, part in zip(model.parameters(), found, strict=True)
    ]


def assert_same(model: Any, found: Tensor, expected: Tensor, tolerance: float = 1e-8) -> None:
    """Require the same values and the same gradients of all weights."""
    torch.testing.assert_close(found, expected, rtol=tolerance, atol=tolerance)
    names = [name for name, _ in model.named_parameters()]
    for name, one, other in zip(names, gradients(model, found), gradients(model, expected), strict=True):
        assert torch.allclose(one, other, rtol=10 * tolerance, atol=10 * tolerance), name
