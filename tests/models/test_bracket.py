"""The bracket model: whatever the weights are, its guess is in the interval, and what must not matter does not."""

from __future__ import annotations

from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

import graphedx as gx
from graphedx import EditCosts, Graph
from graphedx.errors import CostError, GraphError, ModelError
from graphedx.models import predicting
from graphedx.models.base import make
from graphedx.models.batching import graph_batch
from graphedx.models.bracket import Bracket, BracketConfig
from graphedx.models.brackets import LOWER, STEP, UPPER
from graphedx.models.layers.labelled_encoder import CODE, codes
from graphedx.models.predicting import Estimator, cost_tensor, predict_pairs
from graphedx.training import TrainConfig, fit
from graphedx.training.data import PairData, joined, pair_data, predict
from models.bracket_samples import QUICK, STRUCTURE, any_costs, estimator, odd_graphs, odd_pairs, tiny
from models.graph_samples import random_graph
from strategies import number_costs, shuffled

Pair = tuple[Graph, Graph]
LABELLED = EditCosts(1, 2, 1, 1.5, 1, 0.5)


def bonded(graph: Graph) -> Graph:
    """With two kinds of edges."""
    kinds = [1 + k % 2 for k in range(graph.num_edges)]
    return Graph(graph.nodes, graph.edges, node_labels=graph.node_labels, edge_labels=kinds)


# Cycles and near-cycles: the beam leaves room in most of their intervals.
GRAPHS = tuple(bonded(random_graph(9 + seed % 3, 0.3, seed)) for seed in range(6))


def loud(seed: int) -> Estimator:
    """One whose weights are larger, so that it has something to say."""
    model = tiny(seed)
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(3 if weight.ndim > 1 else 1)
    return Estimator(model, STRUCTURE)


def near(a: float, b: float, interval: float) -> bool:
    """Equal but for float32 in the network, which decides about a share of the interval."""
    return abs(a - b) <= 1e-3 * interval + 1e-9 * max(abs(a), abs(b))


def row(pair: Pair, costs: EditCosts) -> np.ndarray:
    rows = tiny().evidence(Bracket.batch(pair, ()), torch.tensor([[0, 1]]), cost_tensor(costs))
    return rows[0].numpy()


@QUICK
@given(pair=odd_pairs(), costs=any_costs(), seed=st.integers(0, 20))
def test_the_guess_lies_in_the_interval(pair: Pair, costs: EditCosts, seed: int) -> None:
    lower, upper = row(pair, costs)[[LOWER, UPPER]]
    [guess], [nearest] = loud(seed).predict_and_snap([pair], costs=costs)
    assert lower <= guess <= upper
    assert lower - 1e-9 * upper <= nearest <= upper


@pytest.mark.parametrize("bias", [-1e9, 1e9])
def test_not_even_rounding_leads_out_of_the_interval(bias: float) -> None:
    model = tiny()
    with torch.no_grad():
        model.head[-1].bias.fill_(bias)
    costs, pairs = EditCosts(0.1, 0.2, 0.3, 0.7, 0.1, 0.1), [(a, b) for a in GRAPHS for b in GRAPHS]
    for pair, guess in zip(pairs, Estimator(model, costs).predict(pairs), strict=True):
        assert guess == row(pair, costs)[LOWER if bias < 0 else UPPER]


@QUICK
@given(pair=odd_pairs(8), costs=number_costs(numbers=st.integers(0, 4)), data=st.data())
def test_names_and_the_order_of_nodes_do_not_matter_where_the_beam_says_the_same(
    pair: Pair, costs: EditCosts, data: Any
) -> None:
    other = data.draw(shuffled(pair[0])), data.draw(shuffled(pair[1]))
    model = estimator()
    evidence = model.model.evidence(Bracket.batch([*pair], ()), torch.tensor([[0, 1]]), cost_tensor(costs))
    one, two = (
        predict_pairs(model.model, Bracket.batch(graphs, ()), torch.tensor([[0, 1]]), cost_tensor(costs), evidence)
        for graphs in (pair, other)
    )
    assert near(float(one), float(two), float(evidence[0, UPPER] - evidence[0, LOWER]))


@QUICK
@given(pair=odd_pairs(8), costs=any_costs())
def test_there_and_back_are_the_same_under_swapped_costs(pair: Pair, costs: EditCosts) -> None:
    model, (lower, upper) = loud(1), row(pair, costs)[[LOWER, UPPER]]
    [there], [back] = model.predict([pair], costs=costs), model.predict([pair[::-1]], costs=costs.swapped())
    assert near(there, back, upper - lower)


