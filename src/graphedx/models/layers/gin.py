"""Graph isomorphism layers with batch normalisation, as several models have them."""

from __future__ import annotations

from typing import Any

from torch_geometric.nn import GINConv
from torch_geometric.nn.norm import BatchNorm

from graphedx.models.layers.propagation import two_layers


def normalised_gin(inputs: int, width: int, **options: Any) -> GINConv:
    """``norm(MLP((1 + eps) x_u + sum of x_v over neighbours v))``; options are those of ``GINConv``.

    While it is trained the mean and variance are those over all nodes of a batch, in which every graph is once however
    many pairs it is in. Running ones, a part of the model's state, take their place in inference, and where a batch
    has fewer than two nodes.
    """
    network = two_layers(inputs, width, width)
    network.append(BatchNorm(width, allow_single_element=True))
    return GINConv(network, **options)
