"""Work on matrices between nodes, in parts that fit in memory whatever the size of the graphs."""

from __future__ import annotations

import torch
from torch import Tensor

MOST_CELLS = 2**19
"""Of padded matrices between nodes at a time: a training step on small graphs has fewer, and more are not faster."""


def chunks(chosen: Tensor, sizes: Tensor) -> tuple[Tensor, ...]:
    """Parts of the chosen graphs (K,), or pairs of them (K, 2), one at least; ``sizes`` (G,) are those of all graphs.

    >>> [len(part) for part in chunks(torch.arange(10), torch.full((10,), 360))]
    [4, 4, 2]
    """
    largest = max(1, int(sizes[chosen].max()) if len(chosen) else 0)
    return torch.split(chosen, max(1, MOST_CELLS // largest**2))
