"""GEXF, as Gephi, networkx and the GED benchmarks write it."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import pytest

from graphedx import io
from graphedx.convert import from_networkx
from graphedx.errors import FormatError
from graphedx.graph import Graph

HEAD = '<gexf xmlns="http://www.gexf.net/1.1draft" version="1.1"><graph defaultedgetype="undirected" mode="static">'
BENCHMARK = (
    HEAD + '<attributes class="edge" mode="static"><attribute id="1" title="valence" type="long"/></attributes>'
    '<attributes class="node" mode="static"><attribute id="0" title="type" type="string"/></attributes>'
    '<nodes><node id="7" label="7"><attvalues><attvalue for="0" value="C"/></attvalues></node>'
    '<node id="3" label="3"><attvalues><attvalue for="0" value="S"/></attvalues></node></nodes>'
    '<edges><edge id="0" source="7" target="3"><attvalues><attvalue for="1" value="2"/></attvalues></edge></edges>'
    "</graph></gexf>"
)


def read(tmp_path: Path, text: str, **options: object) -> Graph:
    (tmp_path / "a.gexf").write_text(text)
    return io.read(tmp_path / "a.gexf", **options)


def test_benchmark_files_are_read_with_their_own_attributes(tmp_path: Path) -> None:
    graph = read(tmp_path, BENCHMARK, node_label="type", edge_label="valence")
    assert graph == Graph([7, 3], [(7, 3)], node_labels=["C", "S"], edge_labels=[2])


def test_a_label_that_only_repeats_the_id_is_none(tmp_path: Path) -> None:
    assert read(tmp_path, BENCHMARK).node_labels == (None, None)


def test_networkx_reads_what_we_write_with_node_labels_as_text(tmp_path: Path) -> None:
    graph = Graph("ab", [("a", "b")], node_labels=["C", "O"], edge_labels=[2], name="g")
    io.write(graph, tmp_path / "a.gexf")
    assert from_networkx(nx.read_gexf(tmp_path / "a.gexf")) == graph


def test_we_read_what_networkx_writes(tmp_path: Path) -> None:
    theirs = nx.DiGraph()
    theirs.add_node("a", label="C")
    theirs.add_node("b", weight=2)
    theirs.add_edge("a", "b", label="double")
    nx.write_gexf(theirs, tmp_path / "a.gexf")
    assert io.read(tmp_path / "a.gexf") == from_networkx(theirs)
    assert io.read(tmp_path / "a.gexf", node_label="weight").node_labels == (None, 2)


def test_defaults_count_where_nothing_is_said(tmp_path: Path) -> None:
    declared = '<attributes class="node"><attribute id="0" title="t" type="boolean"><default>true</default></attribute>'
    text = f'{HEAD}{declared}</attributes><nodes><node id="a"/></nodes></graph></gexf>'
    assert read(tmp_path, text, node_label="t").node_labels == (True,)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('<nodes><node id="a"/></nodes><edges><edge source="a" target="b"/></edges>', "names 'b'"),
        ('<nodes><node id="a"><nodes/></node></nodes>', "node 'a' holds nodes"),
        ('<nodes><node label="a"/></nodes>', "<node> element without 'id'"),
        (
            '<nodes><node id="a"><attvalues><attvalue for="9" value="1"/></attvalues></node></nodes>',
            "'9'.* not declared",
        ),
        (
            '<nodes><node id="a"/><node id="b"/></nodes><edges><edge source="a" target="b" type="mutual"/></edges>',
            "is mutual in a graph that is undirected",
        ),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, body: str, message: str) -> None:
    with pytest.raises(FormatError, match=rf"a\.gexf: .*{message}"):
        read(tmp_path, f"{HEAD}{body}</graph></gexf>")


def test_graphs_that_change_over_time_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="dynamic"):
        read(tmp_path, '<gexf><graph mode="dynamic"/></gexf>')
