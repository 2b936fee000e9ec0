"""Graphs from and to other libraries: edge lists, networkx, PyTorch Geometric, RDKit, SMILES.

None of those libraries is loaded before it is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from os import PathLike
from typing import Any

from graphedx.convert.labels import LabelRule
from graphedx.convert.networkx import from_edges, from_networkx, to_networkx
from graphedx.convert.pyg import from_pyg, to_pyg
from graphedx.convert.rdkit import from_rdkit, from_smiles, to_rdkit, to_smiles
from graphedx.errors import GraphError
from graphedx.graph import Graph

__all__ = [
    "LabelRule",
    "as_graph",
    "from_edges",
    "from_networkx",
    "from_pyg",
    "from_rdkit",
    "from_smiles",
    "is_graph",
    "require_graphs",
    "to_networkx",
    "to_pyg",
    "to_rdkit",
    "to_smiles",
]

_CONVERTERS: dict[str, Callable[..., Graph]] = {
    "networkx": from_networkx,
    "torch_geometric": from_pyg,
    "rdkit": from_rdkit,
}


def as_graph(thing: Any) -> Graph:
    """The Graph that anything graph-like stands for: a Graph itself, networkx, torch_geometric ``Data``, RDKit ``Mol``.

    Labels come from where each library keeps them: networkx attribute "label", PyG ``x`` and ``edge_attr``, RDKit
    element symbols and bond types. For other labels call the ``from_...`` functions yourself.
    """
    if isinstance(thing, Graph):
        return thing
    library = _library(thing)
    if library is None:
        hint = "; to read a file use graphedx.read(path)" if isinstance(thing, str | PathLike) else ""
        raise GraphError(
            "a graph is a graphedx.Graph, a networkx Graph or DiGraph, a torch_geometric Data or an RDKit Mol, "
            f"got {type(thing).__name__}{hint}"
        )
    return _CONVERTERS[library](thing)


def is_graph(thing: Any) -> bool:
    """Whether ``as_graph`` would try to convert it."""
    return isinstance(thing, Graph) or _library(thing) is not None


def require_graphs(things: object, what: str = "graphs", wanted: str = "a list of graphs") -> None:
    """Refuse what is no collection of graphs; what each of them is, is not looked at."""
    if is_graph(things) or isinstance(things, str) or not isinstance(things, Iterable):
        raise GraphError(f"{what} must be {wanted}, got {type(things).__name__}")


def _library(thing: Any) -> str | None:
    """Which library the thing's class, or one it inherits from, comes from; told without importing any of them."""
    for cls in type(thing).__mro__:
        library = cls.__module__.partition(".")[0]
        if library in _CONVERTERS:
            return library
    return None
