"""The only importer of the native core: encodes graphs and costs for it, and decodes what it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx import _native
from graphedx.costs import EditCosts, kept_if_few, require_comparable, tables_for_labels
from graphedx.edits import NodeMapping
from graphedx.errors import MethodError
from graphedx.graph import Graph, Label
from graphedx.result import GedResult, StopReason

CancelFlag = _native.CancelFlag
_STOPS = (
    StopReason.PROVED,
    StopReason.CUTOFF,
    StopReason.TIME,
    StopReason.INTERRUPTED,
    StopReason.BOUND,
    StopReason.PATIENCE,
)
_ALL_STOPS = tuple(StopReason)
_PLACES = np.array([_ALL_STOPS.index(stop) for stop in _STOPS], dtype=np.int8)
_NO_LABELS: tuple[Label, ...] = (None,)


class _Relevance(NamedTuple):
    """Which labels the costs can tell apart. Labels that cost nothing would only hide symmetry from the search."""

    nodes: bool
    edges: bool


def _relevance(costs: EditCosts) -> _Relevance:
    numbers = [isinstance(cost, float) for cost in (costs.node_del, costs.node_ins, costs.edge_del, costs.edge_ins)]
    return _Relevance(
        nodes=not (numbers[0] and numbers[1] and costs.node_sub == 0.0),
        edges=not (numbers[2] and numbers[3] and costs.edge_sub == 0.0),
    )


class _Encoded(NamedTuple):
    handle: _native.Graph
    node_labels: tuple[Label, ...]
    edge_labels: tuple[Label, ...]


def _encoded(graph: Graph, relevance: _Relevance) -> _Encoded:
    """The graph in the native core's terms, made once and kept with the graph."""
    kept = graph.__dict__.setdefault("_encoded", {})
    if relevance not in kept:
        node_labels, node_classes = graph.node_classes if relevance.nodes else (_NO_LABELS, (0,) * graph.num_nodes)
        edge_labels, edge_classes = graph.edge_classes if relevance.edges else (_NO_LABELS, (0,) * graph.num_edges)
        handle = _native.Graph(node_classes, graph.edge_index, edge_classes, graph.directed)
        kept[relevance] = _Encoded(handle, node_labels, edge_labels)
    encoded: _Encoded = kept[relevance]
    return encoded


@kept_if_few
def _native_tables(
    costs: EditCosts,
    source_nodes: tuple[Label, ...],
    target_nodes: tuple[Label, ...],
    source_edges: tuple[Label, ...],
    target_edges: tuple[Label, ...],
) -> _native.CostTables:
    tables = tables_for_labels(costs, source_nodes, target_nodes, source_edges, target_edges)
    return _native.CostTables(*(table.ravel().tolist() for table in tables))


def _encoded_pair(
    source: Graph, target: Graph, costs: EditCosts
) -> tuple[_native.Graph, _native.Graph, _native.CostTables]:
    require_comparable(source, target)
    relevance = _relevance(costs)
    a, b = _encoded(source, relevance), _encoded(target, relevance)
    return a.handle, b.handle, _native_tables(costs, a.node_labels, b.node_labels, a.edge_labels, b.edge_labels)


def encoded_query(
    query: Graph, costs: EditCosts, node_labels: tuple[Label, ...], edge_labels: tuple[Label, ...]
) -> tuple[_native.Graph, _native.CostTables, bool, bool]:
    """A graph and its costs against any with these labels; and whether costs see labels of nodes, and of edges."""
    relevance = _relevance(costs)
    source = _encoded(query, relevance)
    targets = (node_labels if relevance.nodes else _NO_LABELS, edge_labels if relevance.edges else _NO_LABELS)
    tables = _native_tables(costs, source.node_labels, targets[0], source.edge_labels, targets[1])
    return source.handle, tables, *relevance


class Request(NamedTuple):
    """What is asked of a pair besides its graphs and costs; ``effort`` is the method's starts, width or rounds."""

    method: str
    time_limit: float | None = None
    cutoff: float | None = None
    effort: int = 1


EXACT = Request("exact")


