"""Files of every kind that is saved, and what is answered from them: for tests that flip bits."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

import graphedx as gx
from graphedx.costs import EditCosts
from graphedx.datasets import Dataset, label
from graphedx.models.graphedx import GraphEdX, GraphEdXConfig
from graphedx.models.saving import BEST, DESCRIPTION, FORMAT, fingerprint, load_model, save_tensors
from matrix.samples import some_graphs

UNIFORM = EditCosts(1, 1, 1, 1, 0, 0)
QUERY = gx.Graph(3, [(0, 1), (1, 2)], node_labels="abc", edge_labels="xy")


@dataclass(frozen=True)
class Sample:
    """Files that belong together, and a function that returns all answers that depend on them."""

    name: str
    files: tuple[Path, ...]
    answers: Callable[[], Any]

    def flips(self, count: int, seed: int = 0) -> Iterator[tuple[Path, int]]:
        """Yield (file, bit) for so many different bits, chosen at random from all files together."""
        sizes = [8 * file.stat().st_size for file in self.files]
        for bit in random.Random(f"{self.name} {seed}").sample(range(sum(sizes)), min(count, sum(sizes))):
            for file, size in zip(self.files, sizes, strict=True):
                if bit < size:
                    yield file, bit
                    break
                bit -= size


def samples(folder: Path) -> list[Sample]:
    """Write one sample of each kind."""
    return [*index_samples(folder), *matrix_samples(folder), label_sample(folder), weight_sample(folder)]


def index_samples(folder: Path) -> Iterator[Sample]:
    for vectors in (False, True):
        path = folder / f"index{'-vectors' if vectors else ''}.gxi"
        gx.GraphIndex.build(some_graphs(25), vectors=vectors).save(path)

        def answers(path: Path = path, vectors: bool = vectors) -> Any:
            index = gx.GraphIndex.load(path)
            found = [index.search(QUERY, 4, workers=1), index.range(QUERY, 5, workers=1)]
            if vectors:
                found.append(index.search(QUERY, 3, approximate=True, workers=1))
            graphs = [(id, index[id]) for id in index.ids]
            return [[(hit.id, hit.lower, hit.upper) for hit in hits] for hits in found], graphs, index.info()

        yield Sample(path.stem, (path,), answers)


def matrix_samples(folder: Path) -> Iterator[Sample]:
    matrix = gx.distance_matrix(some_graphs(6))
    for extension in ("csv", "parquet", "npz"):
        path = folder / f"matrix.{extension}"
        matrix.save(path)

        def answers(path: Path = path) -> Any:
            found = gx.DistanceMatrix.load(path)
            return found.rows, found.columns, found.lower.tolist(), found.upper.tolist(), found.stops.tolist()

        digest = [path.with_name(f"{path.name}.digest")] if extension == "csv" else []
        yield Sample(f"matrix {extension}", (path, *digest), answers)


def label_sample(folder: Path) -> Sample:
    graphs = [gx.Graph(g.num_nodes, g.edge_index, name=g.name) for g in some_graphs(9)]
    dataset = Dataset("small", tuple(graphs), (5, 2, 2), {"source": "tests"}).save(folder / "dataset")
    label(dataset, UNIFORM, progress=False)

    def answers() -> Any:
        loaded = Dataset.load(folder / "dataset")
        tables = [loaded.labels(split, UNIFORM) for split in ("train", "val", "test")]
        found = [(table.lower.tolist(), table.upper.tolist()) for table in tables]
        return loaded.fingerprint, loaded.name, dict(loaded.provenance), found

    files = (file for file in sorted((folder / "dataset").rglob("*")) if file.is_file())
    return Sample("labels", tuple(files), answers)


def weight_sample(folder: Path) -> Sample:
    place = folder / "model"
    place.mkdir()
    torch.manual_seed(0)
    model = GraphEdX(GraphEdXConfig(max_nodes=5, steps=1))
    description = {
        "format": FORMAT,
        "model": "graphedx",
        "settings": model.config.to_json(),
        "costs": [1, 1, 1, 1, 0, 0],
        "vocabulary": [],
    }
    (place / DESCRIPTION).write_text(json.dumps(description))
    save_tensors(place / BEST, model.state_dict(), {"run": fingerprint(description), "epoch": 1})

    def answers() -> Any:
        loaded = load_model(place)
        return {name: tensor.tolist() for name, tensor in loaded.model.state_dict().items()}, loaded.costs

    return Sample("weights", (place / DESCRIPTION, place / BEST), answers)


def outcome_of_flip(sample: Sample, file: Path, bit: int, expected: Any) -> str:
    """Flip one bit, ask for the answers, flip it back; return "refused", "harmless" or what went wrong."""
    content = bytearray(file.read_bytes())
    original = bytes(content)
    content[bit // 8] ^= 1 << bit % 8
    try:
        file.write_bytes(content)
        try:
            found = sample.answers()
        except gx.GraphEdXError as error:
            return "refused" if "\n" not in str(error) else f"several lines: {error}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return "harmless" if found == expected else "another answer"
    finally:
        file.write_bytes(original)
