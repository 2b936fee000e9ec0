"""Bracket, the estimator past the paper: a narrow beam proves an interval, and a network says where in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from graphedx._brackets import expansions_for
from graphedx.errors import ModelError
from graphedx.graph import Graph, Label
from graphedx.models.base import ModelConfig, PairModel, register, require_counts
from graphedx.models.batching import GraphBatch, graph_batch
from graphedx.models.brackets import HOPE, LOWER, NODES, OPEN, ROOT, SHARED, UPPER, brackets
from graphedx.models.layers.labelled_encoder import LabelledEncoder
from graphedx.models.structure import STRUCTURE

_SIZE = 10.0  # nodes and edges are counted in tens, so that the network sees numbers near 1
_FACTS = 23
_MOST, _MOST_LAYERS, _MOST_EXPANSIONS = 10**6, 100, 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class BracketConfig(ModelConfig):
    """No setting depends on the size of graphs, their labels or the costs."""

    features: int = STRUCTURE
    width: int = 48
    layers: int = 4
    pooled: int = 24  # numbers of a graph from each layer
    hidden: int = 128
    dropout: float = 0.1
    expansions: int = 150  # of the beam, where the time goes; for graphs of more than 20 nodes in proportion

    def __post_init__(self) -> None:
        require_counts(self, _MOST, "width", "pooled", "hidden")
        require_counts(self, _MOST_LAYERS, "layers")
        require_counts(self, _MOST_EXPANSIONS, "expansions")
        if self.features != STRUCTURE:
            raise ModelError(f"features must be {STRUCTURE}, what it tells nodes apart by, got {self.features}")
        if not 0 <= self.dropout < 1:
            raise ModelError(f"dropout must be at least 0 and below 1, got {self.dropout}")


class _Views(NamedTuple):
    """(graphs, D) vectors, for costs under which labels of nodes and of edges count or do not."""

    plain: Tensor
    nodes: Tensor
    edges: Tensor
    both: Tensor


@register("bracket", BracketConfig)
class Bracket(PairModel):
    """``lower + (upper - lower) * share``, where the bounds are proven and the share is what a network says.

    The network sees both graphs as vectors, and what the beam knows: its bounds, and how many partial mappings it left
    open that promised more. All in units of what sharing an edge saves, so that without costs of substitution one
    guess of the common edges serves every cost setting. There and back, under swapped costs, the guess is the same.
    """

    any_costs = True
    any_labels = True

    def __init__(self, config: BracketConfig) -> None:
        super().__init__()
        self.config: BracketConfig = config
        self.encoder = LabelledEncoder(config.features, config.width, config.layers, config.pooled)
        vector = config.pooled * (config.layers + 1)
        self.dropout = nn.Dropout(config.dropout)
        self.head = nn.Sequential(
            nn.Linear(_FACTS + 2 * vector, config.hidden),
            nn.ReLU(),
            nn.Linear(config.hidden, config.hidden // 2 + 1),
            nn.ReLU(),
            nn.Linear(config.hidden // 2 + 1, 1),
        )

    @classmethod
    def batch(cls, graphs: Sequence[Graph], vocabulary: Sequence[Label]) -> GraphBatch:
        return graph_batch(graphs, structural=True)

    @classmethod
    def features(cls, vocabulary: Sequence[Label]) -> int:
        return STRUCTURE

    def forward(self, graphs: GraphBatch, pairs: Tensor, costs: Tensor, evidence: Tensor | None = None) -> Tensor:
        """Where costs differ from pair to pair, graphs are encoded in the views that they are compared in only."""
        views = _view_of(costs).expand(len(pairs))
        parts, order = [], []
        for view in torch.unique(views).tolist():
            places = torch.nonzero(views == view)[:, 0]
            chosen, ends = torch.unique(pairs[places], return_inverse=True)
            some = graphs.select(chosen)
            prices = costs if costs.ndim == 1 else costs[places]
            known = None if evidence is None else evidence[places]
            parts.append(self.compare_given(some, self._views(some, {view}), ends, prices, known))
            order.append(places)
        return torch.cat(parts)[torch.argsort(torch.cat(order))] if parts else pairs.new_zeros(0, dtype=torch.float64)

    def encode(self, graphs: GraphBatch, costs: Tensor | None = None) -> _Views:
        if costs is None:
            return self._views(graphs, {0, 1, 2, 3})
        return self._views(graphs, set(torch.unique(_view_of(costs)).tolist()) or {0})

    def _views(self, graphs: GraphBatch, wanted: set[int]) -> _Views:
        """Those that are wanted; the others are not worth the time, and one of these stands in for them."""
        if graphs.x.shape[1] != self.config.features:
            raise ModelError(f"this model takes structural features; make the batch with {type(self).__name__}.batch")
        salt = int(torch.randint(2**62, ())) if self.training else 0  # labels are any: it must not learn these
        # Only where no label is set at all, which gives the same numbers: what else is asked along must change none.
        told_apart = int(graphs.label.any()) + 2 * int(graphs.edge_label.any())
        found = {
            view: self.encoder(graphs, bool(view & 1), bool(view & 2), salt)
            for view in {w & told_apart for w in wanted}
        }
        anyone = next(iter(found.values()))
        return _Views(*(found.get(view & told_apart, anyone) for view in range(4)))

    def evidence(self, graphs: GraphBatch, pairs: Tensor, costs: Tensor) -> Tensor:
        return brackets(graphs, pairs, costs, self.config.expansions)

    def compare(self, graphs: GraphBatch, encoded: Any, pairs: Tensor, costs: Tensor) -> Tensor:
        return self.compare_given(graphs, encoded, pairs, costs, None)

    def compare_given(
        self, graphs: GraphBatch, encoded: Any, pairs: Tensor, costs: Tensor, evidence: Tensor | None
    ) -> Tensor:
        rows = self.evidence(graphs, pairs, costs) if evidence is None else evidence
        one, other = _chosen(encoded, pairs, costs)
        apart = self.dropout(torch.cat([(one - other).abs(), one + other], 1))
        share = torch.sigmoid(self.head(torch.cat([_facts(graphs, pairs, costs, rows), apart], 1))[:, 0] + 1)
        lower, upper = rows[:, LOWER], rows[:, UPPER]
        return torch.minimum(lower + (upper - lower) * share.double(), upper)  # rounding may lead beyond it


def beam_expansions(model: PairModel, source: Graph, target: Graph) -> int:
    """Those of the beam that the model asks of two graphs."""
    if not isinstance(model, Bracket):
        raise ModelError(f"{model.name} asks no beam")
    size = np.array([min(len(source), len(target))])
    return int(expansions_for(model.config.expansions, size)[0])


def _view_of(costs: Tensor) -> Tensor:
    """The place among the views, for each row of costs."""
    return (costs[..., 4] > 0) + 2 * (costs[..., 5] > 0)


def _chosen(views: _Views, pairs: Tensor, costs: Tensor) -> tuple[Tensor, Tensor]:
    """The vectors of the sources and of the targets, in the view that the costs of each pair ask for."""
    view = _view_of(costs)
    if view.ndim == 0:
        vectors = views[int(view)]
        return vectors[pairs[:, 0]], vectors[pairs[:, 1]]
    kept = torch.stack(list(views))
    return kept[view, pairs[:, 0]], kept[view, pairs[:, 1]]


def _facts(graphs: GraphBatch, pairs: Tensor, costs: Tensor, rows: Tensor) -> Tensor:
    """(K, _FACTS) what the beam knows, in units of a shared edge."""
    node_del, node_ins, edge_del, edge_ins, node_sub, edge_sub = costs.double().expand(len(pairs), 6).T
    shared = rows[:, SHARED]
    n, m = graphs.sizes[pairs].double().T, graphs.edges[pairs].double().T
    # Without costs of substitution: the edges that the mapping shares.
    rest = node_del * (n[0] - n[1]).clamp(min=0) + node_ins * (n[1] - n[0]).clamp(min=0)
    rest = rest + edge_del * m[0] + edge_ins * m[1]
    found, most, root = ((rest - rows[:, bound]) / shared for bound in (UPPER, LOWER, ROOT))
    gap = most - found
    fewest, cycles = torch.minimum(m[0], m[1]), m - n
    relabel = torch.minimum(node_sub, node_del + node_ins) / shared
    facts = [
        *(gap, gap.clamp(max=1), gap.clamp(max=2), (gap > 0).double(), root - found, fewest - found),
        *(found / _SIZE, most / _SIZE, root / _SIZE),
        *(torch.minimum(n[0], n[1]) / _SIZE, torch.maximum(n[0], n[1]) / _SIZE, (n[0] - n[1]).abs() / _SIZE),
        *(fewest / _SIZE, torch.maximum(m[0], m[1]) / _SIZE),
        *(torch.minimum(*cycles) / 2, torch.maximum(*cycles) / 2),
        *(torch.log1p(rows[:, NODES]) / 5, rows[:, HOPE] / shared, *(torch.log1p(rows[:, OPEN]).T / 5)),
        *(relabel, torch.minimum(edge_sub, edge_del + edge_ins) / shared),
    ]
    return torch.stack(facts, 1).float().clamp(-50, 50)
