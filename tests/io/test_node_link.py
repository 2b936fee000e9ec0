"""JSON of networkx and of the GED benchmarks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from graphedx import io
from graphedx.convert import from_networkx
from graphedx.errors import FormatError
from graphedx.graph import Graph


def read(tmp_path: Path, document: Any, **options: object) -> Graph:
    (tmp_path / "a.json").write_text(document if isinstance(document, str) else json.dumps(document))
    return io.read(tmp_path / "a.json", **options)


def test_networkx_reads_what_we_write(tmp_path: Path) -> None:
    graph = Graph([(0, 1), "b"], [((0, 1), "b")], node_labels=["C", 6], edge_labels=[True], directed=True, name="g")
    io.write(graph, tmp_path / "a.json")
    theirs = nx.node_link_graph(json.loads((tmp_path / "a.json").read_text()), edges="edges")
    assert from_networkx(theirs) == graph
    assert theirs.graph["name"] == "g"


@pytest.mark.parametrize("key", ["links", "edges"])
def test_we_read_what_networkx_writes(tmp_path: Path, key: str) -> None:
    theirs = nx.DiGraph(name="theirs")
    theirs.add_node((0, 1), label="C", z=6)
    theirs.add_edge((0, 1), "b", label=2)
    graph = read(tmp_path, nx.node_link_data(theirs, edges=key))
    assert graph == from_networkx(theirs)
    assert graph.name == "theirs"
    assert read(tmp_path, nx.node_link_data(theirs, edges=key), node_label="z").node_labels == (6, None)


def test_the_counted_form_of_benchmarks_is_read(tmp_path: Path) -> None:
    graph = read(tmp_path, {"n": 3, "m": 2, "labels": ["C", "C", "O"], "graph": [[0, 1], [1, 2]]})
    assert graph == Graph(3, [(0, 1), (1, 2)], node_labels=["C", "C", "O"])
    assert read(tmp_path, {"n": 2, "m": 1, "labels": None, "graph": [[0, 1]]}) == Graph(2, [(0, 1)])
    assert read(tmp_path, {"n": 2, "edges": [[0, 1]]}) == Graph(2, [(0, 1)])


def test_text_names_stay_text_even_if_they_are_numbers(tmp_path: Path) -> None:
    assert read(tmp_path, {"nodes": [{"id": "0"}], "edges": []}).nodes == ("0",)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{", "is not JSON"),
        ("3", "a graph is a JSON object, got 3"),
        ('[{"n": 1, "graph": []}, null]', "graph 1: a graph is a JSON object, got null"),
        ({"a": 1}, r"a graph has \"nodes\" and \"edges\""),
        ({"nodes": 3}, '"nodes" must be a list, got 3'),
        ({"nodes": [{}]}, 'node 0 must be an object with an "id"'),
        ({"nodes": [], "links": [{"source": 1}]}, 'edge 0 must be an object with "source" and "target"'),
        ({"nodes": [{"id": 0}], "edges": [{"source": 0, "target": 1}]}, "names 1, which is not a node"),
        ({"nodes": [{"id": {}}], "edges": []}, "not hashable"),
        ({"nodes": [{"id": None}], "edges": []}, "a node is named None"),
        ({"nodes": [{"id": 0}], "edges": [{"source": [{}], "target": 0}]}, "which is not a node"),
        ({"nodes": [{"id": 0, "label": {}}], "edges": []}, "label of node 0, .* not hashable"),
        ({"nodes": [{"id": 0, "label": float("nan")}], "edges": []}, "nan does not equal itself"),
        ({"nodes": [], "edges": [], "directed": "yes"}, '"directed" must be true or false, got "yes"'),
        ({"n": 0, "graph": [], "directed": 1}, '"directed" must be true or false, got 1'),
        ({"n": 10**12, "graph": []}, '"n" must be a whole number from 0 to 10000000'),
        ({"n": -1, "graph": []}, '"n" must be'),
        ({"n": 2, "graph": None}, '"graph" must be a list, got null'),
        ({"n": 2, "graph": [[0]]}, "edge 0 must be a pair"),
        ({"n": 2, "graph": [[0, 2]]}, "names 2"),
        ({"n": 2, "m": 3, "graph": [[0, 1]]}, '"m" promises 3 edges but there are 1'),
        ({"n": 2, "labels": ["C"], "graph": []}, "got 1 for 2 nodes"),
        ('{"n": ' + "9" * 5000 + "}", "is not JSON"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, document: Any, message: str) -> None:
    with pytest.raises(FormatError, match=rf"a\.json: .*{message}"):
        read(tmp_path, document)


def test_a_bad_line_is_numbered(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"n": 1, "graph": []}\n\n{"n": 1}\n')
    with pytest.raises(FormatError, match=r"a\.jsonl: line 3: \"edges\" must be a list"):
        io.read_all(tmp_path / "a.jsonl")
