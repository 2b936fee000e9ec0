"""Node mappings and what they cost; edit operations, and the edit path that a mapping stands for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum, isfinite
from typing import Any, NamedTuple

from graphedx._quoting import quoted
from graphedx.costs import CostTables, EditCosts, amount, require_costs
from graphedx.errors import MappingError
from graphedx.graph import Graph, Label, Name, same_label


class NodeMapping(Mapping[Name, Name | None]):
    """Source node -> target node, or ``None`` where it is deleted; ``insertions`` are the target nodes left over.

    ``images`` says the same by position: ``images[i]`` is the place in ``target.nodes`` of the image of
    ``source.nodes[i]``, or -1.
    """

    __slots__ = ("images", "source", "target")

    def __init__(self, source: Graph, target: Graph, images: Iterable[int]) -> None:
        self.source = source
        self.target = target
        self.images = tuple(int(image) for image in images)
        if len(self.images) != len(source):
            raise MappingError(f"the source has {len(source)} nodes, but {len(self.images)} images were given")
        used = [image for image in self.images if image != -1]
        for image in used:
            if not 0 <= image < len(target):
                raise MappingError(f"image {image} is not a position in a target of {len(target)} nodes")
        if len(set(used)) != len(used):
            raise MappingError("two source nodes are mapped to the same target node")

    @classmethod
    def from_names(cls, source: Graph, target: Graph, mapping: Mapping[Name, Name | None]) -> NodeMapping:
        """From names; a source node that is not named is deleted."""
        for node in mapping:
            if node not in source.position:
                raise MappingError(f"{quoted(node)} is not a node of the source")
        for image in mapping.values():
            if image is not None and image not in target.position:
                raise MappingError(f"{quoted(image)} is not a node of the target")
        images = (mapping.get(node) for node in source.nodes)
        return cls(source, target, (-1 if image is None else target.position[image] for image in images))

    def __getitem__(self, node: Name) -> Name | None:
        image = self.images[self.source.position[node]]
        return None if image < 0 else self.target.nodes[image]

    def __iter__(self) -> Iterator[Name]:
        return iter(self.source.nodes)

    def __len__(self) -> int:
        return len(self.source)

    def __repr__(self) -> str:
        return f"NodeMapping({dict(self)!r})"

    @property
    def insertions(self) -> tuple[Name, ...]:
        """The target nodes that are nobody's image, in the target's order."""
        used = set(self.images)
        return tuple(node for i, node in enumerate(self.target.nodes) if i not in used)


class _EdgeFate(NamedTuple):
    """What a mapping does to one edge: substituted (both sides), deleted (source only) or inserted (target only)."""

    source: int  # position in source.edge_index, or -1
    target: int  # position in target.edge_index, or -1
    cost: float


def induced_cost(mapping: NodeMapping, costs: EditCosts) -> float:
    """What a mapping costs: the least total cost of edits that respect it. The one truth all solvers answer to.

    The sum is correctly rounded, so it does not depend on the order of the edits.
    """
    require_costs(costs)
    return _total_cost(mapping, costs.tables(mapping.source, mapping.target))


def _total_cost(mapping: NodeMapping, tables: CostTables) -> float:
    node_costs = (cost for _, _, cost in _node_fates(mapping, tables))
    return fsum([*node_costs, *(fate.cost for fate in _edge_fates(mapping, tables))])


def _node_fates(mapping: NodeMapping, tables: CostTables) -> Iterator[tuple[int, int, float]]:
    """(source position or -1, target position or -1, cost) of every node of both graphs."""
    source_class, target_class = mapping.source.node_classes[1], mapping.target.node_classes[1]
    for i, image in enumerate(mapping.images):
        if image < 0:
            yield i, -1, float(tables.node_del[source_class[i]])
        else:
            yield i, image, float(tables.node_sub[source_class[i], target_class[image]])
    used = set(mapping.images)
    for j in range(len(mapping.target)):
        if j not in used:
            yield -1, j, float(tables.node_ins[target_class[j]])


def _edge_fates(mapping: NodeMapping, tables: CostTables) -> Iterator[_EdgeFate]:
    source, target, images = mapping.source, mapping.target, mapping.images
    source_class, target_class = source.edge_classes[1], target.edge_classes[1]
    target_edge = {pair: e for e, pair in enumerate(target.edge_index)}
    if not target.directed:
        target_edge |= {(v, u): e for (u, v), e in target_edge.items()}
    kept = set()
    for e, (u, v) in enumerate(source.edge_index):
        f = target_edge.get((images[u], images[v]), -1)
        delete = float(tables.edge_del[source_class[e]])
        if f < 0:
            yield _EdgeFate(e, -1, delete)
            continue
        kept.add(f)
        insert = float(tables.edge_ins[target_class[f]])
        substitute = float(tables.edge_sub[source_class[e], target_class[f]])
        if substitute <= delete + insert:
            yield _EdgeFate(e, f, substitute)
        else:  # relabelling is dearer than replacing the edge
            yield _EdgeFate(e, -1, delete)
            yield _EdgeFate(-1, f, insert)
    for f in range(target.num_edges):
        if f not in kept:
            yield _EdgeFate(-1, f, float(tables.edge_ins[target_class[f]]))


class InsertNode(NamedTuple):
    node: Name  # its name on the way: the target's own name, primed if the source has that name already
    label: Label
    target: Name  # the target node it becomes
    cost: float


class SubstituteNode(NamedTuple):
    node: Name
    old: Label
    new: Label
    cost: float


class DeleteNode(NamedTuple):
    node: Name
    cost: float


class InsertEdge(NamedTuple):
    source: Name
    target: Name
    label: Label
    cost: float


class SubstituteEdge(NamedTuple):
    source: Name
    target: Name
    old: Label
    new: Label
    cost: float


class DeleteEdge(NamedTuple):
    source: Name
    target: Name
    cost: float


EditOperation = InsertNode | SubstituteNode | DeleteNode | InsertEdge | SubstituteEdge | DeleteEdge


@dataclass(frozen=True)
class EditPath:
    """The edits that a mapping stands for, in the order of the paper's Algorithm 1: nodes come, then labels change,
    then edges change (deletions before insertions), then nodes, by now without edges, go. Substituting a label by an
    equal one is an edit only where it has a cost.

    ``apply(source)`` is isomorphic to the target, and the operations' costs add up to ``induced_cost(mapping)``.
    """

    mapping: NodeMapping
    operations: tuple[EditOperation, ...]
    cost: float

    @classmethod
    def from_mapping(cls, mapping: NodeMapping, costs: EditCosts) -> EditPath:
        require_costs(costs)
        tables = costs.tables(mapping.source, mapping.target)
        name_of = _working_names(mapping)
        operations = (
            *_node_insertions(mapping, tables, name_of),
            *_node_substitutions(mapping, tables),
            *_edge_operations(mapping, tables, name_of),
            *_node_deletions(mapping, tables),
        )
        return cls(mapping, operations, _total_cost(mapping, tables))

    def __len__(self) -> int:
        return len(self.operations)

    def __iter__(self) -> Iterator[EditOperation]:
        return iter(self.operations)

    def __str__(self) -> str:
        edits = zip(self.texts, self.operations, strict=True)
        lines = [f"{text:<48} {amount(operation.cost)}" for text, operation in edits]
        return "\n".join([*lines, f"{'total':<48} {amount(self.cost)}"])

    @property
    def source(self) -> Graph:
        return self.mapping.source

    @property
    def target(self) -> Graph:
        return self.mapping.target

    @property
    def texts(self) -> list[str]:
        """Each operation in words."""
        return [describe(operation, self.source.directed) for operation in self.operations]

    @cached_property
    def final_names(self) -> Mapping[Name, Name]:
        """Node name after the last edit -> the target node it stands for."""
        working = _working_names(self.mapping)
        return {working[j]: node for j, node in enumerate(self.target.nodes)}

    def apply(self, source: Graph | None = None) -> Graph:
        """Carry the edits out on the source; the result is isomorphic to the target (see ``final_names``).

        The result has the target's name, since it is the target under other node names.
        """
        draft = _Draft(self.source if source is None else source)
        for operation in self.operations:
            draft.carry_out(operation)
        draft.name = self.target.name
        return draft.graph()

    def steps(self, source: Graph | None = None) -> Iterator[Graph]:
        """The graph before the first edit, then after each.

        All have the source's name but the one after the last edit: like the result of ``apply``, it has the target's. A
        path without edits has one step, the source.
        """
        graph = self.source if source is None else source
        draft = _Draft(graph)
        yield graph
        for done, operation in enumerate(self.operations, 1):
            draft.carry_out(operation)
            if done == len(self.operations):
                draft.name = self.target.name
            yield draft.graph()

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; names and labels that JSON cannot hold become their ``repr``."""
        return {
            "cost": self.cost,
            "operations": [
                {"op": type(operation).__name__, "text": text}
                | {key: _plain(value) for key, value in operation._asdict().items()}
                for text, operation in zip(self.texts, self.operations, strict=True)
            ],
            "mapping": [[_plain(node), _plain(image)] for node, image in self.mapping.items()],
            "insertions": [_plain(node) for node in self.mapping.insertions],
        }

    def to_json(self, **keywords: Any) -> str:
        return json.dumps(self.to_dict(), **keywords)


