"""The example of the README: two molecules, their distance under three costs, and the edits."""

import graphedx as gx

aspirin = gx.Graph.from_smiles("CC(=O)Oc1ccccc1C(=O)O")
paracetamol = gx.Graph.from_smiles("CC(=O)Nc1ccc(O)cc1")

result = gx.ged(aspirin, paracetamol)
print(result.distance, result.proven)
print(result.edit_path())

costs = gx.EditCosts(node_del=3, node_ins=1, edge_del=2, edge_ins=1, node_sub=0, edge_sub=0)
print(gx.ged(aspirin, paracetamol, costs=costs).distance, gx.ged(paracetamol, aspirin, costs=costs).distance)
