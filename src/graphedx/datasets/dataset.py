"""Dataset: graphs in three splits, and where they come from."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graphedx._files import AnyPath
from graphedx._quoting import quoted
from graphedx.datasets.splits import pair_count, pairs_within
from graphedx.errors import DatasetError
from graphedx.graph import Graph, Label

if TYPE_CHECKING:
    from graphedx.costs import EditCosts
    from graphedx.datasets.labels import LabelTable

SPLITS = ("train", "val", "test")

_NAME = re.compile(r"\w[\w.+-]{0,99}")
_DEEPEST_LABEL = 20


@dataclass(frozen=True)
class Dataset:
    """Graphs in three splits: those of ``train`` first, then ``val``, then ``test``.

    Nodes are named 0, 1, ...; labels are text, numbers, booleans, ``None`` or tuples of those, so that a dataset comes
    back from its files as it was. Two are equal if they have the same name, graphs and splits.

    >>> path, star, ring = Graph(3, [(0, 1), (1, 2)]), Graph(1), Graph(3, [(0, 1), (1, 2), (0, 2)])
    >>> small = Dataset("small", (path, star, ring), (2, 0, 1))
    >>> small.pairs("train").tolist()
    [[0, 0], [0, 1], [1, 1]]
    >>> small.split("test")
    (Graph(3 nodes, 3 edges),)
    """

    name: str
    graphs: tuple[Graph, ...] = field(repr=False)
    sizes: tuple[int, int, int]
    provenance: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    folder: Path | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        require_name(self.name)
        graphs = tuple(map(_plain, self.graphs))
        sizes = tuple(self.sizes)
        if (
            len(sizes) != len(SPLITS)
            or not all(type(size) is int for size in sizes)
            or min(sizes) < 0
            or sum(sizes) != len(graphs)
        ):
            raise DatasetError(f"sizes must be those of {', '.join(SPLITS)} and sum to {len(graphs)}, got {sizes}")
        if len({graph.directed for graph in graphs}) > 1:
            raise DatasetError("a dataset holds directed graphs or undirected ones, not both")
        _require_labels(graphs)
        object.__setattr__(self, "graphs", graphs)
        object.__setattr__(self, "sizes", sizes)

    def __len__(self) -> int:
        return len(self.graphs)

    @property
    def directed(self) -> bool:
        """Whether the edges have directions."""
        return any(graph.directed for graph in self.graphs)

    def span(self, name: str) -> range:
        """The places of a split's graphs in ``graphs``."""
        if name not in SPLITS:
            raise DatasetError(f"there is no split {quoted(name)}; there are {', '.join(SPLITS)}")
        ends = [0, *accumulate(self.sizes)]
        number = SPLITS.index(name)
        return range(ends[number], ends[number + 1])

    def split(self, name: str) -> tuple[Graph, ...]:
        """The graphs of a split."""
        span = self.span(name)
        return self.graphs[span.start : span.stop]

    def pairs(self, split: str) -> NDArray[np.int32]:
        """Every pair within a split, a graph with itself too, as places (i, j) in ``graphs`` with i <= j: (k, 2)."""
        return pairs_within(self.span(split))

    def pair_count(self, split: str) -> int:
        """How many pairs a split has."""
        return pair_count(len(self.span(split)))

    @property
    def origins(self) -> tuple[int, ...] | None:
        """The position of every graph in what ``from_graphs`` was given; None for a dataset made in another way."""
        origins = self.provenance.get("origins")
        return tuple(origins) if isinstance(origins, list) and len(origins) == len(self) else None

    @cached_property
    def node_counts(self) -> NDArray[np.int64]:
        """The number of nodes of every graph."""
        return np.array([graph.num_nodes for graph in self.graphs], dtype=np.int64)

    @cached_property
    def edge_counts(self) -> NDArray[np.int64]:
        """The number of edges of every graph."""
        return np.array([graph.num_edges for graph in self.graphs], dtype=np.int64)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over the graphs (structure, labels, names, order) and the sizes: the same on every machine.

        Neither the order of a graph's edges nor which end of an undirected one comes first makes a difference.
        """
        digest = hashlib.sha256(json.dumps([list(self.sizes), self.directed]).encode())
        for graph in self.graphs:
            digest.update(f"\n{json.dumps(_canonical(graph))}".encode())
        return digest.hexdigest()

    def labels(self, split: str, costs: EditCosts) -> LabelTable:
        """The labels of a split under these costs; see :func:`graphedx.datasets.label`, which makes them."""
        from graphedx.datasets.labels import labels

        return labels(self, split, costs)

    def save(self, folder: AnyPath, *, overwrite: bool = False) -> Dataset:
        """Write the dataset as a folder, whole or not at all, and return it as it is there.

        A folder that exists is replaced only with ``overwrite``, and only if it is a dataset; its labels, which are of
        other graphs then, go with it. Where the very same graphs and splits lie already nothing is touched.
        """
        from graphedx.datasets import files

        return files.save(self, folder, overwrite=overwrite)

    @classmethod
    def load(cls, folder: AnyPath) -> Dataset:
        """What ``save`` wrote, checked; whatever is wrong with it is a DatasetError that names the file."""
        from graphedx.datasets import files

        return files.load(folder)


def as_dataset(thing: Dataset | AnyPath) -> Dataset:
    """A dataset as it is, or the one in a folder."""
    if not isinstance(thing, Dataset | str | PathLike):
        raise DatasetError(f"a dataset is a Dataset or the folder of one, got {type(thing).__name__}")
    return thing if isinstance(thing, Dataset) else Dataset.load(thing)


def require_name(name: object) -> None:
    """Refuse names that could not be those of a folder."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise DatasetError(f"a dataset's name is made of letters, digits and any of _.+-, got {quoted(name)}")


