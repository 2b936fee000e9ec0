"""How far guesses are from the truth: the paper's metrics, and a few more."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphedx.errors import ModelError

Floats = NDArray[np.float64]


class Errors(NamedTuple):
    """``mse_stderr`` is the standard error of that mean; ``hits`` the share of guesses less than a half off."""

    pairs: int
    mse: float
    mse_stderr: float
    mae: float
    rmse: float
    kendall_tau: float
    hits: float


def errors(guesses: ArrayLike, truth: ArrayLike) -> Errors:
    """Compare guesses with the truth.

    >>> found = errors([1.0, 2.5, 4.0], [1.0, 2.0, 3.0])
    >>> found.mae, found.kendall_tau
    (0.5, 1.0)
    """
    guess, exact = np.asarray(guesses, dtype=np.float64), np.asarray(truth, dtype=np.float64)
    if guess.shape != exact.shape or guess.ndim != 1:
        raise ModelError(f"guesses and truth must be lists of the same length, got {guess.shape} and {exact.shape}")
    if not len(guess):
        raise ModelError("there is nothing to compare: no pairs")
    off = guess - exact
    squares = off**2
    spread = float(squares.std(ddof=1)) / math.sqrt(len(squares)) if len(squares) > 1 else math.nan
    return Errors(
        len(guess),
        float(squares.mean()),
        spread,
        float(np.abs(off).mean()),
        math.sqrt(float(squares.mean())),
        kendall_tau(guess, exact),
        float(np.mean(np.abs(off) < 0.5)),
    )


def kendall_tau(guess: Floats, truth: Floats) -> float:
    """(concordant - discordant) / all pairs of pairs, as the paper has it: ties count for nothing. O(n log n)."""
    from scipy.stats import kendalltau

    if len(guess) < 2:
        return math.nan
    everything = len(guess) * (len(guess) - 1) / 2
    untied = [everything - _tied(values) for values in (guess, truth)]
    if min(untied) == 0:
        return 0.0
    found: Any = kendalltau(guess, truth, variant="b")
    return float(found.statistic) * math.sqrt(untied[0] * untied[1]) / everything


def _tied(values: Floats) -> float:
    """How many pairs have equal values."""
    _, counts = np.unique(values, return_counts=True)
    return float((counts * (counts - 1) // 2).sum())
