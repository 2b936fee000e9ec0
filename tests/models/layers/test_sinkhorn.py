"""The plan in plain torch."""

from __future__ import annotations

import torch

from graphedx.models.layers.sinkhorn import sinkhorn


def scores(*shape: int, scale: float = 1.0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64) * scale


def test_rows_and_columns_sum_to_one() -> None:
    plan = sinkhorn(scores(4, 5, 5), 300)
    ones = torch.ones(4, 5, dtype=torch.float64)
    torch.testing.assert_close(plan.sum(1), ones)
    torch.testing.assert_close(plan.sum(2), ones)


def test_columns_are_normalised_last() -> None:
    plan = sinkhorn(scores(5, 5), 1)
    torch.testing.assert_close(plan.sum(0), torch.ones(5, dtype=torch.float64))


def test_a_weight_stands_for_equal_rows() -> None:
    few = scores(3, 4)
    many = few[[0, 1, 2, 2, 2]]
    weights = torch.tensor([1.0, 1.0, 3.0], dtype=torch.float64)
    torch.testing.assert_close(sinkhorn(few, row_weights=weights), sinkhorn(many)[:3])
    torch.testing.assert_close(sinkhorn(few.T, column_weights=weights), sinkhorn(many.T)[:, :3])


def test_what_weighs_nothing_is_not_there() -> None:
    full = scores(4, 4, scale=300).requires_grad_()
    weights = torch.tensor([1.0, 1.0, 1.0, 0.0], dtype=torch.float64)
    plan = sinkhorn(full, row_weights=weights, column_weights=weights)
    assert not plan[3].any()
    assert not plan[:, 3].any()
    torch.testing.assert_close(plan[:3, :3], sinkhorn(full[:3, :3]))
    plan.square().sum().backward()
    assert full.grad is not None
    assert bool(full.grad.isfinite().all())


def test_scores_far_apart_neither_overflow_nor_vanish() -> None:
    plan = sinkhorn(scores(6, 6, scale=1e4).float())
    assert bool(plan.isfinite().all())
    torch.testing.assert_close(plan.sum(0), torch.ones(6))
