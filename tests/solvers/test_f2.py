"""F2: the programme itself, agreement with the native search, and honesty about tolerances."""

from __future__ import annotations

import builtins
import random
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from graphedx import EditCosts, Graph, StopReason, ged
from graphedx.costs import MAX_COMMON_SUBGRAPH, UNIFORM
from graphedx.errors import MissingExtraError
from graphedx.solvers.milp.f2 import F2, formulate
from solvers.samples import random_case, random_graph


def test_the_programme_has_the_size_that_the_paper_gives_it() -> None:
    source, target = Graph(3, [(0, 1), (1, 2)]), Graph(4, [(0, 1), (1, 2), (2, 3)])
    programme = formulate(source, target, EditCosts().tables(source, target))
    assert programme.pairs == 3 * 4
    assert len(programme.gains) == 3 * 4 + 2 * 3
    assert len(programme.limits) == 3 + 4 + 2 * 4
    assert len(programme.values) == F2.nonzeros(source, target)
    assert programme.base == 3 + 2 + 4 + 3


def test_directed_edges_have_a_row_for_each_end() -> None:
    source, target = (Graph(n, [(0, 1)], directed=True) for n in (2, 3))
    programme = formulate(source, target, EditCosts().tables(source, target))
    assert len(programme.limits) == 2 + 3 + 2 * 1 * 3


def test_an_edge_pair_dearer_than_replacing_has_no_variable() -> None:
    source, target = (Graph(2, [(0, 1)], edge_labels=[label]) for label in (1, 2))
    assert len(formulate(source, target, EditCosts(edge_sub=3).tables(source, target)).gains) == 4
    assert len(formulate(source, target, EditCosts(edge_sub=1.5).tables(source, target)).gains) == 5


def test_every_mapping_of_a_small_pair_is_a_point_of_the_programme() -> None:
    from graphedx import NodeMapping, induced_cost
    from graphedx.solvers.exact.brute_force import all_images

    rng = random.Random(3)
    costs = EditCosts(3, 1, 2, 1, 1, 1)
    source, target = random_graph(rng, 3, False), random_graph(rng, 3, False)
    programme = formulate(source, target, costs.tables(source, target))
    matrix = np.zeros((len(programme.limits), len(programme.gains)))
    for column in range(len(programme.gains)):
        entries = slice(programme.starts[column], programme.starts[column + 1])
        matrix[programme.rows[entries], column] += programme.values[entries]
    for images in all_images(3, 3):
        x = np.zeros(9)
        x[[3 * i + j for i, j in enumerate(images) if j >= 0]] = 1
        # y are the best 0/1 values that the rows allow: few enough to try all
        y_columns = range(9, len(programme.gains))
        best = programme.base + programme.gains[:9] @ x
        for column in y_columns:
            point = np.concatenate([x, np.zeros(len(y_columns))])
            point[column] = 1
            if np.all(matrix @ point <= programme.limits + 1e-12):
                best += programme.gains[column]
        assert best == pytest.approx(induced_cost(NodeMapping(source, target, images), costs))


@pytest.mark.parametrize("seed", range(48))
def test_f2_agrees_with_the_native_search(seed: int) -> None:
    pytest.importorskip("highspy", reason="F2 needs HiGHS")
    source, target, costs = random_case(seed)
    result, truth = ged(source, target, costs=costs, method="f2"), ged(source, target, costs=costs, method="exact")
    assert result.stopped_by is StopReason.PROVED
    assert result.distance == pytest.approx(truth.distance, rel=1e-12, abs=1e-12)


def test_its_relaxation_is_no_more_than_the_assignment_sees() -> None:
    pytest.importorskip("highspy", reason="F2 needs HiGHS")
    path, ring = Graph(4, [(0, 1), (1, 2), (2, 3)]), Graph(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
    result = ged(path, ring, costs=UNIFORM, method="f2", relax=True)
    assert (result.lower, result.upper, result.stopped_by) == (1.0, 1.0, StopReason.PROVED)


def test_forbidding_substitutions_by_a_huge_cost_spoils_nothing() -> None:
    pytest.importorskip("highspy", reason="F2 needs HiGHS")
    rng = random.Random(7)
    source, target = random_graph(rng, 6, False), random_graph(rng, 6, False)
    found = ged(source, target, costs=MAX_COMMON_SUBGRAPH, method="f2")
    assert found.distance == ged(source, target, costs=MAX_COMMON_SUBGRAPH).distance


def test_what_tolerances_could_hide_is_not_called_proven() -> None:
    pytest.importorskip("highspy", reason="F2 needs HiGHS")
    source, target = (Graph(2, node_labels=labels) for labels in ("ab", "xy"))
    cheap = {("a", "x"): 5e-9, ("a", "y"): 1e-9, ("b", "x"): 1e-9, ("b", "y"): 5e-9}
    result = ged(source, target, costs=EditCosts(1e9, 1e9, node_sub=cheap), method="f2")
    assert result.lower <= 2e-9 <= result.upper
    assert result.proven or result.stopped_by is StopReason.BOUND
    assert not result.proven or result.distance == pytest.approx(2e-9)


def test_importing_graphedx_does_not_load_highs() -> None:
    code = "import sys, graphedx; assert 'f2' in graphedx.methods(); sys.exit('highspy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_without_highs_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without_highs(name: str, *arguments: Any, **keywords: Any) -> Any:
        if name == "highspy":
            raise ImportError(name)
        return real(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", without_highs)
    with pytest.raises(MissingExtraError, match=r"graphedx\[milp\]"):
        ged(Graph(1), Graph(1), method="f2")


def test_ctrl_c_is_heard_while_highs_works() -> None:
    script = """
import os, random, signal, threading
import highspy
from graphedx import Graph, ged
def dense(seed):
    r = random.Random(seed)
    return Graph(30, [(i, j) for i in range(30) for j in range(i) if r.random() < 0.3])
a, b = dense(1), dense(2)
threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    ged(a, b, method="f2")
except KeyboardInterrupt:
    print("heard")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, "heard\n"), done.stderr
