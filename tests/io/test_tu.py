"""TU Dortmund folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphedx import io
from graphedx.errors import FormatError, OutputError
from graphedx.graph import Graph

FILES = {
    "A": "1, 2\n2, 1\n2,3\n3,2\n4, 5\n5, 4\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "node_labels": "0\n1\n0\n2\n2\n",
    "edge_labels": "7\n7\n8\n8\n9\n9\n",
    "node_attributes": "0.5, 1\n1, 1\n2, 1\n3, 1\n4, 1\n",
}


def saved(folder: Path, **changes: str | None) -> Path:
    (folder / "SET").mkdir()
    for suffix, text in {**FILES, **changes}.items():
        if text is not None:
            (folder / "SET" / f"SET_{suffix}.txt").write_text(text)
    return folder / "SET"


def test_graphs_are_cut_apart_and_directions_merged(tmp_path: Path) -> None:
    one, two = io.read_all(saved(tmp_path))
    assert one == Graph(3, [(0, 1), (1, 2)], node_labels=[0, 1, 0], edge_labels=[7, 8])
    assert two == Graph(2, [(0, 1)], node_labels=[2, 2], edge_labels=[9])
    assert (one.name, two.name) == ("SET-1", "SET-2")


def test_attributes_can_be_the_label(tmp_path: Path) -> None:
    folder = saved(tmp_path)
    assert io.read_all(folder, node_label="attributes")[1].node_labels == ((3, 1), (4, 1))
    assert io.read_all(folder, node_label=("label", "attributes"))[1].node_labels == ((2, (3, 1)), (2, (4, 1)))
    assert io.read_all(folder, node_label=None, edge_label=None)[0] == Graph(3, [(0, 1), (1, 2)])


def test_label_files_may_be_missing(tmp_path: Path) -> None:
    folder = saved(tmp_path, node_labels=None, edge_labels=None, node_attributes=None)
    assert io.read_all(folder)[1] == Graph(2, [(0, 1)])


def test_directed_sets_keep_both_directions(tmp_path: Path) -> None:
    assert io.read_all(saved(tmp_path), directed=True)[0].num_edges == 4


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"graph_indicator": None}, r"SET_graph_indicator\.txt: no such file"),
        ({"A": "1, x\n"}, r"SET_A\.txt: line 1 must hold numbers.*'1, x'"),
        ({"A": "1, 2, 3\n"}, r"SET_A\.txt: line 1 must hold 2 numbers, got 3"),
        ({"A": "1, 2\n\n2, 1\n"}, r"SET_A\.txt: line 2 must hold numbers"),
        ({"A": FILES["A"].replace("4, 5", "4, 9")}, r"line 5 names a node beyond 1 to 5: 4, 9"),
        ({"A": FILES["A"].replace("4, 5", "4, 1")}, r"line 5 joins nodes of two graphs: 4, 1"),
        ({"A": FILES["A"].replace("4, 5", "4, 4")}, "graph 'SET-2': self-loop"),
        ({"edge_labels": FILES["edge_labels"].replace("8\n8", "8\n9")}, "graph 'SET-1': .*the way back"),
        ({"node_labels": "1\n"}, r"SET_node_labels\.txt: has 1 lines for 5 nodes"),
        ({"graph_indicator": "0\n1\n1\n2\n2\n"}, "numbered from 1"),
        ({"graph_indicator": "1\n1\n1\n2\n6\n"}, "at most the number of nodes, 5"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, changes: dict[str, str | None], message: str) -> None:
    folder = saved(tmp_path, **changes)
    with pytest.raises(FormatError, match=rf"SET: .*{message}"):
        io.read_all(folder)


def test_two_sets_in_one_folder_are_refused(tmp_path: Path) -> None:
    folder = saved(tmp_path)
    (folder / "OTHER_A.txt").touch()
    with pytest.raises(FormatError, match=r"holds one NAME_A\.txt, this one 2"):
        io.read_all(folder)


def test_a_file_is_not_a_tu_folder(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="'tu' is a folder, this is a file"):
        io.read_all(saved(tmp_path) / "SET_A.txt", format="tu")


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (Graph(1, node_labels=["C"]), "whole numbers as node labels .*got 'C'"),
        (Graph(2, node_labels=[1, None]), "got None"),
        (Graph(2, [(0, 1)], edge_labels=[1.5]), "whole numbers as edge labels"),
        (Graph(2, node_labels=[(1, 2), (1, 2, 3)]), r"got \(1, 2, 3\)"),
        (Graph(1, node_labels=[2**63]), "of 64 bits as node labels"),
        (Graph(2, [(0, 1)], edge_labels=[-(10**5000)]), "of 64 bits as edge labels"),
        (Graph(2, node_labels=[(1, 2), (1, 2**63)]), "of 64 bits as node labels"),
        (Graph(0), "graph 1 has no nodes"),
        (Graph(2, [(0, 1)], directed=True), "graph 1 is directed.*use json or graphml"),
    ],
)
def test_graphs_a_tu_folder_cannot_hold_are_refused(tmp_path: Path, graph: Graph, message: str) -> None:
    with pytest.raises(FormatError, match=rf"NEW: .*{message}"):
        io.write(graph, tmp_path / "NEW", format="tu")
    assert list(tmp_path.iterdir()) == []


def test_tuples_of_whole_numbers_are_columns(tmp_path: Path) -> None:
    graph = Graph(2, [(0, 1)], node_labels=[(1, 2), (3, 4)])
    io.write(graph, tmp_path / "NEW", format="tu")
    assert io.read(tmp_path / "NEW") == graph


def test_a_folder_is_replaced_only_when_asked_and_only_if_it_is_a_tu_set(tmp_path: Path) -> None:
    folder = saved(tmp_path)
    with pytest.raises(OutputError, match="overwrite=True"):
        io.write(Graph(1), folder, format="tu")
    io.write(Graph(1), folder, format="tu", overwrite=True)
    assert io.read(folder) == Graph(1)
    (folder / "thesis.tex").touch()
    with pytest.raises(OutputError, match=r"'thesis\.tex', which is not part of a TU set"):
        io.write(Graph(1), folder, format="tu", overwrite=True)
    assert (folder / "thesis.tex").exists()


@pytest.mark.parametrize("name", ["SET_thesis.tex", "SET_A.txt.bak", "SET_", "SET_notes.txt"])
def test_files_that_are_only_named_like_a_tu_set_are_not_replaced(tmp_path: Path, name: str) -> None:
    folder = saved(tmp_path)
    (folder / name).write_text("mine")
    with pytest.raises(OutputError, match="not part of a TU set; it was left as it is"):
        io.write(Graph(1), folder, format="tu", overwrite=True)
    assert (folder / name).read_text() == "mine"


@pytest.mark.parametrize("name", ["SET_backup", "SET_graph_labels.txt"])
def test_folders_and_links_inside_are_not_replaced(tmp_path: Path, name: str) -> None:
    folder = saved(tmp_path)
    (folder / name).mkdir()
    with pytest.raises(OutputError, match="not part of a TU set"):
        io.write(Graph(1), folder, format="tu", overwrite=True)
    (folder / name).rmdir()
    (folder / name).symlink_to(folder / "SET_A.txt")
    with pytest.raises(OutputError, match="not part of a TU set"):
        io.write(Graph(1), folder, format="tu", overwrite=True)
    assert (folder / name).is_symlink()
