"""The nine baselines of the paper from their equations: one pair at a time, in loops, with a model's weights."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import conv2d, leaky_relu

from graphedx import Graph
from graphedx.models.graphsim import centrality
from models.graph_samples import doubles
from models.literal_layers import (
    attention_pooled,
    convolved,
    distance_of,
    gated_sum,
    gin_layer,
    hyperedge_of,
    inputs_of,
    neighbours_of,
    tensor_network,
    total,
    two_layers,
)
from models.literal_model import padded, propagated

Distance = Callable[[Any, list[Graph], list[Tensor], Tensor], Tensor]
"""From a model, the two graphs of a pair, their input features and the costs to the distance."""


def vector_distance(model: Any, x: Tensor, y: Tensor, costs: Tensor) -> Tensor:
    if not model.config.cost_guided:
        return sum(((a - b) ** 2 for a, b in zip(x, y, strict=True)), x.new_zeros(())).sqrt()
    node_del, node_ins, edge_del, edge_ins = costs[:4].tolist()
    deleted, inserted = (x - y).clamp(min=0).sum(), (y - x).clamp(min=0).sum()
    return (node_del + edge_del) / 2 * deleted + (node_ins + edge_ins) / 2 * inserted


def gmn_embed(model: Any, graphs: list[Graph], inputs: list[Tensor], costs: Tensor) -> Tensor:
    vectors = [gated_sum(model.pooling, propagated(model.nodes, g, x)) for g, x in zip(graphs, inputs, strict=True)]
    return vector_distance(model, *vectors, costs)


def _messages(layer: Any, graph: Graph, h: Tensor) -> list[Tensor]:
    received = [h.new_zeros(layer.message.out_features) for _ in range(len(graph))]
    for edge in graph.edge_index:
        for sender, receiver in (edge, edge[::-1]):
            message = layer.message(torch.cat((h[sender], h[receiver], h.new_ones(1))))
            received[receiver] = received[receiver] + message
    return received


def _difference(node: Tensor, others: Tensor) -> Tensor:
    """mu: the node minus its attention over the other graph."""
    if not len(others):
        return node
    weights = torch.stack([(node * other).sum().exp() for other in others])
    return node - sum(weight / weights.sum() * other for weight, other in zip(weights, others, strict=True))


def _matching_step(layer: Any, graph: Graph, h: Tensor, others: Tensor) -> Tensor:
    rows = [
        layer.update(torch.cat((message, _difference(node, others)))[None], node[None])[0]
        for message, node in zip(_messages(layer, graph, h), h, strict=True)
    ]
    return torch.stack(rows) if rows else h


def gmn_match_vectors(model: Any, graphs: list[Graph], inputs: list[Tensor]) -> tuple[Tensor, Tensor]:
    (source, target), (x, y) = graphs, (model.encoder(rows) for rows in inputs)
    for _ in range(model.config.layers):
        x, y = _matching_step(model.matching, source, x, y), _matching_step(model.matching, target, y, x)
    return gated_sum(model.pooling, x), gated_sum(model.pooling, y)


def gmn_match(model: Any, graphs: list[Graph], inputs: list[Tensor], costs: Tensor) -> Tensor:
    return vector_distance(model, *gmn_match_vectors(model, graphs, inputs), costs)


def edge_vectors(model: Any, graph: Graph, x: Tensor) -> Tensor:
    """For each edge the sum of the messages in both directions."""
    h = propagated(model.nodes, graph, x)
    message, one = model.nodes.message, h.new_ones(1)
    rows = [message(torch.cat((h[u], h[v], one))) + message(torch.cat((h[v], h[u], one))) for u, v in graph.edge_index]
    return torch.stack(rows) if rows else h.new_zeros(0, model.config.message)


def isonet(model: Any, graphs: list[Graph], inputs: list[Tensor], costs: Tensor) -> Tensor:
    """Every padding edge is a row or column whose products are 0."""
    config = model.config
    a, b = (edge_vectors(model, g, x) for g, x in zip(graphs, inputs, strict=True))
    size = config.max_edges if config.padding.value == "dataset" else max(len(a), len(b))
    if not size:
        return costs.new_zeros(())
    scores = padded(model.alignment(a), size) @ padded(model.alignment(b), size).T
    log_plan = scores / config.temperature
    for _ in range(config.iterations):
        log_plan = log_plan - torch.logsumexp(log_plan, dim=1, keepdim=True)
        log_plan = log_plan - torch.logsumexp(log_plan, dim=0, keepdim=True)
    return (padded(a, size) - log_plan.exp() @ padded(b, size)).clamp(min=0).sum()


def _greed_vector(model: Any, graph: Graph, x: Tensor) -> Tensor:
    near, width, layers = neighbours_of(graph), model.config.width, list(model.layers)
    rows = [model.first.weight @ row + model.first.bias for row in x]
    before, every = rows, rows
    for number, layer in enumerate(layers, 1):
        sums = [rows[u] + total([rows[v] for v in near[u]], width) for u in range(len(graph))]
        rows = [two_layers(layer.nn, one) for one in sums]
        if number % 2 == 0:
            rows = before = [one + two for one, two in zip(rows, before, strict=True)]
        rows = [row.clamp(min=0) for row in rows]
        every = [torch.cat(parts) for parts in zip(every, rows, strict=True)]
    return two_layers(model.last, total(every, (len(layers) + 1) * width))


def greed(model: Any, graphs: list[Graph], inputs: list[Tensor], costs: Tensor) -> Tensor:
    vectors = [_greed_vector(model, graph, x) for graph, x in zip(graphs, inputs, strict=True)]
    return vector_distance(model, *vectors, costs)


def eric(model: Any, graphs: list[Graph], inputs: list[Tensor], costs: Tensor) -> Tensor:
    h, width, scales = inputs, model.config.width, []
    for number, layer in enumerate(model.layers):
        h, part, at = gin_layer(layer, graphs, h, model.training), slice(number * width, (number + 1) * width), number
        inner = [[(row @ model.inner.weight[at] + model.inner.bias[part]).clamp(min=0) for row in x] for x in h]
        sums = [total(rows, width) for rows in inner]
        scales.append([(one @ model.outer.weight[at] + model.outer.bias[part]).clamp(min=0) for one in sums])
    near = torch.cat([torch.exp(-((x - y) ** 2)) for x, y in scales])
    first, tanh, last = model.by_scales
    by_scales = two_layers(last, tanh(two_layers(first, near)))
    by_tensor = two_layers(model.by_tensor, tensor_network(model.tensor, *scales[-1]))
    share = torch.sigmoid(model.mix)
    similarity = share * torch.sigmoid(by_scales[0]) + (1 - share) * torch.sigmoid(by_tensor[0])
    return distance_of(similarity, *graphs)


def simgnn(model: Any, graphs: list[Graph], inputs: list[Tensor], costs: Tensor) -> Tensor:
    ends = [convolved(model.nodes, graph, x)[-1] for graph, x in zip(graphs, inputs, strict=True)]
    features = tensor_network(model.tensor_network, *(attention_pooled(model.pooling, x) for x in ends))
    if model.config.bins:
        features = torch.cat([features, node_histogram(*ends, model.config.bins)])
    return distance_of(torch.sigmoid(two_layers(model.score, features)[0]), *graphs)


def node_histogram(x: Tensor, y: Tensor, bins: int) -> Tensor:
    x, y = x.detach(), y.detach()
    size, counts = max(len(x), len(y)), [0] * bins
    for u in range(size):
        for v in range(size):
            value = float(torch.sigmoid(x[u] @ y[v])) if u < len(x) and v < len(y) else 0.5
            counts[min(int(value * bins + 1e-6), bins - 1)] += 1
    return torch.tensor(counts, dtype=torch.float64) / size**2


def _windows(image: Tensor, window: int) -> Tensor:
    """(channels, h, w) maxima of windows, the first of which begins (window - 1) // 2 cells outside."""
    before, size = (window - 1) // 2, image.shape[1]
    first = range(-before, size, window)
    parts = [slice(max(0, start), start + window) for start in first]
    rows = [image[:, top, left].amax((1, 2)) for top in parts for left in parts]
    return torch.stack(rows, 1).view(len(image), len(first), len(first))