@QUICK
@given(
    pair=odd_pairs(8), costs=number_costs(numbers=st.integers(1, 4)), factor=st.sampled_from([0.1, 0.5, 2.0, 1024.0])
)
def test_costs_that_are_scaled_scale_the_guess(pair: Pair, costs: EditCosts, factor: float) -> None:
    scaled = EditCosts(*(factor * cost for cost in astuple(costs)))
    model, (lower, upper) = loud(2), row(pair, costs)[[LOWER, UPPER]]
    [guess], [large] = model.predict([pair], costs=costs), model.predict([pair], costs=scaled)
    assert near(factor * guess, large, factor * (upper - lower))


@QUICK
@given(pair=odd_pairs(9), costs=number_costs(numbers=st.integers(0, 4)))
def test_without_relabelling_one_guess_of_common_edges_serves_all_costs(pair: Pair, costs: EditCosts) -> None:
    def common_edges(costs: EditCosts) -> float:
        node_del, node_ins, edge_del, edge_ins, _, _ = astuple(costs)
        (n, edges), (m, others) = ((len(graph), graph.num_edges) for graph in pair)
        [guess] = loud(3).predict([pair], costs=costs)
        rest = node_del * max(0, n - m) + node_ins * max(0, m - n) + edge_del * edges + edge_ins * others
        return (rest - guess) / (edge_del + edge_ins)

    free = EditCosts(*astuple(costs)[:4], 0, 0)
    assume(free.edge_del + free.edge_ins > 0)
    uniform, paper, any_ = map(common_edges, (STRUCTURE, EditCosts(3, 1, 2, 1, 0, 0), free))
    assert uniform == pytest.approx(paper, abs=1e-3) == any_


@QUICK
@given(graphs=st.lists(odd_graphs(6), min_size=1, max_size=4), costs=any_costs())
def test_what_is_asked_along_changes_nothing(graphs: list[Graph], costs: EditCosts) -> None:
    """One by one, all at once, as a matrix, prepared, and prepared in two parts that are joined."""
    model = estimator()
    pairs = [(a, b) for a in graphs for b in graphs]
    at_once = model.predict(pairs, costs=costs)
    for pair, guess in zip(pairs, at_once, strict=True):
        lower, upper = row(pair, costs)[[LOWER, UPPER]]
        assert near(model.predict([pair], costs=costs)[0], guess, upper - lower)
    rows, columns = (model.prepare(list(graphs)) for _ in range(2))
    for found in (
        model.matrix(graphs, costs=costs),
        model.matrix(rows, costs=costs),
        model.matrix(rows, columns, costs=costs),
    ):
        np.testing.assert_allclose(found.ravel(), at_once, rtol=1e-4, atol=1e-300)


def test_a_label_that_all_share_in_one_part_is_still_a_label() -> None:
    """Two parts of one label each, which differ: neither alone knows that labels tell its nodes apart."""
    carbon, nitrogen = (
        [Graph(g.nodes, g.edges, node_labels=[symbol] * len(g)) for g in GRAPHS[:3]] for symbol in ("C", "N")
    )
    model = loud(0)
    found = model.matrix(model.prepare(carbon), model.prepare(nitrogen), costs=LABELLED)
    wanted = model.predict([(a, b) for a in carbon for b in nitrogen], costs=LABELLED)
    np.testing.assert_allclose(found.ravel(), wanted, rtol=1e-5)


def test_chunks_are_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    model, pairs = estimator(), [(a, b) for a in GRAPHS for b in GRAPHS]
    whole, table = model.predict(pairs, costs=LABELLED), model.matrix(GRAPHS, costs=LABELLED)
    monkeypatch.setattr(predicting, "CHUNK", 5)
    np.testing.assert_allclose(model.predict(pairs, costs=LABELLED), whole, rtol=1e-6)
    np.testing.assert_allclose(model.matrix(GRAPHS, costs=LABELLED), table, rtol=1e-6)


