"""The variants of GraphEdX against the formulas as written, and what the formulas are worth with exact vectors."""

from __future__ import annotations

from itertools import permutations

import pytest
import torch
from torch import Tensor

from graphedx import EditCosts, ged
from graphedx.errors import ModelError
from graphedx.models.graphedx import GraphEdX, GraphEdXConfig
from graphedx.models.layers import ablations
from graphedx.models.layers.ablations import Variant, edge_to_edge_terms, independent_terms, max_terms
from graphedx.models.layers.divergence import set_divergences, sum_of_aligned_maxima, sum_of_maxima
from graphedx.models.layers.encoded import AlignmentOptions, EncodedGraphs, SetTerm
from graphedx.models.layers.padded import Items
from graphedx.models.layers.substitution import relabelled
from models.graph_samples import GRAPHS, LABELS, PAIRS, doubles, random_graph
from models.layers.literal import pair_plan
from models.layers.samples import encoded, with_gradients
from models.literal_model import edge_bits, node_bits
from models.literal_variants import literal_variant, relabelling

COSTS = torch.tensor([3.0, 1.0, 2.0, 1.5, 0.7, 0.0], dtype=torch.float64)
SETTINGS = (
    (Variant.STANDARD, SetTerm.ALIGN_DIFF, SetTerm.XOR),
    (Variant.MAX, SetTerm.ALIGN_DIFF, SetTerm.ALIGN_DIFF),
    (Variant.MAX_OR, SetTerm.ALIGN_DIFF, SetTerm.ALIGN_DIFF),
    (Variant.REG, SetTerm.ALIGN_DIFF, SetTerm.ALIGN_DIFF),
    (Variant.REG, SetTerm.DIFF_ALIGN, SetTerm.DIFF_ALIGN),
    (Variant.REG, SetTerm.ALIGN_DIFF, SetTerm.XOR),
    (Variant.EDGE_TO_EDGE, SetTerm.XOR, SetTerm.ALIGN_DIFF),
    (Variant.EDGE_TO_EDGE, SetTerm.ALIGN_DIFF, SetTerm.DIFF_ALIGN),
    (Variant.PAIR_TO_PAIR, SetTerm.ALIGN_DIFF, SetTerm.ALIGN_DIFF),
    (Variant.PAIR_TO_PAIR, SetTerm.ALIGN_DIFF, SetTerm.XOR),
    (Variant.NODE_SWAP, SetTerm.DIFF_ALIGN, SetTerm.XOR),
    (Variant.NODE_SWAP, SetTerm.XOR, SetTerm.XOR),
)
ALIGNMENT = AlignmentOptions(temperature=0.1, iterations=7, padded_nodes=4)
every_setting = pytest.mark.parametrize(("variant", "node_term", "edge_term"), SETTINGS)


def model_of(**settings: object) -> GraphEdX:
    torch.manual_seed(0)
    sizes = {"max_nodes": 7, "width": 4, "pair_size": 5, "message": 6, "steps": 2, "node_weight": 0.3}
    return GraphEdX(GraphEdXConfig(**{**sizes, **settings})).double()  # type: ignore[arg-type]


def gradients(model: GraphEdX, distances: Tensor, penalty: Tensor) -> list[Tensor]:
    weights = torch.randn(distances.shape, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
    return list(torch.autograd.grad((distances * weights).sum() + 100 * penalty, list(model.parameters())))


@every_setting
def test_values_and_gradients_are_those_of_the_formulas(
    variant: Variant, node_term: SetTerm, edge_term: SetTerm
) -> None:
    model = model_of(variant=variant, node_term=node_term, edge_term=edge_term, features=3, temperature=0.05)
    found, penalty = model.distances_and_penalty(doubles(vocabulary=LABELS), PAIRS, COSTS)
    rows = [literal_variant(model, GRAPHS[a], GRAPHS[b], COSTS, LABELS) for a, b in PAIRS.tolist()]
    expected, apart = (torch.stack(column) for column in zip(*rows, strict=True))
    expected_penalty = model.config.consistency_weight * apart.mean()
    assert expected.abs().max() > 0.01
    assert bool(penalty > 0) is (variant is Variant.REG)
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-8)
    torch.testing.assert_close(penalty, expected_penalty, rtol=0, atol=1e-8)
    for one, other in zip(gradients(model, found, penalty), gradients(model, expected, expected_penalty), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-7, atol=1e-7)
    assert torch.equal(model(doubles(vocabulary=LABELS), PAIRS, COSTS), found)


@every_setting
def test_parts_and_other_pairs_do_not_matter(
    variant: Variant, node_term: SetTerm, edge_term: SetTerm, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, batch = model_of(variant=variant, node_term=node_term, edge_term=edge_term), doubles()
    once = model(batch, PAIRS, COSTS)
    alone = model(batch.select(PAIRS[5]), torch.tensor([[0, 1]]), COSTS)
    torch.testing.assert_close(alone[0], once[5], rtol=0, atol=1e-12)
    monkeypatch.setattr(ablations, "MOST_CELLS", 5000)  # some pairs, not all
    in_parts = model(batch, PAIRS, COSTS)
    torch.testing.assert_close(in_parts, once, rtol=0, atol=1e-12)
    in_parts.sum().backward()
    found = [weights.grad.clone() for weights in model.parameters() if weights.grad is not None]
    model.zero_grad()
    once.sum().backward()
    wanted = [weights.grad for weights in model.parameters() if weights.grad is not None]
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-9)
    assert model(batch, PAIRS[:0], COSTS).shape == (0,)


def small() -> tuple[EncodedGraphs, Tensor]:
    graphs = with_gradients(encoded((2, 3, 0), None, features=(2, 2, 3), seed=5))
    return graphs, torch.tensor([(0, 1), (2, 0), (1, 2)])  # no graph with itself: that lies on kinks


