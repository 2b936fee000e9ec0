"""Sinkhorn's alternate normalisation of rows and columns, in the log domain."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from graphedx import _set_terms
from graphedx.models.layers.backend import Backend, array, goes_native, threads_of


def sinkhorn(
    scores: Tensor,
    iterations: int = 20,
    *,
    row_weights: Tensor | None = None,
    column_weights: Tensor | None = None,
    backend: Backend = "auto",
    threads: int | None = None,
) -> Tensor:
    """The plan exp(scores) after normalising rows, then columns, so many times: near doubly stochastic.

    ``scores`` (..., R, C); ``row_weights`` (..., R) and ``column_weights`` (..., C) say how many equal rows and columns
    each of them stands for, so that sum_j column_weights[j] * plan[i, j] tends to 1. A weight of 0 is a row or column
    that is not there; its part of the plan is 0. Columns sum to 1 exactly, rows in the limit.

    Tensors on the CPU go to the native core, which keeps nothing of the iterations, on as many ``threads`` as torch
    uses; on other devices, or with ``backend="torch"``, it is plain torch: the same up to rounding.

    >>> sinkhorn(torch.zeros(2, 2))
    tensor([[0.5000, 0.5000],
            [0.5000, 0.5000]])
    """
    if iterations > 0 and goes_native(scores, backend):
        inputs = scores, _given(row_weights, scores, -2), _given(column_weights, scores, -1)
        plan: Tensor = _NativePlans.apply(*inputs, iterations, threads_of(threads))  # type: ignore[no-untyped-call]
        return plan
    rows = _log_weights(row_weights, scores, -2).unsqueeze(-1)  # (..., R, 1)
    columns = _log_weights(column_weights, scores, -1).unsqueeze(-2)  # (..., 1, C)
    for _ in range(iterations):
        scores = scores - torch.logsumexp(scores + columns, dim=-1, keepdim=True)
        scores = scores - torch.logsumexp(scores + rows, dim=-2, keepdim=True)
    # Before exp, not after it: rows that are not there have no bound, and inf * 0 is no gradient.
    return scores.masked_fill(torch.isinf(rows) | torch.isinf(columns), -torch.inf).exp()


def gumbel(like: Tensor) -> Tensor:
    """Gumbel noise of this shape, type and device, by torch's own random numbers; always finite."""
    waits = torch.empty_like(like).exponential_()
    return -waits.clamp_(min=torch.finfo(like.dtype).tiny).log()


def _given(weights: Tensor | None, scores: Tensor, dim: int) -> Tensor:
    """One for each row, or column, of each matrix."""
    shape = (*scores.shape[:-2], scores.shape[dim])
    return scores.new_ones(shape) if weights is None else weights.to(scores).expand(shape)


class _NativePlans(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, scores: Tensor, rows: Tensor, columns: Tensor, iterations: int, threads: int) -> Tensor:
        ctx.save_for_backward(scores, rows, columns)
        ctx.how = iterations, threads
        return torch.from_numpy(_set_terms.plans(_flat(scores, rows, columns), iterations, threads)).view(scores.shape)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_plan: Tensor) -> tuple[Tensor | None, ...]:
        scores, rows, columns = ctx.saved_tensors
        iterations, threads = ctx.how
        given = _flat(scores, rows, columns)
        found = _set_terms.plans_backward(given, iterations, threads, array(d_plan).reshape(given[0].shape))
        return torch.from_numpy(found).view(scores.shape), None, None, None, None


def _flat(scores: Tensor, rows: Tensor, columns: Tensor) -> Any:
    """All matrices in one row."""
    count = math.prod(scores.shape[:-2])
    return tuple(array(each).reshape(count, *each.shape[scores.dim() - 2 :]) for each in (scores, rows, columns))


def _log_weights(weights: Tensor | None, scores: Tensor, dim: int) -> Tensor:
    if weights is None:
        return scores.new_zeros(scores.shape[dim])
    nothing = weights.sum(-1, keepdim=True) == 0  # two empty graphs: any plan will do, but it has to be finite
    return torch.where(nothing, torch.zeros_like(weights), weights.log())
