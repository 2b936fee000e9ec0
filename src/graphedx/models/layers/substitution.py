"""Nodes that change their label, under the soft alignment of two graphs."""

from __future__ import annotations

import torch
from torch import Tensor

from graphedx.models.layers.backend import Backend
from graphedx.models.layers.encoded import AlignmentOptions, EncodedGraphs, SetTerm
from graphedx.models.layers.set_terms import set_terms


def relabelled(
    graphs: EncodedGraphs,
    label: Tensor,
    pairs: Tensor,
    alignment: AlignmentOptions,
    backend: Backend = "auto",
) -> Tensor:
    """sum P[u, u'] [label u != label u'] over real nodes u and u', for each pair of graphs: (K,).

    That is the paper's term with the factor 1/2 which its text leaves out: one-hot labels that differ are 2 apart.
    ``label`` (nodes,) are whole numbers from 0.

    Of one-hot labels as node vectors, padding zero, what the source has more is 1 for unequal labels, and 1 for a node
    that is aligned with padding; DiffAlign has both, XOR the second only. So it takes two calls of the native core
    and no gradient of P.
    """
    hot = torch.nn.functional.one_hot(label, int(label.max()) + 1 if len(label) else 1).to(graphs.node.dtype)
    bare = graphs._replace(node=hot, pair=graphs.pair[:, :0], pair_pad=graphs.pair_pad[:0])
    changed_or_deleted, deleted = (
        # There are no vectors of node pairs, so that the edge term is one of nothing.
        set_terms(bare, pairs, alignment, node_term=term, edge_term=SetTerm.ALIGN_DIFF, backend=backend)[:, 0]
        for term in (SetTerm.DIFF_ALIGN, SetTerm.XOR)
    )
    return changed_or_deleted - deleted
