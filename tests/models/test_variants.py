"""The variants of GraphEdX against the formulas as written, and what the formulas are worth with exact vectors."""

from __future__ import annotations

from itertools import permutations

import pytest
import torch
from torch import Tensor

from graphedx import EditCosts, ged
from graphedx.errors import ModelError
from graphedx.models.graphedx import GraphEdX, GraphEdXConfig
from graphedx.models.layers import dense
from graphedx.models.layers.ablations import Variant, edge_to_edge_terms, max_terms
from graphedx.models.layers.backend import Backend
from graphedx.models.layers.divergence import set_divergences, sum_of_aligned_maxima
from graphedx.models.layers.encoded import AlignmentOptions, EncodedGraphs, SetTerm
from graphedx.models.layers.padded import Items
from graphedx.models.layers.set_terms import independent_terms, maximum_terms, set_terms
from graphedx.models.layers.substitution import relabelled
from models.graph_samples import GRAPHS, LABELS, PAIRS, doubles, random_graph
from models.layers.literal import pair_plan
from models.layers.samples import encoded, gradients_of, with_gradients
from models.literal_model import edge_bits, node_bits
from models.literal_variants import literal_variant, maxima, relabelling

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


@pytest.mark.parametrize("variant", [Variant.MAX, Variant.MAX_OR])
def test_the_factor_of_edge_maxima_is_the_published_half_or_a_setting(variant: Variant) -> None:
    assert model_of(variant=variant).config.max_edge_factor == 0.5
    model, batch = model_of(variant=variant, max_edge_factor=1.0, features=3), doubles(vocabulary=LABELS)
    found = model(batch, PAIRS, COSTS)
    expected = [literal_variant(model, GRAPHS[a], GRAPHS[b], COSTS, LABELS)[0] for a, b in PAIRS.tolist()]
    torch.testing.assert_close(found, torch.stack(expected), rtol=0, atol=1e-8)
    assert not torch.allclose(found, model_of(variant=variant, features=3)(batch, PAIRS, COSTS))


def test_only_variants_with_maxima_keep_their_factor_and_a_version() -> None:
    for variant in Variant:
        settings = GraphEdXConfig(variant=variant, edge_term=SetTerm.ALIGN_DIFF).to_json()
        has_maxima = variant in (Variant.MAX, Variant.MAX_OR)
        assert ("max_edge_factor" in settings) is has_maxima
        assert GraphEdXConfig.version(settings) == 1 + has_maxima
        assert GraphEdXConfig.from_json(settings) == GraphEdXConfig(variant=variant, edge_term=SetTerm.ALIGN_DIFF)


@every_setting
def test_other_pairs_do_not_matter(variant: Variant, node_term: SetTerm, edge_term: SetTerm) -> None:
    model, batch = model_of(variant=variant, node_term=node_term, edge_term=edge_term), doubles()
    once = model(batch, PAIRS, COSTS)
    alone = model(batch.select(PAIRS[5]), torch.tensor([[0, 1]]), COSTS)
    torch.testing.assert_close(alone[0], once[5], rtol=0, atol=1e-12)
    assert model(batch, PAIRS[:0], COSTS).shape == (0,)


def small() -> tuple[EncodedGraphs, Tensor]:
    graphs = with_gradients(encoded((2, 3, 0), None, features=(2, 2, 3), seed=5))
    return graphs, torch.tensor([(0, 1), (2, 0), (1, 2)])  # no graph with itself: that lies on kinks


def ablation(
    variant: Variant,
    term: SetTerm,
    graphs: EncodedGraphs,
    pairs: Tensor,
    alignment: AlignmentOptions,
    backend: Backend,
) -> Tensor:
    """Its terms; pairs that are aligned by themselves have vectors for it that are mixed from their own."""
    if variant is Variant.REG:
        width = graphs.pair.shape[1]
        mixer = torch.randn(width, 2, generator=torch.Generator().manual_seed(4), dtype=torch.float64) / 5
        by = graphs.pair @ mixer, graphs.pair_pad @ mixer
        how = {"node_term": SetTerm.ALIGN_DIFF, "edge_term": term, "backend": backend}
        found, apart = independent_terms(graphs, pairs, alignment, by, **how)  # type: ignore[arg-type]
        return torch.cat((found, apart[:, None]), dim=1)
    if variant is Variant.EDGE_TO_EDGE:
        return edge_to_edge_terms(graphs, pairs, alignment, term, term, backend)
    return max_terms(graphs, pairs, alignment, variant, backend)


