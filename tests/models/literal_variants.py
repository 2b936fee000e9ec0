"""The paper's variants of GraphEdX as written, one pair of graphs at a time, with a model's weights."""

from __future__ import annotations

import torch
from torch import Tensor

from graphedx import Graph
from graphedx.models.graphedx import GraphEdX
from graphedx.models.layers.ablations import Variant
from models.layers.literal import pair_plan, terms
from models.literal_model import edge_bits, node_bits, node_plan, node_vectors, pair_vectors, soft_plan


def literal_variant(
    model: GraphEdX,
    source: Graph,
    target: Graph,
    costs: Tensor,
    vocabulary: tuple[str, ...] = (),
    noise: Tensor | float = 0.0,
) -> tuple[Tensor, Tensor]:
    """The score, and how far the two alignments of node pairs are apart."""
    config, size = model.config, model.config.max_nodes
    weight = config.node_weight
    x, y = node_vectors(model, source, vocabulary), node_vectors(model, target, vocabulary)
    real, other_real = node_bits(source, size), node_bits(target, size)
    plan = node_plan(model, x, y, noise)
    nodes = terms(x, y, plan, real[:, None] ^ other_real[None, :], config.node_term)
    changed = costs[4] * relabelling(source, target, plan)
    nothing = x.new_zeros(())
    if config.variant is Variant.NODE_SWAP:
        return weight * costs[2:4] @ nodes + changed, nothing
    edge, other_edge = edge_bits(source, size), edge_bits(target, size)
    r, q = pair_vectors(model.pairs, source, x), pair_vectors(model.pairs, target, y)
    aligned = pair_plan(plan)
    if config.variant in (Variant.MAX, Variant.MAX_OR):
        node_sum, edge_sum = (
            (maxima(x, y, plan), maxima(r, q, aligned))
            if config.variant is Variant.MAX
            else (
                maxima_of_either(x, y, plan, real, other_real),
                maxima_of_either(r, q, aligned, edge, other_edge),
            )
        )
        edges = config.max_edge_factor * (costs[2] + costs[3]) * edge_sum
        edges = edges - costs[2] * target.num_edges - costs[3] * source.num_edges
        return edges + weight * (
            (costs[0] + costs[1]) * node_sum - costs[0] * len(target) - costs[1] * len(source)
        ) + changed, nothing
    exclusive = edge[:, None] ^ other_edge[None, :]
    apart = nothing
    if config.variant is Variant.REG:
        own = soft_plan(model.pair_alignment(r), model.pair_alignment(q), config.temperature, config.iterations)
        apart = (own - aligned).abs().sum()
        aligned = own
    if config.variant is Variant.EDGE_TO_EDGE:
        r, q, aligned, exclusive = r[edge], q[other_edge], aligned[edge][:, other_edge], exclusive[edge][:, other_edge]
    if config.variant is Variant.PAIR_TO_PAIR:
        r, q = r * edge[:, None], q * other_edge[:, None]
    edges = terms(r, q, aligned, exclusive, config.edge_term)
    return costs[2:4] @ edges + weight * costs[:2] @ nodes + changed, apart


def maxima(a: Tensor, b: Tensor, plan: Tensor) -> Tensor:
    """sum max(A, P B)"""
    return torch.maximum(a, plan @ b).sum()


def maxima_of_either(a: Tensor, b: Tensor, plan: Tensor, present: Tensor, other_present: Tensor) -> Tensor:
    """sum P[i, j] max(A[i], B[j]) where i or j is present"""
    either = present[:, None] | other_present[None, :]
    return (either * plan * torch.maximum(a[:, None, :], b[None, :, :]).sum(2)).sum()


def relabelling(source: Graph, target: Graph, plan: Tensor) -> Tensor:
    """sum P[u, u'] [labels differ] over real nodes"""
    total = plan.new_zeros(())
    for u, label in enumerate(source.node_labels):
        for v, other in enumerate(target.node_labels):
            if label != other:
                total = total + plan[u, v]
    return total
