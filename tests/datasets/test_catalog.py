"""The catalog of datasets."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphedx import io
from graphedx.datasets import catalog
from graphedx.datasets.catalog import CATALOG, Entry
from graphedx.errors import DatasetError
from graphedx.graph import Graph

PAPER = ("aids", "mutagenicity", "yeast", "molhiv", "molpcba", "linux", "code2")
EMBEDDED = ("pyast", "nci", "alkanes")


def test_what_there_is() -> None:
    assert tuple(CATALOG) == (*PAPER, *EMBEDDED)
    assert all(name == entry.name for name, entry in CATALOG.items())
    assert {name for name, entry in CATALOG.items() if entry.paper} == set(PAPER)
    assert {name for name, entry in CATALOG.items() if entry.generate} == set(EMBEDDED)
    assert {name for name, entry in CATALOG.items() if entry.max_graphs} == {"molhiv", "molpcba", "yeast"}
    assert {name for name, entry in CATALOG.items() if not entry.labelled} == {"linux"}
    assert (CATALOG["linux"].max_nodes, CATALOG["aids"].max_nodes) == (10, 20)


@pytest.mark.parametrize("name", PAPER)
def test_the_papers_pairs_follow_from_its_graphs(name: str) -> None:
    """Split 60/20/20, pairs within a split with repetition: so a misprint here would not go unnoticed."""
    paper = CATALOG[name].paper
    assert paper is not None
    train, val = int(0.6 * paper.graphs), int(0.2 * paper.graphs)
    sizes = (train, val, paper.graphs - train - val)
    assert (paper.train_pairs, paper.val_pairs, paper.test_pairs) == tuple(n * (n + 1) // 2 for n in sizes)
    assert paper.avg_ged_uniform < paper.avg_ged_non_uniform < 20
    assert abs(paper.avg_nodes - paper.avg_edges) < 1.2
    assert paper.graphs <= (CATALOG[name].max_graphs or 1000)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("AIDS", "aids"),
        ("Mutag", "mutagenicity"),
        ("ogbg-molhiv", "molhiv"),
        ("ogbg_molpcba", "molpcba"),
        ("OGBG-Code2", "code2"),
        (" linux ", "linux"),
    ],
)
def test_names_are_found_in_any_case_and_by_alias(name: str, found: str) -> None:
    assert catalog.get(name) is CATALOG[found]


def test_unknown_names_list_what_there_is() -> None:
    with pytest.raises(DatasetError, match=r"no dataset 'imdb'; there are aids, mutagenicity, yeast, .*alkanes"):
        catalog.get("imdb")


def test_an_entry_is_read_or_generated() -> None:
    with pytest.raises(ValueError, match="either read or generated"):
        Entry(name="x", title="X", summary="", source_hint="")


def test_entries_read_their_sources(tmp_path: Path) -> None:
    io.write([Graph(2, [(0, 1)])], tmp_path / "AIDS", format="tu")
    read = catalog.get("aids").read
    assert read is not None
    assert [graph.name for graph in read(tmp_path)] == ["AIDS-1"]


def test_molecules_are_named_after_their_dataset(tmp_path: Path) -> None:
    pytest.importorskip("rdkit")
    (tmp_path / "a.csv").write_text("smiles\nCC\n")
    for name in ("molhiv", "molpcba", "yeast"):
        read = catalog.get(name).read
        assert read is not None
        assert [graph.name for graph in read(tmp_path / "a.csv")] == [f"{name}-0"]


def test_entries_generate_graphs_within_their_limits() -> None:
    generate = catalog.get("alkanes").generate
    assert generate is not None
    assert max(len(graph) for graph in generate()) == catalog.get("alkanes").max_nodes
