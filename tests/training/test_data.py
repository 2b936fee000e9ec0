"""Pairs to learn from: costs and evidence of each where they differ, and several sources as one."""

from dataclasses import replace

import pytest
import torch

from graphedx.errors import ModelError
from graphedx.training import PairData, TrainConfig, fit
from graphedx.training.data import joined, pair_data
from training.samples import COSTS, bracket_data, tiny_bracket, tiny_config, tiny_data, tiny_graphs


def test_costs_and_evidence_go_with_their_pairs():
    model = tiny_bracket()
    data = bracket_data().with_evidence(model, COSTS)
    chosen = torch.tensor([17, 2, 30, 2])
    graphs, places, costs, evidence = data.batch(chosen, COSTS)
    assert torch.equal(costs, data.costs[chosen])
    assert torch.equal(evidence, data.evidence[chosen])
    assert torch.equal(graphs.sizes[places], data.graphs.sizes[data.ends[chosen]])
    assert torch.equal(model.evidence(graphs, places, costs), evidence)


def test_without_costs_of_their_own_pairs_have_those_of_the_run():
    _, _, costs, evidence = tiny_data().batch(torch.tensor([1]), COSTS)
    assert costs is COSTS
    assert evidence is None
    assert torch.equal(bracket_data().to("cpu").costs, bracket_data().costs)


def test_the_costs_of_each_pair_are_learned_from_not_those_of_the_run():
    def errors(costs, train):
        found = []
        fit(tiny_bracket(), train, bracket_data(3, 5), costs, tiny_config(max_epochs=1), report=found.append)
        return [(epoch.loss, epoch.validation) for epoch in found]

    train = bracket_data()
    assert errors(COSTS, train) == errors(9 * COSTS, train)
    assert errors(COSTS, replace(train, costs=9 * train.costs, evidence=None)) != errors(COSTS, train)


def test_evidence_that_is_there_is_not_asked_for_again(monkeypatch):
    model, asked = tiny_bracket(), []
    evidence = type(model).evidence
    monkeypatch.setattr(type(model), "evidence", lambda *given: asked.append(len(given[2])) or evidence(*given))
    train, validation = bracket_data(), bracket_data(3, 5)
    fit(model, train, validation, COSTS, tiny_config(max_epochs=3))
    assert asked == [len(train), len(validation)]
    fit(model, train.with_evidence(model, COSTS), validation, COSTS, tiny_config(max_epochs=1))
    assert asked == [len(train), len(validation)] * 2


def test_sources_are_joined_one_after_the_other():
    plain = tiny_data(3, 1), tiny_data(2, 2)
    assert joined(plain).costs is None
    one, other = (priced(data, factor * COSTS) for data, factor in zip(plain, (1, 2), strict=True))
    both = joined([one, other])
    assert torch.equal(both.ends, torch.cat([one.ends, other.ends + 3]))
    assert torch.equal(both.graphs.sizes, torch.cat([one.graphs.sizes, other.graphs.sizes]))
    assert torch.equal(both.costs, torch.stack([COSTS] * len(one) + [2 * COSTS] * len(other)))


def priced(data, costs):
    return PairData(data.graphs, data.ends, data.distances, costs.expand(len(data), 6))


def test_parts_that_do_not_fit_are_refused():
    data = tiny_data(2)
    with pytest.raises(ModelError, match="3 pairs need as many distances, got 2"):
        pair_data(tiny_graphs(2, 0), [(0, 0), (0, 1), (1, 1)], [0.0, 1.0])
    for costs in (torch.zeros(2, 6), torch.zeros(6), torch.zeros(3, 4)):
        with pytest.raises(ModelError, match="3 pairs need as many rows of six costs"):
            PairData(data.graphs, data.ends, data.distances, costs)
    with pytest.raises(ModelError, match="3 pairs need as many rows of evidence, got 1"):
        PairData(data.graphs, data.ends, data.distances, None, torch.zeros(1, 10))


def test_the_rate_of_a_cycle_rises_and_falls_to_nothing():
    config = TrainConfig(learning_rate=2.0, max_epochs=10, one_cycle=True)
    rates = [config.rate(epochs) for epochs in (0, 1, 2, 3, 5, 8, 10)]
    assert rates[0] == pytest.approx(0.08)
    assert rates[3] == max(rates) == pytest.approx(2)
    assert rates[:4] == sorted(rates[:4])
    assert rates[3:] == sorted(rates[3:], reverse=True)
    assert rates[-1] == config.rate(11) == pytest.approx(0)
    assert TrainConfig(learning_rate=2.0).rate(5) == 2.0


def test_a_cycle_needs_an_end():
    with pytest.raises(ModelError, match=r"a cycle needs an end: set max_epochs .* to at most 10,000"):
        TrainConfig(one_cycle=True)
