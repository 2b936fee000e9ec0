"""GREED: layers pooled into one vector a graph, and the distance of vectors."""

from __future__ import annotations

import pytest
import torch

from graphedx import Graph
from graphedx.errors import ModelError
from graphedx.models.base import make
from graphedx.models.batching import graph_batch
from graphedx.models.greed import Greed
from models.graph_samples import GRAPHS, LABELS, PAIRS, doubles

COSTS = torch.tensor([3.0, 1.0, 2.0, 1.0, 0.0, 0.0])


def greed(**settings: object) -> Greed:
    torch.manual_seed(0)
    model = make("greed", settings)
    assert isinstance(model, Greed)
    return model


def test_the_distance_is_that_of_the_vectors() -> None:
    model, batch = greed().double(), doubles()
    vectors = model.encode(batch)
    wanted = [torch.sqrt(((vectors[i] - vectors[j]) ** 2).sum()) for i, j in PAIRS.tolist()]
    found = model(batch, PAIRS, COSTS)
    torch.testing.assert_close(found, torch.stack(wanted))
    torch.testing.assert_close(model(batch, PAIRS.flip(1), COSTS), found)
    assert found[PAIRS[:, 0] == PAIRS[:, 1]].tolist() == [0, 0]


def test_costs_guide_it_if_they_are_asked_to() -> None:
    """What the source has more is deleted, for (3 + 2) / 2; what the target has more is inserted, for (1 + 1) / 2."""
    model, batch = greed(cost_guided=True).double(), doubles()
    vectors = model.encode(batch)
    for (i, j), found in zip(PAIRS.tolist(), model(batch, PAIRS, COSTS), strict=True):
        more = (vectors[i] - vectors[j]).tolist()
        wanted = 2.5 * sum(one for one in more if one > 0) - 1.0 * sum(one for one in more if one < 0)
        assert found.item() == pytest.approx(wanted)


@pytest.mark.parametrize("cost_guided", [False, True])
@pytest.mark.parametrize("graphs", [GRAPHS, GRAPHS[:1], GRAPHS[1:2]], ids=["all", "empty", "one node"])
def test_gradients_are_finite(graphs: tuple[Graph, ...], cost_guided: bool) -> None:
    model = greed(cost_guided=cost_guided)
    pairs = PAIRS if len(graphs) > 1 else torch.tensor([[0, 0]])
    (model(graph_batch(graphs), pairs, COSTS) - 1).square().sum().backward()
    for name, weight in model.named_parameters():
        assert weight.grad is not None and bool(weight.grad.isfinite().all()), name
        assert bool(weight.grad.any()) or len(graphs) == 1 or name == "last.2.bias", name  # cancels in differences


def test_costs_and_labels_reach_the_nodes() -> None:
    model = greed(features=3, cost_features=True)
    assert model.first.in_features == 7
    batch = graph_batch(GRAPHS, LABELS)
    assert not torch.equal(model(batch, PAIRS, COSTS), model(batch, PAIRS, 2 * COSTS))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"vector": 0}, "vector must be between 1 and"),
        ({"layers": 0}, "layers must be between 1 and"),
        ({"cost_guided": 1}, "cost_guided must be of type bool"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, object], says: str) -> None:
    with pytest.raises(ModelError, match=says):
        make("greed", settings)
