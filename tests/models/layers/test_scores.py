"""From similarities to distances: where they end."""

from __future__ import annotations

import math

import pytest
import torch

from graphedx.models.layers.scores import EPSILON, distance_of

SIZES = torch.tensor([0, 3, 5])


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
def test_no_similarity_is_a_negative_distance(kind: torch.dtype) -> None:
    """1 is rounded up before the logarithm, and graphs without nodes must not be at -0."""
    similarity = torch.tensor([1.0, 1.0 - 2**-24, 0.5, 0.0], dtype=kind)
    found = distance_of(similarity, SIZES, torch.tensor([[1, 2], [1, 2], [0, 0], [0, 0]]))
    assert found.dtype == kind
    assert [math.copysign(1, value) for value in found.tolist()] == [1] * 4
    assert found[:2].max() < 1e-6


def test_distances_are_those_of_which_similarities_are_made_up_to_a_limit() -> None:
    ged = torch.tensor([0.0, 1.0, 12.0, 500.0], dtype=torch.float64)
    pairs = torch.tensor([[1, 2]] * 4)
    found = distance_of(torch.exp(-2 * ged / 8), SIZES, pairs)
    torch.testing.assert_close(found[:3], ged[:3], rtol=1e-5, atol=1e-6)
    assert float(found[3]) == pytest.approx(-4 * math.log(EPSILON), rel=1e-6)


def test_slopes_are_finite_at_both_ends() -> None:
    logits = torch.tensor([-200.0, -1.0, 200.0], requires_grad=True)
    distance_of(torch.sigmoid(logits), SIZES, torch.tensor([[1, 2]] * 3)).sum().backward()  # type: ignore[no-untyped-call]
    assert logits.grad is not None and bool(logits.grad.isfinite().all())
