"""Rows of many graphs, one graph after the other, as the tensors of one size that pairs of graphs are compared in."""

from __future__ import annotations

import torch
from torch import Tensor

from graphedx.models.batching import starts


def padded_rows(rows: Tensor, counts: Tensor, which: Tensor) -> tuple[Tensor, Tensor]:
    """The rows of each chosen graph (K, M, d), zeros after its last, and which of them are there (K, M) bool.

    ``rows`` (sum of counts, d) are those of all graphs (G,), ``which`` (K,) the chosen ones, M the most that one has.

    >>> nodes, there = padded_rows(torch.tensor([[1.0], [2.0], [3.0]]), torch.tensor([1, 2]), torch.tensor([0, 1]))
    >>> nodes[..., 0].tolist(), there.tolist()
    ([[1.0, 0.0], [2.0, 3.0]], [[True, False], [True, True]])
    """
    chosen = counts[which]
    slot = torch.arange(int(chosen.max()) if len(chosen) else 0, device=counts.device)
    there = slot < chosen[:, None]
    place = torch.where(there, starts(counts)[which][:, None] + slot, len(rows))
    return torch.cat([rows, torch.zeros_like(rows[:1]) if len(rows) else rows.new_zeros(1, *rows.shape[1:])])[
        place
    ], there
