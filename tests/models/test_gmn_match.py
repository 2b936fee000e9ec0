"""GMN-Match: the dependence of vectors on the other graph, and work in parts."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from graphedx import Graph
from graphedx.errors import ModelError
from graphedx.models import gmn_match
from graphedx.models.base import make
from graphedx.models.gmn_embed import GMNConfig
from graphedx.models.gmn_match import GMNMatch
from models.graph_samples import GRAPHS, doubles, random_graph
from models.literal_baselines import gmn_match_vectors
from models.literal_model import features_of

COSTS = torch.tensor([3.0, 1.0, 2.0, 1.5, 0.0, 0.0], dtype=torch.float64)


def model_of(**settings: object) -> GMNMatch:
    torch.manual_seed(0)
    sizes = {"width": 4, "message": 6, "layers": 3, "graph_size": 5}
    return GMNMatch(GMNConfig(**{**sizes, **settings})).double()  # type: ignore[arg-type]


def literal_vectors(model: GMNMatch, source: Graph, target: Graph) -> tuple[Tensor, Tensor]:
    return gmn_match_vectors(model, [source, target], [features_of(source), features_of(target)])


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


@pytest.mark.parametrize("name", ["message", "graph_size", "width", "layers"])
def test_sizes_that_make_no_sense_are_refused(name: str) -> None:
    for size in (-1, 0, 10**12):
        with pytest.raises(ModelError, match=f"{name} must be between 1 and"):
            make("gmn_match", {name: size})