def _encoded_in_time(
    source: Graph, target: Graph, costs: EditCosts, request: Request
) -> tuple[Request, tuple[_native.Graph, _native.Graph, _native.CostTables]]:
    """The pair for the core, and the request less the time that this took."""
    if request.time_limit is None:
        return request, _encoded_pair(source, target, costs)
    start = perf_counter()
    encoded = _encoded_pair(source, target, costs)
    left = max(0.0, request.time_limit - (perf_counter() - start))
    return request._replace(time_limit=left), encoded


class _HelpfulErrors:
    """Turns what the core throws into our own errors; a class, as a generator would cost every call a microsecond."""

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, _native.TooLarge):
            raise MethodError(str(error)) from None


HELPFUL_ERRORS = _HelpfulErrors()


def solve(source: Graph, target: Graph, costs: EditCosts, request: Request) -> GedResult:
    """A native method on one pair."""
    request, (a, b, tables) = _encoded_in_time(source, target, costs, request)
    method, time_limit, cutoff, effort = request
    with HELPFUL_ERRORS:
        lower, upper, images, stop, nodes = _native.solve(a, b, tables, method, effort, cutoff, time_limit)
    return GedResult(source, target, costs, method, lower, upper, _STOPS[stop], images, nodes)


def improved(mapping: NodeMapping, costs: EditCosts) -> GedResult:
    """Local search from this mapping."""
    a, b, tables = _encoded_pair(mapping.source, mapping.target, costs)
    with HELPFUL_ERRORS:
        lower, upper, images, stop, nodes = _native.improved(a, b, tables, mapping.images)
    return GedResult(mapping.source, mapping.target, costs, "improve", lower, upper, _STOPS[stop], images, nodes)


def watch(
    source: Graph,
    target: Graph,
    costs: EditCosts,
    request: Request,
    cancel: CancelFlag,
    improved: Callable[[GedResult], None],
) -> GedResult:
    """Like ``solve``, for threads: ``improved`` is told every better interval on the way, in this thread."""
    request, (a, b, tables) = _encoded_in_time(source, target, costs, request)
    method, time_limit, cutoff, effort = request

    def result(answer: _native.Answer, stop: StopReason | None = None) -> GedResult:
        lower, upper, images, code, nodes = answer
        return GedResult(source, target, costs, method, lower, upper, stop or _STOPS[code], images, nodes)

    def tell(answer: _native.Answer) -> None:
        improved(result(answer, StopReason.RUNNING))

    with HELPFUL_ERRORS:
        return result(_native.watch(a, b, tables, method, effort, cutoff, time_limit, cancel, tell))


class PairAnswer(NamedTuple):
    """What a batch says of one pair: the fields of a GedResult that are not known beforehand."""

    lower: float
    upper: float
    images: tuple[int, ...]
    stopped_by: StopReason
    nodes: int


class PairColumns(NamedTuple):
    """The answers to many pairs, column by column; ``stops`` are places in ``tuple(StopReason)``."""

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    stops: NDArray[np.int8]
    nodes: NDArray[np.int64]
    images: NDArray[np.int32]  # of all pairs, one after the other


def solve_pair(
    source: Graph, target: Graph, costs: EditCosts, request: Request, cancel: CancelFlag
) -> PairAnswer | None:
    """Like ``solve``, for threads, where signals do not arrive: ``None`` if the flag was raised before the end."""
    request, (a, b, tables) = _encoded_in_time(source, target, costs, request)
    found = _solve_pairs(_native.GraphList([a, b]), np.array([[0, 1]], dtype=np.int32), tables, request, cancel)
    return next(_one_by_one(found, [source.num_nodes]), None)


def _solve_pairs(
    graphs: _native.GraphList,
    pairs: NDArray[np.int32],
    tables: _native.CostTables,
    request: Request,
    cancel: CancelFlag,
) -> PairColumns:
    method, time_limit, cutoff, effort = request
    with HELPFUL_ERRORS:
        lower, upper, stops, nodes, images = _native.solve_pairs(
            graphs, pairs, tables, method, effort, cutoff, time_limit, cancel
        )
    return PairColumns(lower, upper, _PLACES[stops], nodes, images)


def _one_by_one(columns: PairColumns, sizes: Sequence[int]) -> Iterator[PairAnswer]:
    images, start = columns.images.tolist(), 0
    for k, size in enumerate(sizes[: len(columns.lower)]):
        stop = _ALL_STOPS[columns.stops[k]]
        found = tuple(images[start : start + size])
        yield PairAnswer(float(columns.lower[k]), float(columns.upper[k]), found, stop, int(columns.nodes[k]))
        start += size


