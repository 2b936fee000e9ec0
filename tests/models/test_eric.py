"""ERIC: two judges of vectors at every scale, and a regulariser that is there in every step of the training."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from graphedx import Graph
from graphedx.errors import ModelError
from graphedx.models.base import make
from graphedx.models.batching import graph_batch
from graphedx.models.eric import Eric, misalignment
from graphedx.training import TrainConfig, fit
from graphedx.training.data import pair_data
from models.graph_samples import GRAPHS, PAIRS, doubles

COSTS = torch.tensor([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])


def eric(**settings: object) -> Eric:
    torch.manual_seed(0)
    model = make("eric", settings)
    assert isinstance(model, Eric)
    return model


def relation(node: list[float], graph: list[float]) -> float:
    lengths = math.hypot(*node) * math.hypot(*graph)
    cosine = sum(a * b for a, b in zip(node, graph, strict=True)) / lengths if lengths else 0.0
    return math.log(2) - math.log(1 + math.exp(-cosine))


def literal_misalignment(layers: list[list[list[list[float]]]], source: int, target: int) -> float:
    """Of vectors by layer, graph and node."""
    differences = []
    for vectors in layers:
        for own, other in ((vectors[source], vectors[target]), (vectors[target], vectors[source])):
            own_sum, other_sum = (
                [sum(column) for column in zip(*rows, strict=True)] or [0.0] * 2 for rows in (own, other)
            )
            differences += [abs(relation(node, own_sum) - relation(node, other_sum)) for node in own]
    return sum(differences) / len(differences) if differences else 0.0


def test_the_regulariser_compares_what_nodes_are_to_both_graphs() -> None:
    torch.manual_seed(0)
    batch = doubles()
    nodes = torch.randn(len(batch.x), 3 * 2, dtype=torch.float64)  # three layers of two numbers
    split = [[part.tolist() for part in nodes[:, at : at + 2].split(batch.sizes.tolist())] for at in (0, 2, 4)]
    found = misalignment(nodes, 3, batch, PAIRS)
    wanted = [literal_misalignment(split, source, target) for source, target in PAIRS.tolist()]
    torch.testing.assert_close(found, torch.tensor(wanted, dtype=torch.float64))
    assert float(found[PAIRS[:, 0] == PAIRS[:, 1]].abs().max()) < 1e-12
    assert misalignment(nodes, 3, batch, PAIRS[:0]).shape == (0,)


def test_the_penalty_is_its_mean_and_the_distances_are_the_same() -> None:
    batch = graph_batch(GRAPHS)
    for weight in (0.0, 0.5, 2.0):
        model = eric(alignment_weight=weight)  # in training mode: batch statistics
        distances, penalty = model.distances_and_penalty(batch, PAIRS, COSTS)
        torch.testing.assert_close(distances, model(batch, PAIRS, COSTS))
        expected = weight * misalignment(model._nodes(batch, COSTS), 5, batch, PAIRS).mean()
        torch.testing.assert_close(penalty, expected)
    assert float(penalty.detach()) > 0


def test_the_regulariser_is_there_in_every_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    model, told = eric(layers=2), []
    once = model.distances_and_penalty

    def watched(*inputs: Any) -> Any:
        found = once(*inputs)
        told.append((float(found[1].detach()), found[1].requires_grad))
        return found

    monkeypatch.setattr(model, "distances_and_penalty", watched)
    data = pair_data(GRAPHS, PAIRS.tolist(), range(len(PAIRS)))
    fit(model, data, data, COSTS, TrainConfig(max_epochs=4, batch=5))
    assert len(told) == 4 * 2
    assert all(penalty > 0 and learns for penalty, learns in told)


def test_the_regulariser_alone_aligns() -> None:
    """Without errors to learn from, nodes come to have the same relation to both graphs."""
    model, batch = eric(layers=2), graph_batch(GRAPHS)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    seen = []
    for _ in range(40):
        penalty = model.distances_and_penalty(batch, PAIRS, COSTS)[1]
        optimizer.zero_grad()
        penalty.backward()
        optimizer.step()
        seen.append(float(penalty.detach()))
    assert seen[-1] < 0.7 * seen[0]


def test_inference_does_not_ask_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphedx.models.eric.misalignment", None)
    assert eric().eval()(graph_batch(GRAPHS), PAIRS, COSTS).shape == (len(PAIRS),)


def test_the_two_judges() -> None:
    """Of all scales, and of the last; mixed, and mapped back to a distance."""
    model, batch = eric(layers=2, width=3).double().eval(), doubles()
    with torch.no_grad():
        model.mix.fill_(math.log(3))  # a share of 3 / 4
        vectors, found = model.encode(batch), model(batch, PAIRS, COSTS)
        for (i, j), distance in zip(PAIRS.tolist(), found.tolist(), strict=True):
            near = torch.tensor([math.exp(-((a - b) ** 2)) for a, b in zip(*vectors[[i, j]].tolist(), strict=True)])
            scales = torch.sigmoid(model.by_scales(near.double()))
            tensor = torch.sigmoid(model.by_tensor(model.tensor(vectors[i : i + 1, 3:], vectors[j : j + 1, 3:])))
            similarity = 0.75 * float(scales) + 0.25 * float(tensor)
            wanted = -(len(GRAPHS[i]) + len(GRAPHS[j])) / 2 * math.log(similarity + 1e-7)
            assert distance == pytest.approx(wanted, rel=1e-6, abs=1e-12)


def test_vectors_of_graphs_are_sums_over_nodes_layer_by_layer() -> None:
    model, batch = eric(layers=2, width=3).double().eval(), doubles()
    nodes = model._nodes(batch, COSTS)
    found = model.encode(batch)
    first = 0
    for graph, row in zip(GRAPHS, found, strict=True):
        for layer in range(2):
            part = slice(3 * layer, 3 * layer + 3)
            total = torch.zeros(3).double()
            for node in range(first, first + len(graph)):
                total += (nodes[node, part] @ model.inner.weight[layer] + model.inner.bias[part]).relu()
            wanted = (total @ model.outer.weight[layer] + model.outer.bias[part]).relu()
            torch.testing.assert_close(row[part], wanted)
        first += len(graph)


@pytest.mark.parametrize("graphs", [GRAPHS, GRAPHS[:1], GRAPHS[1:2]], ids=["all", "empty", "one node"])
def test_gradients_are_finite(graphs: tuple[Graph, ...]) -> None:
    model = eric()
    pairs = PAIRS if len(graphs) > 1 else torch.tensor([[0, 0]])
    distances, penalty = model.distances_and_penalty(graph_batch(graphs), pairs, COSTS)
    ((distances - 1).square().mean() + penalty).backward()
    for name, weight in model.named_parameters():
        assert weight.grad is not None and bool(weight.grad.isfinite().all()), name
        assert bool(weight.grad.any()) or len(graphs) == 1, name


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"alignment_weight": -1.0}, "alignment_weight must be finite and >= 0, got -1.0"),
        ({"alignment_weight": math.inf}, "alignment_weight must be finite"),
        ({"slices": 0}, "slices must be between 1 and"),
        ({"hidden": 0}, "hidden must be between 1 and"),
    ],
)
def test_bad_settings_are_refused(settings: dict[str, object], says: str) -> None:
    with pytest.raises(ModelError, match=says):
        make("eric", settings)
