"""Graphs that need no download: made by a rule, or lying in what is installed anyway."""

from __future__ import annotations

import platform
import sysconfig
from collections.abc import Iterator
from functools import cache
from itertools import combinations_with_replacement
from pathlib import Path

from graphedx.datasets.readers import molecules
from graphedx.datasets.readers._files import files_below
from graphedx.errors import DatasetError, FormatError, MissingExtraError
from graphedx.graph import Graph
from graphedx.io import python_source
from graphedx.io._load import load

MOST_AST_NODES = 20
MOST_CARBONS = 11
_NOT_LIBRARY = ("site-packages", "dist-packages", "test", "tests", "idle_test")

Branch = tuple["Branch", ...]
"""A rooted tree: the branches at its root, largest first."""


def pyast(stdlib: Path | None = None) -> Iterator[Graph]:
    """Small functions of the running Python's own standard library, as syntax trees in OGB's manner.

    All functions with at most 20 nodes from ``.py`` files in the order of their paths, tests left out; the files are
    parsed, nothing is imported. They differ between versions of Python, so the version begins every graph's name.
    """
    folder = stdlib or Path(sysconfig.get_paths()["stdlib"])
    version = f"{platform.python_implementation().lower()}-{platform.python_version()}"
    for file in files_below(folder, ".py", without=_NOT_LIBRARY):
        for tree in _trees(file):
            yield tree.renamed(f"{version}/{file.relative_to(folder).as_posix()}:{tree.name}")


def rdkit_version() -> str:
    """Which RDKit the molecules of ``nci`` come with."""
    try:
        from rdkit import __version__
    except ImportError:
        raise MissingExtraError("rdkit", "chem") from None
    return f"RDKit {__version__}"


def nci() -> Iterator[Graph]:
    """The first 4,999 molecules of the National Cancer Institute's open database, which come with RDKit."""
    try:
        from rdkit import RDConfig
    except ImportError:
        raise MissingExtraError("rdkit", "chem") from None
    file = Path(RDConfig.RDDataDir) / "NCI" / "first_5K.smi"
    if not file.exists():
        raise DatasetError(f"{file}: this RDKit comes without it; install the rdkit of pip install 'graphedx[chem]'")
    return molecules.read(file, prefix="nci")


def alkanes(most_carbons: int = MOST_CARBONS) -> Iterator[Graph]:
    """The carbon skeletons of all alkanes, smallest first: every tree of maximum degree 4, once.

    A tree has one node, or two neighbouring ones, in its middle (the centroid), so that no branch there holds more than
    half of the nodes. Branches are multisets of smaller ones; so no tree comes twice. Named after the formula: C4H10-1.
    """
    for carbons in range(1, most_carbons + 1):
        for number, tree in enumerate(_free_trees(carbons), 1):
            edges = list(_edges(tree))
            yield Graph(
                carbons,
                edges,
                node_labels=["C"] * carbons,
                edge_labels=["SINGLE"] * len(edges),
                name=f"C{carbons}H{2 * carbons + 2}-{number}",
            )


def _trees(file: Path) -> list[Graph]:
    try:
        return python_source.parse(load(file), module_root=True, max_nodes=MOST_AST_NODES)
    except (FormatError, RecursionError) as error:
        raise FormatError(f"{file}: {error}") from None


def _free_trees(nodes: int) -> Iterator[Branch]:
    yield from _rooted(nodes, children=4, largest=(nodes - 1) // 2)
    if nodes % 2 == 0:
        for one, other in combinations_with_replacement(_branches(nodes // 2), 2):
            yield (one, *other)  # the second centroid is the root, the first one its branch


@cache
def _branches(nodes: int) -> tuple[Branch, ...]:
    """The rooted trees that fit under a carbon atom: three more neighbours at most."""
    return tuple(_rooted(nodes, children=3, largest=nodes - 1))


def _rooted(nodes: int, children: int, largest: int) -> Iterator[Branch]:
    """Rooted trees of so many nodes with at most so many branches at the root, none larger than allowed."""
    if nodes == 1:
        yield ()
    elif children and largest:
        for size in range(min(largest, nodes - 1), 0, -1):
            # All branches of this size are chosen together, as a multiset; the smaller ones follow.
            for count in range(1, min(children, (nodes - 1) // size) + 1):
                for rest in _rooted(nodes - size * count, children - count, size - 1):
                    for chosen in combinations_with_replacement(_branches(size), count):
                        yield (*chosen, *rest)


def _edges(tree: Branch) -> Iterator[tuple[int, int]]:
    """Nodes are numbered from the root downwards, each branch before the next."""
    pending = [(branch, 0) for branch in reversed(tree)]
    node = 0
    while pending:
        branch, parent = pending.pop()
        node += 1
        yield parent, node
        pending += [(child, node) for child in reversed(branch)]
