"""The molecules that come with RDKit in an index, and those of them that are nearest to aspirin."""

import graphedx as gx

molecules = gx.datasets.prepare("nci", labelled=True, progress=False)  # they come with RDKit
index = gx.GraphIndex.build(molecules)

hits = index.search(gx.Graph.from_smiles("CC(=O)Oc1ccccc1C(=O)O"), k=3)
for hit in hits:
    print(hit.id, hit.distance)
print(f"proven: {hits.complete}, of {hits.total:,}; as near as the last: {[tie.id for tie in hits.ties]}")
print(hits[0].edit_path())
