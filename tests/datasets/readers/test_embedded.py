"""Datasets that need no download."""

from __future__ import annotations

import platform
import sys
from collections import Counter
from itertools import islice
from pathlib import Path

import networkx as nx
import pytest

from graphedx.datasets.readers import embedded
from graphedx.errors import DatasetError, FormatError, MissingExtraError
from graphedx.graph import Graph

ALKANES = (1, 1, 1, 2, 3, 5, 9, 18, 35, 75, 159, 355)  # with 1, 2, ... carbons: A000602 of the OEIS


def test_there_are_as_many_alkanes_as_chemists_count() -> None:
    sizes = Counter(len(graph) for graph in embedded.alkanes(12))
    assert tuple(sizes[carbons] for carbons in range(1, 13)) == ALKANES


def test_alkanes_are_the_trees_of_maximum_degree_four() -> None:
    ours: dict[int, list[nx.Graph]] = {}
    for graph in embedded.alkanes(8):
        ours.setdefault(len(graph), []).append(graph.to_networkx())
    for carbons in range(2, 9):
        for tree in nx.nonisomorphic_trees(carbons):
            matches = sum(nx.is_isomorphic(tree, other) for other in ours[carbons])
            assert matches == (max(degree for _, degree in tree.degree) <= 4)


def test_alkanes_have_names_labels_and_a_fixed_order() -> None:
    graphs = list(embedded.alkanes())
    assert len(graphs) == sum(ALKANES[: embedded.MOST_CARBONS])
    assert [graph.name for graph in graphs[:5]] == ["C1H4-1", "C2H6-1", "C3H8-1", "C4H10-1", "C4H10-2"]
    assert graphs[2] == Graph(3, [(0, 1), (0, 2)], node_labels=["C"] * 3, edge_labels=["SINGLE"] * 2)
    assert graphs == list(embedded.alkanes())


def test_functions_of_the_standard_library_without_its_tests(tmp_path: Path) -> None:
    for place in ("b.py", "a/c.py", "test/t.py", "a/tests/t.py", "site-packages/s.py", "idlelib/idle_test/i.py"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(f"def small(): pass\ndef large(): return [{'x, ' * 20}]\n")
    graphs = list(embedded.pyast(tmp_path))
    version = f"{platform.python_implementation().lower()}-{platform.python_version()}"
    assert [graph.name for graph in graphs] == [f"{version}/a/c.py:small", f"{version}/b.py:small"]
    assert graphs[0].node_labels == ("Module", "FunctionDef", "arguments", "Pass")


def test_functions_of_just_the_greatest_size_are_kept(tmp_path: Path) -> None:
    fitting = f"def fitting(): return [{'1, ' * (embedded.MOST_AST_NODES - 6)}]\n"
    (tmp_path / "a.py").write_text(fitting + fitting.replace("fitting", "larger").replace("]", "1]"))
    (tree,) = embedded.pyast(tmp_path)
    assert len(tree) == embedded.MOST_AST_NODES and tree.name.endswith(":fitting")


def test_functions_are_found_wherever_statements_can_be(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "try:\n def a(): pass\nexcept E:\n def b(): pass\nelse:\n def c(): pass\nfinally:\n def d(): pass\n"
        "match x:\n case 1:\n  class C:\n   async def e(self): pass\n"
        "while x:\n with y:\n  def f():\n   def g(): pass\n"
    )
    found = [graph.name.rpartition(":")[2] for graph in embedded.pyast(tmp_path)]
    assert found == ["a", "b", "c", "d", "C.e", "f", "f.<locals>.g"]


def test_the_running_python_has_functions() -> None:
    graphs = list(islice(embedded.pyast(), 20))
    assert len(graphs) == 20
    assert all(graph.num_edges == len(graph) - 1 < embedded.MOST_AST_NODES for graph in graphs)


def test_the_library_is_not_run(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(): pass\nraise SystemExit\n")
    assert len(list(embedded.pyast(tmp_path))) == 1


def test_a_broken_standard_library_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def f(:\n")
    with pytest.raises(FormatError, match=r"a\.py: line 1: is not Python source"):
        list(embedded.pyast(tmp_path))


def test_molecules_that_come_with_rdkit() -> None:
    pytest.importorskip("rdkit")
    graphs = list(islice(embedded.nci(), 100))
    assert graphs[0].name == "nci-1"
    assert Counter(graphs[0].node_labels) == {"C": 7, "O": 2}


def test_an_rdkit_without_its_data_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = pytest.importorskip("rdkit.RDConfig")
    monkeypatch.setattr(config, "RDDataDir", str(tmp_path))
    with pytest.raises(DatasetError, match=r"first_5K\.smi: this RDKit comes without it"):
        embedded.nci()


def test_without_rdkit_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rdkit", None)
    with pytest.raises(MissingExtraError, match="chem"):
        embedded.nci()
