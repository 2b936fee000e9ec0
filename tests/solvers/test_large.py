"""Graphs too large for a tree: planted edits are found, bounds hold, memory does not grow with node pairs."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from graphedx import EditCosts, Graph, StopReason, ged, induced_cost


def molecule(nodes: int, seed: int, labels: str = "CCCCNO") -> Graph:
    """A random tree that grows at its tips, with a ring closed here and there."""
    rng = random.Random(seed)
    edges = {(rng.randrange(max(0, i - 6), i), i) for i in range(1, nodes)}
    edges |= {(i, i + 5) for i in range(0, nodes - 5, 9)}
    ordered = sorted(edges)
    return Graph(
        nodes,
        ordered,
        node_labels=[rng.choice(labels) for _ in range(nodes)],
        edge_labels=[rng.choice((1, 1, 2)) for _ in ordered],
    )


def edited(graph: Graph, count: int, seed: int) -> Graph:
    """``count`` nodes relabelled or edges deleted, and the nodes shuffled."""
    rng = random.Random(seed)
    labels, edges = list(graph.node_labels), dict(zip(graph.edge_index, graph.edge_labels, strict=True))
    for _ in range(count):
        if rng.random() < 0.5:
            labels[rng.randrange(len(labels))] = "S"
        else:
            del edges[rng.choice(sorted(edges))]
    place = list(range(len(labels)))
    rng.shuffle(place)
    return Graph(
        len(labels),
        [(place[i], place[j]) for i, j in edges],
        node_labels=[label for _, label in sorted(zip(place, labels, strict=True))],
        edge_labels=list(edges.values()),
    )


@pytest.mark.parametrize("method", ["large", "auto"])
@pytest.mark.parametrize("seed", range(3))
def test_planted_edits_are_found_and_proven(method: str, seed: int) -> None:
    source = molecule(200, seed)
    result = ged(source, edited(source, 6, seed), method=method)
    assert result.proven
    assert result.distance <= 6


def test_a_shuffled_copy_is_recognised() -> None:
    source = molecule(700, 1)
    result = ged(source, edited(source, 0, 2))
    assert (result.lower, result.upper, result.stopped_by) == (0, 0, StopReason.PROVED)


@pytest.mark.parametrize("seed", range(12))
def test_it_never_contradicts_the_exact_search(seed: int) -> None:
    rng = random.Random(seed)
    a, b = molecule(rng.randint(9, 14), seed), molecule(rng.randint(9, 14), seed + 100)
    costs = EditCosts(*(round(rng.uniform(0, 3), 2) for _ in range(6)))
    found, truth = ged(a, b, costs=costs, method="large"), ged(a, b, costs=costs, method="exact").distance
    assert found.lower <= truth + 1e-9
    assert found.upper >= truth - 1e-9
    assert induced_cost(found.mapping, costs) == found.upper


def test_it_is_the_same_both_ways_and_every_time() -> None:
    a, b = molecule(40, 1), molecule(40, 2)
    costs = EditCosts(3, 1, 2, 1, 1, 1)
    first, again = (ged(a, b, costs=costs, method="large") for _ in range(2))
    back = ged(b, a, costs=costs.swapped(), method="large")
    assert (first.lower, first.upper, first.images) == (again.lower, again.upper, again.images)
    assert (first.lower, first.upper) == (back.lower, back.upper)


def test_a_cutoff_below_the_bound_ends_it() -> None:
    result = ged(molecule(600, 1), molecule(600, 2), cutoff=5)
    assert result.stopped_by is StopReason.CUTOFF
    assert result.lower > 5


def test_methods_with_tables_of_all_pairs_refuse_what_would_not_fit() -> None:
    from graphedx.errors import MethodError

    with pytest.raises(MethodError, match="use 'auto'"):
        ged(Graph(9000), Graph(9000), method="branch")


def test_memory_does_not_grow_with_the_number_of_node_pairs() -> None:
    """4,000 x 4,000 pairs would be 64 MB as int32 alone, and the dense methods keep several such tables."""
    script = """
import resource, sys
sys.path.insert(0, sys.argv[1])
from test_large import edited, molecule
from graphedx import ged
source = molecule(4000, 1, "CCNOSPFB")
target = edited(source, 10, 1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
result = ged(source, target, time_limit=5)
assert 0 < result.lower <= result.upper <= 10, result
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
    here = __file__.rsplit("/", 1)[0]
    done = subprocess.run([sys.executable, "-c", script, here], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 600
