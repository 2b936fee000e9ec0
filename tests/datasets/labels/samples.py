"""A small dataset on disk, and its labels."""

import hashlib
from pathlib import Path

from graphedx.datasets.dataset import Dataset
from graphedx.datasets.prepare import from_graphs
from matrix.samples import some_graphs


def small_dataset(folder: Path, count: int = 60, *, most_nodes: int = 6, directed: bool = False) -> Dataset:
    graphs = some_graphs(count, most_nodes=most_nodes, seed=3, directed=directed)
    return from_graphs(graphs, "small", distinct=False).save(folder)


def contents(dataset: Dataset) -> dict[str, str]:
    """Every file below the dataset's labels, by its digest."""
    folder = dataset.folder / "labels"
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
