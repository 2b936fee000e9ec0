"""The oracle: small enough to be checked by counting."""

from __future__ import annotations

from math import comb, factorial

import pytest

from graphedx import Graph, ged
from graphedx.errors import MethodError
from graphedx.solvers.exact.brute_force import MOST_NODES, all_images


@pytest.mark.parametrize(("n", "m"), [(0, 0), (0, 3), (3, 0), (2, 3), (4, 4)])
def test_every_partial_injection_comes_once(n: int, m: int) -> None:
    images = list(all_images(n, m))
    assert len(set(images)) == len(images) == sum(comb(n, k) * comb(m, k) * factorial(k) for k in range(min(n, m) + 1))
    for image in images:
        used = [j for j in image if j >= 0]
        assert len(set(used)) == len(used)


def test_large_graphs_are_refused_with_a_way_out() -> None:
    with pytest.raises(MethodError, match="use method='exact'"):
        ged(Graph(MOST_NODES + 1), Graph(), method="brute_force")


def test_a_distance_known_by_hand() -> None:
    square, star = Graph(4, [(0, 1), (1, 2), (2, 3), (3, 0)]), Graph(4, [(0, 1), (0, 2), (0, 3)])
    assert ged(square, star, method="brute_force").distance == 3  # two edges stay, two go, one comes
