"""Isomorphism layers with batch normalisation, node by node."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from graphedx import Graph
from graphedx.models.layers.gin import normalised_gin
from models.graph_samples import doubles

PATH = Graph(3, [(0, 1), (1, 2)])


@pytest.mark.parametrize(("options", "share"), [({"eps": 1.0}, 2.0), ({"train_eps": True}, 1.0)], ids=["eric", "egsc"])
def test_a_node_and_its_neighbours_go_through_two_layers_and_are_normalised(
    options: dict[str, Any], share: float
) -> None:
    torch.manual_seed(0)
    layer, x = normalised_gin(2, 3, **options).double(), torch.randn(3, 2, dtype=torch.float64)
    rows = torch.stack([share * x[0] + x[1], share * x[1] + x[0] + x[2], share * x[2] + x[1]])
    before = layer.nn[2](layer.nn[0](rows).relu())
    expected = (before - before.mean(0)) / torch.sqrt(before.var(0, correction=0) + 1e-5)
    torch.testing.assert_close(layer(x, doubles((PATH,)).edge_index), expected)


def test_what_is_learned_of_itself_is_a_weight() -> None:
    assert "eps" in dict(normalised_gin(2, 3, train_eps=True).named_parameters())
    assert "eps" not in dict(normalised_gin(2, 3, eps=1.0).named_parameters())
