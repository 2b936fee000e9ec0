from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Real = TypeVar("Real", np.float32, np.float64)
Value = TypeVar("Value", np.uint8, np.uint32)

Answer = tuple[float, float, tuple[int, ...], int, int]
Columns = tuple[
    NDArray[np.float64], NDArray[np.float64], NDArray[np.int8], NDArray[np.int64], NDArray[np.int32]
]  # lower, upper, stop, nodes; images of all pairs

class TooLarge(Exception): ...

class Graph:
    def __init__(
        self,
        node_classes: Sequence[int],
        ends: Sequence[tuple[int, int]],
        edge_classes: Sequence[int],
        directed: bool,
    ) -> None: ...

class CostTables:
    def __init__(
        self,
        node_del: Sequence[float],
        node_ins: Sequence[float],
        node_sub: Sequence[float],
        edge_del: Sequence[float],
        edge_ins: Sequence[float],
        edge_sub: Sequence[float],
    ) -> None: ...

class GraphList:
    def __init__(self, graphs: list[Graph]) -> None: ...

class CancelFlag:
    def set(self) -> None: ...

class DamagedBlock(ValueError): ...

def block_checksums(data: NDArray[np.uint8], block_bytes: int, portable: bool = False) -> NDArray[np.uint32]: ...

class Collection:
    def __init__(
        self,
        directed: bool,
        graph_bytes: NDArray[np.uint8],
        graph_ends: NDArray[np.int64],
        star_bytes: NDArray[np.uint8],
        star_ends: NDArray[np.int64],
        view_bytes: NDArray[np.uint8],
        view_ends: NDArray[np.int64],
        counted_views: NDArray[np.uint32],
        counts: NDArray[np.uint32],
        counted_ends: NDArray[np.int64],
        checksums: NDArray[np.uint32] | None = None,
        block_bytes: int = 1,
    ) -> None: ...
    def __len__(self) -> int: ...
    def verify(self) -> None: ...
    def verify_graphs(self, positions: NDArray[np.int64]) -> None: ...
    def content(self, position: int) -> tuple[list[int], list[tuple[int, int]], list[int]]: ...
    def lower_bounds(
        self, query: Graph, costs: CostTables, sees_nodes: bool, sees_edges: bool, threads: int
    ) -> NDArray[np.float64]: ...
    def colour_counts(
        self, blocks: Sequence[tuple[bool, bool, int, int]], positions: Sequence[int], threads: int
    ) -> tuple[NDArray[np.float32], NDArray[np.uint8]]: ...
    def likeness(
        self,
        nodes: Sequence[int],
        ends: Sequence[tuple[int, int]],
        edges: Sequence[int],
        looks: Sequence[tuple[bool, bool, int, float]],
        positions: Sequence[int],
        threads: int,
        time_limit: float | None,
    ) -> NDArray[np.float64]: ...
    def nearest(
        self,
        query: Graph,
        costs: CostTables,
        sees_nodes: bool,
        sees_edges: bool,
        k: int | None,
        radius: float,
        time_limit: float | None,
        threads: int,
        cancel: CancelFlag,
        patience: int | None,
        guessed: Sequence[float],
        unit: float,
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], bool, float, int, int]: ...

class CollectionBuilder:
    def __init__(self, directed: bool, begun: Collection | None) -> None: ...
    def add(
        self, node_classes: Sequence[int], ends: Sequence[tuple[int, int]], edge_classes: Sequence[int]
    ) -> None: ...
    def columns(
        self,
    ) -> tuple[
        NDArray[np.uint8],
        NDArray[np.int64],
        NDArray[np.uint8],
        NDArray[np.int64],
        NDArray[np.uint8],
        NDArray[np.int64],
        NDArray[np.uint32],
        NDArray[np.uint32],
        NDArray[np.int64],
    ]: ...