def graphsim(model: Any, graphs: list[Graph], inputs: list[Tensor], costs: Tensor) -> Tensor:
    """An image per scale, nodes in order of falling centrality."""
    scales = []
    for graph, x in zip(graphs, inputs, strict=True):
        found = centrality(doubles((graph,), model.literal_vocabulary), model.config.layers + 1).tolist()
        order = sorted(range(len(graph)), key=found.__getitem__, reverse=True)
        scales.append([rows[order] for rows in convolved(model.nodes, graph, x)])
    features, size = [], model.config.max_nodes
    for scale, (x, y) in enumerate(zip(*scales, strict=True)):
        image = torch.zeros(1, size, size, dtype=torch.float64)
        image[0, : len(x), : len(y)] = torch.stack([torch.stack([row @ column for column in y]) for row in x])
        for layer, kernel, window in zip(model.images, (10, 6, 4, 2), (3, 3, 2, 2), strict=True):
            before = (kernel - 1) // 2
            larger = torch.nn.functional.pad(image, (before, kernel - 1 - before) * 2)
            image = conv2d(larger[None], layer.weight[scale], layer.bias[scale])[0].clamp(min=0)
            image = _windows(image, window)
        features.append(image.amax((1, 2)))
    return two_layers(model.score, torch.cat(features))[0]


def _kept(scores: Tensor, ratio: float) -> Tensor:
    """Weights of hyperedges: 1 for the best and those that tie with them, down to 0 within 0.01 below."""
    last = sorted(scores.tolist(), reverse=True)[math.ceil(ratio * len(scores) - 1e-9) - 1]
    return torch.tensor([min(1.0, max(0.0, 1 + (one - last) / 0.01)) for one in scores.tolist()], dtype=torch.float64)


