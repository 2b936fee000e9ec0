"""What tells nodes apart, against a formula that can be read, and labels of any kind as numbers."""

from __future__ import annotations

from decimal import Decimal
from enum import IntEnum, StrEnum
from fractions import Fraction
from typing import NamedTuple

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphedx import Graph
from graphedx.models.structure import STRUCTURE, label_key, structure
from models.bracket_samples import QUICK, odd_graphs


def literal(graph: Graph) -> np.ndarray:
    """Node by node: the degree, 2 * P(a random walk of 2 to 10 steps is back), nodes at the distances 2 to 4 / 4."""
    picture = nx.Graph()
    picture.add_nodes_from(range(len(graph)))
    picture.add_edges_from(graph.edge_index)
    walk = np.zeros((len(graph), len(graph)))
    for u in picture:
        for v in picture[u]:
            walk[u, v] = 1 / picture.degree[u]
    rows = np.zeros((len(graph), STRUCTURE))
    for u in picture:
        rows[u, min(picture.degree[u], 5)] = 1
        rows[u, 6:15] = [2 * np.linalg.matrix_power(walk, steps)[u, u] for steps in range(2, 11)]
        away = list(nx.single_source_shortest_path_length(picture, u).values())
        rows[u, 15:] = [away.count(distance) / 4 for distance in (2, 3, 4)]
    return rows


@QUICK
@given(graphs=st.lists(odd_graphs(9), max_size=4))
def test_features_are_those_of_the_formula(graphs: list[Graph]) -> None:
    found = structure(graphs)
    assert (found.shape, found.dtype) == ((sum(map(len, graphs)), STRUCTURE), np.float32)
    wanted = np.concatenate([np.zeros((0, STRUCTURE)), *map(literal, graphs)])
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_graphs_that_do_not_fit_at_once_go_one_after_the_other() -> None:
    graphs = [Graph(600, [(k, k + 1)]) for k in range(7)]  # 5 of them at once
    found = structure(graphs).reshape(7, 600, STRUCTURE)
    for k in range(7):
        assert np.flatnonzero(found[k, :, 1]).tolist() == [k, k + 1]


class Colour(StrEnum):
    RED = "red"


class Order(IntEnum):
    DOUBLE = 2


class Atom(NamedTuple):
    symbol: str
    charge: int


class Opaque:
    """Equal to its like, which the default ``repr`` does not tell."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Opaque) and other.number == self.number

    def __hash__(self) -> int:
        return hash(("opaque", self.number))


@pytest.mark.parametrize(
    "labels",
    [
        (1, 1.0, True, np.int64(1), np.float32(1), np.bool_(True), Fraction(1), Decimal(1), 1 + 0j),
        (0, 0.0, -0.0, False),
        (0.5, np.float64(0.5), np.float32(0.5), Fraction(1, 2), Decimal("0.5")),
        (2**70, float(2**70)),
        ("red", np.str_("red"), Colour.RED),
        (2, Order.DOUBLE),
        (("C", 1), ("C", 1.0), Atom("C", 1), (np.str_("C"), True)),
        (frozenset({1, "a"}), frozenset({"a", True})),
        (Opaque(3), Opaque(3)),
    ],
    ids=lambda labels: type(labels[0]).__name__,
)
def test_equal_labels_have_equal_keys(labels: tuple[object, ...]) -> None:
    assert len(set(labels)) == 1
    for reverse in (False, True):  # whichever comes first
        label_key.cache_clear()
        assert len({label_key(label) for label in (reversed(labels) if reverse else labels)}) == 1


def test_other_labels_have_other_keys() -> None:
    labels = [
        *(None, 0, 1, -1, 0.5, 0.1, Fraction(1, 10), 10**5000, float("inf"), 1j),
        *("", "0", "1", "None", "str:'a'", "a,b", b"1", "\ud800"),
        *((), (1,), ((1,),), ("a", "b"), ("a,b",), ("a", ("b",)), frozenset(), frozenset({1}), frozenset({"a", "b"})),
        *(Opaque(1), Opaque(2)),
    ]
    keys = [label_key(label) for label in labels]
    assert len(set(keys)) == len(labels)
    assert keys[0] == 0
    assert all(0 < key < 2**63 for key in keys[1:])


def test_keys_are_the_same_on_every_machine() -> None:
    keys = [0, 4133148697421273636, 8898586205396736955, 1291374684478711297, 4962638824987415912]
    assert [label_key(label) for label in (None, "C", 1, 0.5, ("C", 1))] == keys
