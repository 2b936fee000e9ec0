"""The baselines of the paper: values and gradients against their equations, and the paper's numbers of weights."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from graphedx.models.base import make, setting_names, weights_of
from graphedx.models.baseline import BaselineConfig
from models.graph_samples import GRAPHS, LABELS, doubles
from models.literal_baselines import LITERAL, literal_distance
from models.literal_layers import assert_same

COSTS = torch.tensor([3.0, 1.0, 2.0, 1.5, 0.0, 0.0], dtype=torch.float64)
PAIRS = [(1, 2), (2, 3), (3, 4), (4, 3), (5, 6), (6, 4)]  # a Euclidean distance of 0 has no gradient

WEIGHTS = {
    "egsc": 3_648,  # the paper counts 4,278, of which 630 are never used
    "eric": 5_930,  # the paper counts 5,932: two factors of the scores are one here, the regulariser's factor is fixed
    "gmn_embed": 2_000,
    "gmn_match": 2_300,
    "graphsim": 6_331,
    "greed": 2_464,
    "h2mn": 3_004,
    "isonet": 2_595,
    "simgnn": 1_773,
}
"""At four input features, with 20 nodes and 23 edges at most."""
SMALL: dict[str, dict[str, Any]] = {
    "graphsim": {"max_nodes": 10},
    "isonet": {"temperature": 0.1, "max_edges": 9},
}


def model_of(name: str, **settings: Any) -> Any:
    torch.manual_seed(0)
    model = make(name, {**SMALL.get(name, {}), **settings}).double()
    for weight in model.parameters():  # biases that start at 0 leave ReLUs on their kinks
        weight.data += 0.1 * torch.rand(weight.shape, dtype=torch.float64)
    return model


def cases() -> list[Any]:
    found = []
    for name in LITERAL:
        found += [(name, {}, ()), (name, {"cost_features": True}, ()), (name, {"features": 3}, LABELS)]
        found.append((name, {"features": 3, "cost_features": True}, LABELS))
        if "cost_guided" in setting_names(name):
            found.append((name, {"cost_guided": True}, ()))
    found += [("simgnn", {"bins": 7}, ()), ("isonet", {"padding": "pair"}, ()), ("isonet", {"temperature": 0.01}, ())]
    return [pytest.param(*case, id="-".join([case[0], *case[1]])) for case in found]


@pytest.mark.parametrize(("name", "settings", "vocabulary"), cases())
def test_values_and_gradients_are_those_of_the_equations(
    name: str, settings: dict[str, Any], vocabulary: tuple[str, ...]
) -> None:
    model, batch = model_of(name, **settings), doubles(vocabulary=vocabulary)
    with torch.no_grad():
        model.train()(batch, torch.tensor(PAIRS), COSTS)  # running means and variances
    model.eval()
    found = model(batch, torch.tensor(PAIRS), COSTS)
    expected = [literal_distance(model, GRAPHS[a], GRAPHS[b], COSTS, vocabulary) for a, b in PAIRS]
    assert torch.stack(expected).std() > 1e-3
    assert_same(model, found, torch.stack(expected))


@pytest.mark.parametrize("name", ["egsc", "eric"])
def test_in_training_statistics_are_those_of_the_batch(name: str) -> None:
    model = model_of(name).train()
    batch = doubles((GRAPHS[4], GRAPHS[6]))
    found = model(batch, torch.tensor([[0, 1]]), COSTS)
    assert_same(model, found, literal_distance(model, GRAPHS[4], GRAPHS[6], COSTS)[None])


@pytest.mark.parametrize("name", LITERAL)
def test_the_number_of_weights_is_that_of_the_paper(name: str) -> None:
    assert weights_of(name, {"cost_features": True}) == WEIGHTS[name]
    assert weights_of(name, {"features": 4}) == WEIGHTS[name]


def test_costs_replace_the_constant_and_are_added_to_labels() -> None:
    assert BaselineConfig().inputs == 1
    assert BaselineConfig(cost_features=True).inputs == 4
    assert BaselineConfig(features=3, cost_features=True).inputs == 7