def describe(operation: EditOperation, directed: bool) -> str:
    """One edit in words."""
    joins = "->" if directed else "-"
    match operation:
        case InsertNode(node, label, _, _):
            return f"insert node {node}" + (f" ({label})" if label is not None else "")
        case SubstituteNode(node, old, new, _):
            return f"{_substitution_word(old, new)} node {node}: {old} -> {new}"
        case DeleteNode(node, _):
            return f"delete node {node}"
        case InsertEdge(u, v, label, _):
            return f"insert edge {u} {joins} {v}" + (f" ({label})" if label is not None else "")
        case SubstituteEdge(u, v, old, new, _):
            return f"{_substitution_word(old, new)} edge {u} {joins} {v}: {old} -> {new}"
        case DeleteEdge(u, v, _):
            return f"delete edge {u} {joins} {v}"


def _substitution_word(old: Label, new: Label) -> str:
    return "substitute" if same_label(old, new) else "relabel"


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | int) or (isinstance(value, float) and isfinite(value)):
        return value
    return repr(value)


def _working_names(mapping: NodeMapping) -> Sequence[Name]:
    """For each target position, the name of that node while the path is carried out."""
    names: list[Name] = [None] * len(mapping.target)
    taken = set(mapping.source.nodes)
    inserted = set(range(len(names)))
    for i, image in enumerate(mapping.images):
        if image >= 0:
            names[image] = mapping.source.nodes[i]
            inserted.discard(image)
    for j in sorted(inserted):
        name = mapping.target.nodes[j]
        while name in taken:
            name = f"{name}'"
        taken.add(name)
        names[j] = name
    return names


