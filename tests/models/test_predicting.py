"""A trained model in use: each graph is encoded once, and whatever it is asked along with changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

import graphedx as gx
from graphedx.errors import ModelError
from graphedx.models import predicting
from graphedx.models.base import ModelConfig, PairModel
from graphedx.models.batching import GraphBatch
from graphedx.models.graphedx import GraphEdX, GraphEdXConfig
from graphedx.models.layers.ablations import Variant
from graphedx.models.layers.backend import threads_of, torch_in_one_thread
from graphedx.models.layers.encoded import SetTerm
from graphedx.models.predicting import Estimator, predict_pairs
from models.graph_samples import GRAPHS, LABELS

COSTS = gx.EditCosts(3, 1, 2, 1.5, 0, 0)
RELABELLING = gx.EditCosts(3, 1, 2, 1.5, 0.7, 0)


def estimator_of(vocabulary: tuple[str, ...] = (), **settings: object) -> Estimator:
    torch.manual_seed(0)
    sizes = {"max_nodes": 7, "width": 4, "pair_size": 5, "message": 6, "steps": 2, "temperature": 0.1}
    chosen = {**sizes, "features": max(1, len(vocabulary)), "edge_term": SetTerm.DIFF_ALIGN, **settings}
    model = GraphEdX(GraphEdXConfig(**chosen)).eval()  # type: ignore[arg-type]
    return Estimator(model, RELABELLING if vocabulary else COSTS, vocabulary)


class Sizes(PairModel):
    """The difference of sizes, by an encoding of two tensors in a tuple."""

    name = "sizes"
    any_costs = True

    def __init__(self) -> None:
        super().__init__()
        self.config = ModelConfig()

    def encode(self, graphs: GraphBatch, costs: Tensor | None = None) -> tuple[Tensor, tuple[Tensor]]:
        return graphs.sizes.float(), (graphs.edges.float(),)

    def compare(self, graphs: GraphBatch, encoded: Any, pairs: Tensor, costs: Tensor) -> Tensor:
        nodes, (edges,) = encoded
        assert torch.equal(nodes, graphs.sizes.float())
        assert torch.equal(edges, graphs.edges.float())
        more = nodes[pairs[:, 1]] - nodes[pairs[:, 0]]
        return costs[1] * more.clamp(min=0) + costs[0] * (-more).clamp(min=0)


@pytest.fixture
def encodings(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many graphs each call of ``encode`` was given."""
    seen: list[int] = []
    encode = GraphEdX.encode

    def counted(self: GraphEdX, graphs: GraphBatch, costs: Tensor | None = None) -> Any:
        seen.append(len(graphs))
        return encode(self, graphs)

    monkeypatch.setattr(GraphEdX, "encode", counted)
    yield seen


@pytest.mark.parametrize("vocabulary", [(), LABELS])
@pytest.mark.parametrize("variant", list(Variant))
def test_pairs_and_matrices_are_what_single_pairs_are(variant: Variant, vocabulary: tuple[str, ...]) -> None:
    estimator = estimator_of(vocabulary, variant=variant)
    found = estimator.matrix(GRAPHS)
    pairs = [(a, b) for a in GRAPHS for b in GRAPHS]
    np.testing.assert_allclose(found.ravel(), estimator.predict(pairs), rtol=0, atol=1e-5)
    for (a, b), value in list(zip(pairs, found.ravel(), strict=True))[::5]:
        assert estimator.predict([(a, b)])[0] == pytest.approx(value, abs=1e-4)
    assert not np.allclose(found, found.T)  # costs differ both ways


