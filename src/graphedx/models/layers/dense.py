"""The set terms in plain torch, for any device: every pair of the batch in tensors of the batch's largest size."""

from __future__ import annotations

import torch
from torch import Tensor

from graphedx.models.layers.divergence import set_divergences
from graphedx.models.layers.encoded import AlignmentOptions, EncodedGraphs, SetTerm
from graphedx.models.layers.padded import NodePairs, Side, edges_of, pair_plan, sides, soft_plan, without_edges


def dense_set_terms(
    graphs: EncodedGraphs, pairs: Tensor, alignment: AlignmentOptions, node_term: SetTerm, edge_term: SetTerm
) -> Tensor:
    """As ``set_terms``; all padding nodes of a graph are one that counts often."""
    source, target = sides(graphs, pairs, alignment.padded_nodes, one_by_one=False)
    plan = soft_plan(source, target, alignment)  # (K, M, M)
    nodes = set_divergences(source.nodes, target.nodes, plan, node_term, "torch")
    edges = _edge_terms(source, target, plan, edge_term)
    return torch.stack((*nodes, *edges), dim=1)  # (K, 4)


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


def _compared(rows: NodePairs, columns: NodePairs, plan: Tensor) -> tuple[Tensor, Tensor]:
    aligned = pair_plan(rows, columns, plan)
    return set_divergences(rows.items, columns.items, aligned, SetTerm.DIFF_ALIGN, "torch")
