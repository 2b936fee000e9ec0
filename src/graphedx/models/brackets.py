"""Brackets: certified intervals of pairs, and what the search that proved them left open, as tensors."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from graphedx._kernels import BRACKET_COLUMNS, Batch
from graphedx.costs import EditCosts
from graphedx.models.batching import GraphBatch
from graphedx.models.layers.backend import threads_of

CHUNK = 4_096
"""Pairs at a time, so that Ctrl-C is heard."""

LOWER, UPPER, ROOT, STEP, SHARED, HOPE = (
    BRACKET_COLUMNS.index(name) for name in ("lower", "upper", "root", "step", "shared", "hope")
)
OPEN = slice(BRACKET_COLUMNS.index("open"), BRACKET_COLUMNS.index("nodes"))
NODES = BRACKET_COLUMNS.index("nodes")


def brackets(
    graphs: GraphBatch, pairs: Tensor, costs: Tensor, expansions: int, *, threads: int | None = None
) -> Tensor:
    """(K, BRACKET_COLUMNS) float64, under costs (6,) for all pairs or (K, 6) for each; on the device of the pairs."""
    rows = torch.empty(len(pairs), len(BRACKET_COLUMNS), dtype=torch.float64)
    if not len(pairs):
        return rows.to(pairs.device)
    each = costs.cpu().double().expand(len(pairs), 6)
    kinds, kind_of = torch.unique(each, dim=0, return_inverse=True)
    for number, prices in enumerate(kinds.tolist()):
        places = torch.nonzero(kind_of == number)[:, 0]
        chosen, ends = torch.unique(pairs.cpu()[places], return_inverse=True)
        batch = Batch(graphs.graphs(chosen), EditCosts(*prices))
        for first in range(0, len(ends), CHUNK):
            some = ends[first : first + CHUNK].numpy().astype(np.int32)
            found = batch.brackets(some, expansions, threads_of(None))
            rows[places[first : first + CHUNK]] = torch.from_numpy(found)
    return rows.to(pairs.device)


def snapped(distances: Tensor, rows: Tensor) -> Tensor:
    """Each distance moved to the nearest that is possible: between the bounds, and whole steps below the upper one."""
    lower, upper, step = rows[:, LOWER], rows[:, UPPER], rows[:, STEP]
    safe = torch.where(step > 0, step, torch.ones_like(step))
    # The lower bound need not be a possible distance: the steps that fit are those that end above it.
    most = torch.floor((upper - lower) / safe + 1e-9)
    steps = torch.minimum(torch.round((upper - distances) / safe).clamp(min=0), most)
    return torch.where(step > 0, upper - steps * step, torch.minimum(torch.maximum(distances, lower), upper))
