"""The graphs whose counts are nearest, against a plain sum over all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphedx._collection import CountTable, SizeTable, nearest_counts

WEIGHTS = st.floats(0, 2, width=32)
GROWTHS = st.floats(-1, 1, width=32)


@given(
    graphs=st.integers(1, 40),
    widths=st.lists(st.integers(0, 70), max_size=4),
    most=st.sampled_from([2, 256]),  # small numbers, so that there are ties
    weights=st.lists(WEIGHTS, min_size=4, max_size=4),
    of_sizes=st.tuples(WEIGHTS, WEIGHTS, GROWTHS, GROWTHS),
    count=st.integers(0, 50),
    seed=st.integers(0, 10**6),
)
def test_the_nearest_come_first(graphs, widths, most, weights, of_sizes, count, seed) -> None:
    numbers = np.random.default_rng(seed)
    sizes = SizeTable(*(numbers.integers(0, 6, shape).astype(np.float32) for shape in ((graphs, 2), 2)), *of_sizes)
    tables = [
        CountTable(*(numbers.integers(0, most, shape).astype(np.uint8) for shape in ((graphs, width), width)), weight)
        for width, weight in zip(widths, weights, strict=False)
    ]
    more = (sizes.sizes - sizes.own).astype(np.float64)
    wanted = np.abs(more) @ of_sizes[:2] + more @ of_sizes[2:]
    for table in tables:
        wanted += table.weight * np.abs(table.counts.astype(int) - table.own).sum(axis=1)
    found = [nearest_counts(sizes, tables, count, workers=workers) for workers in (1, 3)]
    positions, distances = found[0]
    assert positions.tolist() == found[1][0].tolist() and distances.tolist() == found[1][1].tolist()
    assert len(set(positions.tolist())) == len(positions) == min(count, graphs)
    assert distances == pytest.approx(wanted[positions], rel=1e-4, abs=1e-3)
    assert distances == pytest.approx(np.sort(wanted)[: len(positions)], rel=1e-4, abs=1e-3)
    order = list(zip(distances.tolist(), positions.tolist(), strict=True))
    assert order == sorted(order)  # of those that are equally far the first come first


def test_of_many_graphs_most_are_ruled_out_early() -> None:
    numbers = np.random.default_rng(0)
    counts = [numbers.integers(0, 5, (20_000, width)).astype(np.uint8) for width in (64, 32)]
    sizes = numbers.integers(5, 40, (20_000, 2)).astype(np.float32)
    tables = [CountTable(one, one[7], weight) for one, weight in zip(counts, (0.25, 0.5), strict=True)]
    wanted = np.abs(sizes - sizes[7]) @ np.array([1.5, 0.5])
    for table in tables:
        wanted = wanted + table.weight * np.abs(table.counts.astype(int) - table.own).sum(axis=1)
    order = np.lexsort((np.arange(len(wanted)), wanted))[:300]
    for workers in (1, 2):
        found = nearest_counts(SizeTable(sizes, sizes[7], 1.5, 0.5, 0.0, 0.0), tables, 300, workers=workers)
        assert found[0].tolist() == order.tolist() and found[1].tolist() == wanted[order].tolist()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_sizes_that_are_no_numbers_come_last(value: float) -> None:
    counts, sizes, one = np.zeros((5, 3), np.uint8), np.ones((5, 2), np.float32), np.ones(2, np.float32)
    sizes[1] = value
    found = nearest_counts(SizeTable(sizes, one, 1, 1, -1, -0.5), [CountTable(counts, counts[0], 1.0)], 5)
    assert found[0].tolist() == [0, 2, 3, 4, 1] and found[1].tolist() == [0, 0, 0, 0, np.inf]


@pytest.mark.parametrize("weight", [-1.0, float("nan")])
def test_weights_that_are_none_are_refused(weight: float) -> None:
    counts, sizes = np.zeros((1, 3), np.uint8), np.zeros((1, 2), np.float32)
    with pytest.raises(ValueError, match="a count must weigh 0 or more"):
        nearest_counts(SizeTable(sizes, sizes[0], 1, 1, 0, 0), [CountTable(counts, counts[0], weight)], 1)


@pytest.mark.parametrize(("shape", "own"), [((2, 3), 3), ((1, 3), 2)])
def test_tables_that_do_not_fit_are_refused(shape: tuple[int, int], own: int) -> None:
    sizes, table = np.zeros((1, 2), np.float32), CountTable(np.zeros(shape, np.uint8), np.zeros(own, np.uint8), 1.0)
    with pytest.raises(ValueError, match="do not fit each other"):
        nearest_counts(SizeTable(sizes, sizes[0], 1, 1, 0, 0), [table], 1)
