"""The published bounds as their papers define them: naive, for undirected graphs and costs that are numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from graphedx import EditCosts, Graph
from graphedx.graph import Label

Matrix = NDArray[np.float64]
NEVER = 1e12


def stars(graph: Graph) -> list[list[Label]]:
    """The labels of the edges at each node."""
    found: list[list[Label]] = [[] for _ in range(len(graph))]
    for (u, v), label in zip(graph.edge_index, graph.edge_labels, strict=True):
        found[u].append(label)
        found[v].append(label)
    return found


def with_errors(substitutions: Matrix, deletions: Sequence[float], insertions: Sequence[float]) -> Matrix:
    """The square matrix in which every row may also be deleted, and every column inserted."""
    n, m = len(deletions), len(insertions)
    matrix = np.full((n + m, n + m), NEVER)
    matrix[:n, :m] = substitutions.reshape(n, m)
    matrix[range(n), range(m, m + n)] = deletions
    matrix[range(n, n + m), range(m)] = insertions
    matrix[n:, m:] = 0
    return matrix


def least(matrix: Matrix) -> float:
    """The cost of the cheapest assignment."""
    return float(matrix[linear_sum_assignment(matrix)].sum())


def edge_table(left: Sequence[Label], right: Sequence[Label], costs: EditCosts) -> Matrix:
    most = costs.edge_del + costs.edge_ins
    return np.array([[0.0 if a == b else min(costs.edge_sub, most) for b in right] for a in left])


def star_matrix(source: Graph, target: Graph, costs: EditCosts, share: float) -> Matrix:
    """Nodes with their stars, of which ``share`` is charged: 1/2 for branch, 1 for bipartite."""
    left, right = stars(source), stars(target)
    substitutions = np.zeros((len(source), len(target)))
    for i, a in enumerate(source.node_labels):
        for j, b in enumerate(target.node_labels):
            table = edge_table(left[i], right[j], costs)
            edges = with_errors(table, [costs.edge_del] * len(left[i]), [costs.edge_ins] * len(right[j]))
            substitutions[i, j] = (0 if a == b else costs.node_sub) + share * least(edges)
    deletions = [costs.node_del + share * costs.edge_del * len(star) for star in left]
    insertions = [costs.node_ins + share * costs.edge_ins * len(star) for star in right]
    return with_errors(substitutions, deletions, insertions)


def nearest(substitutions: Matrix, deletions: Sequence[float], insertions: Sequence[float]) -> float:
    """Everybody pays half of what the nearest on the other side costs, or all of what being alone costs."""
    n, m = len(deletions), len(insertions)
    table = substitutions.reshape(n, m)
    total = sum(min([deletions[i], *table[i] / 2]) for i in range(n))
    total += sum(min([insertions[j], *table[:, j] / 2]) for j in range(m))
    alone = (n - m) * min(deletions) if n > m else (m - n) * min(insertions) if m > n else 0
    return max(total, alone)


def hausdorff(source: Graph, target: Graph, costs: EditCosts) -> float:
    left, right = stars(source), stars(target)
    substitutions = np.zeros((len(source), len(target)))
    for i, a in enumerate(source.node_labels):
        for j, b in enumerate(target.node_labels):
            table = edge_table(left[i], right[j], costs)
            edges = nearest(table, [costs.edge_del] * len(left[i]), [costs.edge_ins] * len(right[j]))
            substitutions[i, j] = (0 if a == b else costs.node_sub) + edges / 2
    deletions = [costs.node_del + costs.edge_del * len(star) / 2 for star in left]
    insertions = [costs.node_ins + costs.edge_ins * len(star) / 2 for star in right]
    return nearest(substitutions, deletions, insertions)
