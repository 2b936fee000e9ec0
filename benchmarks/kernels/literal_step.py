"""GraphEdX in torch as the paper writes it: both graphs of every pair encoded, all node pairs against all, S in full.

Batched, so that torch can use all cores; nothing is left out, and nothing is computed in another order to save work.
"""

from __future__ import annotations

import torch
from torch import Tensor

from graphedx.models.batching import GraphBatch
from graphedx.models.graphedx import GraphEdX


def literal_distances(model: GraphEdX, graphs: GraphBatch, pairs: Tensor, costs: Tensor) -> Tensor:
    """(K,) with edges by XOR and nodes by AlignDiff, as ``GraphEdX`` has it by default."""
    (x, r, edge), (y, q, edge_t) = (encoded(model, graphs.select(pairs[:, side])) for side in (0, 1))
    plan = soft_plan(model.alignment(x), model.alignment(y), model.config.temperature, model.config.iterations)
    left = x - plan @ y
    nodes = torch.stack((left.relu().sum((1, 2)), (-left).relu().sum((1, 2))), 1)  # (K, 2)
    u, v = torch.triu_indices(model.config.max_nodes, model.config.max_nodes, 1)
    at_u, at_v = plan[:, u], plan[:, v]
    aligned = at_u[:, :, u] * at_v[:, :, v] + at_u[:, :, v] * at_v[:, :, u]  # S (K, 190, 190)
    aligned = aligned * (edge[:, :, None] ^ edge_t[:, None])
    apart = r[:, :, None] - q[:, None]  # (K, 190, 190, D)
    more, less = apart.relu().sum(3), (-apart).relu().sum(3)
    edges = torch.stack(((aligned * more).sum((1, 2)), (aligned * less).sum((1, 2))), 1)
    return edges @ costs[2:4] + model.config.node_weight * (nodes @ costs[:2])


def encoded(model: GraphEdX, graphs: GraphBatch) -> tuple[Tensor, Tensor, Tensor]:
    """Nodes (K, N, d), padded with zeros, all their pairs (K, N(N-1)/2, D), and which of these are edges."""
    size = model.config.max_nodes
    owner = graphs.graph_of_node
    place = torch.arange(len(owner)) - graphs.node_starts[owner]
    h = messages_passed(model, graphs)
    x = h.new_zeros(len(graphs), size, h.shape[1]).index_put((owner, place), h)
    source, target = graphs.edge_index
    adjacency = torch.zeros(len(graphs), size, size, dtype=torch.bool)
    adjacency[owner[source], place[source], place[target]] = True
    u, v = torch.triu_indices(size, size, 1)
    edge = adjacency[:, u, v]
    bit = edge[..., None].to(h.dtype)
    one, other = torch.cat((x[:, u], x[:, v], bit), 2), torch.cat((x[:, v], x[:, u], bit), 2)
    return x, pair_net(model, one) + pair_net(model, other), edge


def pair_net(model: GraphEdX, rows: Tensor) -> Tensor:
    vectors: Tensor = model.pairs.second(torch.relu(model.pairs.first(rows)))
    return vectors


def messages_passed(model: GraphEdX, graphs: GraphBatch) -> Tensor:
    """One message for every edge and direction, of (sender, receiver, 1), summed, into the recurrent unit."""
    layer, (source, target) = model.nodes, graphs.edge_index
    h: Tensor = layer.encoder(graphs.x)
    for _ in range(layer.steps):
        messages = layer.message(torch.cat((h[source], h[target], h.new_ones(len(source), 1)), 1))
        received = h.new_zeros(len(h), layer.message.out_features).index_add(0, target, messages)
        h = layer.update(received, h)
    return h


def soft_plan(a: Tensor, b: Tensor, temperature: float, iterations: int) -> Tensor:
    log_plan = -(a[:, :, None] - b[:, None]).abs().sum(3) / temperature
    for _ in range(iterations):
        log_plan = log_plan - log_plan.logsumexp(2, keepdim=True)
        log_plan = log_plan - log_plan.logsumexp(1, keepdim=True)
    return log_plan.exp()
