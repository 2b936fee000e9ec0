"""Syntax trees: the arrays of ogbg-code2, source and ready trees."""

from __future__ import annotations

import gzip
import json
import warnings
from pathlib import Path

import pytest

from graphedx.datasets.readers import code2
from graphedx.errors import DatasetError, FormatError
from graphedx.graph import Graph

PASS = "def f():\n    pass\n"
PASS_TREE = Graph(
    ["0 Module", "1 FunctionDef f", "2 arguments", "3 Pass"],
    [("0 Module", "1 FunctionDef f"), ("1 FunctionDef f", "2 arguments"), ("1 FunctionDef f", "3 Pass")],
    node_labels=["Module", "FunctionDef", "arguments", "Pass"],
)
OUTER = "def outer():\n    def inner(): pass\n"
BROKEN = "def f():\n    print 'two'\n"
TREE = {"n": 3, "edges": [[0, 1], [1, 2]], "labels": ["Module", "FunctionDef", "arguments"]}


def pack(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    return path


# -- ogbg-code2 --------------------------------------------------------------------------------------------------------

RAW = {
    "edge": "0,1\n1,2\n0,1\n",
    "num-node-list": "3\n2\n",
    "num-edge-list": "2\n1\n",
    "node-feat": "2,10028\n0,17\n1,10028\n2,10028\n0,5\n",
    "node_dfs_order": "0\n1\n2\n0\n1\n",
    "node_depth": "0\n1\n2\n0\n1\n",
    "node_is_attributed": "0\n1\n0\n0\n1\n",
}
TYPES = "type idx,type\n0,FunctionDef\n1,arguments\n2,Module\n"


@pytest.fixture
def ogb(tmp_path: Path) -> Path:
    for name, text in RAW.items():
        pack(tmp_path / "code2" / "raw" / f"{name}.csv.gz", text)
    pack(tmp_path / "code2" / "mapping" / "typeidx2type.csv.gz", TYPES)
    return tmp_path


def test_arrays_give_trees_labelled_by_type(ogb: Path) -> None:
    graphs = list(code2.read(ogb))
    assert graphs == [
        Graph(3, [(0, 1), (1, 2)], node_labels=["Module", "FunctionDef", "arguments"]),
        Graph(2, [(0, 1)], node_labels=["Module", "FunctionDef"]),
    ]
    assert [graph.name for graph in graphs] == ["code2-0", "code2-1"]


def test_types_are_numbers_where_nobody_names_them(ogb: Path) -> None:
    assert [graph.node_labels for graph in code2.read(ogb / "code2" / "raw")] == [(2, 0, 1), (2, 0)]


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        (
            "mapping/typeidx2type",
            gzip.compress(TYPES[:-9].encode(), mtime=0),
            "node-feat.csv.gz: line 1 has the node type 2, wh",
        ),
        (
            "mapping/typeidx2type",
            gzip.compress(b"type idx,type\nx,y\n", mtime=0),
            "typeidx2type.csv.gz: must be CSV with",
        ),
        (
            "raw/node-feat",
            gzip.compress(b"2,1\n-1,1\n", mtime=0),
            "node-feat.csv.gz: ends after line 2, but graph 0 has 3 nodes",
        ),
        (
            "raw/node-feat",
            gzip.compress(b"2,1\nx,1\n1,1\n", mtime=0),
            "node-feat.csv.gz: line 2 must begin with the number of a",
        ),
        ("raw/num-edge-list", b"2\n1\n", "num-edge-list.csv.gz: is not a whole gzip file"),
    ],
)
def test_damaged_arrays_are_named(ogb: Path, file: str, content: bytes, message: str) -> None:
    (ogb / "code2" / f"{file}.csv.gz").write_bytes(content)
    with pytest.raises(FormatError, match=message):
        list(code2.read(ogb))


# -- source ------------------------------------------------------------------------------------------------------------


def test_records_of_codesearchnet_are_one_function_each(tmp_path: Path) -> None:
    lines = [json.dumps({"code": code, "docstring": "", "func_name": "x"}) for code in (PASS, OUTER)]
    pack(tmp_path / "python" / "train" / "python_train_0.jsonl.gz", "\n".join(lines))
    (tmp_path / "python" / "train" / "python_train_1.jsonl").write_text(json.dumps({"code": PASS}) + "\n\n")
    (tmp_path / "make.py").write_text(PASS)
    graphs = list(code2.read(tmp_path))
    assert [graph.name for graph in graphs] == ["code2-0:f", "code2-1:outer", "code2-2:f"]
    assert graphs[0] == graphs[2] == PASS_TREE
    assert len(graphs[1]) == 6


