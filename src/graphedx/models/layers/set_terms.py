"""The four set divergences of GraphEdX: nodes and edges, deleted and inserted, under a soft alignment of two graphs.

And what its ablations compare instead.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from graphedx import _set_terms
from graphedx.errors import ModelError
from graphedx.models.layers.backend import Backend, array, goes_native, needs_gradient, threads_of
from graphedx.models.layers.dense import (
    dense_independent_terms,
    dense_maximum_terms,
    dense_plan,
    dense_set_terms,
)
from graphedx.models.layers.encoded import AlignBy, AlignmentOptions, EncodedGraphs, SetTerm

__all__ = [
    "AlignBy",
    "AlignmentOptions",
    "EncodedGraphs",
    "SetTerm",
    "alignment_plan",
    "independent_terms",
    "maximum_terms",
    "set_terms",
]

_NUMBERS = {term: number for number, term in enumerate(SetTerm)}
_OR_MAXIMUM = len(SetTerm)  # which edges alone have
_ALIGN_NUMBERS = {way: number for number, way in enumerate(AlignBy)}
_USUAL = AlignmentOptions()


def set_terms(
    graphs: EncodedGraphs,
    pairs: Tensor,
    alignment: AlignmentOptions = _USUAL,
    *,
    node_term: SetTerm = SetTerm.ALIGN_DIFF,
    edge_term: SetTerm = SetTerm.XOR,
    edges_only: bool = False,
    backend: Backend = "auto",
    threads: int | None = None,
) -> Tensor:
    """Nodes deleted, nodes inserted, edges deleted, edges inserted, for each pair of graphs: (K, 4).

    ``pairs`` (K, 2) are positions of graphs. With ``edges_only`` node pairs that are no edges have no part in it.

    Tensors on the CPU go to the native core: fused, O(|E| n^2 D) for XOR, where alike nodes count as one (unless there
    is noise), memory for one pair a thread, and the same bits for any number of ``threads`` (as many as torch uses, by
    default). On other devices it is plain torch, as with ``backend="torch"``: the same values and gradients up to
    rounding.

    Reference: Jain et al., Graph Edit Distance with General Costs Using Neural Set Divergence, NeurIPS 2024.
    """
    if edges_only and edge_term is SetTerm.XOR:
        raise ModelError("among edges only XOR has nothing to compare; take ALIGN_DIFF or DIFF_ALIGN")
    _check(graphs, pairs)
    alignment = alignment.fitting(graphs, pairs)
    if goes_native(graphs.node, backend):
        options = _options(alignment, _NUMBERS[node_term], _NUMBERS[edge_term], threads)
        return _native(graphs, pairs, alignment, options._replace(edges_only=int(edges_only)))
    return dense_set_terms(graphs, pairs, alignment, node_term, edge_term, edges_only)


def maximum_terms(
    graphs: EncodedGraphs, pairs: Tensor, alignment: AlignmentOptions = _USUAL, *, backend: Backend = "auto"
) -> Tensor:
    """DiffAlign of nodes, and twice sum S[e, e'] max(R[e], R'[e']) of all pairs of which one is an edge: (K, 4)."""
    _check(graphs, pairs)
    alignment = alignment.fitting(graphs, pairs)
    if goes_native(graphs.node, backend):
        options = _options(alignment, _NUMBERS[SetTerm.DIFF_ALIGN], _OR_MAXIMUM, None)
        return _native(graphs, pairs, alignment, options)
    return dense_maximum_terms(graphs, pairs, alignment)


def independent_terms(
    graphs: EncodedGraphs,
    pairs: Tensor,
    alignment: AlignmentOptions,
    pair_align: tuple[Tensor, Tensor],
    *,
    node_term: SetTerm,
    edge_term: SetTerm,
    backend: Backend = "auto",
) -> tuple[Tensor, Tensor]:
    """As ``set_terms`` with a plan of the node pairs' own; and how far it is from S in the L1 norm: (K, 4), (K,).

    ``pair_align`` are the vectors by which node pairs are aligned, one for each row of ``graphs.pair``, and that of two
    padding nodes. Noise is of the nodes' plan.
    """
    by, by_pad = pair_align
    if by.dim() != 2 or by.shape[1] == 0:
        raise ModelError(f"pair_align must have a vector of one feature or more for each pair, got {tuple(by.shape)}")
    graphs = graphs._replace(pair=torch.cat((graphs.pair, by), dim=1), pair_pad=torch.cat((graphs.pair_pad, by_pad)))
    _check(graphs, pairs)
    alignment, features = alignment.fitting(graphs, pairs), by.shape[1]
    if goes_native(graphs.node, backend):
        options = _options(alignment, _NUMBERS[node_term], _NUMBERS[edge_term], None)
        terms = _native(graphs, pairs, alignment, options._replace(pair_align_features=features))
    else:
        terms = dense_independent_terms(graphs, pairs, alignment, features, node_term, edge_term)
    return terms[:, :4], terms[:, 4]


def alignment_plan(
    graphs: EncodedGraphs,
    source: int,
    target: int,
    alignment: AlignmentOptions = _USUAL,
    *,
    backend: Backend = "auto",
) -> Tensor:
    """The alignment that ``set_terms`` uses for one pair: (N, N), padding nodes last, without noise or gradients."""
    pair = torch.tensor([[source, target]])
    _check(graphs, pair)
    with torch.no_grad():
        if goes_native(graphs.node, backend) and alignment.by is AlignBy.DISTANCE:
            return torch.from_numpy(_set_terms.plan(_arrays(graphs), _native_pairs(pair), *_rounds(alignment)))
        return dense_plan(graphs, pair, replace(alignment, noise=None))[0]


def _check(graphs: EncodedGraphs, pairs: Tensor) -> None:
    graphs.check()
    if pairs.dim() != 2 or pairs.shape[1] != 2 or pairs.dtype not in (torch.int32, torch.int64):
        raise ModelError(f"pairs must be (K, 2) whole numbers, got {tuple(pairs.shape)} of {pairs.dtype}")


def _rounds(alignment: AlignmentOptions) -> tuple[float, int, int]:
    return alignment.temperature, alignment.iterations, alignment.padded_nodes


def _arrays(graphs: EncodedGraphs) -> Any:
    alike = graphs.offsets.new_empty(0) if graphs.alike is None else graphs.alike
    return tuple(array(tensor) for tensor in (*graphs.vectors, graphs.adjacency, graphs.offsets, alike))


def _native_pairs(pairs: Tensor) -> Any:
    narrow = pairs.cpu()
    if narrow.dtype == torch.int64:
        narrow = narrow.clamp(-1, 2**31 - 1).to(torch.int32)  # what does not fit is no graph, and stays none
    return narrow.contiguous().numpy()


def _options(alignment: AlignmentOptions, node_term: int, edge_term: int, threads: int | None) -> _set_terms.Options:
    way = _ALIGN_NUMBERS[alignment.by]
    return _set_terms.Options(node_term, edge_term, *_rounds(alignment), threads_of(threads), way)


def _native(graphs: EncodedGraphs, pairs: Tensor, alignment: AlignmentOptions, options: _set_terms.Options) -> Tensor:
    keep = any(needs_gradient(vector) for vector in graphs.vectors)
    terms: Tensor = _NativeSetTerms.apply(*graphs, pairs, alignment.noise, options, keep)  # type: ignore[no-untyped-call]
    return terms


class _NativeSetTerms(torch.autograd.Function):
    """The terms by the native core, which keeps the alignments for its backward pass."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Tensor:
        *tensors, pairs, noise, options, keep = inputs
        ctx.save_for_backward(*tensors)
        arrays, told = _arrays(EncodedGraphs(*tensors)), None if noise is None else array(noise)
        terms, ctx.kept = _set_terms.forward(arrays, _native_pairs(pairs), options, told, keep=keep)
        return torch.from_numpy(terms)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_terms: Tensor) -> tuple[Tensor | None, ...]:
        graphs = EncodedGraphs(*ctx.saved_tensors)  # which are checked to be what the pass has read
        found = _set_terms.backward(ctx.kept, array(d_terms))
        gradients = [torch.from_numpy(one).view(of.shape) for one, of in zip(found, graphs.vectors, strict=True)]
        return (*gradients, None, None, None, None, None, None, None)
