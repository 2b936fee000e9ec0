"""Graphs of your own: a dataset with exact labels, read as a table, and the edits behind one of them."""

import tempfile

import networkx as nx

from graphedx import EditCosts, Graph, datasets

families = {"path": nx.path_graph, "cycle": nx.cycle_graph, "star": nx.star_graph, "wheel": nx.wheel_graph}
graphs = [Graph.from_networkx(make(n)).renamed(f"{name} {n}") for n in range(4, 9) for name, make in families.items()]
costs = EditCosts(node_del=3, node_ins=1, edge_del=2, edge_ins=1)

with tempfile.TemporaryDirectory() as folder:
    shapes = datasets.from_graphs(graphs, "shapes").save(f"{folder}/shapes")
    datasets.label(shapes, costs, progress=False)
    labels = shapes.labels("test", costs)

table = labels.to_pandas()
for end in ("source", "target"):
    table[end] = [shapes.graphs[place].name for place in table[end]]
print(shapes.sizes)
print(table.sort_values("upper", kind="stable").tail(4).to_string(index=False))
print(labels.result(1).edit_path())
