"""GML, where ``label`` names the node."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest

from graphedx import io
from graphedx.convert import from_networkx
from graphedx.errors import FormatError
from graphedx.graph import Graph


def read(tmp_path: Path, text: str, **options: object) -> Graph:
    (tmp_path / "a.gml").write_text(text)
    return io.read(tmp_path / "a.gml", **options)


def test_networkx_reads_what_we_write(tmp_path: Path) -> None:
    graph = Graph("abc", [("a", "b"), ("b", "c")], node_labels=["C", "C", 1e30], edge_labels=[7, 'say "é"'], name="g")
    io.write(graph, tmp_path / "a.gml")
    theirs = nx.read_gml(tmp_path / "a.gml")
    assert from_networkx(theirs, node_label="node_label") == graph
    assert theirs.graph["name"] == "g"


def test_we_read_what_networkx_writes(tmp_path: Path) -> None:
    theirs = nx.DiGraph()
    theirs.add_node("first", chem="C")
    theirs.add_node("second", chem="O")
    theirs.add_edge("first", "second", label="double")
    nx.write_gml(theirs, tmp_path / "a.gml")
    assert io.read(tmp_path / "a.gml", node_label="chem") == from_networkx(theirs, node_label="chem")
    assert io.read(tmp_path / "a.gml") == from_networkx(theirs)


def test_a_label_that_repeats_cannot_name_nodes_and_the_way_out_is_told(tmp_path: Path) -> None:
    text = 'graph [ node [ id 3 label "C" ] node [ id 4 label "C" ] edge [ source 3 target 4 ] ]'
    with pytest.raises(FormatError, match=r"nodes 3 and 4 share the GML label 'C'.*node_label=.label."):
        read(tmp_path, text)
    graph = read(tmp_path, text, node_label="label")
    assert (graph.nodes, graph.node_labels) == ((3, 4), ("C", "C"))


def test_nodes_without_a_label_are_named_by_id(tmp_path: Path) -> None:
    assert read(tmp_path, 'graph [ node [ id 3 ] node [ id 4 label "x" ] ]').nodes == (3, 4)


def test_a_key_given_several_times_is_a_tuple(tmp_path: Path) -> None:
    assert read(tmp_path, "graph [ node [ id 0 z 1 z 2 ] ]", node_label="z").node_labels == ((1, 2),)


def test_utf8_is_read_although_gml_is_ascii(tmp_path: Path) -> None:
    (tmp_path / "a.gml").write_text('graph [ node [ id 0 label "é" ] ]', encoding="utf-8")
    assert io.read(tmp_path / "a.gml").nodes == ("é",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("graph [ node [ id 0 ] edge [ source 0 target 0 ] ]", "self-loop at node 0"),
        ("graph [ node [ id 0 ] edge [ source 0 target 1 ] ]", "undefined target 1"),
        ("graph [ node [ id 0 ] node [ id 0 ] ]", "node id 0 is duplicated"),
        ("graph [ node [ id 0 ", "is not GML"),
        ("graph [ ] graph [ ]", "more than one graph"),
        ("hello", "is not GML"),
        (
            "graph [ multigraph 1 node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] edge [ source 1 target 0 ] ]",
            "there twice",
        ),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=rf"a\.gml: .*{message}"):
        read(tmp_path, text)
