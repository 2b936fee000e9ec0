"""A model is compared with the labels of a split."""

import numpy as np
import pytest

import graphedx as gx
from datasets.labels.samples import small_dataset
from graphedx.costs import UNIFORM
from graphedx.errors import DatasetError, ModelError, NotProvenError
from graphedx.evaluation import errors, evaluate
from matrix.samples import hard_graphs


class Counts:
    """Guesses from the numbers of nodes and edges alone."""

    costs = UNIFORM

    def predict(self, pairs, *, costs=None):
        return np.array([abs(len(a) - len(b)) + abs(a.num_edges - b.num_edges) for a, b in pairs], dtype=float)


def test_pairs_and_labels_belong_together(tmp_path):
    dataset = small_dataset(tmp_path / "small", 30)
    gx.datasets.label(dataset, UNIFORM, splits=["test"])
    truth = [
        gx.ged(dataset.graphs[i].unlabelled(), dataset.graphs[j].unlabelled(), costs=UNIFORM).distance
        for i, j in dataset.pairs("test")
    ]
    guesses = Counts().predict([(dataset.graphs[i], dataset.graphs[j]) for i, j in dataset.pairs("test")])
    assert evaluate(Counts(), tmp_path / "small") == errors(guesses, truth)


def test_a_split_that_cannot_be_used_is_refused(tmp_path):
    dataset = small_dataset(tmp_path / "small", 30)
    with pytest.raises(DatasetError, match=r"run: graphedx label .* --split val"):
        evaluate(Counts(), dataset, "val")
    with pytest.raises(DatasetError, match="no split 'dev'"):
        evaluate(Counts(), dataset, "dev")
    lonely = gx.datasets.from_graphs([gx.Graph(1)], "one").save(tmp_path / "one")
    empty = next(split for split in gx.datasets.SPLITS if not lonely.pair_count(split))
    with pytest.raises(ModelError, match=f"{empty} of one has no pairs"):
        evaluate(Counts(), lonely, empty)
    hard = gx.datasets.from_graphs(hard_graphs(4, 34), "hard").save(tmp_path / "hard")
    gx.datasets.label(hard, UNIFORM, splits=["train"], time_limit=0.05)
    with pytest.raises(NotProvenError, match="not proven"):
        evaluate(Counts(), hard, "train")