def test_the_sources_of_cosqa(tmp_path: Path) -> None:
    file = pack(tmp_path / "code_idx_map.json.gz", json.dumps({PASS: 0, OUTER: 7}))
    assert [graph.name for graph in code2.read(file)] == ["code2-0:f", "code2-7:outer"]


def test_what_does_not_parse_is_counted_in_a_warning(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps({BROKEN: 0, PASS: 1, "x = 1": 2, "'\ud800'": 3}))
    with pytest.warns(
        UserWarning, match=r"a\.json: 3 of 4 sources give no tree with Python 3\..*first is code2-0: line 2"
    ):
        assert list(code2.read(tmp_path / "a.json")) == [PASS_TREE]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"code": code}) + "\n" for code in (PASS, "")))
    with pytest.warns(UserWarning, match=r"1 of 2 sources .* first is code2-1: holds no function"):
        assert list(code2.read(tmp_path / "a.jsonl")) == [PASS_TREE]


def test_python_files_give_all_their_functions(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "b.py").write_text(PASS + OUTER)
    (tmp_path / "a.py").write_text("class A:\n    def m(self): pass\n")
    (tmp_path / "none.py").write_text("x = 1\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        graphs = list(code2.read(tmp_path))
    assert [graph.name for graph in graphs] == [
        "a.py:A.m",
        *("pkg/b.py:f", "pkg/b.py:outer", "pkg/b.py:outer.<locals>.inner"),
    ]
    assert [graph.name for graph in code2.read(tmp_path / "a.py")] == ["a.py:A.m"]


def test_a_file_that_does_not_parse_is_an_error_alone_and_a_warning_among_others(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(BROKEN)
    (tmp_path / "b.py").write_text(PASS)
    with pytest.raises(FormatError, match=r"a\.py: line 2: is not Python source"):
        list(code2.read(tmp_path / "a.py"))
    with pytest.warns(UserWarning, match=r"1 of 2 sources .* first is a\.py: line 2"):
        assert len(list(code2.read(tmp_path))) == 1


# -- trees -------------------------------------------------------------------------------------------------------------


def test_ready_trees_keep_their_labels_and_need_docstrings_where_that_is_known(tmp_path: Path) -> None:
    trees = [{**TREE, "doc": True, "module": "abc.py"}, {**TREE, "doc": False, "module": "abc.py"}, TREE]
    file = pack(tmp_path / "trees.jsonl.gz", "".join(json.dumps(tree) + "\n" for tree in trees))
    graphs = list(code2.read(file))
    assert [graph.name for graph in graphs] == ["code2-0:abc.py", "code2-2"]
    assert graphs == [Graph(3, [(0, 1), (1, 2)], node_labels=TREE["labels"])] * 2


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.jsonl", "", "the file is empty"),
        ("a.jsonl", "{}\n", 'line 1 has neither "code" .* nor "n"'),
        ("a.jsonl", '\n{"code": 1}\n', 'line 2 has neither "code"'),
        ("a.jsonl", "[1]\n", "line 1 must be a JSON object"),
        ("a.jsonl", "{", "line 1 is not JSON"),
        ("a.jsonl", '{"n": 1, "edges": [[0, 1]]}', "line 1: edge .* names 1"),
        ("a.jsonl", "[" * 200_000, "nested too deeply"),
        ("a.json", "", "is not JSON"),
        ("a.json", "[]", "must be a JSON object that gives each function's source a number"),
        ("a.json", "{}", "must be a JSON object"),
        ("a.json", '{"def f(): pass": "zero"}', "must be a JSON object"),
        ("a.json", "[" * 200_000, "nested too deeply"),
    ],
)
def test_what_is_wrong_with_json_is_said(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(FormatError, match=rf"{name}: .*{message}"):
        list(code2.read(tmp_path / name))


def test_other_sources_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"holds no raw folder of ogbg-code2 and no \.jsonl"):
        code2.read(tmp_path)
    for name in ("a.json", "b.json"):
        (tmp_path / name).touch()
    with pytest.raises(DatasetError, match=r"one \.json file .*, here are 2"):
        code2.read(tmp_path)


def test_trees_of_a_file_share_one_budget_of_nodes(tmp_path: Path) -> None:
    tree = '{"n": 6000, "edges": [], "labels": null}'
    (tmp_path / "a.jsonl").write_text(f"{tree}\n{tree}\n")
    graphs = code2.read(tmp_path / "a.jsonl")
    assert len(next(graphs)) == 6000
    with pytest.raises(FormatError, match=r"a\.jsonl: line 2: declares 12,000 nodes, more than the limit of 10,080"):
        next(graphs)
