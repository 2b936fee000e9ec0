"""Rows about pairs: the interval is the beam's and holds the distance, and a snapped guess is a possible distance."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import graphedx as gx
from graphedx import EditCosts, Graph
from graphedx.errors import MethodError
from graphedx.models import batching
from graphedx.models import brackets as module
from graphedx.models.batching import graph_batch
from graphedx.models.bracket import Bracket
from graphedx.models.brackets import COLUMNS, HOPE, LOWER, OPEN, ROOT, SHARED, STEP, UPPER, brackets, snapped
from graphedx.models.predicting import cost_tensor
from laws.checking import at_most, close
from models.bracket_samples import EXPANSIONS, QUICK, any_costs, odd_graphs, odd_pairs

Pair = tuple[Graph, Graph]
FIRST = torch.tensor([[0, 1]])


def row_of(pair: Pair, costs: EditCosts, expansions: int = EXPANSIONS) -> torch.Tensor:
    return brackets(Bracket.batch(pair, ()), FIRST, cost_tensor(costs), expansions)


@QUICK
@given(pair=odd_pairs(), costs=any_costs(), expansions=st.integers(1, 60))
def test_the_interval_is_that_of_the_method_beam(pair: Pair, costs: EditCosts, expansions: int) -> None:
    [row] = row_of(pair, costs, expansions)
    beam = gx.ged(*pair, costs=costs, method="beam", expansions=expansions)
    assert close(row[LOWER], beam.lower)
    assert close(row[UPPER], beam.upper)
    assert row[ROOT] <= row[LOWER] <= row[UPPER]
    assert row[SHARED] > 0
    assert row[HOPE] >= 0
    assert (row[OPEN].diff() <= 0).all()


@QUICK
@given(pair=odd_pairs(5), costs=any_costs(), guess=st.floats(0, 1))
def test_the_interval_holds_the_distance_and_so_do_whole_steps(pair: Pair, costs: EditCosts, guess: float) -> None:
    rows = row_of(pair, costs, 1)
    lower, upper, step = (float(rows[0, k]) for k in (LOWER, UPPER, STEP))
    distance = gx.ged(*pair, costs=costs, method="exact").upper
    assert at_most(lower, distance)
    assert at_most(distance, upper)
    inside = torch.tensor([lower + guess * (upper - lower)], dtype=torch.float64)
    [value] = snapped(inside, rows).tolist()
    assert at_most(lower, value)
    assert value <= upper
    if step > 0:
        for possible in (distance, value):
            assert (upper - possible) / step == pytest.approx(round((upper - possible) / step), abs=1e-6)
        assert abs(value - inside) <= step / 2 * (1 + 1e-9) or value - step < lower
        if upper - lower < step * (1 - 1e-6):
            assert value == upper
            assert close(value, distance)
    else:
        assert value == inside


@QUICK
@given(graphs=st.lists(odd_graphs(7), min_size=2, max_size=4), costs=st.lists(any_costs(), min_size=1, max_size=3))
def test_costs_of_each_pair_are_as_a_call_for_each(graphs: list[Graph], costs: list[EditCosts]) -> None:
    batch = Bracket.batch(graphs, ())
    places = torch.cartesian_prod(torch.arange(len(graphs)), torch.arange(len(graphs)))
    prices = torch.stack([cost_tensor(costs[k % len(costs)]) for k in range(len(places))])
    together = brackets(batch, places, prices, EXPANSIONS)
    for k, price in enumerate(prices):
        alone = brackets(batch, places, price, EXPANSIONS)[k]
        assert torch.equal(together[k], alone)


def test_no_pairs_are_no_rows() -> None:
    batch, none = Bracket.batch([Graph(2)], ()), torch.zeros(0, 2, dtype=torch.int64)
    for costs in (cost_tensor(EditCosts()), torch.zeros(0, 6)):
        assert brackets(batch, none, costs, 5).shape == (0, len(COLUMNS))


def test_a_wide_beam_proves_and_leaves_nothing_open() -> None:
    path, star = Graph(4, [(0, 1), (1, 2), (2, 3)]), Graph(4, [(0, 1), (0, 2), (0, 3)])
    [row] = row_of((path, star), EditCosts(1, 1, 1, 1, 0, 0), 10_000)
    assert row[LOWER] == row[UPPER] == 2
    assert row[STEP] == row[SHARED] == 2  # an edge that is shared is neither deleted nor inserted
    assert row[OPEN].sum() == row[HOPE] == 0


def test_free_labels_are_not_looked_at() -> None:
    one, other = Graph(3, [(0, 1)], node_labels="abc"), Graph(3, [(0, 1)], node_labels="xyz")
    [row] = row_of((one, other), EditCosts(1, 1, 1, 1, 0, 1))
    assert row[UPPER] == 0
    [row] = row_of((one, other), EditCosts(1, 1, 1, 1, 1, 1))
    assert row[UPPER] == 3


def test_fractions_without_a_common_unit_have_no_steps() -> None:
    rows = row_of((Graph(3, [(0, 1)]), Graph(4)), EditCosts(2**0.5, 3**0.5, 0.1, 1e-7, 1, 1))
    assert rows[0, STEP] == 0
    guesses = torch.tensor([-5.0], dtype=torch.float64)
    assert torch.equal(snapped(guesses, rows), rows[:, LOWER])


def test_more_node_pairs_than_fit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the core itself, should a batch ever hold such a graph."""
    monkeypatch.setattr(batching, "MOST_NODES", 9_000)
    batch = graph_batch([Graph(9_000)])
    with pytest.raises(MethodError, match=r"'beam' needs a table of 9000 x 9000 node pairs.* use 'auto'"):
        brackets(batch, torch.tensor([[0, 0]]), cost_tensor(EditCosts()), 5)


# Each pair takes a millisecond or so, all of them for ever: it ends only if the signal is heard between them.
ENDLESS = """
import os, signal, threading, torch
from graphedx.models.bracket import Bracket
from graphedx.models.brackets import brackets
from matrix.samples import hard_graphs
torch.set_num_threads(2)
pairs = torch.tensor([[0, 1]]).expand(1_000_000, 2)
costs = torch.tensor([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])
batch = Bracket.batch(hard_graphs(2), ())
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
brackets(batch, pairs, costs, 150)
"""


def test_ctrl_c_is_heard_between_quick_pairs() -> None:
    code = f"import sys; sys.path[:0] = {sys.path!r}\n{ENDLESS}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == -signal.SIGINT, done.stderr
    assert done.stderr.rstrip().endswith("KeyboardInterrupt")


def test_many_labels_are_worked_on_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = [Graph(4, [(0, 1), (1, 2)], node_labels=[k, k + 1, 3 * k, 0], edge_labels=[k, 7]) for k in range(9)]
    batch, costs = Bracket.batch(graphs, ()), cost_tensor(EditCosts(1, 2, 1, 1, 0.5, 0.25))
    pairs = torch.cartesian_prod(torch.arange(9), torch.arange(9))
    whole = brackets(batch, pairs, costs, EXPANSIONS)
    for most in (12, 1):
        monkeypatch.setattr(module, "MOST_LABELS", most)
        assert torch.equal(brackets(batch, pairs, costs, EXPANSIONS), whole)
