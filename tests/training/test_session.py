"""From a labelled dataset to a model."""

from dataclasses import replace

import pytest
import torch

import graphedx as gx
from datasets.labels.samples import small_dataset
from graphedx.costs import LABELLED, UNIFORM
from graphedx.errors import CostError, DatasetError, ModelError
from graphedx.training import TrainConfig, train
from graphedx.training.session import most_nodes

QUICK = TrainConfig(max_epochs=1)


@pytest.fixture
def small(tmp_path):
    dataset = small_dataset(tmp_path / "small", 30)
    gx.datasets.label(dataset, [UNIFORM, LABELLED], splits=["train", "val"])
    return dataset


def test_sizes_come_from_the_dataset(small):
    done = train(small, UNIFORM, config=QUICK)
    assert (done.model.config.max_nodes, done.model.config.features) == (most_nodes(small), 1)
    assert train(small, LABELLED, config=QUICK).model.config.features == 3
    assert train(small, UNIFORM, config=QUICK, settings={"max_nodes": 9}).model.config.max_nodes == 9


def test_edge_lists_are_padded_to_the_most_edges_of_the_dataset(small):
    most = max(graph.num_edges for graph in small.graphs)
    assert train(small, UNIFORM, model="isonet", config=QUICK).model.config.max_edges == most
    given = {"max_edges": 3}
    assert train(small, UNIFORM, model="isonet", config=QUICK, settings=given).model.config.max_edges == 3


def test_the_rule_of_the_dataset_counts_not_the_graphs_that_happen_to_be_there(tmp_path):
    graphs = [gx.Graph(n) for n in range(1, 6)]
    assert most_nodes(gx.datasets.from_graphs(graphs, "paths", max_nodes=20)) == 20
    made = gx.datasets.from_graphs(graphs, "paths")
    assert most_nodes(made) == 5
    assert most_nodes(replace(made, provenance={"rules": None})) == 5


def test_the_seed_makes_the_first_weights_too(small):
    def weights(seed: int) -> list[bytes]:
        torch.rand(1)
        done = train(small, UNIFORM, config=TrainConfig(max_epochs=1, seed=seed))
        return [tensor.numpy().tobytes() for tensor in done.model.state_dict().values()]

    assert weights(1) == weights(1) != weights(2)


def test_threads_are_given_back(small):
    train(small, UNIFORM, config=QUICK, threads=2)
    assert torch.get_num_threads() == 1


def test_what_cannot_be_trained_on_is_refused(small, tmp_path):
    with pytest.raises(DatasetError, match="run: graphedx label"):
        train(small_dataset(tmp_path / "other", 30), UNIFORM)
    with pytest.raises(CostError, match="numbers"):
        train(small, gx.EditCosts(node_del={"a": 1.0}))
    for settings, says in (
        ({"max_nodes": 2}, "max_nodes must be at least 6, .* got 2"),
        ({"features": 7}, "features must be 1, .* got 7; leave it out"),
        ({"depth": 2}, "no setting 'depth'"),
    ):
        with pytest.raises(ModelError, match=says):
            train(small, UNIFORM, config=QUICK, settings=settings, folder=tmp_path / "run")
        assert not (tmp_path / "run").exists()
