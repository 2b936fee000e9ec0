"""The set terms in plain torch, for any device: every pair of the batch in tensors of the batch's largest size."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from graphedx.errors import ModelError
from graphedx.models.layers.encoded import EncodedGraphs, SetTerm
from graphedx.models.layers.sinkhorn import sinkhorn


class _Side(NamedTuple):
    """One graph of each pair in M slots: its nodes, then padding. A slot stands for as many nodes as its weight."""

    node: Tensor  # (K, M, d)
    align: Tensor  # (K, M, m)
    pair: Tensor  # (K, M, M, D)
    adjacency: Tensor  # (K, M, M)
    real: Tensor  # (K, M)
    weight: Tensor  # (K, M)

    @property
    def ordered(self) -> Tensor:
        """How many ordered pairs of distinct nodes each pair of slots stands for (K, M, M)."""
        return self.weight[:, :, None] * self.weight[:, None, :] - torch.diag_embed(self.weight)


def dense_set_terms(
    graphs: EncodedGraphs,
    pairs: Tensor,
    node_term: SetTerm,
    edge_term: SetTerm,
    temperature: float,
    iterations: int,
    padded_nodes: int,
    noise: Tensor | None,
) -> Tensor:
    """As ``set_terms``. With noise every padding node is a node of its own; without, they are one that counts often."""
    source, target = _sides(graphs, pairs, padded_nodes, noise is not None)
    plan = _plan(source, target, temperature, iterations, noise)  # (K, M, M)
    nodes = _node_terms(source, target, plan, node_term)
    edges = _edge_terms(source, target, plan, edge_term)
    return torch.stack((*nodes, *edges), dim=1)  # (K, 4)


def dense_plan(graphs: EncodedGraphs, pairs: Tensor, temperature: float, iterations: int, padded_nodes: int) -> Tensor:
    """The alignments, every padding node a node of its own: (K, N, N)."""
    source, target = _sides(graphs, pairs, padded_nodes, one_by_one=True)
    return _plan(source, target, temperature, iterations, None)


def _sides(graphs: EncodedGraphs, pairs: Tensor, padded_nodes: int, one_by_one: bool) -> tuple[_Side, _Side]:
    graphs.check_contents()
    pairs = pairs.to(graphs.offsets.device, torch.int64)
    count = len(graphs.sizes)
    if pairs.numel() and (int(pairs.min()) < 0 or int(pairs.max()) >= count):
        raise ModelError(
            f"pairs name graphs from {int(pairs.min())} to {int(pairs.max())}, but there are {count} graphs"
        )
    sizes = graphs.sizes[pairs]  # (K, 2)
    largest = int(sizes.max()) if sizes.numel() else 0
    if padded_nodes and padded_nodes < largest:
        raise ModelError(f"padded_nodes = {padded_nodes} is too small for a graph with {largest} nodes")
    padded = torch.full_like(sizes[:, 0], padded_nodes) if padded_nodes else sizes.max(dim=1).values  # (K,)
    slots = (padded_nodes or largest) if one_by_one else largest + 1
    source, target = (_side(graphs, pairs[:, side], padded, slots, one_by_one) for side in (0, 1))
    return source, target


def _side(graphs: EncodedGraphs, which: Tensor, padded: Tensor, slots: int, one_by_one: bool) -> _Side:
    device, sizes = graphs.node.device, graphs.sizes
    size = sizes[which]
    first_node = graphs.offsets[which]
    first_pair = (torch.cumsum(sizes * (sizes + 1) // 2, 0) - sizes * (sizes + 1) // 2)[which]
    first_real_pair = first_pair - first_node
    slot = torch.arange(slots, device=size.device)
    real = slot < size[:, None]  # (K, M)
    if one_by_one:
        weight = slot < padded[:, None]
    else:
        weight = torch.where(slot == size[:, None], (padded - size)[:, None], real.to(torch.int64))
    place = torch.where(real, first_node[:, None] + slot, len(graphs.node)).to(
        device
    )  # padding is the row after the last
    high, low = torch.maximum(slot[:, None], slot), torch.minimum(slot[:, None], slot)  # (M, M)
    end = torch.minimum(high, size[:, None, None])  # the first padding node stands for all of them
    within = end * (end - 1) // 2 + low
    distinct = (low < size[:, None, None]) & (low < high)
    both_real = distinct & (high < size[:, None, None])
    pair_place = torch.where(distinct, first_pair[:, None, None] + within, len(graphs.pair)).to(device)
    real_place = torch.where(both_real, first_real_pair[:, None, None] + within, len(graphs.adjacency))
    return _Side(
        node=_with_last(graphs.node, torch.zeros_like(graphs.node[:1]))[place],
        align=_with_last(graphs.align, graphs.align_pad[None])[place],
        pair=_with_last(graphs.pair, graphs.pair_pad[None])[pair_place],
        adjacency=torch.cat((graphs.adjacency, graphs.adjacency.new_zeros(1)))[real_place.to(graphs.adjacency.device)],
        real=real.to(device),
        weight=weight.to(device, graphs.node.dtype),
    )


def _with_last(rows: Tensor, last: Tensor) -> Tensor:
    return torch.cat((rows, last if len(last) else rows.new_zeros(1, rows.shape[1])))


def _plan(source: _Side, target: _Side, temperature: float, iterations: int, noise: Tensor | None) -> Tensor:
    cost = torch.cdist(source.align, target.align, p=1)  # (K, M, M)
    if noise is not None:
        if noise.shape != cost.shape:
            raise ModelError(f"noise must have the shape {tuple(cost.shape)}, got {tuple(noise.shape)}")
        cost = cost - noise
    return sinkhorn(-cost / temperature, iterations, row_weights=source.weight, column_weights=target.weight)


def _node_terms(source: _Side, target: _Side, plan: Tensor, term: SetTerm) -> tuple[Tensor, Tensor]:
    if term is SetTerm.ALIGN_DIFF:
        difference = source.node - (plan * target.weight[:, None, :]) @ target.node  # (K, M, d)
        weight = source.weight[:, :, None]
        return (weight * difference.relu()).sum((1, 2)), (weight * (-difference).relu()).sum((1, 2))
    weight = plan * source.weight[:, :, None] * target.weight[:, None, :]  # (K, M, M)
    if term is SetTerm.XOR:
        weight = weight * (source.real[:, :, None] ^ target.real[:, None, :])
    more, less = _OneSided.apply(source.node, target.node)  # type: ignore[no-untyped-call]
    return (weight * more).sum((1, 2)), (weight * less).sum((1, 2))


def _edge_terms(source: _Side, target: _Side, plan: Tensor, term: SetTerm) -> tuple[Tensor, Tensor]:
    if term is SetTerm.ALIGN_DIFF:
        # S R' = P R' P^T over ordered pairs, feature by feature.
        half_way = torch.einsum("kua,kabf->kubf", plan, target.ordered[..., None] * target.pair)
        difference = source.pair - torch.einsum("kvb,kubf->kuvf", plan, half_way)  # (K, M, M, D)
        weight = source.ordered[..., None] / 2
        return (weight * difference.relu()).sum((1, 2, 3)), (weight * (-difference).relu()).sum((1, 2, 3))
    all_source, all_target = _pair_list(source), _pair_list(target)
    if term is SetTerm.DIFF_ALIGN:
        return _compared(all_source, all_target, plan)
    # An edge of one graph against all that is no edge of the other.
    more, less = _compared(_edges_of(all_source), _without_edges(all_target), plan)
    reverse_more, reverse_less = _compared(_edges_of(all_target), _without_edges(all_source), plan.transpose(1, 2))
    return more + reverse_less, less + reverse_more


class _PairList(NamedTuple):
    """Node pairs of each graph, E of them, with how many they stand for."""

    low: Tensor  # (K, E)
    high: Tensor  # (K, E)
    pair: Tensor  # (K, E, D)
    is_edge: Tensor  # (K, E)
    weight: Tensor  # (K, E)


def _pair_list(side: _Side) -> _PairList:
    slots = side.weight.shape[1]
    # With the diagonal: a slot that stands for several padding nodes makes pairs with itself.
    high, low = torch.tril_indices(slots, slots, device=side.weight.device)
    weight = side.ordered[:, high, low] / torch.where(high == low, 2, 1)
    return _PairList(
        low.expand(len(weight), -1),
        high.expand(len(weight), -1),
        side.pair[:, high, low],
        side.adjacency[:, high, low].to(weight.device),
        weight,
    )


def _edges_of(pairs: _PairList) -> _PairList:
    """The edges only, the lists as long as the longest needs."""
    most = int(pairs.is_edge.sum(1).max()) if pairs.is_edge.numel() else 0
    order = torch.argsort(pairs.is_edge.to(torch.int8), dim=1, descending=True, stable=True)[:, :most]  # (K, most)
    low, high, is_edge, weight = (
        each.gather(1, order) for each in (pairs.low, pairs.high, pairs.is_edge, pairs.weight)
    )
    vectors = pairs.pair.gather(1, order[..., None].expand(-1, -1, pairs.pair.shape[2]))
    return _PairList(low, high, vectors, is_edge, weight * is_edge)


def _without_edges(pairs: _PairList) -> _PairList:
    return pairs._replace(weight=pairs.weight * ~pairs.is_edge)


def _compared(rows: _PairList, columns: _PairList, plan: Tensor) -> tuple[Tensor, Tensor]:
    """sum of S[e, e'] || relu(e - e') || and || relu(e' - e) ||, where S = P[u,u'] P[v,v'] + P[u,v'] P[v,u']."""

    def at(ends: Tensor, other_ends: Tensor) -> Tensor:
        chosen = plan.gather(1, ends[..., None].expand(-1, -1, plan.shape[2]))  # (K, E, M)
        return chosen.gather(2, other_ends[:, None, :].expand(-1, ends.shape[1], -1))  # (K, E, E')

    aligned = at(rows.low, columns.low) * at(rows.high, columns.high)
    aligned = aligned + at(rows.low, columns.high) * at(rows.high, columns.low)
    weight = aligned * rows.weight[:, :, None] * columns.weight[:, None, :]
    more, less = _OneSided.apply(rows.pair, columns.pair)  # type: ignore[no-untyped-call]
    return (weight * more).sum((1, 2)), (weight * less).sum((1, 2))


class _OneSided(torch.autograd.Function):
    """|| relu(a - b) ||_1 and || relu(b - a) ||_1 of all vectors a (K, E, D), b (K, E', D): twice (K, E, E').

    Goes through the features one by one, both ways: there is never a tensor (K, E, E', D).
    """

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        ctx.save_for_backward(a, b)
        both = torch.cdist(a, b, p=1)
        surplus = a.sum(2)[:, :, None] - b.sum(2)[:, None, :]
        return (both + surplus) / 2, (both - surplus) / 2

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_more: Tensor, d_less: Tensor) -> tuple[Tensor, Tensor]:
        # The distance's own gradient would do, but for equal features, where relu has none on either side.
        a, b = (each.movedim(2, 0).contiguous() for each in ctx.saved_tensors)  # (D, K, E)
        d_a, d_b, nothing = torch.empty_like(a), torch.empty_like(b), d_more.new_zeros(())
        d_less = -d_less
        for feature, (at_a, at_b) in enumerate(zip(a, b, strict=True)):
            at_a, at_b = at_a[:, :, None], at_b[:, None, :]
            slope = torch.where(at_a > at_b, d_more, torch.where(at_a < at_b, d_less, nothing))  # (K, E, E')
            torch.sum(slope, 2, out=d_a[feature])
            torch.sum(slope, 1, out=d_b[feature])
        return d_a.movedim(0, 2), -d_b.movedim(0, 2)
