"""Molecules as SMILES, SDF, or the arrays of the Open Graph Benchmark (ogbg-molhiv, ogbg-molpcba)."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from graphedx._quoting import quoted
from graphedx.convert import from_smiles
from graphedx.datasets.readers import _ogb
from graphedx.datasets.readers._files import Lines, files_below, naming, unpacked_name
from graphedx.errors import DatasetError, FormatError, GraphError
from graphedx.graph import Graph, Label
from graphedx.io import sdf, smiles

_SYMBOLS = """
H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Y Zr Nb Mo Tc Ru
Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At
Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md No Lr Rf Db Sg Bh Hs Mt Ds Rg Cn Nh Fl Mc Lv Ts Og *
"""
_ELEMENTS = tuple(_SYMBOLS.split())  # by OGB's first node feature, the atomic number less one; * is no element
_BONDS = ("SINGLE", "DOUBLE", "TRIPLE", "AROMATIC", "OTHER")  # by OGB's first edge feature


def read(path: Path, *, prefix: str = "molecule") -> Iterator[Graph]:
    """Every molecule; nodes are labelled by element ("C"), edges by bond type ("SINGLE", "AROMATIC", ...).

    In a folder the first of these that is there is read: an OGB raw folder; SDF files, of which only the first record
    of each compound is taken (by its first line, over all files in the order of their paths); the one CSV with a column
    "smiles"; ``.smi`` files. Graphs are named PREFIX-ID where the file has ids, else PREFIX-0, PREFIX-1, ... by place.
    SMILES of impossible valence are read all the same; what is no molecule even so is an error.
    """
    if raw := _ogb.find(path):
        return _ogb.graphs(raw, prefix, _element, _bond)
    if files := files_below(path, ".sdf", ".sd"):
        return _from_sdf(files, prefix)
    if files := files_below(path, ".csv"):
        return _from_smiles([_with_smiles(files, path)], prefix)
    if files := files_below(path, ".smi", ".smiles"):
        return _from_smiles(files, prefix)
    raise DatasetError(f"{path}: holds no molecules: no OGB raw folder, .sdf, .csv with a column 'smiles' or .smi")


def _from_sdf(files: list[Path], prefix: str) -> Iterator[Graph]:
    seen: set[str] = set()
    place = 0
    for file in files:
        with naming(file):
            for graph in sdf.records(Lines(file)):
                if graph.name not in seen:
                    yield graph.renamed(f"{prefix}-{graph.name or place}")
                if graph.name:
                    seen.add(graph.name)
                place += 1


def _from_smiles(files: list[Path], prefix: str) -> Iterator[Graph]:
    place = 0
    for file in files:
        read_records = smiles.csv_records if unpacked_name(file).endswith(".csv") else smiles.records
        with naming(file):
            for record in read_records(Lines(file)):
                yield _molecule(record, f"{prefix}-{record.name or place}")
                place += 1
    if not place:
        raise FormatError(f"{files[0]}: holds no molecules")


def _molecule(record: smiles.Record, name: str) -> Graph:
    try:
        return from_smiles(record.smiles, name=name)
    except GraphError:
        try:
            return from_smiles(record.smiles, name=name, strict=False)
        except GraphError as error:
            raise FormatError(
                f"line {record.line}: is not a molecule, even with impossible valences: {error}"
            ) from None


def _with_smiles(files: list[Path], path: Path) -> Path:
    found = [file for file in files if _has_smiles(file)]
    if len(found) != 1:
        names = ", ".join(file.name for file in (found or files)[:5])
        raise DatasetError(f"{path}: needs one CSV with a column 'smiles', here are {len(found) or 'none'}: {names}")
    return found[0]


def _has_smiles(file: Path) -> bool:
    lines = Lines(file)
    try:
        header = next(csv.reader([next(lines, "")], strict=True), [])
    except csv.Error:
        return False
    return any(title.strip().lower() == "smiles" for title in header)


def _element(feature: str) -> Label:
    return _chosen(_ELEMENTS, feature, "an atomic number less one")


def _bond(feature: str) -> Label:
    return _chosen(_BONDS, feature, "a bond type")


def _chosen(names: tuple[str, ...], feature: str, what: str) -> str:
    if not feature.strip().isdecimal() or int(feature) >= len(names):
        raise ValueError(f"must begin with {what}, 0 to {len(names) - 1}, got {quoted(feature)}")
    return names[int(feature)]
