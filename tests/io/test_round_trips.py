"""What is written comes back as it was, down to the types of labels; or it is not written at all."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphedx import io
from graphedx.errors import FormatError
from graphedx.graph import Graph

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=4)
TRICKY = st.sampled_from(
    ["", " ", "a\nb", "\r", "\t", "<&>\"']]>", "&amp;", "&#65;", "None", "true", "1", "[]x", "é", "🙂"]
)
INT32 = st.integers(-(2**31), 2**31 - 1)
INT64 = st.integers(-(2**63), 2**63 - 1)
NUMBERS = st.floats(allow_nan=False)
SCALARS = st.none() | st.booleans() | INT64 | NUMBERS | TEXT | TRICKY
GML_SCALARS = st.none() | INT32 | NUMBERS | TEXT | TRICKY
TUPLES = SCALARS | st.tuples(TEXT, INT64) | st.tuples() | st.tuples(st.tuples(st.booleans()))
TEXT_NAMES = (TEXT | TRICKY).filter(lambda text: re.fullmatch(r"-?[0-9]+", text) is None)


@st.composite
def graphs(draw: st.DrawFn, labels: Any, names: Any = None) -> Graph:
    texts = st.lists(TEXT_NAMES, max_size=5, unique=True)
    nodes = draw(names if names is not None else st.one_of(st.integers(0, 5).map(range), texts))
    directed = draw(st.booleans())
    pairs = [(u, v) for i, u in enumerate(nodes) for j, v in enumerate(nodes) if (i != j if directed else i < j)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=6)) if pairs else []
    return Graph(
        nodes,
        edges,
        node_labels=[draw(labels) for _ in nodes],
        edge_labels=[draw(labels) for _ in edges],
        directed=directed,
        name=draw(TEXT.filter(str.strip)),
    )


def typed(labels: tuple[Any, ...]) -> list[Any]:
    return [(type(label), typed(label) if isinstance(label, tuple) else label) for label in labels]


def assert_same(back: Graph, graph: Graph) -> None:
    assert back == graph
    assert back.nodes == graph.nodes
    assert typed(back.node_labels) == typed(graph.node_labels)
    for ends, label in graph.label_between.items():  # by ends, since networkx keeps no order of edges
        assert typed((back.label_between[ends],)) == typed((label,))
    assert back.name == graph.name


def through(graph: Any, name: str) -> list[Graph]:
    with tempfile.TemporaryDirectory() as folder:
        io.write(graph, Path(folder) / name)
        return io.read_all(Path(folder) / name)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(graphs(SCALARS))
def test_graphml(graph: Graph) -> None:
    assert_same(through(graph, "a.graphml")[0], graph)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(graphs(SCALARS))
def test_gexf(graph: Graph) -> None:
    assert_same(through(graph, "a.gexf")[0], graph)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(graphs(TUPLES.filter(lambda label: not isinstance(label, tuple) or None not in label)))
def test_gxl(graph: Graph) -> None:
    assert_same(through(graph, "a.gxl")[0], graph)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(graphs(GML_SCALARS))
def test_gml(graph: Graph) -> None:
    assert_same(through(graph, "a.gml")[0], graph)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(graphs(TUPLES, names=st.lists(st.integers() | st.text(max_size=3) | st.tuples(INT64), max_size=5, unique=True)))
def test_json_keeps_names_of_every_kind(graph: Graph) -> None:
    assert_same(through(graph, "a.json")[0], graph)


@settings(deadline=None, derandomize=True, max_examples=20)
@given(
    st.lists(graphs(SCALARS), min_size=1, max_size=4), st.sampled_from(["graphml", "gxl", "json", "jsonl", "json.gz"])
)
def test_many_graphs_in_one_file_keep_their_order(several: list[Graph], extension: str) -> None:
    back = through(several, f"a.{extension}")
    assert len(back) == len(several)
    for one, other in zip(back, several, strict=True):
        assert_same(one, other)


@settings(deadline=None, derandomize=True, max_examples=30)
@given(st.lists(graphs(INT64, names=st.integers(1, 5).map(range)), min_size=1, max_size=4))
def test_tu_folders(several: list[Graph]) -> None:
    several = [graph for graph in several if not graph.directed]
    if not several:
        return
    with tempfile.TemporaryDirectory() as folder:
        io.write(several, Path(folder) / "SET", format="tu")
        assert io.read_all(Path(folder) / "SET") == several


@pytest.mark.parametrize("extension", ["graphml", "gexf", "gxl", "gml", "json", "jsonl"])
@pytest.mark.parametrize("label", [frozenset({1}), b"bytes", object()])
def test_labels_a_format_cannot_hold_are_refused_and_no_file_is_left(
    tmp_path: Path, extension: str, label: object
) -> None:
    for graph in (
        Graph("ab", [("a", "b")], node_labels=[label, 1]),
        Graph("ab", [("a", "b")], edge_labels=[label]),
    ):
        with pytest.raises(
            FormatError, match=rf"a\.{extension}: \w+ cannot hold the label .* of (node 'a'|edge \('a', 'b'\))"
        ):
            io.write(graph, tmp_path / f"a.{extension}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("extension", "label"),
    [
        ("graphml", (1, 2)),
        ("graphml", 2**63),
        ("gexf", (1, 2)),
        ("gexf", 2**63),
        ("gxl", (1, None)),
        ("gml", (1, 2)),
        ("gml", True),
        ("gml", 2**31),
        ("gml", "()"),
        ("gml", "[]"),
    ],
)
def test_what_would_come_back_as_something_else_is_refused(tmp_path: Path, extension: str, label: Any) -> None:
    with pytest.raises(FormatError, match="cannot hold the label"):
        io.write(Graph(1, node_labels=[label]), tmp_path / f"a.{extension}")


@pytest.mark.parametrize("extension", ["graphml", "gexf", "gxl"])
@pytest.mark.parametrize("text", ["\x00", "\x0b", "\ud800"])
def test_characters_that_xml_has_no_way_to_write_are_refused(tmp_path: Path, extension: str, text: str) -> None:
    with pytest.raises(FormatError, match="XML cannot hold the character"):
        io.write(Graph(1, node_labels=[text]), tmp_path / f"a.{extension}")


@pytest.mark.parametrize("extension", ["graphml", "gexf", "gxl", "gml"])
def test_names_that_look_the_same_as_text_are_refused(tmp_path: Path, extension: str) -> None:
    with pytest.raises(FormatError, match="nodes 1 and '1' are both written '1'"):
        io.write(Graph([1, "1"]), tmp_path / f"a.{extension}")
