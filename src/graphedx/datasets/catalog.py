"""The datasets that graphedx knows by name: how each is read, by which rules it is cut, what the paper says of it."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from graphedx._quoting import quoted
from graphedx.datasets.readers import code2, embedded, linux, molecules, tu, yeast
from graphedx.errors import DatasetError
from graphedx.graph import Graph


class PaperRow(NamedTuple):
    """A row of the dataset table in the GraphEdX paper (NeurIPS 2024); GED with uniform and non-uniform costs."""

    graphs: int
    train_pairs: int
    val_pairs: int
    test_pairs: int
    avg_nodes: float
    avg_edges: float
    avg_ged_uniform: float
    avg_ged_non_uniform: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A dataset: ``read`` gets its graphs from a source, ``generate`` makes them; just one of the two is there."""

    name: str
    title: str
    summary: str
    source_hint: str
    max_nodes: int = 20
    max_graphs: int | None = None
    labelled: bool = True
    read: Callable[[Path], Iterator[Graph]] | None = None
    generate: Callable[[], Iterator[Graph]] | None = None
    made_from: Callable[[], str] = lambda: "made by graphedx"  # what a generated one depends on, with its version
    paper: PaperRow | None = None

    def __post_init__(self) -> None:
        if (self.read is None) == (self.generate is None):
            raise ValueError(f"{self.name}: a dataset is either read or generated")


_TU = "a TU Dortmund folder or its archive ({}_A.txt, {}_graph_indicator.txt, ...)"
_MOLECULES = "an OGB folder or its archive (raw/edge.csv.gz, ...), a .csv with a column smiles, .smi or .sdf files"
_MADE_HERE = "none needed"

_ALL = (
    Entry(
        name="aids",
        title="AIDS",
        summary="molecules of the antiviral screen, elements as labels",
        read=tu.read,
        source_hint=_TU.format("AIDS", "AIDS"),
        paper=PaperRow(911, 149331, 16653, 16836, 10.97, 10.97, 7.38, 12.07),
    ),
    Entry(
        name="mutagenicity",
        title="Mutagenicity",
        summary="molecules with their hydrogens, tested for mutagenicity",
        read=tu.read,
        source_hint=_TU.format("Mutagenicity", "Mutagenicity"),
        paper=PaperRow(729, 95703, 10585, 10878, 16.01, 15.76, 11.15, 18.57),
    ),
    Entry(
        name="yeast",
        title="Yeast",
        summary="molecules of an anticancer screen of the NCI",
        read=yeast.read,
        source_hint=f"{_TU.format('Yeast', 'Yeast')}; of other NCI screens: .sdf files",
        max_graphs=1000,
        paper=PaperRow(1000, 180300, 20100, 20100, 16.59, 17.04, 10.65, 17.74),
    ),
    Entry(
        name="molhiv",
        title="ogbg-molhiv",
        summary="molecules tested against HIV (MoleculeNet)",
        read=partial(molecules.read, prefix="molhiv"),
        source_hint=_MOLECULES,
        max_graphs=1000,
        paper=PaperRow(1000, 180300, 20100, 20100, 15.01, 15.65, 11.77, 19.86),
    ),
    Entry(
        name="molpcba",
        title="ogbg-molpcba",
        summary="molecules of the PubChem BioAssay screens (MoleculeNet)",
        read=partial(molecules.read, prefix="molpcba"),
        source_hint=_MOLECULES,
        max_graphs=1000,
        paper=PaperRow(1000, 180300, 20100, 20100, 17.52, 18.67, 9.58, 15.73),
    ),
    Entry(
        name="linux",
        title="LINUX",
        summary="program dependence graphs of the Linux kernel, no labels",
        read=linux.read,
        source_hint="a folder or archive with train/ID.gexf and test/ID.gexf, or .json",
        max_nodes=10,
        labelled=False,
        paper=PaperRow(89, 1431, 153, 190, 8.71, 8.35, 4.91, 7.94),
    ),
    Entry(
        name="code2",
        title="ogbg-code2",
        summary="syntax trees of Python functions",
        read=code2.read,
        source_hint="an OGB folder or its archive (raw/edge.csv.gz, ...), .jsonl of CodeSearchNet or of trees, "
        ".json of CoSQA, .py files",
        paper=PaperRow(128, 2926, 325, 378, 18.77, 17.77, 10.02, 16.43),
    ),
    Entry(
        name="pyast",
        title="Python's own functions",
        summary="syntax trees of the standard library of the Python that runs; differs between versions",
        generate=embedded.pyast,
        made_from=lambda: f"standard library of {platform.python_implementation()} {platform.python_version()}",
        source_hint=_MADE_HERE,
        max_nodes=embedded.MOST_AST_NODES,
    ),
    Entry(
        name="nci",
        title="NCI open database",
        summary="the 4,999 molecules that come with RDKit",
        generate=embedded.nci,
        made_from=embedded.rdkit_version,
        source_hint=f"{_MADE_HERE}, but the extra 'chem'",
    ),
    Entry(
        name="alkanes",
        title="Alkanes",
        summary=f"the carbon skeletons of all alkanes with at most {embedded.MOST_CARBONS} carbons",
        generate=embedded.alkanes,
        source_hint=_MADE_HERE,
        max_nodes=embedded.MOST_CARBONS,
    ),
)
CATALOG: Mapping[str, Entry] = MappingProxyType({entry.name: entry for entry in _ALL})
"""Every dataset by the name a user types."""
ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "mutag": "mutagenicity",
        "hiv": "molhiv",
        "pcba": "molpcba",
        "ogbg-molhiv": "molhiv",
        "ogbg-molpcba": "molpcba",
        "ogbg-code2": "code2",
    }
)


def get(name: str) -> Entry:
    """The dataset of this name or alias, in any case.

    >>> get("OGBG-MolHIV").name
    'molhiv'
    """
    plain = name.strip().lower().replace("_", "-")
    entry = CATALOG.get(ALIASES.get(plain, plain))
    if entry is None:
        raise DatasetError(f"no dataset {quoted(name)}; there are {', '.join(CATALOG)}")
    return entry