def colour_counts(
    nodes: Sequence[int],
    ends: Sequence[tuple[int, int]],
    edges: Sequence[int],
    directed: bool,
    blocks: Sequence[tuple[bool, bool, int, int]],
) -> NDArray[np.uint8]: ...
def gathered(
    values: NDArray[Value], ends: NDArray[np.int64], positions: NDArray[np.int64]
) -> tuple[NDArray[Value], NDArray[np.int64]]: ...
def nearest_counts(
    sizes: NDArray[np.float32],
    own: tuple[float, float],
    weights: tuple[float, float, float, float],
    tables: Sequence[tuple[NDArray[np.uint8], NDArray[np.uint8], float]],
    count: int,
    threads: int,
) -> tuple[NDArray[np.int64], NDArray[np.float32]]: ...
def solve(
    source: Graph,
    target: Graph,
    costs: CostTables,
    method: str,
    effort: int,
    cutoff: float | None,
    time_limit: float | None,
) -> Answer: ...
def solve_pairs(
    graphs: GraphList,
    pairs: NDArray[np.int32],
    costs: CostTables,
    method: str,
    effort: int,
    cutoff: float | None,
    time_limit: float | None,
    cancel: CancelFlag,
) -> Columns: ...
def brackets(
    graphs: GraphList, pairs: NDArray[np.int32], costs: CostTables, expansions: NDArray[np.int32], threads: int
) -> NDArray[np.float64]: ...
def watch(
    source: Graph,
    target: Graph,
    costs: CostTables,
    method: str,
    effort: int,
    cutoff: float | None,
    time_limit: float | None,
    cancel: CancelFlag,
    improved: Callable[[Answer], None],
) -> Answer: ...
def improved(source: Graph, target: Graph, costs: CostTables, images: Sequence[int]) -> Answer: ...

class Outline:
    def __init__(
        self,
        node_classes: Sequence[int],
        ends: Sequence[tuple[int, int]],
        edge_classes: Sequence[int],
        directed: bool,
    ) -> None: ...

class IsomorphismClasses:
    def __init__(self) -> None: ...
    def place(self, graph: Outline) -> int: ...

def canonical_hash(graph: Outline) -> int: ...
def isomorphic(a: Outline, b: Outline) -> bool: ...
def set_terms(
    node: NDArray[Real],
    align: NDArray[Real],
    align_pad: NDArray[Real],
    pair: NDArray[Real],
    pair_pad: NDArray[Real],
    adjacency: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    alike: NDArray[np.int64],
    pairs: NDArray[np.int32],
    node_term: int,
    edge_term: int,
    temperature: float,
    iterations: int,
    padded_nodes: int,
    threads: int,
    align_by: int,
    edges_only: int,
    pair_align_features: int,
    noise: NDArray[Real],
    keep: bool,
    /,
) -> tuple[NDArray[Real], SetTermsPass | None]: ...

class SetTermsPass:  # of either type: SetTermsPass32, SetTermsPass64
    def backward(
        self, d_terms: NDArray[Real], /
    ) -> tuple[NDArray[Real], NDArray[Real], NDArray[Real], NDArray[Real], NDArray[Real]]: ...

def alignment_plan(
    node: NDArray[Real],
    align: NDArray[Real],
    align_pad: NDArray[Real],
    pair: NDArray[Real],
    pair_pad: NDArray[Real],
    adjacency: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    alike: NDArray[np.int64],
    pairs: NDArray[np.int32],
    temperature: float,
    iterations: int,
    padded_nodes: int,
    /,
) -> NDArray[Real]: ...
def sinkhorn_plans(
    scores: NDArray[Real],
    row_weights: NDArray[Real],
    column_weights: NDArray[Real],
    iterations: int,
    threads: int,
    /,
) -> NDArray[Real]: ...
def sinkhorn_plans_backward(
    scores: NDArray[Real],
    row_weights: NDArray[Real],
    column_weights: NDArray[Real],
    iterations: int,
    threads: int,
    d_plans: NDArray[Real],
    /,
) -> NDArray[Real]: ...
def alike_nodes(
    classes: NDArray[np.int32], offsets: NDArray[np.int64], arcs: NDArray[np.int64], /
) -> NDArray[np.int64]: ...
def unique_rows(rows: NDArray[Real], /) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...

class GatedPropagationPass:  # of either type: GatedPropagationPass32, GatedPropagationPass64
    def backward(self, d_h: NDArray[Real], /) -> tuple[NDArray[Real], NDArray[Real], NDArray[Real]]: ...

def gated_propagation(
    h: NDArray[Real],
    input: NDArray[Real],
    hidden: NDArray[Real],
    kind: NDArray[np.int64],
    offsets: NDArray[np.int64],
    arcs: NDArray[np.int64],
    steps: int,
    threads: int,
    keep: bool,
    /,
) -> tuple[NDArray[Real], GatedPropagationPass | None]: ...
def pair_embedding(
    ends: NDArray[Real],
    pad: NDArray[Real],
    edge: NDArray[Real],
    second: NDArray[Real],
    offset: NDArray[Real],
    adjacency: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    threads: int,
    /,
) -> NDArray[Real]: ...
def pair_embedding_backward(
    ends: NDArray[Real],
    pad: NDArray[Real],
    edge: NDArray[Real],
    second: NDArray[Real],
    offset: NDArray[Real],
    adjacency: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    threads: int,
    d_rows: NDArray[Real],
    /,
) -> tuple[NDArray[Real], NDArray[Real], NDArray[Real], NDArray[Real], NDArray[Real]]: ...
