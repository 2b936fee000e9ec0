"""Graph: an immutable simple graph, directed or not, with labels of any hashable kind."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphedx._quoting import quoted
from graphedx.errors import GraphError

if TYPE_CHECKING:
    import networkx as nx

Name = Hashable
Label = Hashable
NodeLabels = Mapping[Any, Label] | Sequence[Label] | None
EdgeLabels = Mapping[Any, Label] | Sequence[Label] | None


class Graph:
    """An immutable simple graph whose node names, node labels and edge labels are any hashable values.

    ``nodes`` is a number of nodes (named 0, 1, ...) or their names; ``edges`` are pairs of names. Labels come as a
    sequence in the same order, or as a mapping from node name (or edge pair) to label; what is not mapped is labelled
    ``None``. Empty and disconnected graphs are fine; self-loops and parallel edges are not. No node is named ``None``:
    in mappings that stands for a node deleted or inserted.

    >>> g = Graph("abc", [("a", "b"), ("b", "c")], node_labels={"a": "C", "b": "O", "c": "C"})
    >>> g
    Graph(3 nodes, 2 edges)
    >>> g.node_labels
    ('C', 'O', 'C')
    """

    nodes: tuple[Name, ...]
    node_labels: tuple[Label, ...]
    edge_index: tuple[tuple[int, int], ...]
    edge_labels: tuple[Label, ...]
    directed: bool
    name: str

    def __init__(
        self,
        nodes: int | Iterable[Name] = 0,
        edges: Iterable[tuple[Name, Name]] = (),
        *,
        node_labels: NodeLabels = None,
        edge_labels: EdgeLabels = None,
        directed: bool = False,
        name: str | None = "",
    ) -> None:
        names = _names(nodes)
        position = {node: i for i, node in enumerate(names)}
        if len(position) != len(names):
            raise GraphError(f"node {quoted(_first_repeated(names))} is listed twice; node names must be unique")
        pairs = [_pair(edge) for edge in _listed(edges, "edges must be pairs of node names")]
        fields = self.__dict__
        fields["nodes"] = names
        fields["directed"] = bool(directed)
        fields["name"] = _text(name)
        fields["edge_index"] = _edge_index(pairs, position, directed)
        fields["node_labels"] = _node_labels(node_labels, names, position)
        fields["edge_labels"] = _edge_labels(edge_labels, pairs, directed)

    def __setattr__(self, key: str, value: object) -> None:
        raise AttributeError(f"a Graph cannot be changed: build a new one instead of setting {key!r}")

    def __delattr__(self, key: str) -> None:
        raise AttributeError(f"a Graph cannot be changed: build a new one instead of deleting {key!r}")

    # -- what it is made of ------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.nodes)

    def __bool__(self) -> bool:
        return True  # an empty graph is still a graph

    def __iter__(self) -> Iterator[Name]:
        return iter(self.nodes)

    @property
    def num_nodes(self) -> int:
        return len(self.nodes)

    @property
    def num_edges(self) -> int:
        return len(self.edge_index)

    @cached_property
    def edges(self) -> tuple[tuple[Name, Name], ...]:
        """The edges as pairs of node names, in the order they were given."""
        return tuple((self.nodes[u], self.nodes[v]) for u, v in self.edge_index)

    @cached_property
    def position(self) -> Mapping[Name, int]:
        """Node name -> its place in ``nodes``."""
        return {node: i for i, node in enumerate(self.nodes)}

    @cached_property
    def label_between(self) -> Mapping[tuple[int, int], Label]:
        """Edge label by node positions, from both ends where the graph is undirected; absent means no edge."""
        labels = dict(zip(self.edge_index, self.edge_labels, strict=True))
        if not self.directed:
            labels.update({(v, u): label for (u, v), label in labels.items()})
        return labels

    @cached_property
    def node_classes(self) -> tuple[tuple[Label, ...], tuple[int, ...]]:
        """The distinct node labels, and for each node which of them it has."""
        return _classes(self.node_labels)

    @cached_property
    def edge_classes(self) -> tuple[tuple[Label, ...], tuple[int, ...]]:
        """The distinct edge labels, and for each edge which of them it has."""
        return _classes(self.edge_labels)

    # -- comparing and copying ---------------------------------------------------------------------------------------

    @cached_property
    def _identity(self) -> tuple[object, ...]:
        ends = self.edges if self.directed else (frozenset(edge) for edge in self.edges)
        return (
            self.directed,
            frozenset(zip(self.nodes, self.node_labels, strict=True)),
            frozenset(zip(ends, self.edge_labels, strict=True)),
        )

    def __eq__(self, other: object) -> bool:
        """Same names, same labels, same edges (for isomorphism, see ``costs.ISOMORPHISM``)."""
        return isinstance(other, Graph) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        kind = "directed, " if self.directed else ""
        title = f"{self.name!r}, " if self.name else ""
        return f"Graph({title}{kind}{self.num_nodes} nodes, {self.num_edges} edges)"

    def __reduce__(self) -> tuple[object, ...]:
        state = (self.nodes, self.edges, self.node_labels, self.edge_labels, self.directed, self.name)
        return (_rebuild, state)

    def renamed(self, name: str) -> Graph:
        """The same graph under another name."""
        return _rebuild(self.nodes, self.edges, self.node_labels, self.edge_labels, self.directed, name)

    def unlabelled(self) -> Graph:
        """The same structure with every label dropped."""
        return Graph(self.nodes, self.edges, directed=self.directed, name=self.name)

    # -- doors to graphedx.convert -----------------------------------------------------------------------------------

    @classmethod
    def from_edges(cls, edges: Iterable[tuple[Name, Name]], **keywords: Any) -> Graph:
        """From an edge list; nodes in order of appearance. Keywords as in ``Graph`` (``nodes`` adds isolated ones)."""
        from graphedx import convert

        return convert.from_edges(edges, **keywords)

    @classmethod
    def from_networkx(cls, graph: nx.Graph[Any], **keywords: Any) -> Graph:
        """See :func:`graphedx.convert.from_networkx`."""
        from graphedx import convert

        return convert.from_networkx(graph, **keywords)

    @classmethod
    def from_pyg(cls, data: Any, **keywords: Any) -> Graph:
        """See :func:`graphedx.convert.from_pyg`."""
        from graphedx import convert

        return convert.from_pyg(data, **keywords)

    @classmethod
    def from_rdkit(cls, molecule: Any, **keywords: Any) -> Graph:
        """See :func:`graphedx.convert.from_rdkit`."""
        from graphedx import convert

        return convert.from_rdkit(molecule, **keywords)

    @classmethod
    def from_smiles(cls, smiles: str, **keywords: Any) -> Graph:
        """See :func:`graphedx.convert.from_smiles`."""
        from graphedx import convert

        return convert.from_smiles(smiles, **keywords)

    @classmethod
    def read(cls, path: str | Path, **keywords: Any) -> Graph:
        """The one graph in a file; see :func:`graphedx.io.read`."""
        from graphedx import io

        return io.read(path, **keywords)

    def to_networkx(self, **keywords: Any) -> nx.Graph[Any]:
        """See :func:`graphedx.convert.to_networkx`."""
        from graphedx import convert

        return convert.to_networkx(self, **keywords)

    def to_pyg(self, **keywords: Any) -> Any:
        """See :func:`graphedx.convert.to_pyg`."""
        from graphedx import convert

        return convert.to_pyg(self, **keywords)

    def to_rdkit(self) -> Any:
        """See :func:`graphedx.convert.to_rdkit`."""
        from graphedx import convert

        return convert.to_rdkit(self)


def _rebuild(
    nodes: tuple[Name, ...],
    edges: tuple[tuple[Name, Name], ...],
    node_labels: tuple[Label, ...],
    edge_labels: tuple[Label, ...],
    directed: bool,
    name: str,
) -> Graph:
    return Graph(nodes, edges, node_labels=node_labels, edge_labels=edge_labels, directed=directed, name=name)


def _names(nodes: int | Iterable[Name]) -> tuple[Name, ...]:
    if isinstance(nodes, bool):
        raise GraphError("nodes must be a number of nodes or their names, got a bool")
    if isinstance(nodes, int):
        if nodes < 0:
            raise GraphError(f"the number of nodes must be >= 0, got {nodes}")
        return tuple(range(nodes))
    try:
        names = tuple(nodes)
    except TypeError:
        raise GraphError(f"nodes must be a number of nodes or their names, got {type(nodes).__name__}") from None
    for node in names:
        if node is None:
            raise GraphError("a node is named None, which in mappings stands for no node at all; use a string")
        if not _is_label(node):
            raise _no_label(node, "node name")
    return names


def _text(name: str | None) -> str:
    if not isinstance(name, str | None):
        raise GraphError(f"the name of a graph must be text or None, got {type(name).__name__}")
    return name or ""


def _first_repeated(names: Sequence[Name]) -> Name:
    seen: set[Name] = set()
    for node in names:
        if node in seen:
            return node
        seen.add(node)
    raise AssertionError("no name is repeated")


def same_label(a: Label, b: Label) -> bool:
    """Whether two labels are one, as in a dictionary: by hash and ``==``.

    By ``==`` alone a number of numpy and a tuple are compared element by element, which is no yes or no.
    """
    try:
        return a is b or (hash(a) == hash(b) and bool(a == b))
    except TypeError:
        _require_hashable(a, "label")
        _require_hashable(b, "label")
        raise


def _require_hashable(value: object, what: str) -> None:
    try:
        hash(value)
    except TypeError:
        raise GraphError(f"{what} {quoted(value)} is not hashable; use a number, string, tuple or frozenset") from None


def _is_label(value: object) -> bool:
    """Return whether the value is hashable and equals itself."""
    try:
        hash(value)
    except TypeError:
        return False
    return _equals_itself(value)


def _no_label(value: object, where: str) -> GraphError:
    """Return the error for a value that ``_is_label`` refuses."""
    try:
        _require_hashable(value, where)
    except GraphError as error:
        return error
    return GraphError(f"{where} {quoted(value)} does not equal itself, so it cannot be compared; use None or a string")


def _equals_itself(value: object) -> bool:
    """False for NaN, also inside a tuple, and for tensors, whose comparison is no yes or no."""
    if isinstance(value, tuple):
        return all(map(_equals_itself, value))
    try:
        return bool(value == value)
    except Exception:  # whatever a foreign type raises when it is asked
        return False


def _listed(things: Any, what: str) -> list[Any]:
    try:
        return list(things)
    except TypeError:
        raise GraphError(f"{what}, got {type(things).__name__}") from None


def _pair(edge: Any) -> tuple[Name, Name]:
    try:
        u, v = edge
    except (TypeError, ValueError):
        raise GraphError(f"an edge is a pair of node names, got {quoted(edge)}") from None
    return u, v


def _edge_index(
    pairs: list[tuple[Name, Name]], position: Mapping[Name, int], directed: bool
) -> tuple[tuple[int, int], ...]:
    index = []
    seen: set[tuple[int, int]] = set()
    for u, v in pairs:
        try:
            i, j = position[u], position[v]
        except (KeyError, TypeError):
            missing = v if _is_node(u, position) else u
            raise GraphError(
                f"edge ({quoted(u)}, {quoted(v)}) names {quoted(missing)}, which is not a node of the graph"
            ) from None
        if i == j:
            raise GraphError(f"self-loop at node {quoted(u)}: drop it, or put it into the node's label")
        key = (i, j) if directed or i < j else (j, i)
        if key in seen:
            raise GraphError(
                f"edge ({quoted(u)}, {quoted(v)}) is there twice: merge parallel edges into one, e.g. by a label"
            )
        seen.add(key)
        index.append((i, j))
    return tuple(index)


def _is_node(name: Name, position: Mapping[Name, int]) -> bool:
    try:
        return name in position
    except TypeError:  # a list, or a tuple of lists, which calls itself Hashable
        return False


def _node_labels(labels: NodeLabels, names: tuple[Name, ...], position: Mapping[Name, int]) -> tuple[Label, ...]:
    if labels is None:
        return (None,) * len(names)
    if isinstance(labels, Mapping):
        for node in labels:
            if node not in position:
                raise GraphError(f"node_labels names {quoted(node)}, which is not a node of the graph")
        result = tuple(labels.get(node) for node in names)
    else:
        result = tuple(_listed(labels, "node_labels must be a mapping or a sequence"))
        if len(result) != len(names):
            raise GraphError(f"{len(names)} nodes need as many node labels, got {len(result)}")
    for node, label in zip(names, result, strict=True):
        if not _is_label(label):
            raise _no_label(label, f"label of node {quoted(node)},")
    return result


def _edge_labels(labels: EdgeLabels, pairs: list[tuple[Name, Name]], directed: bool) -> tuple[Label, ...]:
    if labels is None:
        return (None,) * len(pairs)
    if isinstance(labels, Mapping):
        known = set(pairs) if directed else {*pairs, *((v, u) for u, v in pairs)}
        for edge in labels:
            if edge not in known:
                raise GraphError(f"edge_labels names {quoted(edge)}, which is not an edge of the graph")
            back = edge[::-1]
            if not directed and back in labels and not same_label(labels[back], labels[edge]):
                raise GraphError(f"edge_labels has two labels for the undirected edge {quoted(edge)}: give it one")
        result = tuple(labels.get((u, v), None if directed else labels.get((v, u))) for u, v in pairs)
    else:
        result = tuple(_listed(labels, "edge_labels must be a mapping or a sequence"))
        if len(result) != len(pairs):
            raise GraphError(f"{len(pairs)} edges need as many edge labels, got {len(result)}")
    for edge, label in zip(pairs, result, strict=True):
        if not _is_label(label):
            raise _no_label(label, f"label of edge {quoted(edge)},")
    return result


def _classes(labels: tuple[Label, ...]) -> tuple[tuple[Label, ...], tuple[int, ...]]:
    number: dict[Label, int] = {}
    classes = tuple(number.setdefault(label, len(number)) for label in labels)
    return tuple(number), classes
