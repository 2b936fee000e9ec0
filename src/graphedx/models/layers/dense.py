"""The set terms in plain torch, for any device: every pair of the batch in tensors of the batch's largest size."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from graphedx.models.layers.divergence import aligned_mass, distances, set_divergences, sum_of_aligned_maxima
from graphedx.models.layers.encoded import AlignmentOptions, EncodedGraphs, SetTerm
from graphedx.models.layers.padded import NodePairs, Side, edges_of, pair_plan, sides, soft_plan, without_edges
from graphedx.models.layers.sinkhorn import sinkhorn

MOST_CELLS = 2**22
"""Between node pairs, at a time. Where a batch has more, what lies between is computed again on the way back, so that
memory is that of one part."""


def dense_set_terms(
    graphs: EncodedGraphs,
    pairs: Tensor,
    alignment: AlignmentOptions,
    node_term: SetTerm,
    edge_term: SetTerm,
    edges_only: bool,
) -> Tensor:
    """As ``set_terms``; all padding nodes of a graph are one that counts often."""
    source, target = sides(graphs, pairs, alignment.padded_nodes, one_by_one=False)
    plan = soft_plan(source, target, alignment)  # (K, M, M)
    nodes = set_divergences(source.nodes, target.nodes, plan, node_term)
    if edges_only:
        edges = _compared(edges_of(source.node_pairs), edges_of(target.node_pairs), plan, edge_term)
    else:
        edges = _edge_terms(source, target, plan, edge_term)
    return torch.stack((*nodes, *edges), dim=1)  # (K, 4)


def dense_maximum_terms(graphs: EncodedGraphs, pairs: Tensor, alignment: AlignmentOptions) -> Tensor:
    """As ``maximum_terms``."""

    def terms(source: Side, target: Side, plan: Tensor) -> Tensor:
        nodes = set_divergences(source.nodes, target.nodes, plan, SetTerm.DIFF_ALIGN)
        rows, columns = source.node_pairs, target.node_pairs
        maxima = sum_of_aligned_maxima(rows.items, columns.items, pair_plan(rows, columns, plan))
        return torch.stack((*nodes, maxima, maxima), dim=1)

    return _by_parts(terms, graphs, pairs, alignment)


def dense_independent_terms(
    graphs: EncodedGraphs,
    pairs: Tensor,
    alignment: AlignmentOptions,
    features: int,
    node_term: SetTerm,
    edge_term: SetTerm,
) -> Tensor:
    """As ``independent_terms``, where the last ``features`` of node pairs are what these are aligned by: (K, 5)."""

    def terms(source: Side, target: Side, plan: Tensor) -> Tensor:
        nodes = set_divergences(source.nodes, target.nodes, plan, node_term)
        rows, columns = source.node_pairs, target.node_pairs
        mine, theirs = (side.items._replace(vector=side.items.vector[..., :-features]) for side in (rows, columns))
        by, others_by = (side.items._replace(vector=side.items.vector[..., -features:]) for side in (rows, columns))
        scores = -distances(by, others_by) / alignment.temperature  # (K, E, E')
        rounds, weights = alignment.iterations, (mine.weight, theirs.weight)
        own = sinkhorn(scores, rounds, row_weights=weights[0], column_weights=weights[1], backend="torch")
        edges = set_divergences(mine, theirs, own, edge_term)
        apart = aligned_mass(mine, theirs, (own - pair_plan(rows, columns, plan)).abs()).sum((1, 2))
        return torch.stack((*nodes, *edges, apart), dim=1)

    return _by_parts(terms, graphs, pairs, alignment)


def dense_plan(graphs: EncodedGraphs, pairs: Tensor, alignment: AlignmentOptions) -> Tensor:
    """The alignments, every padding node a node of its own: (K, N, N)."""
    source, target = sides(graphs, pairs, alignment.padded_nodes, one_by_one=True)
    return soft_plan(source, target, alignment)


def _edge_terms(source: Side, target: Side, plan: Tensor, term: SetTerm) -> tuple[Tensor, Tensor]:
    if term is SetTerm.ALIGN_DIFF:
        # S R' = P R' P^T over ordered pairs, feature by feature.
        half_way = torch.einsum("kua,kabf->kubf", plan, target.ordered[..., None] * target.pair)
        difference = source.pair - torch.einsum("kvb,kubf->kuvf", plan, half_way)  # (K, M, M, D)
        weight = source.ordered[..., None] / 2
        return (weight * difference.relu()).sum((1, 2, 3)), (weight * (-difference).relu()).sum((1, 2, 3))
    all_source, all_target = source.node_pairs, target.node_pairs
    if term is SetTerm.DIFF_ALIGN:
        return _compared(all_source, all_target, plan)
    # An edge of one graph against all that is no edge of the other.
    more, less = _compared(edges_of(all_source), without_edges(all_target), plan)
    reverse_more, reverse_less = _compared(edges_of(all_target), without_edges(all_source), plan.transpose(1, 2))
    return more + reverse_less, less + reverse_more


def _compared(
    rows: NodePairs, columns: NodePairs, plan: Tensor, term: SetTerm = SetTerm.DIFF_ALIGN
) -> tuple[Tensor, Tensor]:
    return set_divergences(rows.items, columns.items, pair_plan(rows, columns, plan), term)


def _by_parts(
    terms: Callable[[Side, Side, Tensor], Tensor], graphs: EncodedGraphs, pairs: Tensor, alignment: AlignmentOptions
) -> Tensor:
    def part(some: Tensor, noise: Tensor | None) -> Tensor:
        source, target = sides(graphs, some, alignment.padded_nodes, one_by_one=False)
        return terms(source, target, soft_plan(source, target, replace(alignment, noise=noise)))

    slots = 1 + (int(graphs.sizes.max()) if len(graphs.sizes) else 0)
    at_once = max(1, MOST_CELLS // (slots * (slots + 1) // 2) ** 2)
    if len(pairs) <= at_once:
        return part(pairs, alignment.noise)
    parts = torch.split(pairs, at_once)
    noises = [None] * len(parts) if alignment.noise is None else torch.split(alignment.noise, at_once)
    found = [
        checkpoint(part, *both, use_reentrant=False, preserve_rng_state=False)
        for both in zip(parts, noises, strict=True)
    ]
    return torch.cat(found)
