"""ISONET against its formulas, edge by edge: vectors of edges, their alignment, the one-sided score."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from graphedx import Graph
from graphedx.errors import ModelError
from graphedx.models.base import make
from graphedx.models.isonet import ISONET, ISONETConfig
from models.graph_samples import GRAPHS, PAIRS, doubles
from models.literal_model import features_of, padded, propagated

COSTS = torch.tensor([3.0, 1.0, 2.0, 1.5, 0.0, 0.0], dtype=torch.float64)


def model_of(**settings: object) -> ISONET:
    torch.manual_seed(0)
    sizes = {"width": 4, "message": 6, "layers": 3, "alignment": 5, "temperature": 0.1}
    return ISONET(ISONETConfig(**{**sizes, **settings})).double()  # type: ignore[arg-type]


def edge_vectors(model: ISONET, graph: Graph) -> Tensor:
    """Of each edge the message there and the message back."""
    h = propagated(model.nodes, graph, features_of(graph))
    one = h.new_ones(1)
    rows = [
        model.nodes.message(torch.cat((h[u], h[v], one))) + model.nodes.message(torch.cat((h[v], h[u], one)))
        for u, v in graph.edge_index
    ]
    return torch.stack(rows) if rows else h.new_zeros(0, model.config.message)


def literal_plan(model: ISONET, source: Tensor, target: Tensor) -> Tensor:
    """Every padding edge a row or column of its own, whose products are 0."""
    size = max(len(source), len(target))
    scores = padded(model.alignment(source), size) @ padded(model.alignment(target), size).T
    log_plan = scores / model.config.temperature
    for _ in range(model.config.iterations):
        log_plan = log_plan - torch.logsumexp(log_plan, dim=1, keepdim=True)
        log_plan = log_plan - torch.logsumexp(log_plan, dim=0, keepdim=True)
    return log_plan.exp()


def literal_distance(model: ISONET, source: Graph, target: Graph) -> Tensor:
    a, b = edge_vectors(model, source), edge_vectors(model, target)
    size = max(len(a), len(b))
    if not size:
        return COSTS.new_zeros(())
    carried = literal_plan(model, a, b) @ padded(b, size)
    return (padded(a, size) - carried).clamp(min=0).sum()


def gradients(model: ISONET, distances: Tensor) -> list[Tensor]:
    weights = torch.randn(distances.shape, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    return list(torch.autograd.grad((distances * weights).sum(), list(model.parameters())))


@pytest.mark.parametrize("temperature", [0.01, 0.5])
def test_values_and_gradients_are_those_of_the_formulas(temperature: float) -> None:
    model = model_of(temperature=temperature)
    found = model(doubles(), PAIRS, COSTS)
    expected = torch.stack([literal_distance(model, GRAPHS[a], GRAPHS[b]) for a, b in PAIRS.tolist()])
    assert expected.max() > 0.1
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)
    for one, other in zip(gradients(model, found), gradients(model, expected), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-7, atol=1e-7)


def cycle(nodes: int) -> Graph:
    return Graph(nodes, [(u, (u + 1) % nodes) for u in range(nodes)])


def test_the_score_is_one_sided() -> None:
    # All edges of all cycles have the same vector e, so that S is even. A triangle's three find their like among five,
    # and its padding misses what of e is negative; the other way 2/5 of each of five edges are left over.
    model = model_of()
    batch = doubles((cycle(3), cycle(5)))
    e = edge_vectors(model, cycle(3))[0]
    surplus, lack = 2 * e.clamp(min=0).sum(), 2 * (-e).clamp(min=0).sum()
    found = model(batch, torch.tensor([(0, 1), (1, 0), (0, 0)]), COSTS)
    torch.testing.assert_close(found, torch.stack([lack, surplus, torch.zeros_like(lack)]))
    assert not torch.isclose(surplus, lack)


def test_costs_count_as_features_only() -> None:
    batch, other = doubles(), COSTS * 2
    model, told = model_of(), model_of(cost_features=True)
    assert torch.equal(model(batch, PAIRS, COSTS), model(batch, PAIRS, other))
    assert not torch.allclose(told(batch, PAIRS, COSTS), told(batch, PAIRS, other))


def test_other_pairs_of_the_batch_do_not_matter() -> None:
    model, batch = model_of(), doubles()
    together = model(batch, PAIRS, COSTS)
    for pair, distance in zip(PAIRS, together, strict=True):
        alone = model(batch.select(pair), torch.tensor([[0, 1]]), COSTS)
        torch.testing.assert_close(alone[0], distance, rtol=0, atol=1e-11)


def test_the_number_of_parameters() -> None:
    assert sum(weight.numel() for weight in make("isonet", {}).parameters()) == 2705


@pytest.mark.parametrize("name", ["message", "alignment", "iterations", "width", "layers"])
def test_sizes_that_make_no_sense_are_refused(name: str) -> None:
    for size in (-1, 0, 10**12):
        with pytest.raises(ModelError, match=f"{name} must be between 1 and"):
            make("isonet", {name: size})


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan"), float("inf")])
def test_temperatures_that_make_no_sense_are_refused(temperature: float) -> None:
    with pytest.raises(ModelError, match="temperature must be finite and > 0"):
        make("isonet", {"temperature": temperature})
