"""The numbers of a dataset are those that one would count by hand."""

import json

import numpy as np
import pytest

import graphedx as gx
from datasets.labels.samples import small_dataset
from graphedx import costs as presets
from graphedx.datasets import catalog
from graphedx.datasets.dataset import Dataset


@pytest.fixture
def dataset(tmp_path):
    return small_dataset(tmp_path / "small", 30)


def test_sizes_and_averages(dataset):
    found = gx.datasets.stats(dataset)
    assert [found[key] for key in ("graphs", "train", "val", "test")] == [30, 18, 6, 6]
    assert found["avg_nodes"] == pytest.approx(np.mean([len(graph) for graph in dataset.graphs]))
    assert found["avg_edges"] == pytest.approx(np.mean([graph.num_edges for graph in dataset.graphs]))
    assert found["pairs"] == {"train": 171, "val": 21, "test": 21}
    assert (found["avg_ged"], found["ged"], found["paper"]) == (None, {}, None)
    json.dumps(found)


def test_the_average_distance_is_over_all_pairs_of_all_labelled_splits(dataset):
    gx.datasets.label(dataset, presets.UNIFORM, splits=["val", "test"], progress=False)
    found = gx.datasets.stats(dataset)

    def distance(pair):
        return gx.ged(*(dataset.graphs[i] for i in pair), costs=presets.UNIFORM).distance

    truth = {split: [*map(distance, dataset.pairs(split))] for split in ("val", "test")}
    assert found["avg_ged"] == pytest.approx(np.mean([*truth["val"], *truth["test"]]))
    assert found["ged"]["uniform"]["val"] == {
        "pairs": 21, "proven": 21, "avg_ged": pytest.approx(np.mean(truth["val"])), "max_ged": max(truth["val"]),
    }  # fmt: skip
    assert set(found["ged"]) == {"uniform", "non-uniform", "edge-only"}
    assert set(found["ged"]["uniform"]) == {"val", "test", "all"}
    json.dumps(found)


def test_other_costs_are_listed_by_their_numbers(dataset):
    gx.datasets.label(dataset, gx.EditCosts(2, 2, 1, 1, 1, 1), splits=["test"], progress=False)
    assert set(gx.datasets.stats(dataset)["ged"]) == {"2,2,1,1,1,1"}


def test_the_papers_row_stands_beside_its_datasets(dataset):
    named = Dataset("linux", dataset.graphs, dataset.sizes)
    assert gx.datasets.stats(named)["paper"] == catalog.get("linux").paper._asdict()


def test_a_folder_will_do_for_a_dataset(dataset):
    gx.datasets.label(dataset.folder, presets.UNIFORM, splits="test", progress=False)
    assert gx.datasets.stats(dataset.folder) == gx.datasets.stats(dataset)
    assert len(gx.datasets.labels(dataset.folder, "test", presets.UNIFORM)) == 21
    assert [one.problems for one in gx.datasets.verify(str(dataset.folder), progress=False)] == [()]
