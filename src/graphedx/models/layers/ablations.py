"""What the paper tried instead of its own edge terms, put together from set terms."""

from __future__ import annotations

from enum import Enum

import torch
from torch import Tensor

from graphedx.models.layers.backend import Backend
from graphedx.models.layers.encoded import AlignmentOptions, EncodedGraphs, SetTerm
from graphedx.models.layers.padded import padded_pairs
from graphedx.models.layers.set_terms import maximum_terms, set_terms

PUBLISHED_EDGE_FACTOR = 0.5
"""Of the sum of edge maxima in MAX and MAX-OR; 1 is the mathematically consistent one."""


class Variant(Enum):
    """What a GraphEdX model compares, and how.

    - ``STANDARD``: all node pairs, aligned as the nodes are, by the divergences that ``node_term`` and ``edge_term``
      name; all others are the paper's ablations:
    - ``MAX``: ``max(R, S R')`` and ``max(X, P X')`` instead of divergences;
    - ``MAX_OR``: as MAX, but item by item, and of those only of which at least one is there (a node, an edge);
    - ``REG``: node pairs have an alignment of their own, which training draws to that of the nodes; with
      ``SetTerm.XOR`` for edges it is the paper's REG-xor;
    - ``EDGE_TO_EDGE``: edges against edges; non-edges have no part in it;
    - ``PAIR_TO_PAIR``: all node pairs, but non-edges have zero vectors;
    - ``NODE_SWAP``: no edge terms at all; the node terms, XOR or not, are to learn what edges cost.
    """

    STANDARD = "standard"
    MAX = "max"
    MAX_OR = "max_or"
    REG = "reg"
    EDGE_TO_EDGE = "edge_to_edge"
    PAIR_TO_PAIR = "pair_to_pair"
    NODE_SWAP = "node_swap"


def max_terms(
    graphs: EncodedGraphs,
    pairs: Tensor,
    alignment: AlignmentOptions,
    variant: Variant,
    backend: Backend = "auto",
    *,
    edge_factor: float = PUBLISHED_EDGE_FACTOR,
) -> Tensor:
    """Nodes deleted, inserted, edges deleted, inserted, as sums of maxima minus counts: (K, 4).

    For bits a and b relu(a - b) = max(a, b) - b. So sum max(A, P A' P^T) - |E'| edges are deleted, and the same sum
    minus |E| are inserted, where each node pair counts once; likewise for nodes. The sum of the edges, over R and S R',
    is multiplied by ``edge_factor``. With 1 the terms are the edits if vectors are bits. The published 1/2 belongs to
    matrices that contain each pair twice, but the published sums over R contain each pair once. The text has 1/2 for
    nodes, too, the published code has not. Its norm is a sum: for negative vectors the identity holds for sums only.

    ``MAX_OR`` as written, OR(A, A') * max(R, S R'), multiplies tensors of different shapes; it is meant item by item:
    sum of S[e, e'] max(R[e], R'[e']) where e or e' is an edge.
    """
    pairs, padded = padded_pairs(graphs, pairs, alignment.padded_nodes)
    source, target = pairs.T
    if variant is Variant.MAX:  # max(a, b) = a + relu(b - a)
        align_diff = SetTerm.ALIGN_DIFF
        terms = set_terms(graphs, pairs, alignment, node_term=align_diff, edge_term=align_diff, backend=backend)
        nodes, edges = terms[:, 1] + _node_sums(graphs)[source], terms[:, 3] + _pair_sums(graphs, source, padded)
    else:  # max(a, b) = b + relu(a - b), where columns of P sum to 1, and padding nodes are zero
        terms = maximum_terms(graphs, pairs, alignment, backend=backend)
        nodes, edges = terms[:, 0] + _node_sums(graphs)[target], terms[:, 2]
    node_counts, edge_counts = graphs.sizes.to(nodes), _edge_counts(graphs).to(nodes)
    both = ((nodes, node_counts), (edge_factor * edges, edge_counts))
    return torch.stack([union - counts[side] for union, counts in both for side in (target, source)], dim=1)


def edge_to_edge_terms(
    graphs: EncodedGraphs,
    pairs: Tensor,
    alignment: AlignmentOptions,
    node_term: SetTerm,
    edge_term: SetTerm,
    backend: Backend = "auto",
) -> Tensor:
    """As ``set_terms``, but of edges only, where S is the nodes' own: (K, 4).

    The shorter list of edges is padded with zero vectors. These have no ends, so that nothing is aligned with them:
    their rows and columns of S are zero.
    """
    return set_terms(
        graphs, pairs, alignment, node_term=node_term, edge_term=edge_term, edges_only=True, backend=backend
    )


def _node_sums(graphs: EncodedGraphs) -> Tensor:
    """Of all features of all nodes: (G,)."""
    owner = torch.arange(len(graphs.sizes), device=graphs.offsets.device).repeat_interleave(graphs.sizes)
    return _by_graph(graphs.node.sum(1), owner, len(graphs.sizes))


def _pair_sums(graphs: EncodedGraphs, which: Tensor, padded: Tensor) -> Tensor:
    """Of all features of all node pairs of these graphs (K,), each padded to so many nodes (K,): (K,)."""
    owner, with_padding = _pair_owners(graphs)
    sums = _by_graph(graphs.pair.sum(1), 2 * owner + with_padding, 2 * len(graphs.sizes)).view(-1, 2)[which]  # (K, 2)
    padding = (padded - graphs.sizes[which]).to(sums.device)
    return sums[:, 0] + padding * sums[:, 1] + padding * (padding - 1) // 2 * graphs.pair_pad.sum()


def _edge_counts(graphs: EncodedGraphs) -> Tensor:
    owner, with_padding = _pair_owners(graphs)
    return _by_graph(graphs.adjacency.to(torch.int64), owner[~with_padding], len(graphs.sizes))


def _pair_owners(graphs: EncodedGraphs) -> tuple[Tensor, Tensor]:
    """The graph of each row of pairs, and whether it is one with padding: those are the last of their graph."""
    sizes = graphs.sizes
    rows = sizes * (sizes + 1) // 2
    owner = torch.arange(len(sizes), device=sizes.device).repeat_interleave(rows)
    left = rows.cumsum(0)[owner] - torch.arange(len(owner), device=sizes.device)
    return owner, left <= sizes[owner]


def _by_graph(values: Tensor, owner: Tensor, count: int) -> Tensor:
    return values.new_zeros(count).index_add(0, owner.to(values.device), values)
