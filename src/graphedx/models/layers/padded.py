"""Pairs of graphs as tensors of one size: their nodes, their node pairs, and the plans between them."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from graphedx.errors import ModelError
from graphedx.models.layers.backend import Backend
from graphedx.models.layers.encoded import AlignBy, AlignmentOptions, EncodedGraphs
from graphedx.models.layers.sinkhorn import sinkhorn


class Items(NamedTuple):
    """One set of each of K pairs of graphs, in E slots. A slot stands for as many equal items as its weight."""

    vector: Tensor  # (K, E, D)
    present: Tensor  # (K, E) bool: a node, not padding; an edge, not a non-edge
    weight: Tensor  # (K, E)


class NodePairs(NamedTuple):
    """Node pairs of each graph, with their ends."""

    low: Tensor  # (K, E)
    high: Tensor  # (K, E)
    items: Items


class Aligned(Protocol):
    """Nodes in slots, as a plan sees them."""

    @property
    def align(self) -> Tensor:
        """What they are aligned by (K, M, m)."""

    @property
    def weight(self) -> Tensor:
        """How many each slot stands for (K, M)."""


class Side(NamedTuple):
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

    @property
    def nodes(self) -> Items:
        return Items(self.node, self.real, self.weight)

    @property
    def node_pairs(self) -> NodePairs:
        """All of them, M (M + 1) / 2 slots."""
        slots = self.weight.shape[1]
        # With the diagonal: a slot that stands for several padding nodes makes pairs with itself.
        high, low = torch.tril_indices(slots, slots, device=self.weight.device)
        weight = self.ordered[:, high, low] / torch.where(high == low, 2, 1)
        is_edge = self.adjacency[:, high, low].to(weight.device)
        ends = (low.expand(len(weight), -1), high.expand(len(weight), -1))
        return NodePairs(*ends, Items(self.pair[:, high, low], is_edge, weight))


def sides(graphs: EncodedGraphs, pairs: Tensor, padded_nodes: int, one_by_one: bool) -> tuple[Side, Side]:
    """Sources and targets of the pairs, every padding node a slot of its own or all of them in one."""
    graphs.check_contents()
    pairs, padded = padded_pairs(graphs, pairs, padded_nodes)
    largest = int(graphs.sizes[pairs].max()) if pairs.numel() else 0
    slots = (padded_nodes or largest) if one_by_one else largest + 1
    source, target = (_side(graphs, pairs[:, side], padded, slots, one_by_one) for side in (0, 1))
    return source, target


def padded_pairs(graphs: EncodedGraphs, pairs: Tensor, padded_nodes: int) -> tuple[Tensor, Tensor]:
    """The pairs (K, 2) where the sizes of graphs are, and how many nodes both graphs of each have with padding (K,)."""
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
    return pairs, torch.full_like(sizes[:, 0], padded_nodes) if padded_nodes else sizes.max(dim=1).values


def _side(graphs: EncodedGraphs, which: Tensor, padded: Tensor, slots: int, one_by_one: bool) -> Side:
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
    return Side(
        node=with_last(graphs.node, torch.zeros_like(graphs.node[:1]))[place],
        align=with_last(graphs.align, graphs.align_pad[None])[place],
        pair=with_last(graphs.pair, graphs.pair_pad[None])[pair_place],
        adjacency=torch.cat((graphs.adjacency, graphs.adjacency.new_zeros(1)))[real_place.to(graphs.adjacency.device)],
        real=real.to(device),
        weight=weight.to(device, graphs.node.dtype),
    )


def with_last(rows: Tensor, last: Tensor) -> Tensor:
    """The rows, and one behind them; of zeros if there is none."""
    return torch.cat((rows, last if len(last) else rows.new_zeros(1, rows.shape[1])))


def soft_plan(source: Aligned, target: Aligned, alignment: AlignmentOptions, backend: Backend = "torch") -> Tensor:
    """Sinkhorn's plan by the nodes' ``align`` vectors: (K, M, M).

    The noise is by nodes, of which the first padding node speaks for all.
    """
    if alignment.by is AlignBy.PRODUCT:
        scores = source.align @ target.align.transpose(1, 2)  # (K, M, M)
    else:
        scores = -torch.cdist(source.align, target.align, p=1)
    if alignment.noise is not None:
        scores = scores + _by_slot(alignment.noise, scores.shape[1])
    scores = scores / alignment.temperature
    rows, columns = source.weight, target.weight
    return sinkhorn(scores, alignment.iterations, row_weights=rows, column_weights=columns, backend=backend)


def _by_slot(noise: Tensor, slots: int) -> Tensor:
    """The slot of padding is after a graph's nodes, where its first padding node is; the rest stands for nothing."""
    missing = max(0, slots - noise.shape[1])  # one at most: the largest graphs have no padding
    if missing > 1:
        raise ModelError(f"noise of size {noise.shape[1]} is too small for a graph with {slots - 1} nodes")
    return torch.nn.functional.pad(noise, (0, missing, 0, missing))[:, :slots, :slots]


def pair_plan(rows: NodePairs, columns: NodePairs, plan: Tensor) -> Tensor:
    """S = P[u, u'] P[v, v'] + P[u, v'] P[v, u'] of these node pairs: (K, E, E')."""

    def at(ends: Tensor, other_ends: Tensor) -> Tensor:
        chosen = plan.gather(1, ends[..., None].expand(-1, -1, plan.shape[2]))  # (K, E, M)
        return chosen.gather(2, other_ends[:, None, :].expand(-1, ends.shape[1], -1))  # (K, E, E')

    aligned = at(rows.low, columns.low) * at(rows.high, columns.high)
    return aligned + at(rows.low, columns.high) * at(rows.high, columns.low)


def edges_of(pairs: NodePairs) -> NodePairs:
    """The edges only, the lists as long as the longest needs."""
    return _only(pairs, pairs.items.present)


def those_there(pairs: NodePairs) -> NodePairs:
    """Without slots that stand for nothing, the lists as long as the longest needs: about half of what there was."""
    return _only(pairs, pairs.items.weight > 0)


def _only(pairs: NodePairs, wanted: Tensor) -> NodePairs:
    """The slots that are wanted come first; those behind them, in shorter lists, stand for nothing."""
    most = int(wanted.sum(1).max()) if wanted.numel() else 0
    order = torch.argsort(wanted.to(torch.int8), dim=1, descending=True, stable=True)[:, :most]  # (K, most)
    of = pairs.items
    low, high, present, weight = (
        each.gather(1, order) for each in (pairs.low, pairs.high, of.present, of.weight * wanted)
    )
    vector = of.vector.gather(1, order[..., None].expand(-1, -1, of.vector.shape[2]))
    return NodePairs(low, high, Items(vector, present, weight))


def without_edges(pairs: NodePairs) -> NodePairs:
    """The same slots; edges stand for nothing."""
    return pairs._replace(items=pairs.items._replace(weight=pairs.items.weight * ~pairs.items.present))
