"""Molecules as SMILES, SDF and the arrays of OGB."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphedx.convert import from_smiles
from graphedx.datasets.readers import molecules, yeast
from graphedx.errors import DatasetError, FormatError
from graphedx.graph import Graph

IMPOSSIBLE = "CN(C)(C)(C)C"  # five bonds at nitrogen: RDKit refuses it


def pack(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    return path


def names(graphs: Iterator[Graph]) -> list[str]:
    return [graph.name for graph in graphs]


# -- SMILES ------------------------------------------------------------------------------------------------------------


def test_moleculenet_rows_are_numbered_as_ogb_numbers_them(tmp_path: Path) -> None:
    pytest.importorskip("rdkit")
    file = pack(tmp_path / "HIV.csv.gz", f"smiles,activity,HIV_active\nCCO,CI,0\n{IMPOSSIBLE},CI,0\nC=O,CM,1\n")
    graphs = list(molecules.read(file, prefix="molhiv"))
    assert [(graph.name, len(graph)) for graph in graphs] == [("molhiv-0", 3), ("molhiv-1", 6), ("molhiv-2", 2)]
    assert graphs[2] == Graph(2, [(0, 1)], node_labels=["C", "O"], edge_labels=["DOUBLE"])


def test_ogbs_table_of_molecules_is_found_among_its_other_tables(tmp_path: Path) -> None:
    pytest.importorskip("rdkit")
    pack(tmp_path / "hiv" / "mapping" / "mol.csv.gz", "HIV_active,smiles,mol_id\n0,CC,m1\n1,C#N,m2\n")
    pack(tmp_path / "hiv" / "split" / "scaffold" / "train.csv.gz", "0\n1\n")
    (tmp_path / "hiv" / "empty.csv").touch()
    assert names(molecules.read(tmp_path, prefix="molhiv")) == ["molhiv-m1", "molhiv-m2"]


def test_smi_files_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    pytest.importorskip("rdkit")
    (tmp_path / "b.smi").write_text("O\nN\n")
    pack(tmp_path / "a.smi.gz", "smiles\tid\nC\tmethane\n")
    assert names(molecules.read(tmp_path)) == ["molecule-methane", "molecule-1", "molecule-2"]


def test_molecules_are_read_only_when_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("rdkit")
    (tmp_path / "a.csv").write_text("smiles\n" + "C\n" * 3 + "nonsense\n")
    graphs = molecules.read(tmp_path / "a.csv")
    assert [next(graphs) for _ in range(3)] == [from_smiles("C")] * 3
    with pytest.raises(FormatError, match=r"a\.csv: line 5: is not a molecule, even with .*: 'nonsense' is"):
        next(graphs)


@pytest.mark.parametrize(
    ("name", "content", "error", "message"),
    [
        ("a.csv", b"mol_id,activity\n1,2\n", DatasetError, "needs one CSV with a column 'smiles', here are none: a"),
        ("a.csv", b"", DatasetError, "here are none: a"),
        ("a.csv", b"smiles\n", FormatError, "holds no molecules"),
        ("a.csv", b"smiles,x\nC\n", FormatError, "line 2: the header has 2 columns"),
        ("a.csv", b"smiles\n\xff\n", FormatError, "is not UTF-8 text"),
        ("a.csv.gz", b"smiles\nC\n", FormatError, "is not a whole gzip file"),
        ("a.csv.gz", gzip.compress(b"smiles\nC\n", mtime=0)[:-9], FormatError, "is not a whole gzip file"),
        ("a.smi", b"\n\n", FormatError, "holds no molecules"),
        ("a.txt", b"C\n", DatasetError, r"holds no molecules: no OGB raw folder, \.sdf"),
    ],
)
def test_what_is_wrong_with_text_is_said(
    tmp_path: Path, name: str, content: bytes, error: type[Exception], message: str
) -> None:
    pytest.importorskip("rdkit")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(error, match=rf"{name}: .*{message}"):
        list(molecules.read(tmp_path / name))


def test_two_tables_are_refused(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("smiles\nC\n")
    with pytest.raises(DatasetError, match=r"here are 2: a\.csv, b\.csv"):
        molecules.read(tmp_path)
    with pytest.raises(DatasetError, match="nowhere: no such file or folder"):
        molecules.read(tmp_path / "nowhere")


# -- SDF ---------------------------------------------------------------------------------------------------------------


def sdf_record(name: str, *symbols: str) -> str:
    atoms = "".join(f"    0.0000    0.0000    0.0000 {symbol:3} 0\n" for symbol in symbols)
    bonds = "".join(f"{i:3}{i + 1:3}  1  0\n" for i in range(1, len(symbols)))
    return f"{name}\n\n\n{len(symbols):3}{len(symbols) - 1:3}  0 V2000\n{atoms}{bonds}M  END\n$$$$\n"


def test_a_compound_that_comes_again_is_taken_once(tmp_path: Path) -> None:
    (tmp_path / "109.sdf").write_text(sdf_record("7", "C", "Cl") + sdf_record("", "N") + sdf_record("7", "C"))
    pack(tmp_path / "33.sdf.gz", sdf_record("8", "O") + sdf_record("7", "C") + sdf_record("", "N"))
    graphs = list(yeast.read(tmp_path))
    assert [graph.name for graph in graphs] == ["yeast-7", "yeast-1", "yeast-8", "yeast-5"]
    assert graphs[0].node_labels == ("C", "Cl")


def test_a_damaged_sdf_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.sdf").write_text(sdf_record("7", "C") + "8\n")
    with pytest.raises(FormatError, match=r"a\.sdf: record 2: line 4"):
        list(molecules.read(tmp_path))
    (tmp_path / "a.sdf").write_text("")
    with pytest.raises(FormatError, match=r"a\.sdf: the file is empty"):
        list(molecules.read(tmp_path))


# -- OGB ---------------------------------------------------------------------------------------------------------------

RAW = {  # C=O, a lone N, and C-C with its edge in both directions
    "num-node-list": "2\n1\n2\n",
    "num-edge-list": "1\n0\n2\n",
    "edge": "0,1\n0,1\n1,0\n",
    "node-feat": "5,0,4\n7,0,1\n6,0,3\n5,0,4\n118,0,4\n",
    "edge-feat": "1,0,0\n0,0,0\n0,0,0\n",
}


def raw_folder(folder: Path, **changes: str | None) -> Path:
    for name, text in {**RAW, **{key.replace("_", "-"): text for key, text in changes.items()}}.items():
        if text is not None:
            pack(folder / "hiv" / "raw" / f"{name}.csv.gz", text)
    return folder


def test_arrays_give_elements_and_bonds(tmp_path: Path) -> None:
    pack(tmp_path / "hiv" / "mapping" / "mol.csv.gz", "smiles\nC=O\nN\nC*\n")  # the arrays are what OGB hands out
    graphs = list(molecules.read(raw_folder(tmp_path), prefix="molhiv"))
    assert graphs == [
        Graph(2, [(0, 1)], node_labels=["C", "O"], edge_labels=["DOUBLE"]),
        Graph(1, node_labels=["N"]),
        Graph(2, [(0, 1)], node_labels=["C", "*"], edge_labels=["SINGLE"]),
    ]
    assert names(iter(graphs)) == ["molhiv-0", "molhiv-1", "molhiv-2"]


def test_bond_features_may_be_missing_and_files_unpacked(tmp_path: Path) -> None:
    raw_folder(tmp_path, edge_feat=None, num_node_list=None)
    (tmp_path / "hiv" / "raw" / "num-node-list.csv").write_text(RAW["num-node-list"])
    assert [graph.edge_labels for graph in molecules.read(tmp_path / "hiv" / "raw")] == [(None,), (), (None,)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num-node-list": ""}, r"num-node-list\.csv\.gz: the file is empty"),
        ({"num-node-list": "2\nx\n2\n"}, r"num-node-list\.csv\.gz: line 2 must be a number from 0 to .*, got 'x'"),
        ({"num-edge-list": "1\n0\n"}, r"num-edge-list\.csv\.gz: ends after line 2, but num-node-list\.csv\.gz goes on"),
        ({"num-edge-list": "1\n0\n2\n0\n"}, r"num-edge-list\.csv\.gz: line 4 should not be there"),
        ({"num-edge-list": "1\n0\n-2\n"}, r"num-edge-list\.csv\.gz: line 3 must be a number from 0"),
        ({"edge": "0,1\n0,1\n"}, r"edge\.csv\.gz: ends after line 2, but graph 2 has 2 edges by num-edge-list"),
        ({"edge": RAW["edge"] + "0,1\n"}, r"edge\.csv\.gz: line 4 should not be there: .* announce less"),
        ({"edge": "0,1\n0,2\n1,0\n"}, r"edge\.csv\.gz: line 2 names a node beyond 0 to 1: '0,2'"),
        ({"edge": "0,1\n0 1\n1,0\n"}, r"edge\.csv\.gz: line 2 must be two node numbers, got '0 1'"),
        ({"edge": "0,0\n0,1\n1,0\n"}, r"edge\.csv\.gz: graph 0: self-loop"),
        ({"edge": "0,1\n0,1\n0,1\n"}, r"edge\.csv\.gz: graph 2: .*twice"),
        ({"edge-feat": "1\n0\n1\n"}, r"edge\.csv\.gz: graph 2: .*the way back is labelled"),
        ({"node-feat": "5\n7\n6\n5\n"}, r"node-feat\.csv\.gz: ends after line 4, but graph 2 has 2 nodes"),
        ({"node-feat": "5\n7\n6\n119\n5\n"}, r"node-feat\.csv\.gz: line 4 must begin with an atomic number .*'119'"),
        ({"node-feat": "5\n7\n\n6\n5\n"}, r"node-feat\.csv\.gz: line 3 must begin with an atomic number"),
        ({"edge-feat": "1\n9\n0\n"}, r"edge-feat\.csv\.gz: line 2 must begin with a bond type, 0 to 4, got '9'"),
    ],
)
def test_what_is_wrong_with_arrays_is_said(tmp_path: Path, changes: dict[str, str], message: str) -> None:
    with pytest.raises(FormatError, match=rf"/raw/{message}"):
        list(molecules.read(raw_folder(tmp_path, **changes)))


def test_half_a_raw_folder_or_two_are_refused(tmp_path: Path) -> None:
    raw_folder(tmp_path, node_feat=None)
    with pytest.raises(DatasetError, match=r"raw: has edge\.csv\.gz but no node-feat\.csv\.gz"):
        molecules.read(tmp_path)
    raw_folder(tmp_path / "again")
    with pytest.raises(DatasetError, match=r"holds 2 files edge\.csv\.gz"):
        molecules.read(tmp_path)


def test_small_packed_tables_cannot_hold_a_huge_graph(tmp_path: Path) -> None:
    nodes = 200_000
    tables = {"num-node-list": f"{nodes}\n", "num-edge-list": "0\n", "edge": "", "node-feat": "5,0\n" * nodes}
    for name, content in tables.items():
        (tmp_path / f"{name}.csv.gz").write_bytes(gzip.compress(content.encode()))
    with pytest.raises(FormatError, match=r"num-node-list\.csv\.gz: line 1 must be a number from 0 to 1\d{4} "):
        list(molecules.read(tmp_path))
