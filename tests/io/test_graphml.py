"""GraphML, ours, networkx's and yEd's."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest

from graphedx import io
from graphedx.convert import from_networkx
from graphedx.errors import FormatError
from graphedx.graph import Graph

MIXED = Graph(
    "abc",
    [("a", "b"), ("b", "c")],
    node_labels=["C", 6, None],
    edge_labels=[True, 0.5],
    directed=True,
    name="mixed <&>",
)


def test_networkx_reads_what_we_write(tmp_path: Path) -> None:
    io.write(MIXED, tmp_path / "a.graphml")
    assert from_networkx(nx.read_graphml(tmp_path / "a.graphml")) == MIXED


def test_we_read_what_networkx_writes(tmp_path: Path) -> None:
    theirs = nx.DiGraph(name="theirs")
    theirs.add_node("a", label="C", charge=-1)
    theirs.add_node("b", label=6)
    theirs.add_edge("a", "b", label=1.5, bond=True)
    nx.write_graphml(theirs, tmp_path / "a.graphml")
    assert io.read(tmp_path / "a.graphml") == from_networkx(theirs)
    chosen = io.read(tmp_path / "a.graphml", node_label=("label", "charge"), edge_label="bond")
    assert chosen.node_labels == (("C", -1), (6, None))
    assert chosen.edge_labels == (True,)


def read(tmp_path: Path, body: str) -> Graph:
    (tmp_path / "a.graphml").write_text(f"<graphml>{body}</graphml>")
    return io.read(tmp_path / "a.graphml")


def test_defaults_count_where_nothing_is_said(tmp_path: Path) -> None:
    key = '<key id="k" for="node" attr.name="label" attr.type="int"><default>7</default></key>'
    graph = read(tmp_path, f'{key}<graph><node id="a"/><node id="b"><data key="k">8</data></node></graph>')
    assert graph.node_labels == (7, 8)


def test_labels_that_yed_keeps_in_the_drawing_are_found(tmp_path: Path) -> None:
    key = '<key id="d" for="node" yfiles.type="nodegraphics"/>'
    drawing = (
        '<data key="d"><y:ShapeNode xmlns:y="http://www.yworks.com"><y:NodeLabel>C</y:NodeLabel></y:ShapeNode></data>'
    )
    assert read(tmp_path, f'{key}<graph><node id="a">{drawing}</node></graph>').node_labels == ("C",)


def test_whole_number_names_become_ints_if_all_are(tmp_path: Path) -> None:
    assert read(tmp_path, '<graph><node id="0"/><node id="7"/><edge source="0" target="7"/></graph>').nodes == (0, 7)
    assert read(tmp_path, '<graph><node id="0"/><node id="07"/></graph>').nodes == ("0", "07")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('<graph><node id="a"/><edge source="a" target="b"/></graph>', "names 'b', which is not a node"),
        ("<graph><node/></graph>", "<node> element without 'id'"),
        ('<graph><node id="a"/><node id="a"/></graph>', "'a' is listed twice"),
        ('<graph><node id="a"/><edge source="a" target="a"/></graph>', "self-loop at node 'a'"),
        ('<graph><node id="a"><data key="k">1</data></node></graph>', "key 'k', which is not declared"),
        ('<graph id="g"><node id="a"><graph/></node></graph>', "node 'a' holds a graph"),
        ("<graph><hyperedge/></graph>", "hyperedge"),
        (
            '<graph><node id="a"/><node id="b"/><edge source="a" target="b" directed="true"/></graph>',
            r"edge \('a', 'b'\) is directed",
        ),
        (
            '<key id="k" for="node" attr.name="label" attr.type="int"/>'
            '<graph><node id="a"><data key="k">x</data></node></graph>',
            "'label' of node 'a' must be a whole number, got 'x'",
        ),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(FormatError, match=rf"a\.graphml: .*{message}"):
        read(tmp_path, body)


def test_another_kind_of_xml_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.graphml").write_text("<html/>")
    with pytest.raises(FormatError, match="must be <graphml>, got <html>"):
        io.read(tmp_path / "a.graphml")
