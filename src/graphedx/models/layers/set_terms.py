"""The four set divergences of GraphEdX: nodes and edges, deleted and inserted, under a soft alignment of two graphs."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from graphedx import _set_terms
from graphedx.errors import ModelError
from graphedx.models.layers.backend import Backend, array, goes_native, threads_of
from graphedx.models.layers.dense import dense_plan, dense_set_terms
from graphedx.models.layers.encoded import AlignBy, EncodedGraphs, SetTerm
from graphedx.models.layers.padded import fitting_noise

__all__ = ["AlignBy", "EncodedGraphs", "SetTerm", "alignment_plan", "set_terms"]

_NUMBERS = {term: number for number, term in enumerate(SetTerm)}
_ALIGN_NUMBERS = {way: number for number, way in enumerate(AlignBy)}


def set_terms(
    graphs: EncodedGraphs,
    pairs: Tensor,
    *,
    node_term: SetTerm = SetTerm.ALIGN_DIFF,
    edge_term: SetTerm = SetTerm.XOR,
    align_by: AlignBy = AlignBy.DISTANCE,
    temperature: float = 0.01,
    iterations: int = 20,
    padded_nodes: int = 0,
    noise: Tensor | None = None,
    backend: Backend = "auto",
    threads: int | None = None,
) -> Tensor:
    """Nodes deleted, nodes inserted, edges deleted, edges inserted, for each pair of graphs: (K, 4).

    ``pairs`` (K, 2) are positions of graphs. Both graphs of a pair are padded to ``padded_nodes`` nodes, or to the
    larger of them if that is 0. The alignment is Sinkhorn's plan of scores / temperature, where scores[u, u'] is minus
    the L1 distance of ``align`` vectors, or their product; ``noise`` (K, N, N), padding nodes last, is added to scores.
    All padding nodes of a graph have the noise of the first of them: they are alike, and remain so.

    Tensors on the CPU go to the native core: fused, O(|E| n^2 D) for XOR, memory for one pair a thread, and the same
    bits for any number of ``threads`` (as many as torch uses, by default). On other devices it is plain torch, as with
    ``backend="torch"``: the same values and gradients up to rounding.

    Reference: Jain et al., Graph Edit Distance with General Costs Using Neural Set Divergence, NeurIPS 2024.
    """
    _check(graphs, pairs, temperature, iterations, padded_nodes)
    if noise is not None:
        noise = fitting_noise(noise, graphs, pairs, padded_nodes)
    if goes_native(graphs.node, backend):
        options = _set_terms.Options(
            _NUMBERS[node_term],
            _NUMBERS[edge_term],
            temperature,
            iterations,
            padded_nodes,
            threads_of(threads),
            _ALIGN_NUMBERS[align_by],
        )
        terms: Tensor = _NativeSetTerms.apply(*graphs, pairs, noise, options)  # type: ignore[no-untyped-call]
        return terms
    return dense_set_terms(graphs, pairs, node_term, edge_term, temperature, iterations, padded_nodes, noise, align_by)


def alignment_plan(
    graphs: EncodedGraphs,
    source: int,
    target: int,
    *,
    temperature: float = 0.01,
    iterations: int = 20,
    padded_nodes: int = 0,
    backend: Backend = "auto",
) -> Tensor:
    """The alignment that ``set_terms`` uses for one pair: (N, N), padding nodes last, without gradients."""
    pair = torch.tensor([[source, target]])
    _check(graphs, pair, temperature, iterations, padded_nodes)
    with torch.no_grad():
        if goes_native(graphs.node, backend):
            found = _set_terms.plan(_arrays(graphs), _native_pairs(pair), temperature, iterations, padded_nodes)
            return torch.from_numpy(found)
        return dense_plan(graphs, pair, temperature, iterations, padded_nodes)[0]


def _check(graphs: EncodedGraphs, pairs: Tensor, temperature: float, iterations: int, padded_nodes: int) -> None:
    graphs.check()
    if pairs.dim() != 2 or pairs.shape[1] != 2 or pairs.dtype not in (torch.int32, torch.int64):
        raise ModelError(f"pairs must be (K, 2) whole numbers, got {tuple(pairs.shape)} of {pairs.dtype}")
    if not 0 < temperature < float("inf"):
        raise ModelError(f"temperature must be finite and > 0, got {temperature}")
    if iterations < 1:
        raise ModelError(f"iterations must be at least 1, got {iterations}")
    if padded_nodes < 0:
        raise ModelError(f"padded_nodes must not be negative, got {padded_nodes}")


def _arrays(graphs: EncodedGraphs) -> Any:
    return tuple(array(tensor) for tensor in graphs)


def _native_pairs(pairs: Tensor) -> Any:
    narrow = pairs.cpu()
    if narrow.dtype == torch.int64:
        narrow = narrow.clamp(-1, 2**31 - 1).to(torch.int32)  # what does not fit is no graph, and stays none
    return narrow.contiguous().numpy()


class _NativeSetTerms(torch.autograd.Function):
    """The terms by the native core, whose backward pass computes inner values again and so keeps its inputs only."""

    @staticmethod
    def forward(ctx: Any, *inputs: Any) -> Tensor:
        *tensors, pairs, noise, options = inputs
        ctx.save_for_backward(*tensors, pairs, noise)
        ctx.options = options
        arrays, told = _arrays(EncodedGraphs(*tensors)), None if noise is None else array(noise)
        return torch.from_numpy(_set_terms.forward(arrays, _native_pairs(pairs), options, told))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_terms: Tensor) -> tuple[Tensor | None, ...]:
        *tensors, pairs, noise = ctx.saved_tensors
        graphs, told = EncodedGraphs(*tensors), None if noise is None else array(noise)
        found = _set_terms.backward(_arrays(graphs), _native_pairs(pairs), ctx.options, told, array(d_terms))
        gradients = [torch.from_numpy(one).view(of.shape) for one, of in zip(found, graphs.vectors, strict=True)]
        return (*gradients, None, None, None, None, None)
