"""What holds of the set terms whatever the vectors are."""

from __future__ import annotations

import pytest
import torch

from graphedx.models.layers.set_terms import AlignmentOptions, EncodedGraphs, SetTerm, alignment_plan, set_terms
from models.layers.literal import pair_plan, pair_rows
from models.layers.samples import PAIRS, TERMS, encoded, renamed


@pytest.mark.parametrize("seed", range(4))
def test_diff_align_is_at_least_align_diff(seed: int) -> None:
    # Jensen: the positive part of a mean is at most the mean of positive parts, where the plan's rows sum to 1.
    graphs = encoded(seed=seed)
    alignment = AlignmentOptions(padded_nodes=9, temperature=0.2, iterations=500)
    coarse, fine, only = (set_terms(graphs, PAIRS, alignment, node_term=term, edge_term=term) for term in SetTerm)
    nodes = [0, 1]  # S is made of ordered pairs and does not quite sum to 1 a row: u' = v' is left out
    assert bool((fine[:, nodes] >= coarse[:, nodes] - 1e-9).all())
    assert bool((fine >= only - 1e-9).all())
    assert bool((only >= -1e-9).all())


@pytest.mark.parametrize("seed", range(4))
def test_diff_align_is_at_least_align_diff_for_edges_up_to_what_the_plan_leaves_out(seed: int) -> None:
    # S[(u, v)] sums to 1 - sum_w P[u, w] P[v, w], since both ends cannot go to the same node. By so much of R[u, v] may
    # AlignDiff be larger: of its positive part for deletions, of its negative part for insertions.
    graphs = encoded((5, 4), None, seed=seed)
    alignment = AlignmentOptions(padded_nodes=7, temperature=0.2, iterations=500)
    pair = torch.tensor([[0, 1]])
    coarse, fine = (
        set_terms(graphs, pair, alignment, edge_term=term)[0, 2:] for term in (SetTerm.ALIGN_DIFF, SetTerm.DIFF_ALIGN)
    )
    left_out = 1 - pair_plan(alignment_plan(graphs, 0, 1, alignment)).sum(1)
    vectors = pair_rows(graphs, 0, 7)
    slack = torch.stack([(left_out[:, None] * part.relu()).sum() for part in (vectors, -vectors)])
    assert bool((left_out >= -1e-9).all())
    assert bool((coarse <= fine + slack + 1e-9).all())


def test_align_diff_of_edges_may_be_more_than_diff_align() -> None:
    # Three equal nodes each and equal vectors: no difference at all, but a third of every pair goes nowhere.
    graphs = encoded((3, 3), None)
    same = graphs._replace(align=torch.zeros_like(graphs.align), pair=torch.ones_like(graphs.pair))
    pair = torch.tensor([[0, 1]])
    coarse, fine = (set_terms(same, pair, edge_term=term)[0, 2] for term in (SetTerm.ALIGN_DIFF, SetTerm.DIFF_ALIGN))
    assert float(fine) == pytest.approx(0)
    assert float(coarse) == pytest.approx(3 * 9 / 3)  # 3 pairs of 9 features


@pytest.mark.parametrize("seed", range(3))
def test_hard_alignments_make_align_diff_and_diff_align_equal(seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    graphs = encoded((5, 5), None, seed=seed)
    align = graphs.align * 100  # far apart at a low temperature, and the second graph's nodes lie upon the first one's
    order = torch.randperm(5, generator=generator)
    graphs = graphs._replace(align=torch.cat((align[:5], align[:5][order])))
    pair = torch.tensor([[0, 1]])
    plan = alignment_plan(graphs, 0, 1)
    torch.testing.assert_close(plan, torch.eye(5, dtype=torch.float64)[:, order])
    one = set_terms(graphs, pair, node_term=SetTerm.ALIGN_DIFF, edge_term=SetTerm.ALIGN_DIFF)
    other = set_terms(graphs, pair, node_term=SetTerm.DIFF_ALIGN, edge_term=SetTerm.DIFF_ALIGN)
    torch.testing.assert_close(one, other)


@pytest.mark.parametrize("backend", ["native", "torch"])
def test_the_plan_back_is_the_transposed_plan_once_converged(backend: str) -> None:
    # The last step normalises columns, so this way and back differ by what iterations have left over.
    graphs = encoded()

    def apart(iterations: int) -> float:
        alignment = AlignmentOptions(temperature=0.1, padded_nodes=8, iterations=iterations)
        there = alignment_plan(graphs, 3, 5, alignment, backend=backend)  # type: ignore[arg-type]
        back = alignment_plan(graphs, 5, 3, alignment, backend=backend)  # type: ignore[arg-type]
        return float((there - back.T).abs().max())

    assert apart(1) > 1e-4
    assert apart(500) < 1e-9


@pytest.mark.parametrize("edge_term", TERMS)
@pytest.mark.parametrize("backend", ["native", "torch"])
def test_the_names_of_nodes_do_not_matter(edge_term: SetTerm, backend: str) -> None:
    graphs, alignment = encoded(), AlignmentOptions(padded_nodes=7)
    generator = torch.Generator().manual_seed(0)
    orders = [torch.randperm(int(size), generator=generator) for size in graphs.sizes]
    for node_term in TERMS:
        options = {"node_term": node_term, "edge_term": edge_term, "backend": backend}
        before = set_terms(graphs, PAIRS, alignment, **options)  # type: ignore[arg-type]
        after = set_terms(renamed(graphs, orders), PAIRS, alignment, **options)  # type: ignore[arg-type]
        torch.testing.assert_close(before, after)


@pytest.mark.parametrize("term", [SetTerm.DIFF_ALIGN, SetTerm.XOR])  # AlignDiff carries one graph over to the other
def test_the_way_back_swaps_deletions_and_insertions_once_converged(term: SetTerm) -> None:
    graphs, alignment = encoded(), AlignmentOptions(temperature=0.1, iterations=2000, padded_nodes=8)
    there = set_terms(graphs, PAIRS, alignment, node_term=term, edge_term=term)
    back = set_terms(graphs, PAIRS.flip(1), alignment, node_term=term, edge_term=term)
    torch.testing.assert_close(there, back[:, [1, 0, 3, 2]])


def test_a_graph_and_itself_differ_by_nothing_where_nodes_are_told_apart() -> None:
    # Padding nodes cannot be told apart, so there are none here.
    graphs = encoded()
    apart = graphs._replace(align=graphs.align * 100)
    pairs = torch.tensor([(g, g) for g in range(6)])
    for term in TERMS:
        found = set_terms(apart, pairs, node_term=term, edge_term=term)
        torch.testing.assert_close(found, torch.zeros_like(found))


def test_other_graphs_of_the_batch_do_not_matter() -> None:
    graphs = encoded()
    alone = EncodedGraphs(
        graphs.node[9:],
        graphs.align[9:],
        graphs.align_pad,
        graphs.pair[1 + 6 + 15 :],
        graphs.pair_pad,
        graphs.adjacency[3 + 10 :],
        torch.tensor([0, 5, 11]),
    )
    assert torch.equal(set_terms(graphs, torch.tensor([[4, 5]])), set_terms(alone, torch.tensor([[0, 1]])))