@pytest.mark.parametrize("variant", [Variant.MAX, Variant.MAX_OR, Variant.EDGE_TO_EDGE, Variant.REG])
@pytest.mark.parametrize("term", [SetTerm.ALIGN_DIFF, SetTerm.DIFF_ALIGN])
def test_gradients_are_those_of_finite_differences(variant: Variant, term: SetTerm) -> None:
    graphs, pairs = small()
    mixer = torch.tensor([[0.1, -0.2], [0.05, 0.1], [-0.2, 0.1]], dtype=torch.float64)

    def terms(*vectors: Tensor) -> Tensor:
        moved = EncodedGraphs(*vectors, graphs.adjacency, graphs.offsets)
        if variant is Variant.REG:
            by = moved.pair @ mixer, moved.pair_pad @ mixer
            found, apart = independent_terms(moved, pairs, ALIGNMENT, by, term, term)
            return torch.cat((found, apart[:, None]), dim=1)
        if variant is Variant.EDGE_TO_EDGE:
            return edge_to_edge_terms(moved, pairs, ALIGNMENT, term, term)
        return max_terms(moved, pairs, ALIGNMENT, variant)

    assert torch.autograd.gradcheck(terms, graphs.vectors, eps=1e-7, atol=1e-5)


@pytest.mark.parametrize("backend", ["native", "torch"])
def test_gradients_of_relabelling_are_those_of_finite_differences(backend: str) -> None:
    graphs, pairs = small()
    label = torch.tensor([0, 2, 1, 2, 2])

    def changed(align: Tensor, pad: Tensor) -> Tensor:
        moved = graphs._replace(align=align, align_pad=pad)
        return relabelled(moved, label, pairs, ALIGNMENT, backend=backend)  # type: ignore[arg-type]

    assert torch.autograd.gradcheck(changed, (graphs.align, graphs.align_pad), eps=1e-7, atol=1e-5)


def bits(present: Tensor) -> Items:
    """What exact vectors would be: 1 for what is there and 0 for what is not."""
    vector = present[None, :, None].double()
    return Items(vector, present[None], torch.ones_like(vector[..., 0]))


def score(
    surrogate: SetTerm | Variant, source: Items, target: Items, plan: Tensor, costs: tuple[float, float]
) -> float:
    deletion, insertion = costs
    if isinstance(surrogate, SetTerm):
        deleted, inserted = set_divergences(source, target, plan[None], surrogate)
        return float(deletion * deleted + insertion * inserted)
    union = {Variant.MAX: sum_of_maxima, Variant.MAX_OR: sum_of_aligned_maxima}[surrogate](source, target, plan[None])
    constant = deletion * target.present.sum() + insertion * source.present.sum()
    return float((deletion + insertion) * union - constant)


@pytest.mark.parametrize("surrogate", [*SetTerm, Variant.MAX, Variant.MAX_OR])
@pytest.mark.parametrize("costs", [(1.0, 1.0, 1.0, 1.0), (3.0, 1.0, 2.0, 1.0), (0.0, 0.0, 2.0, 1.0)])
def test_exact_vectors_and_hard_alignments_give_the_distance(
    surrogate: SetTerm | Variant, costs: tuple[float, float, float, float]
) -> None:
    # Permutations of the larger size have no way round a substitution that is dearer than deleting and inserting.
    substitution = min(0.8, costs[0] + costs[1])
    for nodes, seed in (((4, 4), 0), ((2, 4), 1), ((4, 3), 2), ((3, 0), 3)):
        source, target = random_graph(nodes[0], 0.6, seed), random_graph(nodes[1], 0.5, seed + 10)
        size = max(nodes)
        found = []
        for order in permutations(range(size)):
            plan = torch.eye(size, dtype=torch.float64)[list(order)]
            of_nodes = bits(node_bits(source, size)), bits(node_bits(target, size)), plan
            of_edges = bits(edge_bits(source, size)), bits(edge_bits(target, size)), pair_plan(plan)
            changed = substitution * float(relabelling(source, target, plan))
            found.append(score(surrogate, *of_nodes, costs[:2]) + score(surrogate, *of_edges, costs[2:]) + changed)
        names = ("node_del", "node_ins", "edge_del", "edge_ins")
        prices = EditCosts(node_sub=substitution, **dict(zip(names, costs, strict=True)))
        assert min(found) == pytest.approx(ged(source, target, costs=prices, method="exact").distance)


def test_labels_matter_where_they_cost_something() -> None:
    model = model_of(features=3)
    batch = doubles(vocabulary=LABELS)
    free = COSTS * torch.tensor([1, 1, 1, 1, 0, 0])
    with_labels, without = model(batch, PAIRS, COSTS), model(batch, PAIRS, free)
    assert bool((with_labels >= without).all())
    assert bool((with_labels > without + 1e-3).any())


def test_a_swap_has_no_part_that_never_learns() -> None:
    model = model_of(variant=Variant.NODE_SWAP)
    assert not any(name.startswith("pairs") for name, _ in model.named_parameters())
    batch = doubles()
    node_costs_only = torch.tensor([3.0, 1.0, 0.0, 0.0, 0.0, 0.0], dtype=torch.float64)
    assert not model(batch, PAIRS, node_costs_only).any()


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ModelError, match="edge_to_edge knows no non-edges"):
        GraphEdXConfig(variant=Variant.EDGE_TO_EDGE, edge_term=SetTerm.XOR)
    with pytest.raises(ModelError, match="there is no 'min'; take one of standard, max"):
        GraphEdXConfig(variant="min")  # type: ignore[arg-type]
