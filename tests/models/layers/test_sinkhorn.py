"""The plan, by the native core and in plain torch."""

from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from graphedx.errors import ModelError
from graphedx.models.layers.backend import Backend
from graphedx.models.layers.sinkhorn import sinkhorn

BOTH: tuple[Backend, ...] = ("native", "torch")
both = pytest.mark.parametrize("backend", BOTH)


def scores(*shape: int, scale: float = 1.0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64) * scale


@both
def test_rows_and_columns_sum_to_one(backend: Backend) -> None:
    plan = sinkhorn(scores(4, 5, 5), 300, backend=backend)
    ones = torch.ones(4, 5, dtype=torch.float64)
    torch.testing.assert_close(plan.sum(1), ones)
    torch.testing.assert_close(plan.sum(2), ones)


@both
def test_columns_are_normalised_last(backend: Backend) -> None:
    plan = sinkhorn(scores(5, 5), 1, backend=backend)
    torch.testing.assert_close(plan.sum(0), torch.ones(5, dtype=torch.float64))


@both
def test_a_weight_stands_for_equal_rows(backend: Backend) -> None:
    few = scores(3, 4)
    many = few[[0, 1, 2, 2, 2]]
    weights = torch.tensor([1.0, 1.0, 3.0], dtype=torch.float64)
    plan, whole = sinkhorn(few, row_weights=weights, backend=backend), sinkhorn(many, backend=backend)
    torch.testing.assert_close(plan, whole[:3])
    plan, whole = sinkhorn(few.T, column_weights=weights, backend=backend), sinkhorn(many.T, backend=backend)
    torch.testing.assert_close(plan, whole[:, :3])


@both
def test_what_weighs_nothing_is_not_there(backend: Backend) -> None:
    full = scores(4, 4, scale=300).requires_grad_()
    weights = torch.tensor([1.0, 1.0, 1.0, 0.0], dtype=torch.float64)
    plan = sinkhorn(full, row_weights=weights, column_weights=weights, backend=backend)
    assert not plan[3].any()
    assert not plan[:, 3].any()
    torch.testing.assert_close(plan[:3, :3], sinkhorn(full[:3, :3], backend=backend))
    plan.square().sum().backward()
    assert full.grad is not None
    assert bool(full.grad.isfinite().all())


@both
def test_scores_far_apart_neither_overflow_nor_vanish(backend: Backend) -> None:
    plan = sinkhorn(scores(6, 6, scale=1e4).float(), backend=backend)
    assert bool(plan.isfinite().all())
    torch.testing.assert_close(plan.sum(0), torch.ones(6))


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=9),
    st.lists(st.integers(0, 3), min_size=1, max_size=9),
    st.integers(1, 30),
    st.sampled_from([0.1, 3.0, 100.0]),
)
def test_native_and_torch_agree(rows: list[int], columns: list[int], iterations: int, scale: float) -> None:
    shape = (2, 3, len(rows), len(columns))
    weights = {
        "row_weights": torch.tensor(rows, dtype=torch.float64).expand(2, 3, -1) * (sum(columns) > 0),
        "column_weights": torch.tensor(columns, dtype=torch.float64) * (sum(rows) > 0),
    }
    wanted = scores(*shape).flip(0)
    found = []
    for backend in BOTH:
        given_scores = scores(*shape, scale=scale).requires_grad_()
        plan = sinkhorn(given_scores, iterations, **weights, backend=backend)
        mass = weights["row_weights"][..., :, None] * weights["column_weights"][..., None, :]
        (plan * mass * wanted).sum().backward()
        assert given_scores.grad is not None
        found.append((plan * mass, given_scores.grad))
    for native, plain in zip(*found, strict=True):
        torch.testing.assert_close(native, plain, rtol=1e-6, atol=1e-9)


def test_threads_do_not_change_a_bit() -> None:
    given_scores = scores(40, 7, 8, scale=5).float()
    assert torch.equal(sinkhorn(given_scores, threads=1), sinkhorn(given_scores, threads=3))


def test_no_scores_no_plan() -> None:
    assert sinkhorn(torch.zeros(0, 3, 4)).shape == (0, 3, 4)
    assert sinkhorn(torch.zeros(2, 0, 4)).shape == (2, 0, 4)


@pytest.mark.parametrize("wrong", [-1.0, math.nan, math.inf])
def test_a_weight_that_is_none_is_named(wrong: float) -> None:
    with pytest.raises(ModelError, match="weights of rows and columns must be finite and at least 0"):
        sinkhorn(torch.zeros(2, 2), row_weights=torch.tensor([1.0, wrong]))
