"""Pairs of graphs as tensors of one size, alike nodes as one: classes of nodes, and types of node pairs."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from graphedx.errors import ModelError
from graphedx.models.layers.encoded import EncodedGraphs
from graphedx.models.layers.padded import Items, NodePairs, padded_pairs, with_last


class Classes(NamedTuple):
    """One graph of each pair in M slots: classes of its nodes, then padding. The ends of node pairs are slots, too."""

    align: Tensor  # (K, M, m)
    nodes: Items  # (K, M)
    node_pairs: NodePairs  # (K, T): for every two classes a slot of those that are edges, and one of the others

    @property
    def weight(self) -> Tensor:
        """How many nodes each slot stands for (K, M)."""
        return self.nodes.weight


class ClassedGraphs(NamedTuple):
    """The graphs of a batch by classes and types. A place is the row of the first member, or past the last row."""

    graphs: EncodedGraphs
    classes: Tensor  # (G,): how many; the slot behind them is that of padding
    node_place: Tensor  # (G, M)
    node_count: Tensor  # (G, M): of nodes in a class
    low: Tensor  # (G, T)
    high: Tensor  # (G, T)
    joined: Tensor  # (G, T) bool
    pair_place: Tensor  # (G, T)
    pair_count: Tensor  # (G, T): of node pairs of a type; of those with padding as if there were one padding node

    @property
    def types(self) -> int:
        """Slots for types, those of the graph that has most."""
        return self.low.shape[1]

    @classmethod
    def of(cls, graphs: EncodedGraphs, *, one_by_one: bool = False) -> ClassedGraphs:
        """Classes are those of ``graphs.alike``, or every node is one of its own."""
        graphs.check_contents()
        sizes, first_node = graphs.sizes, graphs.offsets[:-1]
        count, nodes = len(sizes), len(graphs.node)
        numbers = torch.arange(count, device=sizes.device)
        graph = numbers.repeat_interleave(sizes)  # (nodes,)
        node = torch.arange(nodes, device=sizes.device)
        first = node if one_by_one or graphs.alike is None else _first_members(graphs.alike, first_node[graph], node)
        is_first = first == node
        before = torch.cat((first.new_zeros(1), is_first.cumsum(0)))  # first members before each node
        class_of = (before[:-1] - before[first_node[graph]])[first]
        classes = before[graphs.offsets[1:]] - before[first_node]
        slots = 1 + (int(classes.max()) if count else 0)
        node_place = torch.full((count, slots), nodes, device=sizes.device)
        node_place[graph[is_first], class_of[is_first]] = node[is_first]
        node_count = torch.bincount(graph * slots + class_of, minlength=count * slots).view(count, slots)

        rows = sizes * (sizes + 1) // 2
        owner = numbers.repeat_interleave(rows)  # (pairs,)
        low, high, is_padding = _ends(owner, rows, sizes)
        class_of = torch.cat((class_of, class_of.new_zeros(1)))
        ends = class_of[first_node[owner] + low], class_of[torch.where(is_padding, nodes, first_node[owner] + high)]
        ends = ends[0], torch.where(is_padding, classes[owner], ends[1])
        joined = torch.zeros_like(is_padding)
        joined[~is_padding] = graphs.adjacency.to(joined.device)
        key = ((owner * slots + torch.minimum(*ends)) * slots + torch.maximum(*ends)) * 2 + joined
        found, type_of, pair_count = torch.unique(key, return_inverse=True, return_counts=True)
        place = torch.arange(len(key), device=key.device)
        first_pair = place.new_full((len(found),), len(key)).scatter_reduce(0, type_of, place, "amin")
        owner = owner[first_pair]
        types = torch.bincount(owner, minlength=count)
        column = torch.arange(len(found), device=key.device) - (types.cumsum(0) - types)[owner]
        width = 1 + (int(types.max()) if count else 0)  # the last is that of two padding nodes

        def table(values: Tensor, rest: Tensor | int) -> Tensor:
            filled = torch.empty((count, width), dtype=values.dtype, device=values.device)
            filled[:] = rest
            filled[owner, column] = values
            return filled

        return cls(
            graphs,
            classes,
            node_place,
            node_count,
            table(found // 2 // slots % slots, classes[:, None]),
            table(found // 2 % slots, classes[:, None]),
            table(found % 2 == 1, 0),
            table(first_pair, len(key)),
            table(pair_count, 0),
        )

    def sides(self, pairs: Tensor, padded_nodes: int) -> tuple[Classes, Classes]:
        """Sources and targets of the pairs."""
        pairs, padded = padded_pairs(self.graphs, pairs, padded_nodes)
        source, target = (self._side(pairs[:, side], padded) for side in (0, 1))
        return source, target

    def _side(self, which: Tensor, padded: Tensor) -> Classes:
        graphs, device = self.graphs, self.graphs.node.device
        padding = (padded - graphs.sizes[which])[:, None]
        classes = self.classes[which][:, None]
        slot = torch.arange(self.node_place.shape[1], device=which.device)
        weight = torch.where(slot == classes, padding, self.node_count[which])
        place = self.node_place[which].to(device)
        low, high = self.low[which], self.high[which]
        of_pair = torch.where(high == classes, self.pair_count[which] * padding, self.pair_count[which])
        is_last = torch.arange(self.types, device=which.device) == self.types - 1
        of_pair = torch.where(is_last, padding * (padding - 1) // 2, of_pair)
        pair = with_last(graphs.pair, graphs.pair_pad[None])[self.pair_place[which].to(device)]
        dtype = graphs.node.dtype
        return Classes(
            align=with_last(graphs.align, graphs.align_pad[None])[place],
            nodes=Items(
                with_last(graphs.node, torch.zeros_like(graphs.node[:1]))[place],
                (slot < classes).to(device),
                weight.to(device, dtype),
            ),
            node_pairs=NodePairs(
                low.to(device),
                high.to(device),
                Items(pair, self.joined[which].to(device), of_pair.to(device, dtype)),
            ),
        )


def _first_members(alike: Tensor, first_node: Tensor, node: Tensor) -> Tensor:
    """Of the class of each node, among all nodes."""
    first = first_node + alike.to(node.device)
    if bool((alike < 0).any()) or bool((first > node).any()) or bool((first[first] != first).any()):
        raise ModelError("alike must name the first of the nodes that each node is alike, from 0 in its graph")
    return first


def _ends(owner: Tensor, rows: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Of all rows of node pairs the two ends u < v, from 0 in their graph, and whether v is padding."""
    within = torch.arange(len(owner), device=owner.device) - (rows.cumsum(0) - rows)[owner]
    high = ((1 + (8 * within + 1).to(torch.float64).sqrt()) / 2).to(torch.int64)
    return within - high * (high - 1) // 2, high, high == sizes[owner]
