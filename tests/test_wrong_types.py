"""Whatever is given to the public functions: what is wrong with it is said in the project's own errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import graphedx as gx
from graphedx.errors import GraphEdXError, PathError
from models.bracket_samples import estimator

A, B = gx.Graph(3, [(0, 1), (1, 2)], name="a"), gx.Graph(2, [(0, 1)], name="b")
STRUCTURE = gx.EditCosts(1, 1, 1, 1, 0, 0)
NOTHING_GOOD: tuple[Any, ...] = (7, 2.5, True, 1j, b"x", object(), int, lambda: 0, {"a": 1}, {1}, [1, "x"], np.zeros(3))
QUIET = {"progress": False, "workers": 1}

CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any], tuple[str, ...]]] = {
    # name -> (function, arguments that are right, those of them that are to be wrong, one at a time)
    "ged": (
        gx.ged,
        {"source": A, "target": B, "costs": STRUCTURE, "method": "auto"},
        ("source", "target", "costs", "method"),
    ),
    "distance_matrix": (
        gx.distance_matrix,
        {"graphs": [A, B], "others": [A], "costs": STRUCTURE, "method": "auto", **QUIET},
        ("graphs", "others", "costs", "method", "engine", "resume"),
    ),
    "build": (gx.GraphIndex.build, {"graphs": [A, B]}, ("graphs", "ids")),
    "search": (gx.GraphIndex.build([A, B]).search, {"query": A}, ("query", "costs")),
    "range": (gx.GraphIndex.build([A, B]).range, {"query": A, "radius": 1}, ("query", "costs")),
    "add": (gx.GraphIndex.build([A]).add, {"graphs": [B]}, ("graphs", "ids")),
    "remove": (gx.GraphIndex.build([B]).remove, {}, ("ids",)),
    "save an index": (gx.GraphIndex.build([A]).save, {}, ("path",)),
    "load an index": (gx.GraphIndex.load, {}, ("path",)),
    "load a matrix": (gx.DistanceMatrix.load, {}, ("path",)),
    "load_model": (gx.load_model, {}, ("folder",)),
    "predict": (estimator().predict, {"pairs": [(A, B)]}, ("pairs", "costs")),
    "matrix": (estimator().matrix, {"graphs": [A]}, ("graphs", "others", "costs")),
    "prepare graphs": (estimator().prepare, {}, ("graphs",)),
    "prepare": (gx.datasets.prepare, {"name": "alkanes", "progress": False}, ("name", "out", "sha256")),
    "prepare files": (gx.datasets.prepare, {"name": "mine", "progress": False}, ("source",)),
    "from_graphs": (gx.datasets.from_graphs, {"graphs": [A], "name": "mine"}, ("graphs", "name")),
    "load a dataset": (gx.datasets.load, {}, ("folder",)),
    "label": (gx.datasets.label, {"dataset": "nowhere", "costs": STRUCTURE, **QUIET}, ("dataset",)),
    "read": (gx.read, {}, ("path",)),
    "write": (gx.write, {"graphs": A, "path": "a.json"}, ("graphs", "path", "format")),
    "costs": (gx.EditCosts.parse, {}, ("text",)),
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("call", "argument"), [(call, argument) for call, (*_, wrong) in CALLS.items() for argument in wrong]
)
def test_what_is_wrong_is_said_in_our_words(call, argument):
    function, right, _ = CALLS[call]
    for value in NOTHING_GOOD:
        with pytest.raises(GraphEdXError) as caught:
            function(**right | {argument: value})
        assert len(str(caught.value)) > 20


@pytest.mark.parametrize("function", [gx.read, gx.read_all, gx.load_model, gx.GraphIndex.load, gx.datasets.load])
def test_what_is_no_path_says_what_would_be_one(function):
    for value, name in ((None, "NoneType"), (7, "int"), (b"a", "bytes")):
        with pytest.raises(PathError, match=f"a path is a str or a pathlib.Path, got {name}"):
            function(value)
    assert issubclass(PathError, TypeError)


def test_a_dataset_with_labels_takes_no_other_splits_and_engines(tmp_path):
    dataset = gx.datasets.from_graphs([A, B], "two").save(tmp_path / "two")
    for splits in (None, 7, object()):
        with pytest.raises(GraphEdXError, match="splits must be some of train, val, test, got"):
            gx.datasets.label(dataset, STRUCTURE, splits=splits, **QUIET)
    for engine in (None, 7, object(), int):
        with pytest.raises(GraphEdXError, match="engine must be 'local', 'ray' or an Engine, got"):
            gx.datasets.label(dataset, STRUCTURE, engine=engine, progress=False)
    assert not (tmp_path / "two" / "labels").exists()


def test_a_checkpoint_has_a_name_that_a_file_can_have():
    with pytest.raises(GraphEdXError, match="null byte"):
        gx.distance_matrix([A, B], resume="a\0b", **QUIET)
