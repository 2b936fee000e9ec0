"""GraphPairDataset: the labelled pairs of a split, as a PyTorch Geometric dataset that any DataLoader takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from graphedx._files import AnyPath
from graphedx._quoting import quoted
from graphedx.costs import UNIFORM, EditCosts
from graphedx.datasets.dataset import Dataset
from graphedx.errors import DatasetError, MissingExtraError, NotProvenError
from graphedx.graph import Graph, Label

try:
    import torch
    from torch import Tensor
    from torch_geometric.data import Data
    from torch_geometric.data import Dataset as PygDataset
except ImportError:
    raise MissingExtraError("torch_geometric", "neural") from None


class GraphPair(Data):  # type: ignore[misc]
    """Two graphs and their distance, or after batching many such pairs.

    Of the source graph: ``x_s`` (N, F), ``edge_index_s`` (2, E), ``edge_attr_s`` (E, D) where the dataset's edges have
    labels, and ``batch_s`` (N,), the pair of the batch that each node belongs to. Of the target graph: the same with
    ``_t``. Of the pair: ``y``, ``lower``, ``upper``, ``proven``, each of shape (1,), or (B,) after batching.
    """

    @property
    def num_nodes(self) -> int:
        """The nodes of both graphs."""
        return int(self.x_s.size(0) + self.x_t.size(0))

    @property
    def num_edges(self) -> int:
        """The columns of both edge indices."""
        return int(self.edge_index_s.size(1) + self.edge_index_t.size(1))

    @property
    def num_node_features(self) -> int:
        return int(self.x_s.size(1))

    @property
    def num_edge_features(self) -> int:
        return int(self.edge_attr_s.size(1)) if "edge_attr_s" in self else 0

    def __inc__(self, key: str, value: Any, *args: Any, **kwargs: Any) -> Any:
        if key in ("batch_s", "batch_t"):
            return 1
        if key == "edge_index_s":
            return self.x_s.size(0)
        if key == "edge_index_t":
            return self.x_t.size(0)
        return super().__inc__(key, value, *args, **kwargs)


class GraphPairDataset(PygDataset):  # type: ignore[misc]
    """Every pair of a labelled split, as :class:`GraphPair`, in the order of ``Dataset.pairs``.

    ``dataset`` is one that was saved and labelled, or its folder. ``y`` is the distance under ``costs``. If some are
    not proven that is an error, unless ``unproven`` is ``"bounds"``: then ``y`` is the upper bound, and ``lower``,
    ``upper`` and ``proven`` say what is known.

    Node features are one-hot, a column for each of ``node_vocabulary``; without labels they are a constant 1. Edge
    features are likewise, or absent. Undirected edges are listed in both directions. The vocabularies are those of the
    whole dataset, so that all splits have the same columns.

    The tensors of a graph are made once and shared by all its pairs: replace them, do not change them in place.

    >>> from torch_geometric.loader import DataLoader
    >>> pairs = GraphPairDataset("aids", "train")                  # doctest: +SKIP
    >>> batch = next(iter(DataLoader(pairs, batch_size=64)))       # doctest: +SKIP
    >>> global_add_pool(gnn(batch.x_s, batch.edge_index_s), batch.batch_s)   # doctest: +SKIP

    Raises:
        DatasetError: the split is not labelled under these costs.
        NotProvenError: some distances are not proven, and ``unproven`` is ``"refuse"``.
    """

    def __init__(
        self,
        dataset: Dataset | AnyPath,
        split: str,
        costs: EditCosts = UNIFORM,
        *,
        unproven: Literal["refuse", "bounds"] = "refuse",
        transform: Callable[[Any], Any] | None = None,
    ) -> None:
        if unproven not in ("refuse", "bounds"):
            raise DatasetError(f"unproven must be 'refuse' or 'bounds', got {quoted(unproven)}")
        super().__init__(transform=transform)
        made = dataset if isinstance(dataset, Dataset) else Dataset.load(dataset)
        table = made.labels(split, costs)
        missing = int(np.count_nonzero(~table.proven))
        if missing and unproven == "refuse":
            raise NotProvenError(
                f"{missing} of {len(table)} distances of {split} are not proven; label with a longer limit, or pass "
                "unproven='bounds' for upper bounds in their place"
            )
        self.name, self.split, self.costs = made.name, split, costs
        self.node_vocabulary = _vocabulary(label for graph in made.graphs for label in graph.node_labels) or (None,)
        self.edge_vocabulary = _vocabulary(label for graph in made.graphs for label in graph.edge_labels)
        self._span = made.span(split)
        self._graphs = _Graphs.of(made.split(split), self.node_vocabulary, self.edge_vocabulary)
        ends = np.stack([table.source, table.target], axis=1)
        self._pairs = torch.tensor(ends, dtype=torch.long)  # (K, 2)
        self._lower, self._upper = (torch.tensor(bound, dtype=torch.float) for bound in (table.lower, table.upper))
        self._proven = torch.tensor(table.proven)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {self.split!r}, {len(self)} pairs)"

    # -- a pair ------------------------------------------------------------------------------------------------------

    def len(self) -> int:
        return len(self._upper)

    def get(self, idx: int) -> GraphPair:
        start = self._span.start
        source, target = self._pairs[idx].tolist()
        x_s, edge_index_s, edge_attr_s, batch_s = self._graphs[source - start]
        x_t, edge_index_t, edge_attr_t, batch_t = self._graphs[target - start]
        one = slice(idx, idx + 1)
        fields = {
            "x_s": x_s,
            "edge_index_s": edge_index_s,
            "batch_s": batch_s,
            "x_t": x_t,
            "edge_index_t": edge_index_t,
            "batch_t": batch_t,
            "y": self._upper[one].clone(),  # its own, since transforms that scale it in place are common
            "lower": self._lower[one],
            "upper": self._upper[one],
            "proven": self._proven[one],
        }
        if self.edge_vocabulary:
            fields |= {"edge_attr_s": edge_attr_s, "edge_attr_t": edge_attr_t}
        pair = GraphPair()
        pair.update(fields)  # twice as fast as keywords
        return pair

    @property
    def num_node_features(self) -> int:
        return len(self.node_vocabulary)

    @property
    def num_edge_features(self) -> int:
        return len(self.edge_vocabulary)

    # -- everything at once ------------------------------------------------------------------------------------------

    def graph(self, position: int) -> Data:
        """The graph at this place of ``Dataset.graphs``, as ``pairs`` counts them, with the tensors its pairs have."""
        if position not in self._span:
            raise DatasetError(
                f"{self.split} has the graphs {self._span.start} to {self._span.stop - 1}, not {position}"
                if self._span
                else f"{self.split} has no graphs"
            )
        x, edge_index, edge_attr, _ = self._graphs[position - self._span.start]
        return Data(x, edge_index, edge_attr if self.edge_vocabulary else None)

    @property
    def pairs(self) -> Tensor:
        """The places of source and target in ``Dataset.graphs``: (K, 2)."""
        return self._chosen(self._pairs)

    @property
    def y(self) -> Tensor:
        """The labels of all pairs: (K,)."""
        return self.upper

    @property
    def lower(self) -> Tensor:
        """The lower bounds of all pairs: (K,)."""
        return self._chosen(self._lower)

    @property
    def upper(self) -> Tensor:
        """The upper bounds of all pairs: (K,)."""
        return self._chosen(self._upper)

    @property
    def proven(self) -> Tensor:
        """Which distances are known: (K,)."""
        return self._chosen(self._proven)

    def _chosen(self, column: Tensor) -> Tensor:
        """The rows that a slice of the dataset has."""
        return column.clone() if self._indices is None else column[torch.tensor(self._indices, dtype=torch.long)]


class _Tensors(NamedTuple):
    x: Tensor
    edge_index: Tensor
    edge_attr: Tensor
    batch: Tensor


class _Graphs:
    """The tensors of many graphs, one behind the other, with a view of each graph's part.

    Only the few long tensors are pickled: workers get each tensor by a file descriptor, of which there are not enough
    for one a graph.
    """

    def __init__(self, tensors: _Tensors, nodes: list[int], edges: list[int]) -> None:
        self._state = tensors, nodes, edges
        self._views = [
            _Tensors(*views)
            for views in zip(
                torch.split(tensors.x, nodes),
                torch.split(tensors.edge_index, edges, dim=1),
                torch.split(tensors.edge_attr, edges),
                torch.split(tensors.batch, nodes),
                strict=True,
            )
        ]

    def __reduce__(self) -> tuple[object, ...]:
        return _Graphs, self._state

    def __getitem__(self, number: int) -> _Tensors:
        return self._views[number]

    @classmethod
    def of(cls, graphs: Sequence[Graph], node_vocabulary: Sequence[Label], edge_vocabulary: Sequence[Label]) -> _Graphs:
        copies = [1 if graph.directed else 2 for graph in graphs]
        ends: list[tuple[int, int]] = []
        for graph in graphs:
            ends += graph.edge_index
            if not graph.directed:
                ends += ((v, u) for u, v in graph.edge_index)
        node_labels = [label for graph in graphs for label in graph.node_labels]
        edge_labels = [label for graph, n in zip(graphs, copies, strict=True) for label in graph.edge_labels * n]
        tensors = _Tensors(
            x=_one_hot(node_labels, node_vocabulary),
            edge_index=torch.tensor(ends, dtype=torch.long).reshape(-1, 2).t().contiguous(),  # (2, E)
            edge_attr=_one_hot(edge_labels, edge_vocabulary),
            batch=torch.zeros(len(node_labels), dtype=torch.long),
        )
        edges = [graph.num_edges * n for graph, n in zip(graphs, copies, strict=True)]
        return cls(tensors, [graph.num_nodes for graph in graphs], edges)


def _vocabulary(labels: Iterable[Label]) -> tuple[Label, ...]:
    """The labels in order of appearance, as ``dataset.json`` has them; none if there is only ``None``."""
    found = tuple(dict.fromkeys(labels))
    return () if found == (None,) else found


def _one_hot(labels: Sequence[Label], vocabulary: Sequence[Label]) -> Tensor:
    """A row for each label, with a 1 in the label's column; no columns without a vocabulary."""
    rows = torch.zeros(len(labels), len(vocabulary))
    if vocabulary:
        column = {label: number for number, label in enumerate(vocabulary)}
        rows[torch.arange(len(labels)), torch.tensor([column[label] for label in labels], dtype=torch.long)] = 1
    return rows
