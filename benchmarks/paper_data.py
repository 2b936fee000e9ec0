"""The paper's data sets as ``graphedx data prepare`` makes them from the raw files, and the numbers it reports."""

from __future__ import annotations

import random
from itertools import combinations_with_replacement
from pathlib import Path
from typing import NamedTuple

from graphedx import Graph, datasets
from record import load


class Raw(NamedTuple):
    """Which entry of the catalog reads which file; a substitute has other graphs than the paper's."""

    entry: str
    file: str
    substitute: bool = False


RAW = {
    "AIDS": Raw("aids", "AIDS/AIDS_TU.tar.gz"),
    "Mutag": Raw("mutagenicity", "Mutagenicity/Mutagenicity_TU.tar.gz"),
    "Linux": Raw("linux", "Linux/LINUX_gexf.tar.gz"),
    "Molhiv": Raw("molhiv", "ogbg-molhiv/HIV.csv.gz"),
    "Molpcba-like": Raw("molpcba", "PCBA_substitute/muv_smiles.csv.gz", True),
    "Yeast-like": Raw("yeast", "Yeast_substitute/NCI_balanced.zip", True),
    "Code2-like": Raw("code2", "Code2_substitute/python_stdlib_ast_le20.jsonl.gz", True),
}
SETS = ("AIDS", "Mutag", "Linux", "Code2-like")
"""The sets of the figure of time limits."""


def prepared(name: str, data: Path, out: Path | None = None) -> datasets.Dataset:
    """The set, cleaned and split."""
    if name not in RAW:
        raise ValueError(f"there is no set {name!r}; there are {', '.join(RAW)}")
    raw = RAW[name]
    return datasets.prepare(raw.entry, data / "data" / "raw" / raw.file, out)


def tested_graphs(name: str, data: Path) -> list[Graph]:
    """The structure of the test graphs."""
    return [graph.unlabelled() for graph in prepared(name, data).split("test")]


def sampled_pairs(graphs: list[Graph], count: int, seed: int) -> list[tuple[int, int]]:
    """Some of the pairs i <= j that the paper tests on, a graph with itself too."""
    pairs = list(combinations_with_replacement(range(len(graphs)), 2))
    return random.Random(seed).sample(pairs, min(count, len(pairs)))


def reported_mse(data: Path) -> dict[tuple[str, str], float]:
    """(data set, costs) -> the MSE of the paper's GraphEdX on its test pairs; empty if the tables are not there."""
    rows = load(data / "paper" / "tables.csv")
    return {
        (row["dataset"], row["costs"]): float(row["value"])
        for row in rows
        if (row["table"], row["method"], row["metric"]) == ("baselines", "GraphEdX", "MSE")
    }
