"""Reading labels: what comes from anyone's folder neither harms nor lingers."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as arrow
import pytest
from pyarrow import parquet

import graphedx as gx
from datasets.labels.samples import small_dataset
from graphedx import costs as presets
from graphedx.datasets.labels import label
from graphedx.errors import DatasetError

_THREADS_STARTED = """
import os, sys
from pyarrow import parquet
from graphedx import costs, datasets
from graphedx.matrix import DistanceMatrix

def threads(): return len(os.listdir("/proc/self/task"))

dataset = datasets.load(sys.argv[1])
before = threads()
dataset.labels("train", costs.UNIFORM)
DistanceMatrix.load(sys.argv[2])
print(threads() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="threads are counted as Linux tells them")
def test_no_thread_of_the_reader_is_left_to_abort_python_at_its_end(tmp_path):
    dataset = small_dataset(tmp_path / "small", 10)
    label(dataset, presets.UNIFORM, splits=["train"], progress=False)
    gx.distance_matrix(dataset.split("val"), progress=False).save(tmp_path / "matrix.parquet")
    ran = subprocess.run(
        [sys.executable, "-c", _THREADS_STARTED, str(dataset.folder), str(tmp_path / "matrix.parquet")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "0\n"


@pytest.fixture
def labelled(tmp_path):
    dataset = small_dataset(tmp_path / "small", 10)
    label(dataset, presets.UNIFORM, splits=["train"], progress=False)
    return dataset


def rewritten(dataset, *, about=None, **columns):
    """Other columns or another description in a shard whose digest nobody asks for."""
    folder = dataset.folder / "labels" / "structure"
    path = folder / "train-00000.parquet"
    table = parquet.read_table(path)
    for name, values in columns.items():
        table = table.set_column(table.column_names.index(name), name, values)
    parquet.write_table(table if about is None else table.replace_schema_metadata({"graphedx": about}), path)
    manifest = json.loads((folder / "labels.json").read_text())
    (folder / "labels.json").write_text(json.dumps(manifest | {"shards": {}, "checksum": None}))


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"images": arrow.array(["x"] * 21)}, "columns"),
        ({"images": arrow.array([[0.5]] * 21)}, "columns"),
        ({"stopped_by": arrow.array([0] * 21)}, "columns"),
        ({"lower": arrow.array(["x"] * 21)}, "columns"),
        ({"images": arrow.array([[1] * 1000] * 21, arrow.list_(arrow.int32()))}, "other pairs"),
        ({"stopped_by": arrow.array(["x" * 2**22] * 21)}, "more than labels need"),
        ({"about": "[]"}, "does not tell what it is of"),
        ({"about": "{}"}, "other graphs"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)
def test_what_is_no_shard_is_refused_before_it_is_unfolded(labelled, changes, what):
    rewritten(labelled, **changes)
    with pytest.raises(DatasetError, match=f"train-00000.parquet: is damaged or no shard of labels .*{what}"):
        labelled.labels("train", presets.UNIFORM)


def test_a_folder_in_the_place_of_a_shard_is_a_dataset_error(labelled):
    path = labelled.folder / "labels" / "structure" / "train-00000.parquet"
    path.unlink()
    path.mkdir()
    complaint = r"train-00000\.parquet: cannot be read: is a directory"
    with pytest.raises(DatasetError, match=complaint):
        labelled.labels("train", presets.UNIFORM)
    with pytest.raises(DatasetError, match=complaint):
        label(labelled, presets.UNIFORM, splits=["train"], progress=False)


def test_a_shard_of_other_costs_is_refused(labelled):
    folder = labelled.folder / "labels" / "structure"
    about = json.loads(parquet.read_schema(folder / "train-00000.parquet").metadata[b"graphedx"])
    rewritten(labelled, about=json.dumps(about | {"costs": "3,1,2,1,0,0"}))
    with pytest.raises(DatasetError, match="of other costs"):
        labelled.labels("train", presets.UNIFORM)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"shards": []}, "shards must be an object"),
        ({"shards": None}, "shards must be an object"),
        ({"software": 3}, "software a text"),
        ({"costs": "9,9,9,9,9,9"}, "of other graphs, costs or another method"),
        ({"method": "branch"}, "of other graphs, costs or another method"),
        ({"method": 5}, "of other graphs, costs or another method"),
    ],
    ids=str,
)
def test_an_edited_manifest_is_refused(labelled, changes, what):
    path = labelled.folder / "labels" / "structure" / "labels.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | changes))
    with pytest.raises(DatasetError, match=r"labels\.json: .*its content does not match its checksum"):
        labelled.labels("train", presets.UNIFORM)
    path.write_text(json.dumps(manifest | changes | {"checksum": None}))
    with pytest.raises(DatasetError, match=f"labels.json: .*{what}"):
        labelled.labels("train", presets.UNIFORM)


def test_a_manifest_that_nests_without_end_is_refused(labelled):
    (labelled.folder / "labels" / "structure" / "labels.json").write_text("[" * 100_000)
    with pytest.raises(DatasetError, match="cannot be read as a manifest"):
        labelled.labels("train", presets.UNIFORM)


def test_reading_does_not_import_pandas(tmp_path):
    """pyarrow does so behind our back, and loses an interrupt that comes meanwhile."""
    dataset = small_dataset(tmp_path / "small", 10)
    label(dataset, presets.UNIFORM, splits=["train"], progress=False)
    program = (
        "import sys; from graphedx import costs, datasets; "
        "datasets.load(sys.argv[1]).labels('train', costs.UNIFORM); sys.exit('pandas' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "small")], check=True, timeout=60)


def test_labels_of_older_versions_have_no_digests_and_are_read(labelled):
    folder = labelled.folder / "labels" / "structure"
    before = labelled.labels("train", presets.UNIFORM)
    about = json.loads(parquet.read_schema(folder / "train-00000.parquet").metadata[b"graphedx"])
    del about["digest"]
    rewritten(labelled, about=json.dumps(about))
    manifest = json.loads((folder / "labels.json").read_text())
    del manifest["checksum"]
    (folder / "labels.json").write_text(json.dumps(manifest))
    after = labelled.labels("train", presets.UNIFORM)
    assert (after.lower == before.lower).all() and (after.upper == before.upper).all()


def test_a_changed_shard_of_an_open_split_is_refused(labelled):
    """The manifest has no digest of it yet."""
    folder = labelled.folder / "labels" / "structure"
    about = json.loads(parquet.read_schema(folder / "train-00000.parquet").metadata[b"graphedx"])
    rewritten(labelled, about=json.dumps(about | {"time_limit": 3.0}))
    with pytest.raises(DatasetError, match="its content does not match its digest"):
        labelled.labels("train", presets.UNIFORM)
