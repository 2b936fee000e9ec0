"""The errors of guesses, against their definitions."""

import math

import numpy as np
import pytest

from graphedx.errors import ModelError
from graphedx.evaluation import errors
from graphedx.evaluation.metrics import kendall_tau


def literal_tau(guess, truth):
    """Kendall's tau-b, pair by pair."""
    signs = [(np.sign(guess[i] - guess[j]), np.sign(truth[i] - truth[j])) for i in range(len(guess)) for j in range(i)]
    untied = [sum(1 for sign in signs if sign[side]) for side in (0, 1)]
    return sum(a * b for a, b in signs) / math.sqrt(untied[0] * untied[1])


@pytest.mark.parametrize("seed", range(6))
def test_kendalls_tau_leaves_out_ties(seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 6, 40).astype(float)  # many ties, as distances have
    guess = truth + rng.normal(0, 2, 40)
    if seed % 2:
        guess = np.round(guess)
    assert kendall_tau(guess, truth) == pytest.approx(literal_tau(guess, truth), abs=1e-12)


def test_errors_by_hand():
    found = errors([1.0, 2.5, 4.0, 0.0], [1.0, 2.0, 3.0, 0.2])
    assert found.pairs == 4
    squares = [0.0, 0.25, 1.0, 0.04]
    assert found.mse == pytest.approx(np.mean(squares))
    assert found.mse_stderr == pytest.approx(np.std(squares, ddof=1) / 2)
    assert found.mae == pytest.approx((0.5 + 1.0 + 0.2) / 4)
    assert found.rmse == pytest.approx(math.sqrt(np.mean(squares)))
    assert found.hits == 0.5  # rounding to whole distances: 0.5 off is a miss
    assert found.kendall_tau == pytest.approx(1.0)


def test_one_pair_has_no_spread_and_no_order():
    found = errors([1.0], [2.0])
    assert found.mse == 1.0
    assert math.isnan(found.mse_stderr)
    assert math.isnan(found.kendall_tau)


def test_guesses_that_are_all_equal_rank_nothing():
    assert errors([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]).kendall_tau == 0.0


@pytest.mark.parametrize(("guesses", "truth"), [([], []), ([1.0], [1.0, 2.0]), ([[1.0]], [[1.0]])])
def test_what_cannot_be_compared_is_refused(guesses, truth):
    with pytest.raises(ModelError):
        errors(guesses, truth)