every_backend = pytest.mark.parametrize("backend", ["native", "torch"])
every_ablation = pytest.mark.parametrize(
    ("variant", "term"),
    [
        (Variant.MAX, SetTerm.ALIGN_DIFF),
        (Variant.MAX_OR, SetTerm.ALIGN_DIFF),
        (Variant.EDGE_TO_EDGE, SetTerm.ALIGN_DIFF),
        (Variant.EDGE_TO_EDGE, SetTerm.DIFF_ALIGN),
        (Variant.REG, SetTerm.ALIGN_DIFF),
        (Variant.REG, SetTerm.DIFF_ALIGN),
        (Variant.REG, SetTerm.XOR),
    ],
)


@every_ablation
@every_backend
def test_gradients_are_those_of_finite_differences(variant: Variant, term: SetTerm, backend: Backend) -> None:
    graphs, pairs = small()

    def terms(*vectors: Tensor) -> Tensor:
        moved = EncodedGraphs(*vectors, graphs.adjacency, graphs.offsets)
        return ablation(variant, term, moved, pairs, ALIGNMENT, backend)

    assert torch.autograd.gradcheck(terms, graphs.vectors, eps=1e-7, atol=1e-5)


@every_ablation
@pytest.mark.parametrize("padded_nodes", [0, 9, 10])
@pytest.mark.parametrize("noisy", [False, True])
def test_the_native_core_and_torch_agree(variant: Variant, term: SetTerm, padded_nodes: int, noisy: bool) -> None:
    sizes = (9, 4, 0, 1, 8, 2)
    pairs = torch.tensor([(0, 1), (1, 0), (2, 3), (3, 2), (4, 0), (2, 5), (5, 4)])
    noise = torch.randn(len(pairs), padded_nodes or 9, padded_nodes or 9, generator=torch.Generator().manual_seed(1))
    how = AlignmentOptions(temperature=0.1, padded_nodes=padded_nodes, noise=noise / 5 if noisy else None)
    both = []
    for backend in ("native", "torch"):
        graphs = with_gradients(encoded(sizes, None, features=(3, 4, 11), seed=6))
        terms = ablation(variant, term, graphs, pairs, how, backend)  # type: ignore[arg-type]
        both.append([terms.detach(), *gradients_of(graphs, terms)])
    for one, other in zip(*both, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-9)


@pytest.mark.parametrize("variant", [Variant.MAX_OR, Variant.REG])
def test_torch_takes_parts_of_a_batch_and_hears_the_same_noise(
    variant: Variant, monkeypatch: pytest.MonkeyPatch
) -> None:
    graphs, pairs = small()
    how = AlignmentOptions(temperature=0.1, padded_nodes=4, noise=torch.rand(3, 4, 4) / 10)
    at_once = ablation(variant, SetTerm.XOR, graphs, pairs, how, "torch")
    expected = gradients_of(graphs, at_once)
    monkeypatch.setattr(dense, "MOST_CELLS", 1)
    in_parts = ablation(variant, SetTerm.XOR, graphs, pairs, how, "torch")
    torch.testing.assert_close(in_parts, at_once, rtol=0, atol=1e-12)
    for one, other in zip(gradients_of(graphs, in_parts), expected, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-9)


@every_backend
def test_what_ablations_cannot_compare_is_refused(backend: Backend) -> None:
    graphs, pairs = small()
    with pytest.raises(ModelError, match="among edges only XOR has nothing to compare"):
        set_terms(graphs, pairs, edge_term=SetTerm.XOR, edges_only=True, backend=backend)
    with pytest.raises(ModelError, match="but there are 3 graphs"):
        maximum_terms(graphs, torch.tensor([(0, 3)]), backend=backend)


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


def test_the_published_factor_of_edge_maxima_is_not_consistent() -> None:
    """A graph and itself with exact vectors: the factor 1 gives 0, the published one half loses half the edges."""
    size = 4
    graph = random_graph(size, 1.0, 0)
    edges, plan = bits(edge_bits(graph, size)), pair_plan(torch.eye(size, dtype=torch.float64))
    union = float(maxima(edges.vector[0], edges.vector[0], plan))
    assert union == graph.num_edges
    assert [factor * (2 + 1) * union - (2 + 1) * graph.num_edges for factor in (1.0, 0.5)] == [0, -9]


def score(
    surrogate: SetTerm | Variant, source: Items, target: Items, plan: Tensor, costs: tuple[float, float]
) -> float:
    deletion, insertion = costs
    if isinstance(surrogate, SetTerm):
        deleted, inserted = set_divergences(source, target, plan[None], surrogate)
        return float(deletion * deleted + insertion * inserted)
    if surrogate is Variant.MAX:
        union = maxima(source.vector[0], target.vector[0], plan)
    else:
        union = sum_of_aligned_maxima(source, target, plan[None])
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