@QUICK
@given(graphs=st.lists(odd_graphs(6), min_size=2, max_size=3), costs=st.lists(any_costs(), min_size=2, max_size=4))
def test_costs_of_each_pair_are_as_a_call_for_each(graphs: list[Graph], costs: list[EditCosts]) -> None:
    model, batch = tiny(), Bracket.batch(graphs, ())
    prices = torch.stack(list(map(cost_tensor, costs)))
    ends = torch.tensor([(k % len(graphs), (k + 1) % len(graphs)) for k in range(len(costs))])
    together = predict_pairs(model, batch, ends, prices)
    for k, price in enumerate(prices):
        alone = predict_pairs(model, batch, ends[k : k + 1], price)
        assert float(together[k]) == pytest.approx(float(alone), rel=1e-4, abs=1e-300)


def test_data_of_several_sources_is_guessed_as_each_alone() -> None:
    model = tiny()
    parts = []
    for k, costs in enumerate((STRUCTURE, LABELLED, EditCosts(3, 1, 2, 1, 0, 0.5))):
        graphs = GRAPHS[k : k + 3]
        part = pair_data(graphs, [(0, 1), (2, 1), (k % 3, 0)], [1, 2, 3], kind=Bracket)
        parts.append(replace(part, costs=cost_tensor(costs).expand(3, 6)))
    data = joined(parts)
    assert (len(data), len(data.graphs), data.distances.tolist()) == (9, 9, [1, 2, 3] * 3)
    wanted = torch.cat([predict(model, part, cost_tensor(LABELLED)) for part in parts])
    torch.testing.assert_close(predict(model, data, cost_tensor(LABELLED)), wanted, rtol=1e-5, atol=0)
    known = data.with_evidence(model, cost_tensor(STRUCTURE))
    assert known.with_evidence(model, cost_tensor(STRUCTURE)) is known
    torch.testing.assert_close(predict(model, known, cost_tensor(STRUCTURE)), wanted, rtol=1e-5, atol=0)


def test_edge_and_node_labels_matter_where_relabelling_costs() -> None:
    plain = random_graph(8, 0.4, 1).unlabelled()
    twice = [
        Graph(8, plain.edges, node_labels=nodes, edge_labels=[edge] * plain.num_edges)
        for nodes, edge in (("CCCCNNNN", 1), ("CNCNCNCN", 1), ("CCCCNNNN", 2))
    ]
    batch, model = Bracket.batch([plain, *twice], ()), tiny()
    seen = model.encode(batch)
    assert torch.allclose(seen.plain[0], seen.plain[1:], atol=1e-6)
    for view, differ in ((seen.nodes, (1, 2)), (seen.edges, (1, 3)), (seen.both, (2, 3))):
        assert not torch.allclose(view[differ[0]], view[differ[1]], atol=1e-4)
    assert torch.allclose(seen.nodes[1], seen.nodes[3], atol=1e-6)
    assert torch.allclose(seen.edges[1], seen.edges[2], atol=1e-6)


def test_codes_are_signs_and_none_for_no_label() -> None:
    keys = torch.tensor([0, 5, 5, 2**62 + 1, 1])
    one, salted = codes(keys, 0), codes(keys, 7)
    assert one.shape == (5, CODE)
    assert not one[0].any()
    assert not salted[0].any()
    assert torch.equal(one[1], one[2])
    assert (one[1:].abs() == 1).all()
    assert not torch.equal(one, salted)
    many = codes(torch.randint(2**62, (4_000,), generator=torch.Generator().manual_seed(0)), 0)
    assert (many.double().mean(0).abs() < 0.06).all()
    assert 230 <= len(torch.unique(many, dim=0)) <= 256


def learnable(costs: EditCosts = LABELLED) -> PairData:
    ends = [(i, j) for i in range(len(GRAPHS)) for j in range(i)]
    distances = [gx.ged(GRAPHS[i], GRAPHS[j], costs=costs).distance for i, j in ends]
    return pair_data(GRAPHS, ends, distances, kind=Bracket)


@pytest.mark.parametrize("costs", [STRUCTURE, LABELLED], ids=["structure", "labels"])
def test_it_learns_and_every_weight_takes_part(costs: EditCosts) -> None:
    data, model, seen = learnable(costs), tiny(dropout=0.0, expansions=1), []
    data = data.with_evidence(model, cost_tensor(costs))
    assert data.evidence is not None
    assert int((data.evidence[:, UPPER] > data.evidence[:, LOWER]).sum()) > 5
    model.train()
    loss, penalty = model.distances_and_penalty(data.graphs, data.ends, cost_tensor(costs), data.evidence)
    assert penalty == 0
    loss.sum().backward()
    for name, weight in model.named_parameters():
        assert weight.grad is not None, name
        still = costs is STRUCTURE and name == "encoder.edges.weight"  # labels of edges cost nothing there
        assert bool(weight.grad.any()) != still, name
    fit(model, data, data, cost_tensor(costs), TrainConfig(learning_rate=0.01, max_epochs=40), report=seen.append)
    assert seen[-1].loss < seen[0].loss / 2


