"""Both backends of the set terms against the formulas as the paper writes them, values and gradients."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
import torch
from torch import Tensor

from graphedx.errors import ModelError
from graphedx.models.layers.set_terms import (
    AlignBy,
    AlignmentOptions,
    EncodedGraphs,
    SetTerm,
    alignment_plan,
    set_terms,
)
from models.layers.literal import literal_plan, literal_terms
from models.layers.samples import PAIRS, TERMS, encoded, gradients_of, with_gradients

BACKENDS = ("native", "torch")
USUAL = AlignmentOptions()
every_term = pytest.mark.parametrize("edge_term", TERMS)
every_node_term = pytest.mark.parametrize("node_term", TERMS)
every_backend = pytest.mark.parametrize("backend", BACKENDS)


@cache
def literal(node_term: SetTerm, edge_term: SetTerm, padded_nodes: int, step: float | None = None) -> list[Tensor]:
    """Values, then gradients."""
    graphs = with_gradients(encoded(step=step))
    rows = [literal_terms(graphs, int(a), int(b), node_term, edge_term, padded_nodes=padded_nodes) for a, b in PAIRS]
    terms = torch.stack(rows)
    return [terms.detach(), *gradients_of(graphs, terms)]


def ours(
    graphs: EncodedGraphs, alignment: AlignmentOptions = USUAL, pairs: Tensor = PAIRS, **options: object
) -> list[Tensor]:
    graphs = with_gradients(graphs)
    terms = set_terms(graphs, pairs, alignment, **options)  # type: ignore[arg-type]
    return [terms.detach(), *gradients_of(graphs, terms)]


def assert_close(found: list[Tensor], expected: list[Tensor], tolerance: float) -> None:
    for one, other in zip(found, expected, strict=True):
        assert one.shape == other.shape
        torch.testing.assert_close(
            one.double(), other.double(), rtol=0, atol=tolerance * (1 + float(other.abs().max()))
        )


@every_term
@every_node_term
@every_backend
@pytest.mark.parametrize("padded_nodes", [0, 6, 9])
def test_values_and_gradients_are_those_of_the_formulas(
    node_term: SetTerm, edge_term: SetTerm, backend: str, padded_nodes: int
) -> None:
    alignment = AlignmentOptions(padded_nodes=padded_nodes)
    found = ours(encoded(), alignment, node_term=node_term, edge_term=edge_term, backend=backend)
    assert_close(found, literal(node_term, edge_term, padded_nodes), 1e-11)


@every_term
@every_backend
@pytest.mark.parametrize("padded_nodes", [0, 9])
def test_products_may_say_what_is_aligned(edge_term: SetTerm, backend: str, padded_nodes: int) -> None:
    terms_of = {"node_term": SetTerm.ALIGN_DIFF, "edge_term": edge_term}
    alignment = AlignmentOptions(padded_nodes=padded_nodes, by=AlignBy.PRODUCT)
    found = ours(encoded(), alignment, backend=backend, **terms_of)
    graphs = with_gradients(encoded())
    how = {"padded_nodes": padded_nodes, "align_by": AlignBy.PRODUCT}
    terms = torch.stack([literal_terms(graphs, int(a), int(b), **terms_of, **how) for a, b in PAIRS])  # type: ignore[arg-type]
    assert_close(found, [terms.detach(), *gradients_of(graphs, terms)], 1e-11)
    assert not torch.allclose(found[0], literal(SetTerm.ALIGN_DIFF, edge_term, padded_nodes)[0])


@pytest.mark.parametrize("term", TERMS)
@every_backend
def test_single_precision_is_near(term: SetTerm, backend: str) -> None:
    alignment = AlignmentOptions(padded_nodes=9)
    found = ours(encoded(dtype=torch.float32), alignment, node_term=term, edge_term=term, backend=backend)
    assert found[0].dtype == torch.float32
    assert_close(found, literal(term, term, 9), 1e-4)


@pytest.mark.parametrize("term", [SetTerm.DIFF_ALIGN, SetTerm.XOR])
@every_backend
def test_equal_vectors_have_the_slope_of_relu_at_zero(term: SetTerm, backend: str) -> None:
    alignment = AlignmentOptions(padded_nodes=6)
    found = ours(encoded(step=0.5), alignment, node_term=term, edge_term=term, backend=backend)
    assert_close(found, literal(term, term, 6, step=0.5), 1e-11)


@every_term
@every_node_term
def test_native_gradients_are_those_of_finite_differences(node_term: SetTerm, edge_term: SetTerm) -> None:
    graphs = with_gradients(encoded((2, 3, 0), None, features=(2, 2, 3), seed=5))
    pairs = torch.tensor([(0, 1), (2, 0), (1, 2)])  # no graph with itself: that lies on kinks
    alignment = AlignmentOptions(temperature=0.1, iterations=7, padded_nodes=4)

    def terms(*vectors: Tensor) -> Tensor:
        moved = EncodedGraphs(*vectors, graphs.adjacency, graphs.offsets)
        return set_terms(moved, pairs, alignment, node_term=node_term, edge_term=edge_term, backend="native")

    assert torch.autograd.gradcheck(terms, graphs.vectors, eps=1e-7, atol=1e-5)


@every_backend
def test_scales_beyond_the_range_of_numbers(backend: str) -> None:
    """Two nodes want the same partner: the third lets go of it by half an iteration, e^200 in all."""
    base = encoded((3, 3), None, features=(2, 1, 3))
    for dtype, tolerance in ((torch.float64, 1e-8), (torch.float32, 1e-3)):
        align = torch.tensor([[0.0], [0.0], [1.0], [0.0], [2.0], [2.0]], dtype=torch.float64)
        graphs = with_gradients(base._replace(align=align))
        for iterations in (20, 45, 400):
            named = SetTerm.ALIGN_DIFF, SetTerm.XOR
            terms = literal_terms(graphs, 0, 1, *named, padded_nodes=4, iterations=iterations)[None]
            typed = EncodedGraphs(*(v.detach().to(dtype) for v in graphs.vectors), *graphs[5:])
            alignment = AlignmentOptions(padded_nodes=4, iterations=iterations)
            found = ours(typed, alignment, torch.tensor([[0, 1]]), backend=backend)
            assert_close(found, [terms.detach(), *gradients_of(graphs, terms)], tolerance)


@every_backend
def test_nothing_at_all(backend: str) -> None:
    none = ours(encoded(), pairs=PAIRS[:0], backend=backend)
    assert none[0].shape == (0, 4)
    assert not any(gradient.any() for gradient in none[1:])
    empty = encoded((0, 0), None)
    assert torch.equal(
        set_terms(empty, torch.tensor([[0, 1]]), backend=backend), torch.zeros(1, 4, dtype=torch.float64)
    )  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@every_term
def test_the_number_of_threads_changes_no_bit(edge_term: SetTerm, dtype: torch.dtype) -> None:
    sizes = [n % 13 for n in range(40)]
    graphs = encoded(sizes, None, dtype=dtype)
    pairs = torch.randint(0, 40, (150, 2), generator=torch.Generator().manual_seed(0))
    alone = ours(graphs, pairs=pairs, edge_term=edge_term, threads=1)
    for threads in (1, 2, 3, 8):
        for one, other in zip(alone, ours(graphs, pairs=pairs, edge_term=edge_term, threads=threads), strict=True):
            assert torch.equal(one, other)


def test_a_batch_of_one_is_a_batch_of_many() -> None:
    graphs, alignment = encoded(), AlignmentOptions(padded_nodes=9)
    together = set_terms(graphs, PAIRS, alignment)
    assert torch.equal(together, torch.cat([set_terms(graphs, pair[None], alignment) for pair in PAIRS]))


def test_gradients_of_all_pairs_of_a_graph_add_up() -> None:
    graphs = encoded()
    once, thrice = with_gradients(graphs), with_gradients(graphs)
    set_terms(once, PAIRS).sum().backward()
    set_terms(thrice, PAIRS.repeat(3, 1)).sum().backward()
    for one, other in zip(once.vectors, thrice.vectors, strict=True):
        torch.testing.assert_close(3 * one.grad, other.grad)


@every_backend
@every_term
@pytest.mark.parametrize("padded_nodes", [0, 6, 9])
def test_noise_is_added_to_the_scores(edge_term: SetTerm, backend: str, padded_nodes: int) -> None:
    size = padded_nodes or 6
    noise = torch.randn(len(PAIRS), size, size, generator=torch.Generator().manual_seed(2), dtype=torch.float64) / 20
    graphs, rows = with_gradients(encoded()), []
    for k, (a, b) in enumerate(PAIRS.tolist()):
        n, m = graphs.sizes[[a, b]].tolist()
        used = padded_nodes or max(n, m)
        # The first padding node of a graph speaks for all of them.
        heard = noise[k][torch.arange(used).clamp(max=n)][:, torch.arange(used).clamp(max=m)]
        plan = literal_plan(graphs, a, b, used, noise=heard) if used else None
        rows.append(literal_terms(graphs, a, b, SetTerm.ALIGN_DIFF, edge_term, padded_nodes=padded_nodes, plan=plan))
    terms = torch.stack(rows)
    alignment = AlignmentOptions(padded_nodes=padded_nodes, noise=noise)
    found = ours(encoded(), alignment, edge_term=edge_term, backend=backend)
    assert_close(found, [terms.detach(), *gradients_of(graphs, terms)], 1e-11)
    silence = ours(encoded(), replace(alignment, noise=0 * noise), edge_term=edge_term, backend=backend)
    assert_close(silence, literal(SetTerm.ALIGN_DIFF, edge_term, padded_nodes), 1e-11)


@every_backend
def test_loud_noise_decides_the_alignment(backend: str) -> None:
    graphs, size = encoded(), 5
    loud = torch.full((1, size, size), -1e3, dtype=torch.float64)
    chosen = torch.randperm(size, generator=torch.Generator().manual_seed(0))
    loud[0, torch.arange(size), chosen] = 0.0
    expected = literal_terms(graphs, 3, 4, SetTerm.ALIGN_DIFF, SetTerm.XOR, plan=torch.eye(size).double()[chosen])
    found = set_terms(graphs, torch.tensor([[3, 4]]), AlignmentOptions(noise=loud), backend=backend)  # type: ignore[arg-type]
    torch.testing.assert_close(found[0], expected)


@every_backend
@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({"offsets": torch.tensor([0, 2, 1, 20])}, {}, "offsets"),
        ({"offsets": torch.tensor([1, 20])}, {}, "offsets must begin with 0"),
        ({"offsets": torch.tensor([0, 19])}, {}, "offsets"),
        ({"offsets": torch.tensor([0, 20]).int()}, {}, "int64"),
        ({"offsets": torch.tensor([], dtype=torch.int64)}, {}, "offsets must begin with 0"),
        ({"adjacency": torch.zeros(3, dtype=torch.bool)}, {}, "adjacency"),
        ({"adjacency": torch.zeros(3)}, {}, "bool"),
        ({"pair": torch.zeros(5, 9, dtype=torch.float64)}, {}, "pair.* 5 "),
        ({"pair_pad": torch.zeros(8, dtype=torch.float64)}, {}, "pair_pad must have the 9 features"),
        ({"align": torch.zeros(20, 6)}, {}, "align must be of the same floating type"),
        ({"align": torch.zeros(19, 6, dtype=torch.float64)}, {}, "align"),
        ({"align_pad": torch.zeros(1, 6, dtype=torch.float64)}, {}, "align_pad must have 1 dimensions"),
        ({}, {"pairs": torch.tensor([[0, 6]])}, "there are 6 graphs"),
        ({}, {"pairs": torch.tensor([[0, -1]])}, "there are 6 graphs"),
        ({}, {"pairs": torch.tensor([[0, 2**32]])}, "there are 6 graphs"),
        ({}, {"pairs": torch.tensor([0, 1])}, "pairs must be"),
        ({}, {"pairs": torch.tensor([[0.0, 1.0]])}, "pairs must be"),
        ({}, {"alignment": AlignmentOptions(padded_nodes=5)}, "padded_nodes = 5 is too small"),
    ],
)
def test_what_does_not_fit_is_refused(
    backend: str, changes: dict[str, Tensor], options: dict[str, object], message: str
) -> None:
    arguments = {"pairs": PAIRS, "backend": backend} | options
    with pytest.raises(ModelError, match=message):
        set_terms(encoded()._replace(**changes), **arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"padded_nodes": -1}, "padded_nodes must not be negative"),
        ({"temperature": 0.0}, "temperature must be finite and > 0"),
        ({"temperature": float("nan")}, "temperature must be finite and > 0"),
        ({"temperature": float("inf")}, "temperature must be finite and > 0"),
        ({"iterations": 0}, "iterations must be at least 1"),
    ],
)
def test_alignments_that_make_no_sense_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        AlignmentOptions(**options)  # type: ignore[arg-type]


def test_a_backend_that_cannot_is_refused() -> None:
    with pytest.raises(ModelError, match="backend must be auto, native or torch"):
        set_terms(encoded(), PAIRS, backend="numpy")  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="float32 or float64 on the CPU"):
        set_terms(encoded(dtype=torch.bfloat16), PAIRS, backend="native")
    with pytest.raises(ModelError, match="threads must be at least 1"):
        set_terms(encoded(), PAIRS, threads=0)


@every_backend
@pytest.mark.parametrize(
    ("shape", "padded_nodes", "message"),
    [
        ((2, 2), 0, "shape"),
        ((12, 8, 8), 9, r"here \(12, 9, 9\)"),
        ((11, 6, 6), 0, "shape"),
        ((12, 4, 4), 0, "too small"),
    ],
)
def test_noise_that_does_not_fit_is_refused(
    backend: str, shape: tuple[int, ...], padded_nodes: int, message: str
) -> None:
    alignment = AlignmentOptions(noise=torch.zeros(shape), padded_nodes=padded_nodes)
    with pytest.raises(ModelError, match=f"noise .*{message}"):
        set_terms(encoded(), PAIRS, alignment, backend=backend)  # type: ignore[arg-type]


@every_backend
def test_the_plan_of_one_pair(backend: str) -> None:
    graphs, alignment = encoded(), AlignmentOptions(padded_nodes=9)
    plan = alignment_plan(graphs, 2, 5, alignment, backend=backend)  # type: ignore[arg-type]
    assert plan.shape == (9, 9)
    torch.testing.assert_close(plan.sum(0), torch.ones(9, dtype=torch.float64))
    torch.testing.assert_close(plan, literal_plan(graphs, 2, 5, 9))
    assert alignment_plan(graphs, 0, 0, backend=backend).shape == (0, 0)  # type: ignore[arg-type]
