"""GMN-Embed: one vector per graph, and settings that are refused."""

from __future__ import annotations

import pytest
import torch

from graphedx.errors import ModelError
from graphedx.models.base import make
from graphedx.models.gmn_embed import GMNConfig, GMNEmbed
from models.graph_samples import GRAPHS, doubles


def model_of(**settings: object) -> GMNEmbed:
    torch.manual_seed(0)
    sizes = {"width": 4, "message": 6, "layers": 3, "graph_size": 5}
    return GMNEmbed(GMNConfig(**{**sizes, **settings})).double()  # type: ignore[arg-type]


def test_each_graph_is_one_vector() -> None:
    model, batch = model_of(), doubles()
    encoded = model.encode(batch)
    assert encoded.shape == (len(GRAPHS), 5)
    torch.testing.assert_close(encoded[0], model.pooling.transform.bias)  # of no nodes
    assert model.interaction == "late"


@pytest.mark.parametrize("name", ["message", "graph_size", "width", "layers"])
def test_sizes_that_make_no_sense_are_refused(name: str) -> None:
    for size in (-1, 0, 10**12):
        with pytest.raises(ModelError, match=f"{name} must be between 1 and"):
            make("gmn_embed", {name: size})


def test_costs_that_are_features_must_be_told() -> None:
    with pytest.raises(ModelError, match="costs as features"):
        model_of(cost_features=True).encode(doubles())
