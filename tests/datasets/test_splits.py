"""Cleaning, shuffle, split and pairs are those of the paper."""

import random
from itertools import combinations_with_replacement

import numpy as np
import pytest

from graphedx import Graph
from graphedx.datasets.splits import Counts, Rules, cleaned, pair_count, pairs_at, pairs_within, shuffled, split_sizes
from graphedx.errors import DatasetError


def path(nodes: int, name: str = "", **labels) -> Graph:
    return Graph(nodes, [(i, i + 1) for i in range(nodes - 1)], name=name, **labels)


@pytest.mark.parametrize(
    ("count", "sizes"),
    [
        (911, (546, 182, 183)),
        (729, (437, 145, 147)),
        (89, (53, 17, 19)),
        (128, (76, 25, 27)),
        (1000, (600, 200, 200)),
        (1, (0, 0, 1)),
        (0, (0, 0, 0)),
    ],
)
def test_sizes_are_those_of_the_paper(count, sizes):
    assert split_sizes(count) == sizes


def test_the_shuffle_is_the_one_of_the_global_generator_which_is_left_alone():
    graphs = [path(n) for n in range(50)]
    state = random.getstate()
    found = shuffled(graphs)
    assert random.getstate() == state
    expected = list(graphs)
    random.seed(0)
    random.shuffle(expected)
    random.setstate(state)
    assert found == expected and found != graphs
    assert shuffled(graphs, 1) != found


@pytest.mark.parametrize("span", [range(0), range(4, 4), range(3), range(5, 12), range(2, 3)])
def test_pairs_are_combinations_with_replacement_in_order(span):
    pairs = pairs_within(span)
    assert pairs.dtype == "int32" and pairs.shape[1] == 2
    assert [*map(tuple, pairs.tolist())] == [*combinations_with_replacement(span, 2)]


def test_as_many_pairs_as_the_paper_has_for_aids():
    spans = (range(546), range(546, 728), range(728, 911))
    assert [len(pairs_within(span)) for span in spans] == [149_331, 16_653, 16_836]


def test_small_ones_then_the_first_of_every_class_then_the_first_so_many():
    ring = Graph(3, [(0, 1), (1, 2), (2, 0)], name="ring")
    renumbered = Graph(3, [(2, 0), (0, 1)], name="path again", node_labels="NNN")
    graphs = [path(5, "large"), path(3, "path", node_labels="CCO"), renumbered, ring, path(2, "edge"), path(4, "last")]
    kept, counts = cleaned(graphs, Rules(max_nodes=4, max_graphs=2))
    assert [graph.name for graph in kept] == ["path", "ring"]
    assert kept[0].node_labels == ("C", "C", "O")
    assert counts == Counts(read=6, within_size=5, distinct=4, kept=2, stopped_early=False)


def test_labels_make_a_difference_only_if_asked():
    graphs = [path(2, node_labels="CC"), path(2, node_labels="CO"), path(2, node_labels="OC")]
    assert cleaned(graphs, Rules())[1].distinct == 1
    assert cleaned(graphs, Rules(labelled=True))[1].distinct == 2


def test_duplicates_can_be_kept():
    kept, counts = cleaned([path(2), path(2), path(3)], Rules(distinct=False, max_graphs=2))
    assert len(kept) == 2 and counts == Counts(3, 3, None, 2, False)


@pytest.mark.parametrize("distinct", [True, False])
def test_without_counting_all_nothing_is_read_that_is_not_needed(distinct):
    source = iter([path(2), path(3), path(4), path(5)])
    kept, counts = cleaned(source, Rules(max_graphs=2, distinct=distinct), count_all=False)
    assert [len(graph) for graph in kept] == [2, 3]
    assert counts == Counts(2, 2, 2 if distinct else None, 2, stopped_early=True)
    assert len(next(source)) == 4


def test_a_source_that_ends_before_the_limit_is_not_stopped_early():
    assert not cleaned([path(2)], Rules(max_graphs=2), count_all=False)[1].stopped_early


def test_whoever_waits_is_told_how_many_are_read():
    told = []
    cleaned([path(2), path(9), path(2)], Rules(max_nodes=3), report=told.append)
    assert told == [1, 2, 3]


def test_the_step_that_drops_everything_is_named():
    with pytest.raises(DatasetError, match="there are no graphs"):
        cleaned([], Rules(max_nodes=3))
    with pytest.raises(DatasetError, match="none of the 2 graphs has at most 3 nodes, the smallest has 4"):
        cleaned([path(4), path(5)], Rules(max_nodes=3))


def test_directed_and_undirected_do_not_mix():
    with pytest.raises(DatasetError, match="'b' is directed but those before it are undirected"):
        cleaned([path(2, "a"), Graph(2, [(0, 1)], directed=True, name="b")], Rules())
    assert cleaned([Graph(2, [(0, 1)], directed=True)], Rules())[1].kept == 1


@pytest.mark.parametrize(
    "wrong", [{"max_nodes": -1}, {"max_nodes": 2.0}, {"max_graphs": 0}, {"max_graphs": True}, {"seed": "0"}]
)
def test_rules_check_themselves(wrong):
    with pytest.raises(DatasetError, match=f"{next(iter(wrong))} must be a whole number"):
        Rules(**wrong)


def test_pairs_at_some_places_are_those_of_all_pairs():
    span = range(5, 17)
    everything = pairs_within(span)
    assert everything.tolist() == [[i, j] for i in span for j in span if i <= j]
    assert len(everything) == pair_count(len(span))
    ids = np.array([0, 11, 12, 77, 3])
    assert pairs_at(span, ids).tolist() == everything[ids].tolist()
    assert pairs_at(range(3, 3), np.arange(0)).shape == (0, 2)
