"""ISONET: the one-sided score, padding of edge lists, and settings that are refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from graphedx import Graph
from graphedx.errors import ModelError
from graphedx.models.base import make
from graphedx.models.isonet import ISONET, EdgePadding, ISONETConfig
from models.graph_samples import PAIRS, doubles
from models.literal_baselines import edge_vectors, literal_distance
from models.literal_model import features_of

COSTS = torch.tensor([3.0, 1.0, 2.0, 1.5, 0.0, 0.0], dtype=torch.float64)


def model_of(**settings: object) -> ISONET:
    torch.manual_seed(0)
    sizes = {"width": 4, "message": 6, "layers": 3, "max_edges": 9, "temperature": 0.1}
    return ISONET(ISONETConfig(**{**sizes, **settings})).double()  # type: ignore[arg-type]


def cycle(nodes: int) -> Graph:
    return Graph(nodes, [(u, (u + 1) % nodes) for u in range(nodes)])


def test_the_score_is_one_sided() -> None:
    # All edges of all cycles have the same vector e, so that S is even. A triangle's three edges match three of five,
    # and its padding misses what of e is negative; the other way 2/5 of each of five edges remain.
    model = model_of(padding=EdgePadding.PAIR)
    batch = doubles((cycle(3), cycle(5)))
    e = edge_vectors(model, cycle(3), features_of(cycle(3)))[0]
    surplus, lack = 2 * e.clamp(min=0).sum(), 2 * (-e).clamp(min=0).sum()
    found = model(batch, torch.tensor([(0, 1), (1, 0), (0, 0)]), COSTS)
    torch.testing.assert_close(found, torch.stack([lack, surplus, torch.zeros_like(lack)]))
    assert not torch.isclose(surplus, lack)


def test_lists_are_padded_to_max_edges_or_to_longer_ones() -> None:
    """Of 5, 8 and 9 edges under a maximum of 8: pairs with 9 edges are padded to 9, all others to 8."""
    model = model_of(max_edges=8)
    graphs, pairs = (cycle(5), cycle(8), cycle(9)), torch.cartesian_prod(torch.arange(3), torch.arange(3))
    found = model(doubles(graphs), pairs, COSTS)
    expected = []
    for a, b in pairs.tolist():
        alone = model_of(max_edges=8)
        alone.config = replace(alone.config, max_edges=9 if 2 in (a, b) else 8)
        expected.append(literal_distance(alone, graphs[a], graphs[b], COSTS))
    torch.testing.assert_close(found, torch.stack(expected))


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


@pytest.mark.parametrize("name", ["message", "max_edges", "iterations", "width", "layers"])
def test_sizes_that_make_no_sense_are_refused(name: str) -> None:
    for size in (-1, 0, 10**12):
        with pytest.raises(ModelError, match=f"{name} must be between 1 and"):
            make("isonet", {name: size})


@pytest.mark.parametrize("temperature", [0.0, -1.0, float("nan"), float("inf")])
def test_temperatures_that_make_no_sense_are_refused(temperature: float) -> None:
    with pytest.raises(ModelError, match="temperature must be finite and > 0"):
        make("isonet", {"temperature": temperature})
