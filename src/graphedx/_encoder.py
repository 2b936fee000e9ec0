"""The native core for the encoders of models, beside ``_set_terms``: arrays in, arrays out, nothing known of torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from graphedx import _native
from graphedx.errors import ModelError

if TYPE_CHECKING:
    from graphedx._native import GatedPropagationPass as PropagationPass

Real = TypeVar("Real", np.float32, np.float64)
Whole = NDArray[np.int64]
Propagation = tuple[NDArray[Real], NDArray[Real], NDArray[Real], Whole, Whole, Whole, int, int]
# h (kinds, w), input weights (3w, 2w + 2), hidden weights (3w, w + 1); kind of each node, offsets, arcs (2, A), steps,
# threads
Pairs = tuple[
    NDArray[Real], NDArray[Real], NDArray[Real], NDArray[Real], NDArray[Real], NDArray[np.uint8], Whole, int
]  # ends (nodes, 2F), pad, edge (F,), second (D, F), offset (D,); adjacency, offsets, threads
PairGradients = tuple[NDArray[Real], NDArray[Real], NDArray[Real], NDArray[Real], NDArray[Real]]


def alike_nodes(classes: NDArray[np.int32], offsets: Whole, arcs: Whole) -> Whole:
    """Of each node the first of its graph, from 0, that it is alike: colour refinement tells no difference."""
    try:
        return _native.alike_nodes(classes, offsets, arcs)
    except ValueError as error:
        raise ModelError(str(error)) from None


def unique_rows(rows: NDArray[Real]) -> tuple[Whole, Whole]:
    """Return the first row of each kind of equal rows, and the kind of each row."""
    return _native.unique_rows(rows)


def propagate(what: Propagation[Real], *, keep: bool) -> tuple[NDArray[Real], PropagationPass | None]:
    """Return h of every node after all steps, and the pass if it is to be kept for ``propagate_backward``.

    The interpreter is free meanwhile, here and below.
    """
    try:
        return _native.gated_propagation(*what, keep)
    except ValueError as error:
        raise ModelError(str(error)) from None


def propagate_backward(kept: PropagationPass, d_h: NDArray[Real]) -> tuple[NDArray[Real], NDArray[Real], NDArray[Real]]:
    """The gradients of h, input weights and hidden weights."""
    try:
        return kept.backward(d_h)
    except ValueError as error:
        raise ModelError(str(error)) from None


def embed_pairs(what: Pairs[Real]) -> NDArray[Real]:
    """The rows of all node pairs (rows, D)."""
    try:
        return _native.pair_embedding(*what)
    except ValueError as error:
        raise ModelError(str(error)) from None


def embed_pairs_backward(what: Pairs[Real], d_rows: NDArray[Real]) -> PairGradients[Real]:
    """The gradients of ends, pad, edge, second and offset; those of vectors have one row."""
    try:
        return _native.pair_embedding_backward(*what, d_rows)
    except ValueError as error:
        raise ModelError(str(error)) from None
