"""GXL, as the IAM collections write it."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphedx import io
from graphedx.errors import FormatError
from graphedx.graph import Graph

MOLECULE = """<?xml version="1.0"?>
<gxl>
<graph id="molecule_1" edgeids="true" edgemode="undirected">
<node id="1"><attr name="chem"><string>C</string></attr></node>
<node id="2"><attr name="chem"><string>N</string></attr>
<attr name="xy"><tup><float>0.5</float><int>2</int></tup></attr></node>
<edge from="1" to="2"><attr name="valence"><int>3</int></attr></edge>
</graph>
</gxl>
"""


def read(tmp_path: Path, text: str, **options: object) -> Graph:
    (tmp_path / "a.gxl").write_text(text)
    return io.read(tmp_path / "a.gxl", **options)


def test_collections_are_read_with_their_own_attributes(tmp_path: Path) -> None:
    graph = read(tmp_path, MOLECULE, node_label="chem", edge_label="valence")
    assert graph == Graph([1, 2], [(1, 2)], node_labels=["C", "N"], edge_labels=[3])
    assert graph.name == "molecule_1"


def test_several_attributes_make_a_tuple(tmp_path: Path) -> None:
    assert read(tmp_path, MOLECULE, node_label=["chem", "xy"]).node_labels == (("C", None), ("N", (0.5, 2)))


def test_without_an_edge_mode_edges_are_directed_as_the_standard_has_it(tmp_path: Path) -> None:
    assert read(tmp_path, '<gxl><graph id="g"/></gxl>').directed
    assert not read(tmp_path, '<gxl><graph id="g" edgemode="defaultundirected"/></gxl>').directed


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('<node id="1"/><edge from="1" to="2"/>', "graph 'g': edge .*names '2'"),
        ('<node id="1"/><edge from="1"/>', "<edge> element without 'to'"),
        ('<node id="1"><graph id="h"/></node>', "node '1' holds a graph"),
        ('<node id="1"><attr name="x"/></node>', "'x' of node '1' must have one value"),
        ('<node id="1"><attr name="x"><int>1.5</int></attr></node>', "'x' of node '1' must be a whole number"),
        ('<node id="1"/><node id="2"/><edge from="1" to="2"/><edge from="2" to="1"/>', r"edge \(2, 1\) is there twice"),
        ('<node id="1"/><node id="2"/><edge from="1" to="2" isdirected="true"/>', "mixed"),
        ("<rel/>", "<rel>"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(FormatError, match=rf"a\.gxl: .*{message}"):
        read(tmp_path, f'<gxl><graph id="g" edgemode="undirected">{body}</graph></gxl>')