class Batch:
    """Many graphs encoded over one vocabulary of labels, so that whole lists of pairs go to the core at once."""

    def __init__(self, graphs: Sequence[Graph], costs: EditCosts) -> None:
        relevance = _relevance(costs)
        nodes: dict[Label, int] = _vocabulary(g.node_classes[0] for g in graphs) if relevance.nodes else {None: 0}
        edges: dict[Label, int] = _vocabulary(g.edge_classes[0] for g in graphs) if relevance.edges else {None: 0}
        for graph in graphs[1:]:
            require_comparable(graphs[0], graph)
        encoded = [
            _native.Graph(
                [nodes[label] if relevance.nodes else 0 for label in graph.node_labels],
                graph.edge_index,
                [edges[label] if relevance.edges else 0 for label in graph.edge_labels],
                graph.directed,
            )
            for graph in graphs
        ]
        self._graphs = _native.GraphList(encoded)
        self._sizes = [graph.num_nodes for graph in graphs]
        node_labels, edge_labels = tuple(nodes), tuple(edges)
        self._tables = _native_tables(costs, node_labels, node_labels, edge_labels, edge_labels)

    def columns(self, pairs: NDArray[np.int32], request: Request, cancel: CancelFlag) -> PairColumns:
        """Answers in the order of the pairs, without holding the GIL; fewer than asked for if cancelled."""
        return _solve_pairs(self._graphs, pairs, self._tables, request, cancel)

    def solve(
        self, pairs: Iterable[tuple[int, int]], request: Request = EXACT, cancel: CancelFlag | None = None
    ) -> list[PairAnswer]:
        """Like ``columns``, an object for each pair."""
        array = np.array(list(pairs), dtype=np.int32).reshape(-1, 2)
        found = self.columns(array, request, cancel or CancelFlag())
        return list(_one_by_one(found, [self._sizes[i] for i in array[:, 0]]))


def _vocabulary(labels: Iterable[tuple[Label, ...]]) -> dict[Label, int]:
    number: dict[Label, int] = {}
    for some in labels:
        for label in some:
            number.setdefault(label, len(number))
    return number


class _Outlines:
    """Encodes graphs for isomorphism; where labels count, over one vocabulary that grows with every graph."""

    def __init__(self, labelled: bool) -> None:
        self._labelled = labelled
        self._nodes: dict[Label, int] = {}
        self._edges: dict[Label, int] = {}

    def outline(self, graph: Graph) -> _native.Outline:
        nodes: Sequence[int] = (0,) * graph.num_nodes
        edges: Sequence[int] = (0,) * graph.num_edges
        if self._labelled:
            nodes = [self._nodes.setdefault(label, len(self._nodes)) for label in graph.node_labels]
            edges = [self._edges.setdefault(label, len(self._edges)) for label in graph.edge_labels]
        return _native.Outline(nodes, graph.edge_index, edges, graph.directed)


def canonical_hashes(graphs: Iterable[Graph], *, labelled: bool) -> list[int]:
    """A number of 64 bits a graph that does not depend on the names and the order of its nodes and edges.

    Isomorphic graphs have equal hashes; other graphs may, if colour refinement does not tell them apart. Without labels
    the numbers are the same in every run and on every machine. With labels they only compare within one call: labels
    are any hashable values and are numbered as they appear.
    """
    encode = _Outlines(labelled).outline
    return [_native.canonical_hash(encode(graph)) for graph in graphs]


def isomorphic(a: Graph, b: Graph, *, labelled: bool) -> bool:
    """Whether the graphs are equal but for names and order; exact. A directed graph never equals an undirected one."""
    encode = _Outlines(labelled).outline
    return _native.isomorphic(encode(a), encode(b))


class IsomorphismClasses:
    """The isomorphism classes of graphs that come one by one; the core keeps the first of each, in its own terms."""

    def __init__(self, *, labelled: bool) -> None:
        self._encode = _Outlines(labelled).outline
        self._classes = _native.IsomorphismClasses()

    def place(self, graph: Graph) -> int:
        """The number of the graph's class, counted from 0 in order of appearance."""
        return self._classes.place(self._encode(graph))
