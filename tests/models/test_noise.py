"""Noise on the alignment: in training only, by torch's seed, in every variant, the same for all terms of a pair."""

from __future__ import annotations

import math

import pytest
import torch

from graphedx.errors import ModelError
from graphedx.models import graphedx as of_model
from graphedx.models.graphedx import GraphEdXConfig
from graphedx.models.layers.ablations import Variant
from graphedx.models.layers.encoded import SetTerm
from graphedx.models.layers.sinkhorn import gumbel
from models.graph_samples import GRAPHS, LABELS, PAIRS, doubles
from models.literal_variants import literal_variant
from models.test_variants import COSTS, every_setting, gradients, model_of


@every_setting
def test_every_variant_is_that_of_the_formulas_with_noise(
    monkeypatch: pytest.MonkeyPatch, variant: Variant, node_term: SetTerm, edge_term: SetTerm
) -> None:
    settings = {"variant": variant, "node_term": node_term, "edge_term": edge_term, "features": 3, "temperature": 0.05}
    model, size = model_of(noise=0.1, **settings), 7
    drawn = gumbel(torch.empty(len(PAIRS), size, size, dtype=torch.float64))
    monkeypatch.setattr(of_model, "gumbel", lambda like: drawn)
    found, penalty = model.distances_and_penalty(doubles(vocabulary=LABELS), PAIRS, COSTS)
    rows = []
    for k, (a, b) in enumerate(PAIRS.tolist()):
        first_padding = [torch.arange(size).clamp(max=len(GRAPHS[g])) for g in (a, b)]
        noise = 0.1 * drawn[k][first_padding[0]][:, first_padding[1]]
        rows.append(literal_variant(model, GRAPHS[a], GRAPHS[b], COSTS, LABELS, noise))
    expected, apart = (torch.stack(column) for column in zip(*rows, strict=True))
    expected_penalty = model.config.consistency_weight * apart.mean()
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-8)
    torch.testing.assert_close(penalty, expected_penalty, rtol=0, atol=1e-8)
    for one, other in zip(gradients(model, found, penalty), gradients(model, expected, expected_penalty), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-7, atol=1e-7)


@every_setting
def test_only_training_hears_it(variant: Variant, node_term: SetTerm, edge_term: SetTerm) -> None:
    settings = {"variant": variant, "node_term": node_term, "edge_term": edge_term}
    noisy, silent, batch = model_of(noise=0.3, **settings), model_of(**settings), doubles()
    costs = COSTS * torch.tensor([1, 1, 1, 1, 0, 0])

    def drawn(seed: int) -> torch.Tensor:
        torch.manual_seed(seed)
        return noisy(batch, PAIRS, costs)

    without = silent(batch, PAIRS, costs)
    assert torch.equal(drawn(1), drawn(1))
    assert not torch.equal(drawn(1), drawn(2))
    assert not torch.equal(drawn(1), without)
    noisy.eval()
    before = torch.get_rng_state()
    assert torch.equal(noisy(batch, PAIRS, costs), without)
    assert torch.equal(before, torch.get_rng_state())


def test_silence_draws_nothing() -> None:
    before = torch.get_rng_state()
    model = model_of()
    torch.set_rng_state(before)
    model(doubles(), PAIRS, COSTS)
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize("noise", [-0.1, math.nan, math.inf, -math.inf])
def test_noise_that_makes_no_sense_is_refused(noise: float) -> None:
    with pytest.raises(ModelError, match=f"noise must be finite and >= 0, got {noise}"):
        GraphEdXConfig(noise=noise)


def test_a_config_tells_of_noise_only_where_there_is_some() -> None:
    assert "noise" not in GraphEdXConfig().to_json()
    told = GraphEdXConfig(noise=0.5).to_json()
    assert GraphEdXConfig.from_json(told) == GraphEdXConfig(noise=0.5)
    assert GraphEdXConfig.from_json({"noise": 1}) == GraphEdXConfig(noise=1.0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_noise_is_gumbels(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    found = gumbel(torch.empty(200_000, dtype=dtype))
    assert found.dtype == dtype
    assert bool(found.isfinite().all())
    assert float(found.mean()) == pytest.approx(0.5772, abs=0.02)
    assert float(found.var()) == pytest.approx(math.pi**2 / 6, abs=0.05)