def _hyperedges(level: Any, members: list[set[int]], before: list[Tensor]) -> tuple[list[Tensor], Tensor]:
    """Vectors times scores, and scores, from the vectors that the hyperedges had before."""
    width, own = len(before[0]), [[e for e, some in enumerate(members) if u in some] for u in range(len(members))]

    def to_nodes(of_hyperedges: list[Tensor], size: int) -> list[Tensor]:
        return [total([of_hyperedges[e] for e in some], size) / len(some) for some in own]

    def to_hyperedges(of_nodes: list[Tensor], size: int) -> list[Tensor]:
        return [total([of_nodes[u] for u in some], size) / len(some) for some in members]

    shares = [one / len(some) for one, some in zip(before, members, strict=True)]
    layer = level.convolution
    nodes = [leaky_relu(layer.weight @ one + layer.bias, 0.2) for one in to_nodes(shares, width)]
    mean = to_hyperedges(nodes, width)
    first = [torch.sigmoid(level.score.weight @ one + level.score.bias) for one in to_nodes(mean, width)]
    rank = first
    for _ in range(10):
        again = to_nodes(to_hyperedges(rank, 1), 1)
        rank = [0.9 * one + 0.1 * start for one, start in zip(again, first, strict=True)]
    scores, found = torch.cat(to_hyperedges(rank, 1)), []
    for e, some in enumerate(members):
        attention = {u: (nodes[u] @ mean[e]).exp() for u in some}
        whole = sum(attention.values())
        found.append(scores[e] * total([weight / whole * nodes[u] for u, weight in attention.items()], width))
    return found, scores


def matches(own: list[Tensor], others: list[Tensor], weights: Tensor, perspectives: Tensor) -> Tensor:
    """Each hyperedge against its mean of the other graph's, from all perspectives."""
    rows = []
    for e in own:
        similar = [
            weight * ((e @ o) / torch.sqrt((e @ e + 1e-12) * (o @ o + 1e-12))).clamp(min=0)
            for o, weight in zip(others, weights, strict=True)
        ]
        other = total([s * o for s, o in zip(similar, others, strict=True)], len(e)) / (sum(similar) + 1e-6)
        rows.append(
            torch.stack(
                [
                    (q * e) @ (q * other) / torch.sqrt(((q * e) @ (q * e) + 1e-6) * ((q * other) @ (q * other) + 1e-6))
                    for q in perspectives
                ]
            )
        )
    return torch.stack(rows)


def h2mn(model: Any, graphs: list[Graph], inputs: list[Tensor], costs: Tensor) -> Tensor:
    config = model.config
    x = [leaky_relu(convolved(model.nodes, graph, rows)[0], 0.2) for graph, rows in zip(graphs, inputs, strict=True)]
    members = [[hyperedge_of(graph, u, config.steps) for u in range(len(graph))] for graph in graphs]
    read = [attention_pooled(model.pooling, rows) for rows in x]
    carried: list[Any] = [
        [total([rows[u] for u in some], config.width) for some in sets] for rows, sets in zip(x, members, strict=True)
    ]
    for number, level in enumerate(model.levels):
        found = [_hyperedges(level, sets, list(before)) for sets, before in zip(members, carried, strict=True)]
        ratio = config.ratio if number == config.layers - 1 else 1.0
        weights = [_kept(scores, ratio) for _, scores in found]
        carried = [matches(found[i][0], found[1 - i][0], weights[1 - i], level.perspectives) for i in (0, 1)]
        read += [attention_pooled(level.pooling, rows, some) for rows, some in zip(carried, weights, strict=True)]
    value = torch.cat(read)
    for layer in model.score[:-1]:
        value = layer(value)
    distance: Tensor = model.score[-1](value)[0]
    return distance


def _gated(gate: Any, row: Tensor) -> Tensor:
    network, squash = gate.gate
    return row + row * squash(two_layers(network, row))


def egsc(model: Any, graphs: list[Graph], inputs: list[Tensor], costs: Tensor) -> Tensor:
    h, fused = inputs, []
    for number, layer in enumerate(model.layers):
        h = gin_layer(layer, graphs, h, model.training)
        gated = [torch.stack([_gated(model.gates[number], row) for row in x]) for x in h]
        both = torch.cat([attention_pooled(model.pools[number], x) for x in gated])
        fusion = model.fusions[number]
        fused.append(two_layers(fusion.network, _gated(fusion.gate, both)).clamp(min=0))
    similarity = torch.sigmoid(two_layers(model.score, _gated(model.gate, torch.cat(fused[::-1])))[0])
    return distance_of(similarity, *graphs)


LITERAL: dict[str, Distance] = {
    "egsc": egsc,
    "eric": eric,
    "gmn_embed": gmn_embed,
    "gmn_match": gmn_match,
    "graphsim": graphsim,
    "greed": greed,
    "h2mn": h2mn,
    "isonet": isonet,
    "simgnn": simgnn,
}


def literal_distance(
    model: Any, source: Graph, target: Graph, costs: Tensor, vocabulary: tuple[str, ...] = ()
) -> Tensor:
    """The distance of one pair by the equations of the model."""
    model.literal_vocabulary = vocabulary
    graphs = [source, target]
    inputs = [inputs_of(model, graph, vocabulary, costs) for graph in graphs]
    return LITERAL[model.name](model, graphs, inputs, costs)