def label_text(label: Label, where: str = "a node or edge") -> str:
    """A label as JSON, in which 1, 1.0 and true are three things; what JSON cannot give back is refused."""
    try:
        if not _is_plain(label):
            raise TypeError
        return json.dumps(label, allow_nan=False)
    except (TypeError, ValueError):  # a number of too many digits is a ValueError
        raise DatasetError(
            f"label {quoted(label)} of {where} cannot be kept: "
            "labels are text, finite numbers, booleans, None, or tuples of those"
        ) from None


def label_from_json(value: Any) -> Any:
    """What ``label_text`` wrote, after JSON has read it: its lists were tuples."""
    return tuple(map(label_from_json, value)) if isinstance(value, list) else value


def _is_plain(label: Label, depth: int = 0) -> bool:
    if isinstance(label, tuple):
        return depth < _DEEPEST_LABEL and all(_is_plain(part, depth + 1) for part in label)
    return isinstance(label, str | int | None) or (isinstance(label, float) and math.isfinite(label))


def _require_labels(graphs: Iterable[Graph]) -> None:
    fine: set[tuple[type, Label]] = set()
    for graph in graphs:
        for what, labels in (("a node", graph.node_labels), ("an edge", graph.edge_labels)):
            for label in labels:
                if (type(label), label) not in fine:
                    label_text(label, f"{what} of graph {quoted(graph.name)}")
                    if not isinstance(label, tuple):  # tuples may be equal though their parts have other types
                        fine.add((type(label), label))


def _plain(graph: Graph) -> Graph:
    """Nodes are told by their place alone, and numbers of numpy are numbers."""
    labels = (*graph.node_labels, *graph.edge_labels)
    numbered = graph.nodes == tuple(range(len(graph)))
    if numbered and not any(isinstance(label, np.generic | tuple) for label in labels):
        return graph
    return Graph(
        len(graph),
        graph.edge_index,
        node_labels=[plain_label(label) for label in graph.node_labels],
        edge_labels=[plain_label(label) for label in graph.edge_labels],
        directed=graph.directed,
        name=graph.name,
    )


def plain_label(label: Label, depth: int = 0) -> Label:
    """The label with Python's own numbers for those of numpy."""
    if type(label) is tuple and depth < _DEEPEST_LABEL:  # deeper ones will be refused
        return tuple(plain_label(part, depth + 1) for part in label)
    return label.item() if isinstance(label, np.generic) else label


def _canonical(graph: Graph) -> list[object]:
    """What a graph is, whichever way it was written down."""
    ends = graph.edge_index if graph.directed else [(min(edge), max(edge)) for edge in graph.edge_index]
    labelled = zip(ends, graph.edge_labels, strict=True)
    edges = [[*edge, label] for edge, label in sorted(labelled, key=lambda each: each[0])]
    return [graph.name, graph.node_labels, edges]
