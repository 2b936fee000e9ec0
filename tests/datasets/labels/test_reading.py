"""Reading labels: what comes from anyone's folder neither harms nor lingers."""

import subprocess
import sys
from pathlib import Path

import pytest

import graphedx as gx
from datasets.labels.samples import small_dataset
from graphedx import costs as presets
from graphedx.datasets.labels import label

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
