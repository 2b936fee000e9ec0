"""Whatever fails while something is saved: the old file is intact, no temporary file is left, the error is one line."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import graphedx as gx
from damage import UNIFORM
from faults import Disk, faulty_disk
from graphedx.datasets import Dataset, label
from graphedx.models.graphedx import GraphEdX, GraphEdXConfig
from graphedx.models.saving import save_tensors
from graphedx.training import checkpoint
from matrix.samples import some_graphs

Save = Callable[[Path, int], None]
"""Saves the first or the second version of something below a folder."""


def save_index(folder: Path, version: int) -> None:
    gx.GraphIndex.build(some_graphs(3 + version), vectors=True).save(folder / "i.gxi", overwrite=True)


def saver_of_matrices(extension: str) -> Save:
    matrices = [gx.distance_matrix(some_graphs(2 + version)) for version in range(2)]
    return lambda folder, version: matrices[version].save(folder / f"m.{extension}", overwrite=True)


def save_dataset(folder: Path, version: int) -> None:
    Dataset(f"v{version}", tuple(some_graphs(3 + version)), (1 + version, 1, 1)).save(folder / "set", overwrite=True)


def save_tensors_of(folder: Path, version: int) -> None:
    save_tensors(folder / "best.safetensors", {"weight": torch.full((3, 4), float(version))}, {"run": "same"})


def save_checkpoint(folder: Path, version: int) -> None:
    torch.manual_seed(version)
    model = GraphEdX(GraphEdXConfig(max_nodes=3, steps=1))
    progress = checkpoint.Progress([(1.0, 1.0 / (k + 1)) for k in range(version + 1)])
    best = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    state = checkpoint.State(model, torch.optim.Adam(model.parameters()), progress, best)
    checkpoint.write(folder, state, {"run": "same"})


def save_graphs(folder: Path, version: int) -> None:
    gx.write(some_graphs(2 + version), folder / "graphs.jsonl", overwrite=True)


SAVERS: dict[str, Save] = {
    "index": save_index,
    **{extension: saver_of_matrices(extension) for extension in ("csv", "parquet", "npz")},
    "dataset": save_dataset,
    "weights": save_tensors_of,
    "checkpoint": save_checkpoint,
    "graphs": save_graphs,
}


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def prepared(save: Save, folder: Path) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The files of both versions; the first is left in the folder."""
    found = []
    for version in (1, 0):
        folder.mkdir(exist_ok=True)
        save(folder, version)
        found.append(contents(folder))
    return found[1], found[0]


@pytest.mark.parametrize("name", SAVERS)
def test_a_full_disk_at_any_operation_loses_nothing(tmp_path: Path, name: str) -> None:
    save, folder = SAVERS[name], tmp_path / "out"
    old, new = prepared(save, folder)
    counting = Disk()
    with faulty_disk(counting):
        save(folder, 1)
    assert contents(folder) == new and {"write", "fsync"} <= {*counting.log}
    for failing in range(1, counting.operations + 1):
        save(folder, 0)
        problem = None
        with faulty_disk(Disk(failing)):
            try:
                save(folder, 1)
            except gx.GraphEdXError as error:
                problem = str(error)
        found = contents(folder)
        assert found.keys() == old.keys(), (failing, counting.log[failing - 1])
        for file, content in found.items():  # each file is the old one or the new one, whole
            assert content in (old[file], new[file]) or file.endswith(".digest")
        if problem is None:  # the operation was one that need not succeed
            assert main_file(name, found) == main_file(name, new)
            continue
        assert "\n" not in problem and "no space left" in problem and str(folder) in problem
        save(folder, 0)
        assert contents(folder) == old


def main_file(name: str, files: dict[str, bytes]) -> dict[str, bytes]:
    return {file: content for file, content in files.items() if not file.endswith(".digest")}


@pytest.mark.parametrize("name", SAVERS)
def test_a_full_disk_while_something_new_is_saved_leaves_nothing(tmp_path: Path, name: str) -> None:
    counting = Disk()
    (tmp_path / "first").mkdir()
    with faulty_disk(counting):
        SAVERS[name](tmp_path / "first", 0)
    whole = contents(tmp_path / "first")
    for failing in range(1, counting.operations + 1):
        folder = tmp_path / f"out{failing}"
        folder.mkdir()
        with faulty_disk(Disk(failing)):
            try:
                SAVERS[name](folder, 0)
            except gx.GraphEdXError as error:
                assert "\n" not in str(error) and "no space left" in str(error)
        for file, content in contents(folder).items():
            assert content == whole[file], (failing, counting.log[failing - 1])


def test_a_full_disk_while_labels_are_made_costs_no_label(tmp_path: Path) -> None:
    """Fail at each operation in turn, go on after each failure: the labels are those of a run without failures."""

    def made(folder: Path) -> Dataset:
        graphs = [gx.Graph(g.num_nodes, g.edge_index, name=g.name) for g in some_graphs(7)]
        return Dataset("small", tuple(graphs), (3, 2, 2)).save(folder)

    counting = Disk()
    plain = made(tmp_path / "plain")
    with faulty_disk(counting):
        label(plain, UNIFORM, progress=False)
    whole = contents(tmp_path / "plain")
    for failing in range(1, counting.operations + 1):
        dataset = made(tmp_path / f"set{failing}")
        with faulty_disk(Disk(failing)):
            try:
                label(dataset, UNIFORM, progress=False)
            except gx.GraphEdXError as error:
                assert "\n" not in str(error) and "no space left" in str(error).lower()
        left = {Path(file).name for file in contents(dataset.folder or tmp_path)}
        assert not [file for file in left if file.startswith(".")], (failing, counting.log[failing - 1])
        label(dataset, UNIFORM, progress=False)
        assert contents(dataset.folder or tmp_path) == whole, (failing, counting.log[failing - 1])


# -- real limits -----------------------------------------------------------------------------------------------------

LIMITED = """
import resource, sys
from pathlib import Path
import test_faults, graphedx as gx
name, folder, size = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
try:
    test_faults.SAVERS[name](folder, 1)
except gx.GraphEdXError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such limits")
@pytest.mark.parametrize("name", ["index", "parquet", "dataset", "checkpoint"])
def test_a_real_limit_of_file_sizes_loses_nothing(tmp_path: Path, name: str) -> None:
    old, new = prepared(SAVERS[name], tmp_path / "out")
    paths = [str(Path(__file__).parent), str(Path(gx.__file__).parents[1])]
    size = max(map(len, new.values())) // 2
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, name, str(tmp_path / "out"), str(size)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "file too large" in done.stdout and len(done.stdout.splitlines()) == 1 and not done.stderr, done
    found = contents(tmp_path / "out")
    assert found.keys() == old.keys() and all(content in (old[file], new[file]) for file, content in found.items())
