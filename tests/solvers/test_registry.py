"""The registry: every name once, every guarantee told, a wrong name answered with the right ones."""

from __future__ import annotations

import numpy as np
import pytest

import graphedx as gx
from graphedx import solvers
from graphedx.errors import MethodError
from graphedx.solvers.registry import Guarantee, register

GRAPH = gx.Graph(2, [(0, 1)])


def test_an_unknown_method_is_answered_with_the_known_ones() -> None:
    with pytest.raises(MethodError, match=r"unknown method 'magic'; known: .*exact"):
        gx.ged(GRAPH, GRAPH, method="magic")


def test_a_name_is_registered_once() -> None:
    with pytest.raises(MethodError, match="registered twice"):
        register("exact", Guarantee.EXACT, "again")(solvers.get("exact").solve)


def test_every_method_tells_its_name_and_guarantee() -> None:
    assert gx.methods() == {name: guarantee.value for name, guarantee in solvers.methods().items()}
    for name in gx.methods():
        assert solvers.get(name).name == name
        assert solvers.get(name).summary


@pytest.mark.parametrize("method", ["auto", "exact", "brute_force"])
def test_a_result_says_which_method_gave_it(method: str) -> None:
    assert gx.ged(GRAPH, GRAPH, method=method).method == method


@pytest.mark.parametrize("limit", ["time_limit", "cutoff"])
@pytest.mark.parametrize("value", [-1, float("nan"), "soon", True, pytest.param(10**400, id="huge"), [1]])
def test_limits_that_are_none_are_refused(limit: str, value: object) -> None:
    with pytest.raises(MethodError, match=limit):
        gx.ged(GRAPH, GRAPH, **{limit: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [np.float32(9), np.int64(9), 9, float("inf")])
def test_limits_may_be_any_real_number(value: float) -> None:
    assert gx.ged(GRAPH, GRAPH, time_limit=value, cutoff=value).distance == 0
    assert gx.distance_matrix([GRAPH, GRAPH], time_limit=value, cutoff=value).distances.max() == 0


def test_a_method_is_a_name() -> None:
    with pytest.raises(MethodError, match=r"unknown method \['exact'\]"):
        gx.ged(GRAPH, GRAPH, method=["exact"])  # type: ignore[arg-type]
