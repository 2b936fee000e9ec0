"""Molecules as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphedx import io
from graphedx.convert import from_smiles
from graphedx.errors import FormatError
from graphedx.graph import Graph

pytest.importorskip("rdkit")


def read_all(tmp_path: Path, name: str, text: str, **options: object) -> list[Graph]:
    (tmp_path / name).write_text(text, newline="")
    return io.read_all(tmp_path / name, **options)


def test_one_molecule_a_line_named_by_the_rest_of_the_line(tmp_path: Path) -> None:
    graphs = read_all(tmp_path, "a.smi", "smiles name\r\nCCO ethyl alcohol\r\n\r\nCC\tethane\r\nC\r\n")
    assert [graph.name for graph in graphs] == ["ethyl alcohol", "ethane", "C"]
    assert graphs[0] == from_smiles("CCO")


def test_options_reach_the_molecules(tmp_path: Path) -> None:
    assert len(read_all(tmp_path, "a.smi", "C", hydrogens=True)[0]) == 5
    assert len(read_all(tmp_path, "b.smi", "CN(C)(C)(C)C", strict=False)[0]) == 6
    assert read_all(tmp_path, "c.smi", "C[NH3+]", node_label="charge")[0].node_labels == (0, 1)


def test_a_column_of_smiles(tmp_path: Path) -> None:
    graphs = read_all(tmp_path, "a.csv", '\ufeffmol_id,SMILES,note\nm1,CCO,"a, b"\nm2,C,\n\n')
    assert [(graph.name, len(graph)) for graph in graphs] == [("m1", 3), ("m2", 1)]
    chosen = read_all(tmp_path, "b.csv", "who,what\nx,CC\n", column="what", name_column="who")
    assert [(graph.name, len(graph)) for graph in chosen] == [("x", 2)]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.smi", "C\nC1CC ring\n", "line 2: 'C1CC' is not valid SMILES"),
        ("a.smi", "CCO a\rCC b\r", "line 1: has a carriage return inside"),
        ("a.smi", "C\r\nCC b\rC", "line 2: has a carriage return inside"),
        ("a.csv", "id,name\n1,C\n", r"has no column 'smiles'; the header is \['id', 'name'\]"),
        ("a.csv", "id,smiles\n1,C\n2\n", "line 3: the header has 2 columns, this row 1"),
        ("a.csv", "id,smiles\n1,XYZ\n", "line 2: 'XYZ' is not valid"),
        ("a.csv", 'smiles\n"C\n', "is not CSV"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=rf"{name}: {message}"):
        read_all(tmp_path, name, text)


def test_molecules_are_written_and_come_back(tmp_path: Path) -> None:
    io.write([from_smiles("c1ccccc1", name="benzene"), from_smiles("CC#N")], tmp_path / "a.smi")
    back = io.read_all(tmp_path / "a.smi")
    assert [graph.name for graph in back] == ["benzene", "CC#N"]
    assert sorted(map(str, back[1].edge_labels)) == ["SINGLE", "TRIPLE"]


@pytest.mark.parametrize("name", ["ethanol\t46.07", "ethyl alcohol\t46.07", "ethyl alcohol"])
def test_names_with_tabs_and_spaces_come_back(tmp_path: Path, name: str) -> None:
    io.write([from_smiles("CCO", name=name), from_smiles("C", name="methane")], tmp_path / "a.smi")
    assert [graph.name for graph in io.read_all(tmp_path / "a.smi")] == [name, "methane"]


def test_a_molecule_without_a_name_is_named_by_its_smiles(tmp_path: Path) -> None:
    io.write(Graph(1, node_labels=["C"], name=None), tmp_path / "a.smi")
    assert io.read(tmp_path / "a.smi").name == "C"


def test_molecules_of_nothing_but_hydrogen_keep_it(tmp_path: Path) -> None:
    io.write(from_smiles("[H][H]"), tmp_path / "a.smi")
    assert io.read(tmp_path / "a.smi").node_labels == ("H", "H")


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (from_smiles("CO", hydrogens=True), "graph 1 has hydrogens as nodes.*leave the hydrogens out"),
        (Graph(1, node_labels=[7]), "graph 1: node 0 is labelled 7"),
        (Graph(0), "no atoms"),
        (from_smiles("C", name="two\nlines"), "must be one line"),
    ],
)
def test_graphs_that_are_no_molecules_are_refused(tmp_path: Path, graph: Graph, message: str) -> None:
    with pytest.raises(FormatError, match=rf"a\.smi: .*{message}"):
        io.write(graph, tmp_path / "a.smi")
