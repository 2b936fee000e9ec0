"""Molecules as SDF."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphedx import io
from graphedx.errors import FormatError
from graphedx.graph import Graph


def record(name: str, symbols: str, bonds: list[tuple[int, int, int]], *, counts: str = "", rest: str = "") -> str:
    """A V2000 record as NCI's files have them."""
    atoms = symbols.split()
    head = counts or f"{len(atoms):3}{len(bonds):3}  0  0  0  0              1 V2000"
    lines = [name, "  made by hand", "", head]
    lines += [f"    0.0000    0.0000    0.0000 {symbol:3} 0  0" for symbol in atoms]
    lines += [f"{u:3}{v:3}{kind:3}  0  0  0" for u, v, kind in bonds]
    return "\n".join([*lines, *rest.splitlines(), "M  END", "> <VALUE>", "1 2 3", "", "$$$$", ""])


CHLOROETHENE = record("m1", "C C Cl", [(1, 2, 2), (2, 3, 1)], rest="M  CHG  1   2  -1")


def read_all(tmp_path: Path, text: str, name: str = "a.sdf", **options: object) -> list[Graph]:
    (tmp_path / name).write_text(text, newline="")
    return io.read_all(tmp_path / name, **options)


def test_atoms_are_labelled_by_symbol_and_bonds_by_type(tmp_path: Path) -> None:
    graphs = read_all(tmp_path, CHLOROETHENE + record("", "N C O", [(1, 2, 3), (2, 3, 4)]))
    assert graphs[0] == Graph(
        3, [(0, 1), (1, 2)], node_labels=["C", "C", "Cl"], edge_labels=["DOUBLE", "SINGLE"], name="m1"
    )
    assert graphs[1].edge_labels == ("TRIPLE", "AROMATIC")
    assert [graph.name for graph in graphs] == ["m1", "a-2"]


def test_options_choose_the_labels(tmp_path: Path) -> None:
    [graph] = read_all(tmp_path, CHLOROETHENE, "a.sd", node_label=None, edge_label=lambda bond: bond["type"][0])
    assert graph == Graph(3, [(0, 1), (1, 2)], edge_labels=["D", "S"])


def test_counts_and_ends_of_bonds_may_touch(tmp_path: Path) -> None:
    bonds = [(i, i + 1, 1) for i in range(1, 101)]
    text = record("chain", "C " * 101, bonds)
    assert "\n101100  0" in text
    assert "\n100101  1" in text
    [graph] = read_all(tmp_path, text)
    assert (len(graph), graph.num_edges) == (101, 100)


@pytest.mark.parametrize("change", [("\n", "\r\n"), ("$$$$\n", ""), ("$$$$\n", "$$$$\n\n\n\n\n\n"), (" V2000", "")])
def test_line_ends_and_the_end_of_the_file_may_vary(tmp_path: Path, change: tuple[str, str]) -> None:
    assert read_all(tmp_path, CHLOROETHENE.replace(*change)) == read_all(tmp_path, CHLOROETHENE, "b.sdf")


def test_an_atom_alone_and_no_atom_at_all(tmp_path: Path) -> None:
    alone, none = read_all(tmp_path, record("", "Na", []) + record("", "", []))
    assert (alone.node_labels, len(none)) == (("Na",), 0)


def test_rdkit_reads_the_same(tmp_path: Path) -> None:
    chem = pytest.importorskip("rdkit.Chem")
    (tmp_path / "a.sdf").write_text(CHLOROETHENE)
    [molecule] = chem.SDMolSupplier(str(tmp_path / "a.sdf"), sanitize=False)
    assert Graph.from_rdkit(molecule) == io.read(tmp_path / "a.sdf")


BOND = "  1  2  2  0  0  0\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("\n\n\n\n\n", "the file is empty"),
        ("just\na few\nwords", "record 1: line 4 must begin with the numbers of atoms and bonds, got ''"),
        (CHLOROETHENE.replace("V2000", "V3000"), "record 1: is V3000, and only V2000 is read"),
        (CHLOROETHENE + record("m2", "C", [], counts=" -1  0"), "record 2: line 4 must begin .*' -1  0'"),
        (CHLOROETHENE.replace("  3  2  0", "  2  2  0", 1), "announces 2 atoms and 2 bonds, but has more"),
        (CHLOROETHENE.replace("  3  2  0", "  4  2  0", 1), "'m1'.*: an atom line has three coordinates"),
        (CHLOROETHENE.replace("  3  2  0", "  3  1  0", 1), "announces 3 atoms and 1 bonds, but has more"),
        (CHLOROETHENE.replace("  3  2  0", "  3  3  0", 1), "a bond line begins .*'M  CHG"),
        (CHLOROETHENE.replace(BOND, "  1  4  2  0  0  0\n"), "a bond names an atom beyond 1 to 3: 1, 4"),
        (CHLOROETHENE.replace(BOND, "  1  2  8  0  0  0\n"), r"bond types are 1 to 4 .*, got 8"),
        (CHLOROETHENE.replace(BOND, "  1  1  2  0  0  0\n"), "record 1 .*self-loop"),
        (CHLOROETHENE.replace(BOND, "  3  2  2  0  0  0\n"), "record 1 .*twice"),
        (CHLOROETHENE[:200], "record 1 is cut short"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=rf"a\.sdf: .*{message}"):
        read_all(tmp_path, text)
