"""Files are written whole, never over others unasked, and only where the format can hold the graphs."""

from __future__ import annotations

import gzip
from pathlib import Path

import networkx as nx
import pytest

from graphedx import io
from graphedx.errors import FormatError, GraphError, OutputError
from graphedx.graph import Graph


def test_an_existing_file_is_kept_unless_overwrite(tmp_path: Path) -> None:
    io.write(Graph(1), tmp_path / "a.json")
    with pytest.raises(OutputError, match=r"a\.json.*overwrite=True"):
        io.write(Graph(2), tmp_path / "a.json")
    assert len(io.read(tmp_path / "a.json")) == 1
    io.write(Graph(2), tmp_path / "a.json", overwrite=True)
    assert len(io.read(tmp_path / "a.json")) == 2


def test_other_libraries_graphs_are_written_too(tmp_path: Path) -> None:
    io.write(nx.path_graph(3), tmp_path / "one.gml")
    assert io.read(tmp_path / "one.gml") == Graph(3, [(0, 1), (1, 2)])
    io.write((graph for graph in (nx.path_graph(3), Graph(1))), tmp_path / "two.jsonl")
    assert len(io.read_all(tmp_path / "two.jsonl")) == 2


@pytest.mark.parametrize("things", [3, "a.gml", [3], [Graph(1), None]])
def test_what_is_no_graph_is_a_graph_error(tmp_path: Path, things: object) -> None:
    with pytest.raises(GraphError, match="a graph is"):
        io.write(things, tmp_path / "a.json")


def test_nothing_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no graphs to write"):
        io.write([], tmp_path / "a.json")


@pytest.mark.parametrize("extension", ["gml", "gexf"])
def test_formats_for_one_graph_refuse_two(tmp_path: Path, extension: str) -> None:
    with pytest.raises(FormatError, match=rf"a\.{extension}: a {extension} file holds one graph, got 2"):
        io.write([Graph(1), Graph(1)], tmp_path / f"a.{extension}")


def test_formats_that_cannot_be_written_say_so(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="'python' can be read but not written"):
        io.write(Graph(1), tmp_path / "a.py")
    with pytest.raises(FormatError, match=r"extension '' .*format=\"tu\""):
        io.write(Graph(1), tmp_path / "folder")


def test_a_missing_folder_is_an_output_error(tmp_path: Path) -> None:
    for path in (tmp_path / "no" / "a.json", tmp_path / "no" / "a"):
        with pytest.raises(OutputError, match="does not exist"):
            io.write(Graph(1, node_labels=[1]), path, format="json" if path.suffix else "tu")


def test_packed_files_are_the_same_every_time(tmp_path: Path) -> None:
    io.write(Graph(2, [(0, 1)]), tmp_path / "a.gml.gz")
    io.write(Graph(2, [(0, 1)]), tmp_path / "b.gml.gz")
    assert (tmp_path / "a.gml.gz").read_bytes() == (tmp_path / "b.gml.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.gml.gz").read_bytes()).startswith(b"graph [")


def test_a_number_of_too_many_digits_is_a_format_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="json cannot hold these graphs"):
        io.write(Graph(1, node_labels=[10**5000]), tmp_path / "a.json")