def _node_insertions(mapping: NodeMapping, tables: CostTables, name_of: Sequence[Name]) -> Iterator[EditOperation]:
    for i, j, cost in _node_fates(mapping, tables):
        if i < 0:
            yield InsertNode(name_of[j], mapping.target.node_labels[j], mapping.target.nodes[j], cost)


def _node_substitutions(mapping: NodeMapping, tables: CostTables) -> Iterator[EditOperation]:
    for i, j, cost in _node_fates(mapping, tables):
        if i >= 0 and j >= 0:
            old, new = mapping.source.node_labels[i], mapping.target.node_labels[j]
            if cost > 0 or not same_label(old, new):
                yield SubstituteNode(mapping.source.nodes[i], old, new, cost)


def _node_deletions(mapping: NodeMapping, tables: CostTables) -> Iterator[EditOperation]:
    for i, j, cost in _node_fates(mapping, tables):
        if j < 0:
            yield DeleteNode(mapping.source.nodes[i], cost)


def _edge_operations(mapping: NodeMapping, tables: CostTables, name_of: Sequence[Name]) -> Iterator[EditOperation]:
    source, target = mapping.source, mapping.target
    fates = list(_edge_fates(mapping, tables))
    for fate in fates:
        if fate.target < 0:
            yield DeleteEdge(*source.edges[fate.source], fate.cost)
    for fate in fates:
        if fate.source >= 0 and fate.target >= 0:
            old, new = source.edge_labels[fate.source], target.edge_labels[fate.target]
            if fate.cost > 0 or not same_label(old, new):
                yield SubstituteEdge(*source.edges[fate.source], old, new, fate.cost)
    for fate in fates:
        if fate.source < 0:
            u, v = target.edge_index[fate.target]
            yield InsertEdge(name_of[u], name_of[v], target.edge_labels[fate.target], fate.cost)


class _Draft:
    """A graph being edited; refuses an edit that does not fit."""

    def __init__(self, graph: Graph) -> None:
        self.directed = graph.directed
        self.name = graph.name
        self.nodes: dict[Name, Label] = dict(zip(graph.nodes, graph.node_labels, strict=True))
        self.edges: dict[tuple[Name, Name], Label] = dict(zip(graph.edges, graph.edge_labels, strict=True))

    def graph(self) -> Graph:
        return Graph(
            self.nodes,
            self.edges,
            node_labels=tuple(self.nodes.values()),
            edge_labels=tuple(self.edges.values()),
            directed=self.directed,
            name=self.name,
        )

    def carry_out(self, operation: EditOperation) -> None:
        try:
            self._carry_out(operation)
        except KeyError:
            text = f"cannot {describe(operation, self.directed)}: the graph is not the one this path starts from"
            raise MappingError(text) from None

    def _carry_out(self, operation: EditOperation) -> None:
        match operation:
            case InsertNode(node, label, _, _):
                if node in self.nodes:
                    raise KeyError(node)
                self.nodes[node] = label
            case SubstituteNode(node, old, new, _):
                if self.nodes[node] != old:
                    raise KeyError(node)
                self.nodes[node] = new
            case DeleteNode(node, _):
                if any(node in edge for edge in self.edges):
                    raise KeyError(node)
                del self.nodes[node]
            case InsertEdge(u, v, label, _):
                if u not in self.nodes or v not in self.nodes or self._key(u, v) in self.edges:
                    raise KeyError((u, v))
                self.edges[u, v] = label
            case SubstituteEdge(u, v, old, new, _):
                if self.edges[self._key(u, v)] != old:
                    raise KeyError((u, v))
                self.edges[self._key(u, v)] = new
            case DeleteEdge(u, v, _):
                del self.edges[self._key(u, v)]

    def _key(self, u: Name, v: Name) -> tuple[Name, Name]:
        return (v, u) if not self.directed and (v, u) in self.edges else (u, v)
