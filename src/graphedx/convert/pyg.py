"""PyTorch Geometric data, there and back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from graphedx._quoting import quoted
from graphedx.convert.labels import LabelRule, label_reader, merge_directions, rule_names
from graphedx.errors import GraphError, MissingExtraError
from graphedx.graph import Graph, Label


def from_pyg(
    data: Any,
    *,
    node_label: LabelRule = "x",
    edge_label: LabelRule = "edge_attr",
    directed: bool = False,
    name: str = "",
) -> Graph:
    """The Graph of one torch_geometric ``Data``, its nodes named 0, 1, ...

    A label is what the row of the attribute holds: a number where the row has one entry, else a tuple (a one-hot row
    stays the tuple it is). Undirected graphs may list each edge in both directions; the two are merged and must agree.
    An attribute that is missing gives the label ``None``.
    """
    count, pairs = _node_count(data), _pairs(data)
    node_labels = _labels(data, node_label, "node_label", count, "node")
    edge_labels = _labels(data, edge_label, "edge_label", len(pairs), "edge")
    if not directed:
        pairs, edge_labels = merge_directions(pairs, edge_labels)
    return Graph(count, pairs, node_labels=node_labels, edge_labels=edge_labels, directed=directed, name=name)


def to_pyg(
    graph: Graph, *, node_vocabulary: Sequence[Label] | None = None, edge_vocabulary: Sequence[Label] | None = None
) -> Any:
    """A torch_geometric ``Data`` with ``edge_index`` (both directions if undirected), ``x`` and ``edge_attr``.

    Labels must be numbers, or tuples of as many numbers each; others need a vocabulary, and become their place in it.
    Without labels there is no ``x``. Whole numbers are stored as int64 and others as float64, so that nothing is lost;
    node names are.
    """
    try:
        import torch
        from torch_geometric.data import Data
    except ImportError:
        raise MissingExtraError("torch_geometric", "neural") from None
    back = [] if graph.directed else [(v, u) for u, v in graph.edge_index]
    edges = [*graph.edge_index, *back]
    data = Data(edge_index=torch.tensor(edges, dtype=torch.long).reshape(-1, 2).t().contiguous())  # (2, E)
    data.num_nodes = graph.num_nodes
    edge_labels = graph.edge_labels if graph.directed else graph.edge_labels * 2
    columns = (("x", "node", graph.node_labels, node_vocabulary), ("edge_attr", "edge", edge_labels, edge_vocabulary))
    for key, kind, labels, vocabulary in columns:
        rows = _rows(labels, vocabulary, kind)
        if rows is not None:
            data[key] = torch.tensor(rows, dtype=_dtype(rows, torch))  # (N or E, width)
    return data


def _node_count(data: Any) -> int:
    if hasattr(data, "to_data_list"):
        raise GraphError("this is a Batch of graphs: convert each of batch.to_data_list() by itself")
    if hasattr(type(data), "node_types"):  # asked for "x", it would add a node type of that name
        raise GraphError("the nodes and edges of this graph are of several types: call data.to_homogeneous() first")
    count = getattr(data, "num_nodes", None)
    if not isinstance(count, int):
        raise GraphError(f"from_pyg needs a torch_geometric Data with num_nodes or x, got {type(data).__name__}")
    return count


def _pairs(data: Any) -> list[tuple[Any, Any]]:
    index = getattr(data, "edge_index", None)
    if index is None:
        if getattr(data, "adj_t", None) is not None:
            raise GraphError("the edges are in adj_t only: set data.edge_index (shape (2, E)) first")
        return []
    if not hasattr(index, "is_floating_point"):
        raise GraphError(f"edge_index must be a tensor: torch.as_tensor makes one, got {type(index).__name__}")
    if index.dim() != 2 or index.size(0) != 2 or index.is_floating_point():
        raise GraphError(f"edge_index must be whole numbers of shape (2, E), got {index.dtype} {tuple(index.shape)}")
    return list(zip(*index.tolist(), strict=True))


def _labels(data: Any, rule: LabelRule, what: str, count: int, kind: str) -> list[Label]:
    if rule is None:
        return [None] * count
    names = [str(key) for key in data.keys()] if callable(rule) else rule_names(rule, what)  # noqa: SIM118
    columns: dict[str, list[Label]] = {}
    for name in names:
        values = _values(data[name]) if name in data else None
        if values is not None and len(values) == count:
            columns[name] = values
        elif values is not None and not callable(rule):
            raise GraphError(f"{name} has {len(values)} rows for {count} {kind}s: one row a {kind} is needed")
    reader = label_reader(rule, what)
    return [reader({name: column[i] for name, column in columns.items()}) for i in range(count)]


def _values(column: Any) -> list[Label] | None:
    rows = column.tolist() if hasattr(column, "tolist") else column
    return [_label(row) for row in rows] if isinstance(rows, list) else None


def _label(row: Any) -> Label:
    """Nested lists as tuples; a row of one entry is that entry."""
    if not isinstance(row, list):
        return row  # type: ignore[no-any-return]
    return _label(row[0]) if len(row) == 1 else tuple(_label(entry) for entry in row)


def _rows(labels: tuple[Label, ...], vocabulary: Sequence[Label] | None, kind: str) -> list[tuple[Any, ...]] | None:
    if vocabulary is not None:
        try:
            place = {label: i for i, label in enumerate(vocabulary)}
        except TypeError:
            raise GraphError(
                f"{kind}_vocabulary must be a list of labels, all hashable, got {quoted(vocabulary)}"
            ) from None
        for label in labels:
            if label not in place:
                raise GraphError(f"{kind}_vocabulary lacks the label {quoted(label)}")
        return [(place[label],) for label in labels]
    if all(label is None for label in labels):
        return None
    rows = [label if isinstance(label, tuple) and len(label) > 1 else (label,) for label in labels]
    for row, label in zip(rows, labels, strict=True):
        if len(row) != len(rows[0]) or not all(isinstance(entry, int | float) for entry in row):
            raise GraphError(
                f"{kind} label {quoted(label)} does not fit into a tensor: "
                f"number the labels by {kind}_vocabulary=[...], or use numbers (or tuples of as many numbers each)"
            )
    return rows


def _dtype(rows: list[tuple[Any, ...]], torch: Any) -> Any:
    def all_are(test: Callable[[Any], bool]) -> bool:
        return all(test(entry) for entry in _entries(rows))

    if all_are(lambda entry: isinstance(entry, bool)):
        return torch.bool
    if all_are(lambda entry: isinstance(entry, int) and -(2**63) <= entry < 2**63):
        return torch.int64
    if all_are(_is_float):
        return torch.float64
    raise GraphError("labels hold whole numbers too large for a tensor: pass a vocabulary to number the labels")


def _is_float(number: int | float) -> bool:
    """Whether a float holds it as it is."""
    try:
        return float(number) == number
    except OverflowError:  # a whole number beyond all floats
        return False


def _entries(rows: list[tuple[Any, ...]]) -> Iterator[Any]:
    return (entry for row in rows for entry in row)