@pytest.mark.parametrize("chunk", [1, 5, 12])
def test_chunks_and_blocks_change_no_bit(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    estimator, others = estimator_of(), GRAPHS[2:5]
    pairs = [(a, b) for a in GRAPHS for b in GRAPHS]
    whole = estimator.predict(pairs), estimator.matrix(GRAPHS, others), estimator.matrix(GRAPHS[:1], others)
    monkeypatch.setattr(predicting, "CHUNK", chunk)
    np.testing.assert_array_equal(estimator.predict(pairs), whole[0])
    np.testing.assert_array_equal(estimator.matrix(GRAPHS, others), whole[1])
    np.testing.assert_array_equal(estimator.matrix(GRAPHS[:1], others), whole[2])


def test_each_graph_is_encoded_once(monkeypatch: pytest.MonkeyPatch, encodings: list[int]) -> None:
    monkeypatch.setattr(predicting, "CHUNK", 4)
    estimator = estimator_of()
    estimator.predict([(a, b) for a in GRAPHS for b in GRAPHS])
    estimator.matrix(GRAPHS)
    estimator.matrix(GRAPHS, GRAPHS[:2])
    assert encodings == [7, 7, 7, 2]


def test_graphs_that_no_pair_names_are_left_alone(encodings: list[int]) -> None:
    estimator = estimator_of()
    everything = estimator.prepare(GRAPHS).batch
    prices = predicting.cost_tensor(COSTS)
    some = predict_pairs(estimator.model, everything, torch.tensor([[5, 2], [2, 2]]), prices)
    assert encodings == [7, 2]
    assert some.shape == (2,)


@pytest.mark.parametrize("vocabulary", [(), LABELS])
@pytest.mark.parametrize("variant", [Variant.STANDARD, Variant.REG, Variant.NODE_SWAP])
def test_prepared_graphs_give_the_same_and_are_not_encoded_again(
    variant: Variant, vocabulary: tuple[str, ...], encodings: list[int]
) -> None:
    estimator = estimator_of(vocabulary, variant=variant)
    known, asked = estimator.prepare(GRAPHS), estimator.prepare(iter(GRAPHS[3:]))
    assert (len(known), len(asked)) == (7, 4)
    encodings.clear()
    whole = estimator.matrix(known)
    found = estimator.matrix(asked, known)
    assert encodings == []
    np.testing.assert_allclose(found, whole[3:], rtol=0, atol=1e-5)
    np.testing.assert_allclose(estimator.matrix(known, GRAPHS[3:]), whole[:, 3:], rtol=0, atol=1e-5)


def test_what_an_iterator_of_the_caller_makes_is_not_made_for_guessing() -> None:
    """Tensors without gradients would be of no use to train with later."""
    made: list[Tensor] = []

    def graphs() -> Iterator[gx.Graph]:
        made.append(torch.zeros(1))
        yield gx.Graph(2)

    estimator = estimator_of()
    estimator.predict((graph, graph) for graph in graphs())
    estimator.matrix(graphs(), graphs())
    assert [tensor.is_inference() for tensor in made] == [False] * 3


def test_a_matrix_of_nothing() -> None:
    estimator = estimator_of()
    assert estimator.matrix([]).shape == (0, 0)
    assert estimator.matrix([], GRAPHS).shape == (0, 7)
    assert estimator.matrix(GRAPHS, []).shape == (7, 0)
    assert estimator.predict([]).shape == (0,)


def test_encodings_of_other_models_are_joined_row_by_row() -> None:
    estimator = Estimator(Sizes(), COSTS)
    sizes = np.array([len(graph) for graph in GRAPHS])
    more = sizes[None, :] - sizes[:, None]
    dearer = gx.EditCosts(4, 9, 0, 0, 0, 0)
    for costs in (COSTS, dearer):
        expected = np.where(more > 0, float(costs.node_ins) * more, -float(costs.node_del) * more)
        np.testing.assert_allclose(estimator.matrix(GRAPHS, GRAPHS[:4], costs=costs), expected[:, :4])
        np.testing.assert_allclose(estimator.matrix(GRAPHS, costs=costs), expected)


def test_what_cannot_be_done_is_said() -> None:
    estimator = estimator_of()
    with pytest.raises(ModelError, match="prepared by another model"):
        estimator_of().matrix(estimator.prepare(GRAPHS))
    with pytest.raises(ModelError, match="at most 7 nodes, got one of 8"):
        estimator.prepare([gx.Graph(8)])
    with pytest.raises(ModelError, match="cannot guess for"):
        estimator.matrix(GRAPHS, costs=RELABELLING)


@pytest.mark.parametrize("ask", [lambda it, g: it.predict([(g, g)]), lambda it, g: it.matrix([g])])
def test_the_pairs_of_nodes_of_a_graph_that_is_too_large_are_not_listed(
    monkeypatch: pytest.MonkeyPatch, ask: Callable[[Estimator, gx.Graph], object]
) -> None:
    """Those of 40,000 nodes would take gigabytes before the model says that it takes seven."""
    monkeypatch.setattr(GraphEdX, "batch", lambda *_: pytest.fail("they are listed there"))
    with pytest.raises(ModelError, match="at most 7 nodes, got one of 40000"):
        ask(estimator_of(), gx.Graph(40_000))


def test_torch_is_left_with_the_threads_that_it_had() -> None:
    torch.set_num_threads(3)
    with torch_in_one_thread():
        assert (torch.get_num_threads(), threads_of(None), threads_of(5)) == (1, 3, 5)
        with torch_in_one_thread():
            assert threads_of(None) == 3
    assert (torch.get_num_threads(), threads_of(None)) == (3, 3)
    with pytest.raises(ModelError):
        estimator_of().predict([(gx.Graph(8), gx.Graph(0))])
    assert torch.get_num_threads() == 3


def test_threads_inside_at_once_give_back_what_the_first_found() -> None:
    """The second comes while torch has one thread, and leaves last."""
    torch.set_num_threads(3)
    second_is_in, first_is_out = Event(), Event()
    found: dict[str, tuple[int | None, int]] = {}

    def first() -> None:
        with torch_in_one_thread():
            thread.start()
            assert second_is_in.wait(60)
        first_is_out.set()

    def second() -> None:
        with torch_in_one_thread():
            inside = threads_of(None)
            second_is_in.set()
            assert first_is_out.wait(60)
        found["second"] = inside, torch.get_num_threads()

    thread = Thread(target=second)
    first()
    thread.join()
    newcomer = Thread(target=lambda: found.update(newcomer=(None, torch.get_num_threads())))
    newcomer.start()
    newcomer.join()
    assert found == {"second": (3, 3), "newcomer": (None, 3)}
    assert torch.get_num_threads() == 3
