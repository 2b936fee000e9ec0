"""A PyTorch Geometric model that learns distances: label small graphs exactly, load the pairs, train for a moment."""

import tempfile

import networkx as nx
import torch
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GIN, global_add_pool

from graphedx import costs, datasets

torch.manual_seed(0)
with tempfile.TemporaryDirectory() as folder:
    atlas = datasets.from_graphs([nx.graph_atlas(i) for i in range(1, 53)], "atlas").save(f"{folder}/atlas")
    datasets.label(atlas, costs.UNIFORM, progress=False)
    pairs = datasets.GraphPairDataset(atlas, "train", costs.UNIFORM)
print(pairs, "mean distance", round(pairs.y.mean().item(), 2))

gnn = GIN(pairs.num_node_features, hidden_channels=16, num_layers=3)
optimizer = torch.optim.Adam(gnn.parameters(), lr=0.005)
for epoch in range(4):
    errors = []
    for batch in DataLoader(pairs, batch_size=64, shuffle=True):
        source = global_add_pool(gnn(batch.x_s, batch.edge_index_s), batch.batch_s)
        target = global_add_pool(gnn(batch.x_t, batch.edge_index_t), batch.batch_t)
        loss = torch.nn.functional.mse_loss((source - target).abs().sum(dim=1), batch.y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        errors.append(loss.item())
    print(f"epoch {epoch}: mean squared error {sum(errors) / len(errors):.2f}")
