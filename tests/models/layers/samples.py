"""Encoded graphs for tests: random vectors, graphs of chosen sizes and densities."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from graphedx.models.layers.set_terms import EncodedGraphs, SetTerm

SIZES = (0, 1, 3, 5, 5, 6)
DENSITIES = (0.0, 0.0, 1.0, 0.5, 0.2, 0.5)  # no edges, a complete graph, and sparse ones that fall apart
PAIRS = torch.tensor([(0, 0), (0, 3), (4, 0), (1, 1), (1, 2), (2, 2), (2, 5), (3, 4), (4, 3), (5, 1), (5, 5), (5, 3)])
TERMS = tuple(SetTerm)


def encoded(
    sizes: Sequence[int] = SIZES,
    densities: Sequence[float] | None = DENSITIES,
    *,
    seed: int = 0,
    dtype: torch.dtype = torch.float64,
    step: float | None = None,
    features: tuple[int, int, int] = (4, 6, 9),
) -> EncodedGraphs:
    """``features`` of nodes, alignment and pairs; node and pair vectors are multiples of ``step``: ties."""
    generator = torch.Generator().manual_seed(seed)

    def random(*shape: int, scale: float = 0.5) -> Tensor:
        values = torch.randn(*shape, generator=generator, dtype=torch.float64) * scale
        return values.to(dtype)

    def stepped(*shape: int) -> Tensor:
        values = random(*shape)
        return values if step is None else (values / step).round() * step

    d, m, width = features
    nodes, pairs = sum(sizes), sum(n * (n + 1) // 2 for n in sizes)
    bits = [
        torch.rand(n * (n - 1) // 2, generator=generator) < p
        for n, p in zip(sizes, densities or [0.3] * len(sizes), strict=True)
    ]
    return EncodedGraphs(
        stepped(nodes, d),
        random(nodes, m, scale=0.03),
        random(m, scale=0.03),
        stepped(pairs, width),
        stepped(width),
        torch.cat(bits),
        torch.tensor([0, *sizes]).cumsum(0),
    )


def with_gradients(graphs: EncodedGraphs) -> EncodedGraphs:
    """The same graphs; their vectors are leaves that collect gradients."""
    vectors = (vector.detach().clone().requires_grad_() for vector in graphs.vectors)
    return EncodedGraphs(*vectors, graphs.adjacency, graphs.offsets)


def gradients_of(graphs: EncodedGraphs, terms: Tensor) -> list[Tensor]:
    """Of a fixed random combination of the terms."""
    weights = torch.randn(terms.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    found = torch.autograd.grad((terms * weights.to(terms.dtype)).sum(), graphs.vectors, materialize_grads=True)
    return list(found)


def renamed(graphs: EncodedGraphs, orders: Sequence[Tensor]) -> EncodedGraphs:
    """The same graphs with node orders[g][i] of graph g as its node i."""
    node_order, pair_order, real_order = [], [], []
    first_pair = 0
    for graph, order in enumerate(orders):
        n, first = len(order), int(graphs.offsets[graph])
        node_order += [first + int(u) for u in order]
        old = [*map(int, order), n]
        for high in range(1, n + 1):
            for low in range(high):
                a, b = sorted((old[low], old[high]))
                place = first_pair + b * (b - 1) // 2 + a
                pair_order.append(place)
                if high < n:
                    real_order.append(place - first)
        first_pair += n * (n + 1) // 2
    return graphs._replace(
        node=graphs.node[node_order],
        align=graphs.align[node_order],
        pair=graphs.pair[pair_order],
        adjacency=graphs.adjacency[real_order],
    )
