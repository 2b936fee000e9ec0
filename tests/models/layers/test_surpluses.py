"""What vectors have more than others, in plain torch without a tensor of all differences."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from graphedx.models.layers.divergence import surpluses


def vectors(*shape: int, seed: int) -> Tensor:
    """Whole numbers, so that many are equal."""
    values = torch.randint(-2, 3, shape, generator=torch.Generator().manual_seed(seed))
    return values.double().requires_grad_()


def literal(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    difference = a[:, :, None, :] - b[:, None, :, :]
    return difference.relu().sum(3), (-difference).relu().sum(3)


def gradients(found: tuple[Tensor, Tensor], a: Tensor, b: Tensor) -> tuple[Tensor, ...]:
    weights = [vectors(*part.shape, seed=7 + place) for place, part in enumerate(found)]
    total = sum((weight.detach() * part).sum() for weight, part in zip(weights, found, strict=True))
    return torch.autograd.grad(total, (a, b))


@given(st.integers(0, 3), st.integers(0, 11), st.integers(0, 11), st.integers(1, 21), st.integers(0, 99))
def test_values_and_gradients_are_those_of_relu(count: int, rows: int, columns: int, features: int, seed: int) -> None:
    a, b = vectors(count, rows, features, seed=seed), vectors(count, columns, features, seed=seed + 1)
    found, wanted = surpluses(a, b), literal(a, b)
    torch.testing.assert_close(found, wanted)
    torch.testing.assert_close(gradients(found, a, b), gradients(wanted, a, b))
