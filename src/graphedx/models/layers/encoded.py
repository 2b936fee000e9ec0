"""Encoded graphs: what an encoder makes of a batch of graphs, how they are aligned, and what set terms compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

import torch
from torch import Tensor

from graphedx.errors import ModelError


class SetTerm(Enum):
    """How two sets of vectors are compared under an alignment P.

    - ``ALIGN_DIFF``: || relu(X - P X') ||, one set carried over to the other;
    - ``DIFF_ALIGN``: sum P[u, u'] || relu(X[u] - X'[u']) ||, the differences of all pairs, weighed by the alignment;
    - ``XOR``: as DIFF_ALIGN, of those pairs only of which one is there (a node, an edge) and the other is not.
    """

    ALIGN_DIFF = "align_diff"
    DIFF_ALIGN = "diff_align"
    XOR = "xor"


class AlignBy(Enum):
    """What is high where two nodes are to be aligned: minus the L1 distance of their vectors, or the product."""

    DISTANCE = "distance"
    PRODUCT = "product"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AlignmentOptions:
    """The alignment is Sinkhorn's plan of scores / temperature, which ``align`` vectors are compared ``by``.

    Both graphs of a pair are padded to ``padded_nodes`` nodes, or to the larger of them if that is 0. ``noise``
    (K, N, N), padding nodes last, is added to scores. All padding nodes of a graph have the noise of the first of them:
    they are alike, and remain so.
    """

    temperature: float = 0.01
    iterations: int = 20
    padded_nodes: int = 0
    noise: Tensor | None = None
    by: AlignBy = AlignBy.DISTANCE

    def __post_init__(self) -> None:
        if not 0 < self.temperature < float("inf"):
            raise ModelError(f"temperature must be finite and > 0, got {self.temperature}")
        if self.iterations < 1:
            raise ModelError(f"iterations must be at least 1, got {self.iterations}")
        if self.padded_nodes < 0:
            raise ModelError(f"padded_nodes must not be negative, got {self.padded_nodes}")

    def fitting(self, graphs: EncodedGraphs, pairs: Tensor) -> AlignmentOptions:
        """With the noise as the graphs' numbers are; raises ModelError unless it is (K, N, N)."""
        if self.noise is None:
            return self
        wanted = len(pairs), *[self.padded_nodes or self.noise.shape[-1]] * 2
        if tuple(self.noise.shape) != wanted:
            raise ModelError(f"noise must have the shape (K, N, N), here {wanted}, got {tuple(self.noise.shape)}")
        return replace(self, noise=self.noise.detach().to(graphs.node))


class EncodedGraphs(NamedTuple):
    """The vectors of G graphs, one graph after the other; n is the number of nodes of a graph.

    Node pairs u < v of a graph are in the order of ``torch.tril_indices(n + 1, n + 1, -1)``, whose rows are v and whose
    columns u: (0,1) (0,2) (1,2) (0,3) ... Here v = n stands for a padding node, so that the last n pairs of a graph are
    those with padding.
    """

    node: Tensor  # (sum n, d); padding nodes are zero
    align: Tensor  # (sum n, m): what nodes are aligned by
    align_pad: Tensor  # (m,): of padding nodes
    pair: Tensor  # (sum n(n+1)/2, D)
    pair_pad: Tensor  # (D,): of two padding nodes
    adjacency: Tensor  # (sum n(n-1)/2,) bool: which pairs of real nodes are edges
    offsets: Tensor  # (G + 1,) int64: the first node of each graph, and the number of all nodes
    # (sum n,) int64: the first node of its graph, from 0, that each is alike, as in ``GraphBatch``; None: none are.
    # Nodes that are alike have the same vectors, and so have their pairs, edges and others apart. The native core looks
    # at the first ones only, and gives these the gradients of all: the weights behind them get the same.
    alike: Tensor | None = None

    @property
    def vectors(self) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """What gradients flow to."""
        return self.node, self.align, self.align_pad, self.pair, self.pair_pad

    @property
    def sizes(self) -> Tensor:
        """The number of nodes of each graph (G,)."""
        return self.offsets.diff()

    def check(self) -> None:
        """Raise ModelError unless shapes, types and devices fit each other."""
        for name, dims in (("node", 2), ("align", 2), ("align_pad", 1), ("pair", 2), ("pair_pad", 1)):
            tensor = getattr(self, name)
            if tensor.dim() != dims:
                raise ModelError(f"{name} must have {dims} dimensions, got shape {tuple(tensor.shape)}")
            if (tensor.dtype, tensor.device) != (self.node.dtype, self.node.device) or not tensor.is_floating_point():
                raise ModelError(
                    f"{name} must be of the same floating type and on the same device as node "
                    f"({self.node.dtype}, {self.node.device}), got {tensor.dtype}, {tensor.device}"
                )
        if self.adjacency.dtype != torch.bool or self.adjacency.dim() != 1:
            raise ModelError(
                f"adjacency must be a vector of bool, got {tuple(self.adjacency.shape)} of {self.adjacency.dtype}"
            )
        if self.offsets.dtype != torch.int64 or self.offsets.dim() != 1:
            raise ModelError(
                f"offsets must be a vector of int64, got {tuple(self.offsets.shape)} of {self.offsets.dtype}"
            )
        if self.alike is not None and (self.alike.dtype != torch.int64 or self.alike.shape != self.node.shape[:1]):
            raise ModelError(
                f"alike must be an int64 for each of the {len(self.node)} nodes, got {tuple(self.alike.shape)} "
                f"of {self.alike.dtype}"
            )

    def check_contents(self) -> None:
        """Raise ModelError unless the rows are as many as the offsets ask for."""
        sizes = self.sizes
        if self.offsets.numel() == 0 or self.offsets[0] != 0 or bool((sizes < 0).any()):
            raise ModelError("offsets must begin with 0 and rise to the number of nodes")
        nodes, pairs = int(sizes.sum()), int((sizes * (sizes + 1) // 2).sum())
        for name, wanted in (("node", nodes), ("align", nodes), ("pair", pairs), ("adjacency", pairs - nodes)):
            if len(getattr(self, name)) != wanted:
                raise ModelError(f"{name} has {len(getattr(self, name))} rows where the offsets ask for {wanted}")
        for name in ("align", "pair"):
            vectors, pad = getattr(self, name), getattr(self, f"{name}_pad")
            if vectors.shape[1] != len(pad):
                raise ModelError(f"{name}_pad must have the {vectors.shape[1]} features of {name}, got {len(pad)}")


def joined(parts: Sequence[EncodedGraphs]) -> EncodedGraphs:
    """The graphs of several, which one encoder has made, one after the other; padding is the same in all of them."""
    first = parts[0]
    offsets = torch.cat([torch.zeros_like(first.offsets[:1]), torch.cat([part.sizes for part in parts]).cumsum(0)])
    alike = [part.alike for part in parts if part.alike is not None]
    return first._replace(
        node=torch.cat([part.node for part in parts]),
        align=torch.cat([part.align for part in parts]),
        pair=torch.cat([part.pair for part in parts]),
        adjacency=torch.cat([part.adjacency for part in parts]),
        offsets=offsets,
        alike=torch.cat(alike) if len(alike) == len(parts) else None,
    )


def padded_pair_rows(graphs: EncodedGraphs, graph: int, nodes: int) -> Tensor:
    """(M, D) the vectors of all node pairs u < v of one graph, padded to so many nodes, in lexicographic order."""
    size = int(graphs.sizes[graph])
    before = graphs.sizes[:graph]
    first = int((before * (before + 1) // 2).sum())
    low, high = torch.triu_indices(nodes, nodes, 1, device=graphs.pair.device)
    high = high.clamp(max=size)  # any padding node is the first one
    place = torch.where(low < size, first + high * (high - 1) // 2 + low, len(graphs.pair))
    return torch.cat([graphs.pair, graphs.pair_pad[None]])[place]
