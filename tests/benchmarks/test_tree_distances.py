"""Quadtree and Flowtree: what they say of sets that are easy to compare by hand."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from studies.tree_distances import QuadtreeIndex, Sets, Tree, flowtree

DRAW = np.random.default_rng(3)
SIZES = np.array([3, 5, 4, 1, 0])
SETS = Sets(DRAW.normal(size=(int(SIZES.sum()), 2)).astype(np.float32), SIZES)
ENDS = np.cumsum(SIZES)
EACH = [SETS.points[end - size : end] for size, end in zip(SIZES, ENDS, strict=True)]


@pytest.fixture(params=range(4))
def tree(request: pytest.FixtureRequest) -> Tree:
    return Tree(SETS.points, seed=request.param)


def filled(points: np.ndarray, size: int) -> np.ndarray:
    return np.concatenate([points, np.zeros((size - len(points), 2), np.float32)])


def counted(tree: Tree, points: np.ndarray, others: np.ndarray) -> float:
    """Quadtree by its definition: numbers of nodes in each cell of each level, both sets filled up to one size."""
    size = max(len(points), len(others))
    found = 0.0
    cells = tree.cells(filled(points, size)), tree.cells(filled(others, size))
    for level, side in enumerate(tree.sides):
        a, b = cells[0][:, level].tolist(), cells[1][:, level].tolist()
        found += side * sum(abs(a.count(cell) - b.count(cell)) for cell in {*a, *b})
    return found


def transport(points: np.ndarray, others: np.ndarray) -> float:
    size = max(len(points), len(others))
    a, b = filled(points, size), filled(others, size)
    return min(float(np.linalg.norm(a - b[list(order)], axis=1).sum()) for order in permutations(range(size)))


def test_quadtree_is_the_difference_of_counts(tree: Tree) -> None:
    index = QuadtreeIndex(tree, SETS)
    for points in EACH:
        assert index.distances(points) == pytest.approx([counted(tree, points, one) for one in EACH], abs=1e-4)


def test_flowtree_is_a_pairing_and_so_never_below_the_best_one(tree: Tree) -> None:
    cells = tree.cells(SETS.points)
    for points in EACH:
        found = flowtree(tree, points, SETS, cells)
        assert np.all(found >= np.array([transport(points, one) for one in EACH]) - 1e-5)
        if len(points) <= 1:  # then there is one pairing only
            assert found[3:] == pytest.approx([transport(points, one) for one in EACH[3:]], abs=1e-5)


def test_a_set_is_nearest_to_itself_in_any_order(tree: Tree) -> None:
    cells = tree.cells(SETS.points)
    for number, points in enumerate(EACH):
        assert QuadtreeIndex(tree, SETS).distances(points[::-1])[number] == pytest.approx(0, abs=1e-4)
        assert flowtree(tree, points[::-1], SETS, cells)[number] == pytest.approx(0, abs=1e-5)


def test_cells_are_nested(tree: Tree) -> None:
    cells = tree.cells(DRAW.normal(size=(200, 2)).astype(np.float32))
    for level in range(1, len(tree.sides)):
        parents: dict[int, set[int]] = {}
        for child, parent in zip(cells[:, level].tolist(), cells[:, level - 1].tolist(), strict=True):
            parents.setdefault(child, set()).add(parent)
        assert all(len(found) == 1 for found in parents.values())
