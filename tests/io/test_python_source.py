"""Syntax trees of functions."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphedx import io
from graphedx.errors import FormatError
from graphedx.graph import Graph

SOURCE = """
def add(x, y):
    return x + y

class Box:
    async def open(self):
        def inner(): pass
        return "\\d"
"""


def read_all(tmp_path: Path, text: str, **options: object) -> list[Graph]:
    (tmp_path / "a.py").write_text(text)
    return io.read_all(tmp_path / "a.py", **options)


def test_every_function_is_a_graph_by_its_qualified_name(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    names = [graph.name for graph in read_all(tmp_path, SOURCE)]
    assert names == ["add", "Box.open", "Box.open.<locals>.inner"]
    assert not recwarn.list


def test_nodes_are_ast_nodes_labelled_by_type(tmp_path: Path) -> None:
    add = read_all(tmp_path, SOURCE)[0]
    assert add.node_labels == (
        *("FunctionDef", "arguments", "arg", "arg"),
        *("Return", "BinOp", "Name", "Load", "Add", "Name", "Load"),
    )
    assert add.nodes[:4] == ("0 FunctionDef add", "1 arguments", "2 arg x", "3 arg y")
    assert ("5 BinOp", "6 Name x") in add.edges


def test_the_graph_is_a_tree_and_may_be_directed(tmp_path: Path) -> None:
    for graph in read_all(tmp_path, SOURCE, directed=True):
        assert graph.directed
        assert graph.num_edges == len(graph) - 1
        children = [v for _, v in graph.edges]
        assert sorted(children) == sorted(graph.nodes[1:])  # all but the root have one parent


def test_the_module_may_be_the_root_as_in_ogb(tmp_path: Path) -> None:
    plain, rooted = read_all(tmp_path, SOURCE)[0], read_all(tmp_path, SOURCE, module_root=True)[0]
    assert rooted.node_labels == ("Module", *plain.node_labels)
    assert rooted.edges[0] == ("0 Module", "1 FunctionDef add")


def test_a_file_without_functions_has_no_graphs(tmp_path: Path) -> None:
    assert read_all(tmp_path, "x = 1\n") == []


def test_the_declared_encoding_is_used(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"# coding: latin-1\ndef f(): return '\xe9'\n")
    assert io.read(tmp_path / "a.py").nodes[-1] == "3 Constant 'é'"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"def f(:\n", "line 1: is not Python source"),
        (b"x = 1\n  y\n", "line 2: is not Python source: unexpected indent"),
        (b"def f(): pass\x00", "is not Python source: .*null bytes"),
        (b"# coding: klingon\n", "is not Python source: .*klingon"),
        (b"'\xff'", "is not Python source"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "a.py").write_bytes(content)
    with pytest.raises(FormatError, match=rf"a\.py: .*{message}"):
        io.read_all(tmp_path / "a.py")


def test_numbers_of_too_many_digits_are_shown_as_hexadecimal(tmp_path: Path) -> None:
    (tree,) = read_all(tmp_path, "def f():\n return 0x" + "f" * 5000)
    assert tree.nodes[-1] == "3 Constant 0xfffffffffffffff..."
