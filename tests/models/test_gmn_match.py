"""GMN-Match against its formulas, node by node: above all what a node sees of the other graph."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from graphedx import Graph
from graphedx.errors import ModelError
from graphedx.models import gmn_match
from graphedx.models.base import make
from graphedx.models.gmn_embed import GMNConfig
from graphedx.models.gmn_match import GMNMatch, MatchingPropagation
from models.graph_samples import GRAPHS, PAIRS, doubles, random_graph
from models.literal_model import features_of
from models.test_gmn_embed import gated_sum

COSTS = torch.tensor([3.0, 1.0, 2.0, 1.5, 0.0, 0.0], dtype=torch.float64)


def model_of(**settings: object) -> GMNMatch:
    torch.manual_seed(0)
    sizes = {"width": 4, "message": 6, "layers": 3, "graph_size": 5}
    return GMNMatch(GMNConfig(**{**sizes, **settings})).double()  # type: ignore[arg-type]


def messages(layer: MatchingPropagation, graph: Graph, h: Tensor) -> list[Tensor]:
    received = [h.new_zeros(layer.message.out_features) for _ in range(len(graph))]
    for edge in graph.edge_index:
        for sender, receiver in (edge, edge[::-1]):
            message = layer.message(torch.cat((h[sender], h[receiver], h.new_ones(1))))
            received[receiver] = received[receiver] + message
    return received


def difference(node: Tensor, others: Tensor) -> Tensor:
    """mu: the node less what it sees of the other graph."""
    if not len(others):
        return node
    weights = torch.stack([(node * other).sum().exp() for other in others])
    return node - sum(weight / weights.sum() * other for weight, other in zip(weights, others, strict=True))


def stepped(layer: MatchingPropagation, graph: Graph, h: Tensor, others: Tensor) -> Tensor:
    rows = [
        layer.update(torch.cat((message, difference(node, others)))[None], node[None])[0]
        for message, node in zip(messages(layer, graph, h), h, strict=True)
    ]
    return torch.stack(rows) if rows else h


def literal_vectors(model: GMNMatch, source: Graph, target: Graph) -> tuple[Tensor, Tensor]:
    x, y = model.encoder(features_of(source)), model.encoder(features_of(target))
    for _ in range(model.config.layers):
        x, y = stepped(model.matching, source, x, y), stepped(model.matching, target, y, x)
    return gated_sum(model.pooling, x), gated_sum(model.pooling, y)


def gradients(model: GMNMatch, distances: Tensor) -> list[Tensor]:
    weights = torch.randn(distances.shape, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    return list(torch.autograd.grad((distances * weights).sum(), list(model.parameters())))


def test_values_and_gradients_are_those_of_the_formulas() -> None:
    model = model_of()
    different = PAIRS[PAIRS[:, 0] != PAIRS[:, 1]]  # at 0 a norm has no slope
    found = model(doubles(), different, COSTS)
    vectors = [literal_vectors(model, GRAPHS[a], GRAPHS[b]) for a, b in different.tolist()]
    expected = torch.stack([torch.linalg.vector_norm(x - y) for x, y in vectors])
    assert expected.max() > 0.1
    torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-10)
    for one, other in zip(gradients(model, found), gradients(model, expected), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-8, atol=1e-8)


def test_costs_guide_the_score() -> None:
    model = model_of(cost_guided=True)
    found = model(doubles(), PAIRS, COSTS)
    for distance, (a, b) in zip(found, PAIRS.tolist(), strict=True):
        x, y = literal_vectors(model, GRAPHS[a], GRAPHS[b])
        expected = (3.0 + 2.0) / 2 * (x - y).clamp(min=0).sum() + (1.0 + 1.5) / 2 * (y - x).clamp(min=0).sum()
        torch.testing.assert_close(distance, expected, rtol=1e-10, atol=1e-10)


def test_a_graph_is_another_vector_beside_another_graph() -> None:
    model = model_of()
    beside = [literal_vectors(model, GRAPHS[6], GRAPHS[other])[0] for other in (0, 3, 4)]
    assert not torch.allclose(beside[0], beside[1])
    assert not torch.allclose(beside[1], beside[2])
    assert model.interaction == "early"


@pytest.mark.parametrize("at_once", [1, 40, 100])
def test_pairs_in_parts_are_pairs_at_once(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    model = model_of()
    batch = doubles((*GRAPHS, random_graph(11, 0.3, 7)))
    pairs = torch.cartesian_prod(torch.arange(8), torch.arange(8))
    together = model(batch, pairs, COSTS)
    monkeypatch.setattr(gmn_match, "NODE_PAIRS_AT_ONCE", at_once)
    torch.testing.assert_close(model(batch, pairs, COSTS), together)


def test_a_graph_is_at_no_distance_from_itself() -> None:
    pairs = torch.arange(len(GRAPHS)).repeat(2, 1).T
    assert model_of()(doubles(), pairs, COSTS).abs().max() < 1e-12


def test_the_number_of_parameters() -> None:
    assert sum(weight.numel() for weight in make("gmn_match", {}).parameters()) == 2160


@pytest.mark.parametrize("name", ["message", "graph_size", "width", "layers"])
def test_sizes_that_make_no_sense_are_refused(name: str) -> None:
    for size in (-1, 0, 10**12):
        with pytest.raises(ModelError, match=f"{name} must be between 1 and"):
            make("gmn_match", {name: size})
