"""LINUX as GEXF and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphedx import io
from graphedx.datasets.readers import linux
from graphedx.errors import DatasetError, FormatError
from graphedx.graph import Graph

GRAPHS = {
    "train": {3: Graph(3, [(0, 2), (1, 2)]), 20: Graph(2, [(0, 1)]), 100: Graph(1)},
    "test": {7: Graph(4, [(0, 1), (0, 2), (0, 3)])},
}
NAMES = ["train-3", "train-20", "train-100", "test-7"]


def saved(folder: Path, ending: str) -> Path:
    for split, graphs in GRAPHS.items():
        (folder / "LINUX" / split).mkdir(parents=True)
        for number, graph in graphs.items():
            path = folder / "LINUX" / split / f"{number}{ending}"
            if ending == ".json":
                edges = [list(edge) for edge in graph.edges]
                path.write_text(json.dumps({"n": len(graph), "m": len(edges), "labels": None, "graph": edges}))
            else:
                io.write(graph, path)
    (folder / "LINUX" / "train" / "._3.gexf").touch()  # what a Mac leaves in archives
    (folder / "LINUX" / "properties.json").write_text("{}")
    return folder


@pytest.mark.parametrize("ending", [".gexf", ".json", ".gexf.gz"])
def test_train_comes_before_test_each_by_increasing_id(tmp_path: Path, ending: str) -> None:
    graphs = list(linux.read(saved(tmp_path, ending)))
    assert graphs == [graph for split in GRAPHS.values() for graph in split.values()]
    assert graphs[0].edge_index == ((0, 2), (1, 2))
    assert [graph.name for graph in graphs] == NAMES


def test_labels_are_not_read(tmp_path: Path) -> None:
    folder = saved(tmp_path, ".gexf")
    io.write(Graph(1, node_labels=["C"]), folder / "LINUX" / "test" / "8.gexf")
    assert list(linux.read(folder))[-1].node_labels == (None,)


def test_what_is_not_linux_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"LINUX is a folder with train/ID\.gexf"):
        linux.read(tmp_path)
    with pytest.raises(DatasetError, match=r"a\.gexf: LINUX is a folder"):
        (tmp_path / "a.gexf").touch()
        linux.read(tmp_path / "a.gexf")
    folder = saved(tmp_path / "one", ".gexf")
    (folder / "LINUX" / "test" / "7.gexf").unlink()
    with pytest.raises(DatasetError, match="folders train and test, but test is not there"):
        list(linux.read(folder))
    (folder / "LINUX" / "test" / "seven.gexf").touch()
    with pytest.raises(DatasetError, match=r"seven\.gexf: the files of LINUX are named by numbers"):
        list(linux.read(folder))


def test_two_sets_are_refused(tmp_path: Path) -> None:
    saved(tmp_path / "one", ".gexf")
    saved(tmp_path / "two", ".gexf")
    with pytest.raises(DatasetError, match="holds two sets: 6 files in folders train, of 3 ids"):
        list(linux.read(tmp_path))


@pytest.mark.parametrize("content", [b"", b"<gexf", b'{"n": 1'])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    folder = saved(tmp_path, ".gexf")
    (folder / "LINUX" / "train" / "20.gexf").write_bytes(content)
    graphs = linux.read(folder)
    next(graphs)
    with pytest.raises(FormatError, match=r"train/20\.gexf: "):
        next(graphs)
