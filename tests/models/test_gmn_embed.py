"""GMN-Embed against its formulas, node by node, and what it makes of costs."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from graphedx import Graph
from graphedx.errors import ModelError
from graphedx.models.base import make
from graphedx.models.gmn_embed import GMNConfig, GMNEmbed
from graphedx.models.layers.pooling import GatedSum
from models.graph_samples import GRAPHS, LABELS, PAIRS, doubles
from models.literal_model import features_of, propagated

COSTS = torch.tensor([3.0, 1.0, 2.0, 1.5, 0.0, 0.0], dtype=torch.float64)


def model_of(**settings: object) -> GMNEmbed:
    torch.manual_seed(0)
    sizes = {"width": 4, "message": 6, "layers": 3, "graph_size": 5}
    return GMNEmbed(GMNConfig(**{**sizes, **settings})).double()  # type: ignore[arg-type]


def gated_sum(layer: GatedSum, rows: Tensor) -> Tensor:
    size = layer.transform.in_features
    total = rows.new_zeros(size)
    for row in rows:
        values, gates = layer.values_and_gates(row).split(size)
        total = total + torch.sigmoid(gates) * values
    vector: Tensor = layer.transform(total)
    return vector


def literal_vector(model: GMNEmbed, graph: Graph, vocabulary: tuple[str, ...] = ()) -> Tensor:
    x = features_of(graph, vocabulary)
    if model.config.cost_features:
        x = torch.cat([x, COSTS[:4].expand(len(graph), 4)], 1)
    return gated_sum(model.pooling, propagated(model.nodes, graph, x))


def literal_distance(model: GMNEmbed, source: Tensor, target: Tensor) -> Tensor:
    if not model.config.cost_guided:
        return ((source - target) ** 2).sum().sqrt()
    deleted, inserted = (source - target).clamp(min=0).sum(), (target - source).clamp(min=0).sum()
    return (3.0 + 2.0) / 2 * deleted + (1.0 + 1.5) / 2 * inserted


@pytest.mark.parametrize("cost_guided", [False, True])
@pytest.mark.parametrize("cost_features", [False, True])
@pytest.mark.parametrize("vocabulary", [(), LABELS])
def test_distances_are_those_of_the_formulas(
    cost_guided: bool, cost_features: bool, vocabulary: tuple[str, ...]
) -> None:
    features = max(1, len(vocabulary))
    model = model_of(cost_guided=cost_guided, cost_features=cost_features, features=features)
    found = model(doubles(vocabulary=vocabulary), PAIRS, COSTS)
    vectors = [literal_vector(model, graph, vocabulary) for graph in GRAPHS]
    expected = torch.stack([literal_distance(model, vectors[a], vectors[b]) for a, b in PAIRS.tolist()])
    assert expected.max() > 0.1
    torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-10)


def test_each_graph_is_one_vector() -> None:
    model, batch = model_of(), doubles()
    encoded = model.encode(batch)
    assert encoded.shape == (len(GRAPHS), 5)
    torch.testing.assert_close(encoded[0], model.pooling.transform.bias)  # of no nodes
    assert model.interaction == "late"


def test_the_number_of_parameters() -> None:
    assert sum(weight.numel() for weight in make("gmn_embed", {}).parameters()) == 1860


@pytest.mark.parametrize("name", ["message", "graph_size", "width", "layers"])
def test_sizes_that_make_no_sense_are_refused(name: str) -> None:
    for size in (-1, 0, 10**12):
        with pytest.raises(ModelError, match=f"{name} must be between 1 and"):
            make("gmn_embed", {name: size})


def test_costs_that_are_features_must_be_told() -> None:
    with pytest.raises(ModelError, match="costs as features"):
        model_of(cost_features=True).encode(doubles())
