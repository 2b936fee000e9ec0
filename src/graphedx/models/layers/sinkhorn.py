"""Sinkhorn's alternate normalisation of rows and columns, in the log domain."""

from __future__ import annotations

import torch
from torch import Tensor


def sinkhorn(
    scores: Tensor,
    iterations: int = 20,
    *,
    row_weights: Tensor | None = None,
    column_weights: Tensor | None = None,
) -> Tensor:
    """The plan exp(scores) after normalising rows, then columns, so many times: near doubly stochastic.

    ``scores`` (..., R, C); ``row_weights`` (..., R) and ``column_weights`` (..., C) say how many equal rows and columns
    each of them stands for, so that sum_j column_weights[j] * plan[i, j] tends to 1. A weight of 0 is a row or column
    that is not there; its part of the plan is 0. Columns sum to 1 exactly, rows in the limit.

    >>> sinkhorn(torch.zeros(2, 2))
    tensor([[0.5000, 0.5000],
            [0.5000, 0.5000]])
    """
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


def _log_weights(weights: Tensor | None, scores: Tensor, dim: int) -> Tensor:
    if weights is None:
        return scores.new_zeros(scores.shape[dim])
    nothing = weights.sum(-1, keepdim=True) == 0  # two empty graphs: any plan will do, but it has to be finite
    return torch.where(nothing, torch.zeros_like(weights), weights.log())
