"""Brackets: certified intervals of pairs, and what the search that proved them left open, as tensors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from graphedx import _brackets
from graphedx._brackets import COLUMNS, Outlines
from graphedx.models.batching import GraphBatch
from graphedx.models.layers.backend import threads_of

LOWER, UPPER, ROOT, STEP, SHARED, HOPE = map(COLUMNS.index, ("lower", "upper", "root", "step", "shared", "hope"))
NODES = COLUMNS.index("nodes")
OPEN = slice(COLUMNS.index("open"), NODES)

MOST_LABELS = 256
"""Of the graphs that are worked on at once: the core has a table of the costs of all pairs of labels."""


def brackets(graphs: GraphBatch, pairs: Tensor, costs: Tensor, expansions: int) -> Tensor:
    """(K, COLUMNS) float64, under costs (6,) for all pairs or (K, 6) for each; on the device of the pairs."""
    rows = torch.empty(len(pairs), len(COLUMNS), dtype=torch.float64)
    for prices, places in _by_costs(costs.cpu().double(), len(pairs)):
        rows[places] = _rows(graphs, pairs[places], prices, expansions)
    return rows.to(pairs.device)


def _rows(graphs: GraphBatch, pairs: Tensor, prices: list[float], expansions: int) -> Tensor:
    """The rows of pairs under the same costs; of fewer at a time where there are many labels."""
    chosen, ends = torch.unique(pairs, return_inverse=True)
    few = graphs.select(chosen)
    looked_at = [labels for labels, price in ((few.label, prices[4]), (few.edge_label, prices[5])) if price]
    if len(pairs) > 1 and any(len(torch.unique(labels)) > MOST_LABELS for labels in looked_at):
        middle = len(pairs) // 2
        return torch.cat([_rows(few, half, prices, expansions) for half in (ends[:middle], ends[middle:])])
    numbers = ends.cpu().numpy().astype(np.int32)
    return torch.from_numpy(_brackets.brackets(_outlines(few), numbers, prices, expansions, threads_of(None)))


def _by_costs(costs: Tensor, count: int) -> Iterator[tuple[list[float], Tensor]]:
    """Costs that occur, and the places of the pairs that have them."""
    if costs.ndim == 1:
        yield costs.tolist(), torch.arange(count)
        return
    kinds, kind_of, counts = torch.unique(costs, dim=0, return_inverse=True, return_counts=True)
    places = torch.split(torch.argsort(kind_of, stable=True), counts.tolist())
    yield from zip(kinds.tolist(), places, strict=True)


def snapped(distances: Tensor, rows: Tensor) -> Tensor:
    """Each distance moved to the nearest that is possible: between the bounds, and whole steps below the upper one."""
    lower, upper, step = rows[:, LOWER], rows[:, UPPER], rows[:, STEP]
    safe = torch.where(step > 0, step, torch.ones_like(step))
    # The lower bound need not be a possible distance: the steps that fit are those that end above it.
    most = torch.floor((upper - lower) / safe + 1e-9)
    steps = torch.minimum(torch.round((upper - distances) / safe).clamp(min=0), most)
    return torch.where(step > 0, upper - steps * step, torch.minimum(torch.maximum(distances, lower), upper))


def _outlines(graphs: GraphBatch) -> Outlines:
    first = torch.repeat_interleave(graphs.node_starts[:-1], graphs.edges)
    ends = graphs.edge_index[:, ::2].T - first[:, None]
    parts = (graphs.sizes, graphs.label, graphs.edges, ends, graphs.edge_label)
    return Outlines(*(part.cpu().numpy() for part in parts))
