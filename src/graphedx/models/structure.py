"""What tells the nodes of a graph apart without labels, and labels of any kind as numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphedx.graph import Graph, Label

Floats = NDArray[np.float32]

_DEGREES, _WALKS, _SHELLS = 6, 9, 3
STRUCTURE = _DEGREES + _WALKS + _SHELLS
"""How many numbers ``structure`` has for a node."""


def structure(graphs: Sequence[Graph]) -> Floats:
    """(nodes, STRUCTURE): degree, how likely random walks of 2 to 10 steps return, nodes at the distances 2 to 4.

    The degree is 0, 1, 2, 3, 4 or more, each a number that is 0 or 1; likelihoods are doubled, and nodes counted in
    fours. Graphs of one size go together. O(n^3) a graph.
    """
    rows: list[Floats] = [np.empty((0, STRUCTURE), np.float32)] * len(graphs)
    by_size: dict[int, list[int]] = {}
    for place, graph in enumerate(graphs):
        by_size.setdefault(len(graph), []).append(place)
    for size, places in by_size.items():
        at_once = max(1, 2_000_000 // max(1, size * size))
        for first in range(0, len(places), at_once):
            some = places[first : first + at_once]
            for place, found in zip(some, _of_one_size([graphs[k] for k in some], size), strict=True):
                rows[place] = found
    return np.concatenate(rows) if rows else np.empty((0, STRUCTURE), np.float32)


def _of_one_size(graphs: Sequence[Graph], size: int) -> Floats:
    """(graphs, size, STRUCTURE)."""
    joined = np.zeros((len(graphs), size, size), np.float32)
    for k, graph in enumerate(graphs):
        if graph.num_edges:
            u, v = np.array(graph.edge_index).T
            joined[k, u, v] = joined[k, v, u] = 1
    degree = joined.sum(2)
    kinds = np.minimum(degree, _DEGREES - 1)[..., None] == np.arange(_DEGREES, dtype=np.float32)
    return np.concatenate([kinds.astype(np.float32), _returns(joined, degree), _shells(joined)], axis=2)


def _returns(joined: Floats, degree: Floats) -> Floats:
    """(graphs, size, walks): of a walk of k + l steps the middle is somewhere after k; the matrix is symmetric."""
    root = 1 / np.sqrt(np.maximum(degree, 1))
    step = joined * root[:, :, None] * root[:, None, :]
    powers = [step]
    while len(powers) < (_WALKS + 2) // 2:
        powers.append(powers[-1] @ step)
    returns = [2 * (powers[(k - 1) // 2] * powers[k // 2]).sum(2) for k in range(1, _WALKS + 1)]
    return np.stack(returns, axis=2).astype(np.float32)


def _shells(joined: Floats) -> Floats:
    """(graphs, size, shells): nodes at each distance from 2 on, in fours."""
    near = joined + np.eye(joined.shape[1], dtype=np.float32)
    seen, counts = near, []
    for _ in range(_SHELLS):
        further = np.minimum(seen @ near, 1)
        counts.append((further - seen).sum(2) / 4)
        seen = further
    return np.stack(counts, axis=2)


@lru_cache(maxsize=65_536)  # labels are few; and whatever their text, those that are equal in a dict are one
def label_key(label: Label) -> int:
    """A number of 63 bits for a label; equal labels have equal numbers; 0 means none.

    The same on every machine for text, numbers, and tuples and frozensets of those; other labels are told apart by
    their kind and what ``repr`` says of them.
    """
    if label is None:
        return 0
    content = _text(label).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest()) >> 1 or 1


def _text(label: Any) -> str:
    if isinstance(label, tuple):
        return f"({','.join(map(_text, label))})"
    if isinstance(label, frozenset):
        return f"{{{','.join(sorted(map(_text, label)))}}}"
    if isinstance(label, str):  # numpy's and enums' too, which equal plain text
        return f"str:{str.__str__(label)!r}"
    if isinstance(label, Number | np.bool_):
        return _number_text(label)
    return f"{type(label).__name__}:{label!r}"


def _number_text(number: Any) -> str:
    """One for equal numbers of all kinds: 1, 1.0 and True are one label, as in a dict."""
    number = number.item() if isinstance(number, np.generic) else number
    try:
        exact = Fraction(number.real if isinstance(number, complex) and not number.imag else number)
    except (TypeError, ValueError, OverflowError):  # complex or infinite
        return f"{number!r}"
    if exact.denominator == 1:
        return f"{exact.numerator}" if abs(exact) < 2**63 else f"{exact.numerator:#x}"
    near = exact.numerator / exact.denominator
    return f"{near!r}" if Fraction(near) == exact else f"{exact.numerator:#x}/{exact.denominator:#x}"
