"""The paper's formulas as they are written: explicit padding nodes, the full alignment S, nothing left out."""

from __future__ import annotations

from itertools import combinations

import torch
from torch import Tensor

from graphedx.models.layers.set_terms import AlignBy, EncodedGraphs, SetTerm


def literal_terms(
    graphs: EncodedGraphs,
    source: int,
    target: int,
    node_term: SetTerm,
    edge_term: SetTerm,
    *,
    temperature: float = 0.01,
    iterations: int = 20,
    padded_nodes: int = 0,
    plan: Tensor | None = None,
    align_by: AlignBy = AlignBy.DISTANCE,
) -> Tensor:
    """The four terms of one pair (4,)."""
    size = padded_nodes or max(int(graphs.sizes[source]), int(graphs.sizes[target]))
    if size == 0:
        return graphs.node.sum() * 0 + graphs.node.new_zeros(4)
    if plan is None:
        plan = literal_plan(graphs, source, target, size, temperature, iterations, align_by=align_by)
    node_bits = is_real(graphs, source, size)[:, None] ^ is_real(graphs, target, size)[None, :]
    nodes = terms(node_rows(graphs, source, size), node_rows(graphs, target, size), plan, node_bits, node_term)
    edge_bits = is_edge(graphs, source, size)[:, None] ^ is_edge(graphs, target, size)[None, :]
    pairs = pair_rows(graphs, source, size), pair_rows(graphs, target, size)
    edges = terms(*pairs, pair_plan(plan), edge_bits, edge_term)
    return torch.cat((nodes, edges))


def terms(a: Tensor, b: Tensor, plan: Tensor, exclusive: Tensor, term: SetTerm) -> Tensor:
    """What a has more and what b has more (2,)."""
    if term is SetTerm.ALIGN_DIFF:
        return torch.stack(((a - plan @ b).relu().sum(), (plan @ b - a).relu().sum()))
    weight = plan * exclusive if term is SetTerm.XOR else plan
    difference = a[:, None, :] - b[None, :, :]  # all against all
    return torch.stack(((weight * difference.relu().sum(2)).sum(), (weight * (-difference).relu().sum(2)).sum()))


def literal_plan(
    graphs: EncodedGraphs,
    source: int,
    target: int,
    size: int,
    temperature: float = 0.01,
    iterations: int = 20,
    noise: Tensor | float = 0.0,
    align_by: AlignBy = AlignBy.DISTANCE,
) -> Tensor:
    a, b = align_rows(graphs, source, size), align_rows(graphs, target, size)
    scores = a @ b.T if align_by is AlignBy.PRODUCT else -(a[:, None, :] - b[None, :, :]).abs().sum(2)
    log_plan = (noise + scores) / temperature
    for _ in range(iterations):
        log_plan = log_plan - torch.logsumexp(log_plan, dim=1, keepdim=True)
        log_plan = log_plan - torch.logsumexp(log_plan, dim=0, keepdim=True)
    return log_plan.exp()


def pair_plan(plan: Tensor) -> Tensor:
    """S[(u, v), (u', v')] = P[u, u'] P[v, v'] + P[u, v'] P[v, u']."""
    ends = node_pairs(len(plan))
    u, v = ends[:, 0], ends[:, 1]
    straight = plan[u][:, u] * plan[v][:, v]
    crossed = plan[u][:, v] * plan[v][:, u]
    return straight + crossed


def node_pairs(size: int) -> Tensor:
    return torch.tensor(list(combinations(range(size), 2)), dtype=torch.int64).view(-1, 2)


def first_pair(graphs: EncodedGraphs, graph: int) -> int:
    return sum(int(n) * (int(n) + 1) // 2 for n in graphs.sizes[:graph])


def is_real(graphs: EncodedGraphs, graph: int, size: int) -> Tensor:
    return torch.arange(size) < graphs.sizes[graph]


def node_rows(graphs: EncodedGraphs, graph: int, size: int) -> Tensor:
    rows = graphs.node[graphs.offsets[graph] : graphs.offsets[graph + 1]]
    return torch.cat((rows, rows.new_zeros(size - len(rows), rows.shape[1])))


def align_rows(graphs: EncodedGraphs, graph: int, size: int) -> Tensor:
    rows = graphs.align[graphs.offsets[graph] : graphs.offsets[graph + 1]]
    return torch.cat((rows, graphs.align_pad.expand(size - len(rows), -1)))


def pair_rows(graphs: EncodedGraphs, graph: int, size: int) -> Tensor:
    n, first = int(graphs.sizes[graph]), first_pair(graphs, graph)
    rows = []
    for u, v in combinations(range(size), 2):
        if u >= n:
            rows.append(graphs.pair_pad)
        else:
            end = min(v, n)  # any padding node is node n
            rows.append(graphs.pair[first + end * (end - 1) // 2 + u])
    return torch.stack(rows) if rows else graphs.pair.new_zeros(0, graphs.pair.shape[1])


def is_edge(graphs: EncodedGraphs, graph: int, size: int) -> Tensor:
    n = int(graphs.sizes[graph])
    first = first_pair(graphs, graph) - int(graphs.offsets[graph])
    bits = [v < n and bool(graphs.adjacency[first + v * (v - 1) // 2 + u]) for u, v in combinations(range(size), 2)]
    return torch.tensor(bits, dtype=torch.bool)
