"""The native core for models, beside ``_kernels``: arrays in, arrays out, nothing known of graphs, costs or torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from graphedx import _native
from graphedx.errors import ModelError

if TYPE_CHECKING:
    from graphedx._native import SetTermsPass

Real = TypeVar("Real", np.float32, np.float64)
Arrays = tuple[
    NDArray[Real],
    NDArray[Real],
    NDArray[Real],
    NDArray[Real],
    NDArray[Real],
    NDArray[np.uint8],
    NDArray[np.int64],
    NDArray[np.int64],
]  # node, align, align_pad, pair, pair_pad; adjacency, offsets, alike: see graphedx.models.layers.encoded.EncodedGraphs
Gradients = tuple[NDArray[Real], NDArray[Real], NDArray[Real], NDArray[Real], NDArray[Real]]


class Options(NamedTuple):
    """What the terms depend on besides the graphs.

    Terms are 0 AlignDiff, 1 DiffAlign, 2 XOR, and of edges 3 maxima. Nodes are aligned by 0 minus the distance, 1 the
    product of their vectors; node pairs as their ends are, or by so many of the last features of their own vectors.
    """

    node_term: int
    edge_term: int
    temperature: float
    iterations: int
    padded_nodes: int
    threads: int
    align_by: int
    edges_only: int = 0  # or 1
    pair_align_features: int = 0


def forward(
    arrays: Arrays[Real], pairs: NDArray[np.int32], options: Options, noise: NDArray[Real] | None, *, keep: bool
) -> tuple[NDArray[Real], SetTermsPass | None]:
    """The terms of pairs of graphs, (K, 4), with or without noise (K, N, N); the interpreter is free meanwhile.

    There are five where node pairs have an alignment of their own. The second value is the pass, if it is
    to be kept for ``backward``.
    """
    try:
        return _native.set_terms(*arrays, pairs, *options, _noise(arrays, noise), keep)  # type: ignore[arg-type]
    except ValueError as error:
        raise ModelError(str(error)) from None


def backward(kept: SetTermsPass, d_terms: NDArray[Real]) -> Gradients[Real]:
    """The gradients of node, align, align_pad, pair and pair_pad; those of the padding have one row."""
    try:
        return kept.backward(d_terms)
    except ValueError as error:
        raise ModelError(str(error)) from None


def plan(
    arrays: Arrays[Real], pair: NDArray[np.int32], temperature: float, iterations: int, padded_nodes: int
) -> NDArray[Real]:
    """The alignment (N, N) of one pair."""
    try:
        return _native.alignment_plan(*arrays, pair, temperature, iterations, padded_nodes)
    except ValueError as error:
        raise ModelError(str(error)) from None


Weighted = tuple[NDArray[Real], NDArray[Real], NDArray[Real]]  # scores (K, R, C), weights of rows and of columns


def plans(scores: Weighted[Real], iterations: int, threads: int) -> NDArray[Real]:
    """Sinkhorn's plans, (K, R * C)."""
    try:
        return _native.sinkhorn_plans(*scores, iterations, threads)
    except ValueError as error:
        raise ModelError(str(error)) from None


def plans_backward(scores: Weighted[Real], iterations: int, threads: int, d_plans: NDArray[Real]) -> NDArray[Real]:
    """The gradients of the scores, (K, R * C)."""
    try:
        return _native.sinkhorn_plans_backward(*scores, iterations, threads, d_plans)
    except ValueError as error:
        raise ModelError(str(error)) from None


def _noise(arrays: Arrays[Real], noise: NDArray[Real] | None) -> NDArray[Real]:
    return np.empty((0, 0, 0), dtype=arrays[0].dtype) if noise is None else noise
