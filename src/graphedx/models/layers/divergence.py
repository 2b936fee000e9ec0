"""Two sets under a plan that aligns their items, whatever the items are: how much each has more than the other."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from graphedx.models.layers.encoded import SetTerm
from graphedx.models.layers.padded import Items


def set_divergences(source: Items, target: Items, plan: Tensor, term: SetTerm) -> tuple[Tensor, Tensor]:
    """What the source has more, and what the target has more: twice (K,)."""
    if term is SetTerm.ALIGN_DIFF:
        difference = source.vector - carried_over(target, plan)  # (K, E, D)
        weight = source.weight[:, :, None]
        return (weight * difference.relu()).sum((1, 2)), (weight * (-difference).relu()).sum((1, 2))
    weight = aligned_mass(source, target, plan)
    if term is SetTerm.XOR:
        weight = weight * (source.present[:, :, None] ^ target.present[:, None, :])
    more, less = surpluses(source.vector, target.vector)
    return (weight * more).sum((1, 2)), (weight * less).sum((1, 2))


def sum_of_aligned_maxima(source: Items, target: Items, plan: Tensor) -> Tensor:
    """sum P[i, j] max(A[i], B[j]) over those pairs of items of which at least one is present: (K,)."""
    weight = aligned_mass(source, target, plan)
    weight = weight * (source.present[:, :, None] | target.present[:, None, :])
    more, _ = surpluses(source.vector, target.vector)
    return (weight * (target.vector.sum(2)[:, None, :] + more)).sum((1, 2))  # max(a, b) = b + relu(a - b)


def distances(source: Items, target: Items) -> Tensor:
    """|| A[i] - B[j] ||_1 of all items: (K, E, E')."""
    more, less = surpluses(source.vector, target.vector)
    return more + less


def carried_over(target: Items, plan: Tensor) -> Tensor:
    """P B: (K, E, D)."""
    return (plan * target.weight[:, None, :]) @ target.vector


def aligned_mass(source: Items, target: Items, plan: Tensor) -> Tensor:
    """The plan, each entry as often as it stands for a pair of items: (K, E, E')."""
    return plan * source.weight[:, :, None] * target.weight[:, None, :]


def surpluses(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """|| relu(a - b) ||_1 and || relu(b - a) ||_1 of all vectors a (K, E, D), b (K, E', D): twice (K, E, E').

    There is never a tensor (K, E, E', D).
    """
    found: tuple[Tensor, Tensor] = _Surpluses.apply(a, b)  # type: ignore[no-untyped-call]
    return found


class _Surpluses(torch.autograd.Function):
    """Goes through the features one by one, both ways."""

    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        ctx.save_for_backward(a, b)
        both = torch.cdist(a, b, p=1)
        surplus = a.sum(2)[:, :, None] - b.sum(2)[:, None, :]
        return (both + surplus) / 2, (both - surplus) / 2

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_more: Tensor, d_less: Tensor) -> tuple[Tensor, Tensor]:
        # The distance's own gradient would do, but for equal features, where relu has none on either side.
        a, b = (each.movedim(2, 0).contiguous() for each in ctx.saved_tensors)  # (D, K, E)
        d_a, d_b, nothing = torch.empty_like(a), torch.empty_like(b), d_more.new_zeros(())
        d_less = -d_less
        for feature, (at_a, at_b) in enumerate(zip(a, b, strict=True)):
            at_a, at_b = at_a[:, :, None], at_b[:, None, :]
            slope = torch.where(at_a > at_b, d_more, torch.where(at_a < at_b, d_less, nothing))  # (K, E, E')
            torch.sum(slope, 2, out=d_a[feature])
            torch.sum(slope, 1, out=d_b[feature])
        return d_a.movedim(0, 2), -d_b.movedim(0, 2)
