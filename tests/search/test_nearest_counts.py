"""The rows of counts that are nearest, against a plain sum over all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphedx._collection import CountWeights, nearest_counts

WEIGHTS = st.floats(0, 2, width=32)


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Counts and sizes of a few graphs; small numbers, so that there are ties."""
    rows, width = draw(st.integers(1, 40)), draw(st.integers(0, 70))
    numbers = np.random.default_rng(draw(st.integers(0, 10**6)))
    most = draw(st.sampled_from([2, 256]))
    return numbers.integers(0, most, (rows, width)).astype(np.uint8), numbers.integers(0, 6, (rows, 2)).astype("f4")


@given(
    tables(),
    st.tuples(WEIGHTS, WEIGHTS, st.floats(-1, 1, width=32), st.floats(-1, 1, width=32)),
    st.lists(st.tuples(st.integers(0, 70), st.integers(0, 70), WEIGHTS), max_size=4),
    st.integers(0, 50),
    st.integers(0, 39),
)
def test_the_nearest_come_first(table, of_sizes, parts, count, which) -> None:
    counts, sizes = table
    columns = [(min(a, b, counts.shape[1]), min(max(a, b), counts.shape[1]), weight) for a, b, weight in parts]
    own = counts[which % len(counts)].copy(), sizes[which % len(counts)].copy()
    more = (sizes - own[1]).astype(np.float64)
    wanted = np.abs(more) @ of_sizes[:2] + more @ of_sizes[2:]
    for begin, end, weight in columns:
        wanted += weight * np.abs(counts[:, begin:end].astype(int) - own[0][begin:end]).sum(axis=1)
    weights = CountWeights(*of_sizes, columns)
    found = [nearest_counts(counts, sizes, own, weights, count, workers=workers) for workers in (1, 3)]
    positions, distances = found[0]
    assert positions.tolist() == found[1][0].tolist() and distances.tolist() == found[1][1].tolist()
    assert len(set(positions.tolist())) == len(positions) == min(count, len(counts))
    assert distances == pytest.approx(wanted[positions], rel=1e-4, abs=1e-3)
    assert distances == pytest.approx(np.sort(wanted)[: len(positions)], rel=1e-4, abs=1e-3)
    order = list(zip(distances.tolist(), positions.tolist(), strict=True))
    assert order == sorted(order)  # of those that are equally far the first come first


def test_many_rows_are_read_in_parts() -> None:
    numbers = np.random.default_rng(0)
    counts = numbers.integers(0, 5, (20_000, 96)).astype(np.uint8)
    sizes = numbers.integers(5, 40, (20_000, 2)).astype(np.float32)
    weights = CountWeights(1.5, 0.5, 0.0, 0.0, [(0, 64, 0.25), (64, 96, 0.5)])
    wanted = np.abs(sizes - sizes[7]) @ np.array([1.5, 0.5])
    apart = np.abs(counts.astype(int) - counts[7])
    wanted = wanted + 0.25 * apart[:, :64].sum(axis=1) + 0.5 * apart[:, 64:].sum(axis=1)
    order = np.lexsort((np.arange(len(wanted)), wanted))[:300]
    for workers in (1, 2):
        positions, distances = nearest_counts(counts, sizes, (counts[7], sizes[7]), weights, 300, workers=workers)
        assert positions.tolist() == order.tolist() and distances.tolist() == wanted[order].tolist()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_sizes_that_are_no_numbers_come_last(value: float) -> None:
    counts, sizes = np.zeros((5, 3), np.uint8), np.ones((5, 2), np.float32)
    sizes[1] = value
    weights = CountWeights(1, 1, -1, -0.5, [(0, 3, 1.0)])
    positions, distances = nearest_counts(counts, sizes, (counts[0], np.ones(2, np.float32)), weights, 5)
    assert positions.tolist() == [0, 2, 3, 4, 1] and distances.tolist() == [0, 0, 0, 0, np.inf]


@pytest.mark.parametrize("columns", [[(0, 4, 1.0)], [(2, 1, 1.0)], [(0, 3, -1.0)], [(0, 3, float("nan"))]])
def test_columns_that_are_not_there_are_refused(columns: list[tuple[int, int, float]]) -> None:
    row = np.zeros(3, np.uint8), np.zeros(2, np.float32)
    with pytest.raises(ValueError, match="columns must be among those of the table"):
        nearest_counts(row[0][None], row[1][None], row, CountWeights(1, 1, 0, 0, columns), 1)


def test_tables_that_do_not_fit_are_refused() -> None:
    row = np.zeros(3, np.uint8), np.zeros(2, np.float32)
    with pytest.raises(ValueError, match="do not fit each other"):
        nearest_counts(np.zeros((2, 3), np.uint8), row[1][None], row, CountWeights(1, 1, 0, 0, []), 1)
