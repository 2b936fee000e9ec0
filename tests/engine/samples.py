"""Works for engines to solve: any graphs, and one that takes as long as its costs sleep."""

from itertools import combinations

import numpy as np

from graphedx import EditCosts, Graph
from graphedx.engine import Answers, Question, Work

DOTS = 24
"""Graphs of one node, each with a label of its own, that ``dots`` compares with each other."""


def work_of(graphs, costs, *, method="exact", time_limit=None):
    ends = [*combinations(range(len(graphs)), 2)]
    return Work(Question(method, costs, time_limit), graphs, graphs, np.array(ends, dtype=np.int32).reshape(-1, 2))


def dots(substitution, *, rounds=1):
    """All pairs of graphs with one node, so many times over; their labels are their places, 2, 3, ...

    The first two graphs are in no pair, and their labels have no cost, so that costs are asked for pair by pair instead
    of once for all.
    """

    def node_sub(a, b):
        if {a, b} == {0, 1}:
            raise KeyError
        return substitution(a, b)

    graphs = [Graph(1, node_labels=[label]) for label in range(2 + DOTS)]
    ends = [*combinations(range(2, 2 + DOTS), 2)] * rounds
    return Work(Question("exact", EditCosts(node_sub=node_sub)), graphs, graphs, np.array(ends, dtype=np.int32))


def solved(engine, work, watch=lambda block: None):
    """The answers of an engine that is watched; each pair has to come exactly once."""
    answers, seen = Answers(work.source_sizes), []

    def collect(block):
        answers.put(block)
        seen.extend(block.ids.tolist())
        watch(block)

    engine.solve(work, np.arange(len(work), dtype=np.int64), collect)
    assert sorted(seen) == [*range(len(work))]
    return answers


def assert_same(one, other):
    for name in ("lower", "upper", "stops"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert [one.images(k) for k in range(len(one))] == [other.images(k) for k in range(len(other))]
