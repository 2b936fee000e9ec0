"""Hits say that they are complete just when nothing could change them."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest

import graphedx as gx
from graphedx._collection import Found
from graphedx.costs import UNIT
from graphedx.search.hits import Asked, gathered


class Three:
    """Members that are never looked at."""

    def __len__(self) -> int:
        return 3

    def id_of(self, position: int) -> str:
        return str(position)

    def graph(self, position: int) -> gx.Graph:
        raise AssertionError(position)


@pytest.mark.parametrize(
    ("asked", "lower", "upper", "unseen", "complete"),
    [
        ({"k": 9}, [1, 2, 3], [1, 2, 3], inf, True),  # all there are
        ({"k": 2}, [1, 2], [1, 2], 3, True),
        ({"k": 2}, [1, 2, 3], [1, 2, 4], inf, True),  # the third is no hit, and no tie
        ({"k": 2}, [1, 2], [1, 2], 2, False),  # another may be as near as the last
        ({"k": 2}, [1, 2, 2], [1, 2, 4], inf, False),
        ({"k": 2}, [1, 1], [1, 2], 3, False),  # a distance is not known
        ({"k": 3}, [1, 2], [1, 2], 3, False),  # one is missing
        ({"k": 1}, [], [], 3, False),
        ({"radius": 2.0}, [1, 2], [1, 2], 3, True),
        ({"radius": 2.0}, [], [], 3, True),
        ({"radius": 2.0}, [1, 2], [1, 3], 3, False),
        ({"radius": 3.0}, [1, 2], [1, 2], 3, False),
    ],
)
def test_a_limit_that_strikes_when_all_is_known_changes_nothing(
    asked: dict[str, Any], lower: list[float], upper: list[float], unseen: float, complete: bool
) -> None:
    columns = np.arange(len(lower)), np.array(lower, dtype=float), np.array(upper, dtype=float)
    found = Found(*columns, complete=False, unseen=unseen, bounded=3, searched=3)
    assert gathered(Asked(gx.Graph(1), UNIT, **asked), Three(), found, 0.1).complete is complete
