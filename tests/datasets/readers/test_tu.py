"""TU sets as they come out of an archive."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphedx import io
from graphedx.datasets.readers import tu, yeast
from graphedx.errors import DatasetError, FormatError
from graphedx.graph import Graph

GRAPHS = [
    Graph(3, [(0, 1), (1, 2)], node_labels=[0, 1, 0], edge_labels=[2, 1]),
    Graph(1, node_labels=[7]),
    Graph(2, [(0, 1)], node_labels=[7, 7], edge_labels=[0]),
]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "deep").mkdir()
    io.write(GRAPHS, tmp_path / "deep" / "AIDS", format="tu")
    return tmp_path


def test_the_set_is_found_below_the_folder(source: Path) -> None:
    (source / "__MACOSX").mkdir()
    (source / "__MACOSX" / "AIDS_A.txt").touch()
    (source / "deep" / "._AIDS_A.txt").touch()
    graphs = list(tu.read(source))
    assert graphs == GRAPHS
    assert [graph.name for graph in graphs] == ["AIDS-1", "AIDS-2", "AIDS-3"]


def test_graphs_come_one_at_a_time_and_nodes_may_lie_apart(tmp_path: Path) -> None:
    (tmp_path / "X_graph_indicator.txt").write_text("2\n1\n2\n1\n")
    (tmp_path / "X_A.txt").write_text("4, 2\n1, 3\n2, 4\n")
    (tmp_path / "X_node_labels.txt").write_text("10\n20\n30\n40\n")
    graphs = tu.read(tmp_path)
    assert next(graphs) == Graph(2, [(0, 1)], node_labels=[20, 40])
    assert next(graphs) == Graph(2, [(0, 1)], node_labels=[10, 30])


def test_yeast_is_a_tu_set_if_there_is_one(source: Path) -> None:
    (source / "other.smi").write_text("C\n")
    assert list(yeast.read(source)) == GRAPHS


def test_what_is_no_tu_set_is_refused(source: Path) -> None:
    (source / "empty").mkdir()
    with pytest.raises(DatasetError, match=r"empty: a TU set is a folder with one NAME_A\.txt, here are none"):
        list(tu.read(source / "empty"))
    with pytest.raises(DatasetError, match=r"nowhere: no such file or folder"):
        list(tu.read(source / "nowhere"))
    (source / "B_A.txt").touch()
    with pytest.raises(DatasetError, match=r"here are 2: AIDS_A\.txt, B_A\.txt"):
        list(tu.read(source))


def test_a_damaged_set_is_named(source: Path) -> None:
    (source / "deep" / "AIDS" / "AIDS_graph_indicator.txt").unlink()
    with pytest.raises(FormatError, match=r"deep/AIDS: AIDS_graph_indicator\.txt: no such file"):
        list(tu.read(source))
    (source / "deep" / "AIDS" / "AIDS_graph_indicator.txt").write_text("1\n" * 5)
    with pytest.raises(FormatError, match=r"deep/AIDS: AIDS_node_labels\.txt: has 6 lines for 5 nodes"):
        list(tu.read(source))


def test_numbers_beyond_64_bits_are_refused(source: Path) -> None:
    (source / "deep" / "AIDS" / "AIDS_node_labels.txt").write_text(f"{2**64}\n" * 6)
    with pytest.raises(FormatError, match=r"AIDS_node_labels\.txt: line 1 must hold numbers"):
        list(tu.read(source))
