"""Molecules as text: ``.smi`` with one "SMILES name" a line, and ``.csv`` with a column of SMILES."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from graphedx._quoting import quoted, shortened
from graphedx.convert.labels import LabelRule
from graphedx.convert.rdkit import from_smiles, to_smiles
from graphedx.errors import FormatError, GraphError
from graphedx.graph import Graph
from graphedx.io._load import decode

_NAME_COLUMNS = ("name", "id", "mol_id")


class Record(NamedTuple):
    """A molecule as the file tells it; ``name`` is empty where it has none."""

    line: int
    name: str
    smiles: str


def parse(
    content: bytes,
    *,
    hydrogens: bool = False,
    strict: bool = True,
    node_label: LabelRule = "symbol",
    edge_label: LabelRule = "type",
) -> list[Graph]:
    """One molecule a line; empty lines are skipped, and so is a first line that is a header. Options as from_smiles."""
    return [
        _graph(record.smiles, record.name, record.line, hydrogens, strict, node_label, edge_label)
        for record in records(_lines(content))
    ]


def parse_csv(
    content: bytes,
    *,
    column: str | None = None,
    name_column: str | None = None,
    hydrogens: bool = False,
    strict: bool = True,
    node_label: LabelRule = "symbol",
    edge_label: LabelRule = "type",
) -> list[Graph]:
    """One molecule a row, from the column headed "smiles" (any case) and named by the column name, id or mol_id."""
    return [
        _graph(record.smiles, record.name, record.line, hydrogens, strict, node_label, edge_label)
        for record in csv_records(_lines(content), column=column, name_column=name_column)
    ]


def records(lines: Iterable[str]) -> Iterator[Record]:
    """What the lines of a ``.smi`` file hold, one record at a time."""
    for number, line in enumerate(map(str.strip, lines), 1):
        if "\r" in line:  # all that follows would be taken for the name of the first molecule
            raise FormatError(f"line {number}: has a carriage return inside; end lines by \\n or \\r\\n")
        text, _, name = line.partition("\t" if "\t" in line else " ")
        if text and not (number == 1 and text.lower() == "smiles"):
            yield Record(number, name.strip(), text)


def csv_records(lines: Iterable[str], *, column: str | None = None, name_column: str | None = None) -> Iterator[Record]:
    """What the lines of a ``.csv`` file hold, one record at a time."""
    rows = csv.reader((f"{line}\n" for line in lines), strict=True)
    try:
        header = [title.strip() for title in next(rows, [])]
        place = _column(header, (column or "smiles",), required=True)
        name_place = _column(header, (name_column,) if name_column else _NAME_COLUMNS, required=name_column is not None)
        for row in rows:
            if not any(entry.strip() for entry in row):
                continue
            if len(row) != len(header):
                raise FormatError(f"line {rows.line_num}: the header has {len(header)} columns, this row {len(row)}")
            yield Record(rows.line_num, row[name_place].strip() if name_place >= 0 else "", row[place].strip())
    except csv.Error as error:
        raise FormatError(f"is not CSV: {shortened(str(error), 120)}") from None


def serialize(graphs: Sequence[Graph]) -> str:
    """One "SMILES name" a line, with a tab between where the name has one too."""
    lines = []
    for i, graph in enumerate(graphs, 1):
        try:
            text = to_smiles(graph)
            kept = "H" not in graph.node_labels or len(from_smiles(text)) == len(graph)  # [H][H] keeps its own
        except GraphError as error:
            raise FormatError(f"graph {i}: {error}") from None
        if not text:
            raise FormatError(f"graph {i} has no atoms, which a SMILES file cannot hold")
        if not kept:
            raise FormatError(
                f"graph {i} has hydrogens as nodes, which would be gone when the file is read; "
                "use json or graphml, or leave the hydrogens out"
            )
        if len((graph.name + " ").splitlines()) > 1:
            raise FormatError(f"graph {i}: its name must be one line, got {quoted(graph.name)}")
        separator = "\t" if "\t" in graph.name else " "
        lines.append(f"{text}{separator}{graph.name}".strip())
    return "".join(f"{line}\n" for line in lines)


def _lines(content: bytes) -> list[str]:
    """Not ``splitlines``, which also breaks at characters that are no line ends in a file."""
    lines = decode(content).replace("\r\n", "\n").split("\n")
    if not any(line.strip() for line in lines):
        raise FormatError("the file is empty")
    return lines


def _graph(
    text: str,
    name: str,
    line: int,
    hydrogens: bool,
    strict: bool,
    node_label: LabelRule,
    edge_label: LabelRule,
) -> Graph:
    try:
        return from_smiles(
            text,
            hydrogens=hydrogens,
            strict=strict,
            node_label=node_label,
            edge_label=edge_label,
            name=name or text,
        )
    except GraphError as error:
        raise FormatError(f"line {line}: {error}") from None


def _column(header: list[str], titles: Sequence[str], *, required: bool) -> int:
    found: Iterator[int] = (i for title in titles for i, entry in enumerate(header) if entry.lower() == title.lower())
    place = next(found, -1)
    if place < 0 and required:
        raise FormatError(f"has no column {quoted(titles[0])}; the header is {quoted(header[:8])}")
    return place
