"""Importing the library is quick because nothing heavy comes with it."""

import json
import subprocess
import sys

HEAVY = {"rich", "typer", "networkx", "scipy", "pyarrow", "torch", "torch_geometric", "rdkit", "matplotlib", "highspy"}


def loaded_by(script: str) -> set[str]:
    script += "\nimport json, sys; print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(answer.stdout))


def test_import_loads_nothing_heavy():
    modules = loaded_by("import graphedx")
    assert "numpy" in modules
    assert not modules & HEAVY


def test_solving_loads_nothing_heavy():
    script = "import graphedx as gx; g = [gx.Graph(2), gx.Graph(3)]; gx.ged(*g).distance; gx.distance_matrix(g)"
    assert not loaded_by(script) & HEAVY
