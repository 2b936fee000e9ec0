"""What the paper tried instead of its own edge terms; ablations, so clear before fast."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import Enum

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from graphedx.models.layers.classes import ClassedGraphs, Classes
from graphedx.models.layers.divergence import (
    aligned_mass,
    distances,
    set_divergences,
    sum_of_aligned_maxima,
    sum_of_maxima,
)
from graphedx.models.layers.encoded import AlignmentOptions, EncodedGraphs, SetTerm
from graphedx.models.layers.padded import Items, edges_of, pair_plan, soft_plan, those_there
from graphedx.models.layers.sinkhorn import sinkhorn

MOST_CELLS = 2**19
"""Between types of node pairs, at a time: more are not faster. Where a batch has more, what lies between is
computed again on the way back, so that memory is that of one part."""


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


def max_terms(graphs: EncodedGraphs, pairs: Tensor, alignment: AlignmentOptions, variant: Variant) -> Tensor:
    """Nodes deleted, inserted, edges deleted, inserted, as sums of maxima minus counts: (K, 4).

    For bits a and b relu(a - b) = max(a, b) - b. So sum max(A, P A' P^T) - |E'| edges are deleted, the same sum less
    |E| inserted, where each node pair counts once; nodes likewise. Hence the factor of the sum is edge_del + edge_ins,
    and node_del + node_ins. The text's half of that belongs to matrices that have each pair twice; it is wrong for
    nodes, and for R. And its norm is a sum: of vectors below zero the identity holds for sums only.

    ``MAX_OR`` as written, OR(A, A') * max(R, S R'), multiplies tensors of different shapes; it is meant item by item:
    sum of S[e, e'] max(R[e], R'[e']) where e or e' is an edge.
    """
    most = sum_of_maxima if variant is Variant.MAX else sum_of_aligned_maxima

    def terms(source: Classes, target: Classes, plan: Tensor) -> Tensor:
        rows, columns = those_there(source.node_pairs), those_there(target.node_pairs)
        aligned = pair_plan(rows, columns, plan)
        sets = ((source.nodes, target.nodes, plan), (rows.items, columns.items, aligned))
        found = []
        for mine, theirs, by in sets:
            union = most(mine, theirs, by)
            found += [union - _count(theirs), union - _count(mine)]
        return torch.stack(found, dim=1)

    return _by_parts(terms, graphs, pairs, alignment)


def edge_to_edge_terms(
    graphs: EncodedGraphs, pairs: Tensor, alignment: AlignmentOptions, node_term: SetTerm, edge_term: SetTerm
) -> Tensor:
    """As ``set_terms``, but of edges only, where S is the nodes' own: (K, 4).

    The shorter list of edges is padded with zero vectors. These have no ends, so that nothing is aligned with them:
    their rows and columns of S are zero.
    """

    def terms(source: Classes, target: Classes, plan: Tensor) -> Tensor:
        nodes = set_divergences(source.nodes, target.nodes, plan, node_term)
        rows, columns = edges_of(source.node_pairs), edges_of(target.node_pairs)
        edges = set_divergences(rows.items, columns.items, pair_plan(rows, columns, plan), edge_term)
        return torch.stack((*nodes, *edges), dim=1)

    return _by_parts(terms, graphs, pairs, alignment)


def independent_terms(
    graphs: EncodedGraphs,
    pairs: Tensor,
    alignment: AlignmentOptions,
    pair_align: tuple[Tensor, Tensor],
    node_term: SetTerm,
    edge_term: SetTerm,
) -> tuple[Tensor, Tensor]:
    """As ``set_terms`` with a plan of the node pairs' own; and how far it is from S in the L1 norm: (K, 4), (K,).

    ``pair_align`` are the vectors by which node pairs are aligned, one for each row of ``graphs.pair``, and that of two
    padding nodes. Noise is of the nodes' plan.
    """
    size = graphs.pair.shape[1]
    both = graphs._replace(
        pair=torch.cat((graphs.pair, pair_align[0]), dim=1),
        pair_pad=torch.cat((graphs.pair_pad, pair_align[1])),
    )

    def terms(source: Classes, target: Classes, plan: Tensor) -> Tensor:
        nodes = set_divergences(source.nodes, target.nodes, plan, node_term)
        rows, columns = those_there(source.node_pairs), those_there(target.node_pairs)
        mine, theirs = (side.items._replace(vector=side.items.vector[..., :size]) for side in (rows, columns))
        by, others_by = (side.items._replace(vector=side.items.vector[..., size:]) for side in (rows, columns))
        scores = -distances(by, others_by) / alignment.temperature  # (K, E, E')
        own = sinkhorn(scores, alignment.iterations, row_weights=mine.weight, column_weights=theirs.weight)
        edges = set_divergences(mine, theirs, own, edge_term)
        apart = aligned_mass(mine, theirs, (own - pair_plan(rows, columns, plan)).abs()).sum((1, 2))
        return torch.stack((*nodes, *edges, apart), dim=1)

    found = _by_parts(terms, both, pairs, alignment)
    return found[:, :4], found[:, 4]


def _count(items: Items) -> Tensor:
    return (items.weight * items.present).sum(1)


def _by_parts(
    terms: Callable[[Classes, Classes, Tensor], Tensor],
    graphs: EncodedGraphs,
    pairs: Tensor,
    alignment: AlignmentOptions,
) -> Tensor:
    noise = alignment.fitting(graphs, pairs).noise
    classed = ClassedGraphs.of(graphs, one_by_one=noise is not None)  # noise tells nodes apart

    def part(some: Tensor, heard: Tensor | None) -> Tensor:
        source, target = classed.sides(some, alignment.padded_nodes)
        return terms(source, target, soft_plan(source, target, replace(alignment, noise=heard), backend="auto"))

    at_once = max(1, MOST_CELLS // classed.types**2)
    if len(pairs) <= at_once:
        return part(pairs, noise)
    parts = torch.split(pairs, at_once)
    heard = [None] * len(parts) if noise is None else torch.split(noise, at_once)
    found = [
        checkpoint(part, *both, use_reentrant=False, preserve_rng_state=False)
        for both in zip(parts, heard, strict=True)
    ]
    return torch.cat(found)