def test_training_sees_labels_under_other_codes_each_time() -> None:
    model, batch = tiny(dropout=0.0).train(), Bracket.batch(GRAPHS, ())
    with torch.no_grad():
        first, again = model.encode(batch), model.encode(batch)
    assert not torch.equal(first.nodes, again.nodes)
    assert torch.equal(first.plain, again.plain)


def test_a_run_is_loaded_from_its_folder(tmp_path: Path) -> None:
    data = learnable()
    config, costs = TrainConfig(max_epochs=2), cost_tensor(LABELLED)
    done = fit(tiny(), data, data, costs, config, folder=tmp_path / "run", about={"costs": list(astuple(LABELLED))})
    model = gx.load_model(tmp_path / "run")
    assert (model.name, model.costs, model.vocabulary) == ("bracket", LABELLED, ())
    assert model.model.config == done.model.config
    pairs = [(GRAPHS[i], GRAPHS[j]) for i, j in data.ends.tolist()]
    # Two batches of the same pairs may add up single precision in another order.
    np.testing.assert_allclose(model.predict(pairs), predict(done.model, data, costs).numpy(), rtol=1e-6)
    assert not np.array_equal(model.predict(pairs), model.predict(pairs, costs=STRUCTURE))


def test_snapped_guesses_are_possible_distances() -> None:
    pairs = [(a, b) for a in GRAPHS for b in GRAPHS]
    model = estimator()
    guesses, nearest = model.predict_and_snap(pairs, costs=STRUCTURE)
    np.testing.assert_array_equal(model.predict(pairs, costs=STRUCTURE), guesses)
    np.testing.assert_array_equal(model.predict(pairs, costs=STRUCTURE, snap=True), nearest)
    assert (np.abs(guesses - nearest) <= 1).all()
    for pair, value in zip(pairs, nearest, strict=True):
        _, upper, step = row(pair, STRUCTURE)[[LOWER, UPPER, STEP]]
        assert step == 2
        assert (upper - value) % 2 == 0
        assert value == int(value)


def test_no_pairs_no_guesses() -> None:
    nothing = tiny()(Bracket.batch(GRAPHS, ()), torch.zeros(0, 2, dtype=torch.int64), torch.zeros(0, 6))
    assert nothing.shape == (0,)
    assert estimator().predict([]).shape == estimator().predict([], snap=True).shape == (0,)
    assert estimator().matrix([], GRAPHS).shape == (0, len(GRAPHS))


def test_graphs_and_costs_that_it_cannot_take_are_refused() -> None:
    model, arrow = estimator(), Graph(2, [(0, 1)], directed=True)
    for ask in (lambda: model.predict([(arrow, arrow)]), lambda: model.prepare([arrow]), lambda: model.matrix([arrow])):
        with pytest.raises(GraphError, match="is directed; the models take undirected graphs"):
            ask()
    with pytest.raises(CostError, match="numbers, not tables"):
        model.predict([(GRAPHS[0], GRAPHS[1])], costs=EditCosts(node_sub={("C", "N"): 1.0}))
    with pytest.raises(ModelError, match=r"structural features; make the batch with Bracket\.batch"):
        predict_pairs(model.model, graph_batch(GRAPHS), torch.tensor([[0, 1]]), cost_tensor(STRUCTURE))
    with pytest.raises(ModelError, match="bracket does not align nodes"):
        model.align(GRAPHS[0], GRAPHS[1])


@pytest.mark.parametrize(
    "setting",
    [
        {"width": 0},
        {"layers": 0},
        {"layers": 10**6},
        {"width": 10**9},
        {"expansions": 0},
        {"expansions": 10**10},
        {"dropout": 1.0},
        {"pooled": 2.5},
        {"features": 3},
    ],
)
def test_settings_that_make_no_sense_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match=next(iter(setting))):
        make("bracket", setting)


def test_settings_survive_json() -> None:
    assert BracketConfig.from_json(BracketConfig(width=7).to_json()) == BracketConfig(width=7)
