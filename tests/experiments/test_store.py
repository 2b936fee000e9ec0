"""Rows survive whatever happens to the writer; there is one at a time."""

import os
import signal
import subprocess
import sys

import pytest

from experiments.samples import row_of, small_train
from graphedx.errors import ExperimentError, OutputError
from graphedx.experiments import Rows
from graphedx.experiments.store import ROWS

HOLDER = """
import sys, time
from graphedx.experiments import Rows
with Rows.opened(sys.argv[1]):
    print("mine", flush=True)
    time.sleep(60)
"""


def test_rows_come_back_and_the_last_of_a_key_counts(tmp_path):
    job, other = small_train(0), small_train(1)
    with Rows.opened(tmp_path) as rows:
        rows.put(row_of(job, {"mse": 1.0}))
        rows.put(row_of(other, error="it diverged"))
        rows.put(row_of(job, {"mse": 2.0, "kendall_tau": float("nan"), "stopped_early": False, "epochs": 7}))
    found = Rows(tmp_path)
    assert len(found) == 2
    assert found.get(job).number("mse") == 2.0
    assert found.get(job).number("kendall_tau") is None
    assert found.get(job).cut_off == 7
    assert found.get(job.key).asked() == job
    assert found.get(other).failed
    assert found.get(small_train(2)) is None


def test_a_dropped_row_stays_away(tmp_path):
    with Rows.opened(tmp_path) as rows:
        rows.put(row_of(small_train(), {"mse": 1.0}))
        rows.drop(small_train())
        rows.drop(small_train())
        assert rows.get(small_train()) is None
    assert len(Rows(tmp_path)) == 0


@pytest.mark.parametrize("torn", [b'{"key": "tra', b'{"key": "x"}', b"\xff"])
def test_a_torn_last_line_is_not_there_and_is_cut_by_the_next_writer(tmp_path, torn):
    with Rows.opened(tmp_path) as rows:
        rows.put(row_of(small_train(0), {"mse": 1.0}))
    whole = (tmp_path / ROWS).read_bytes()
    (tmp_path / ROWS).write_bytes(whole + torn)
    assert len(Rows(tmp_path)) == 1
    with Rows.opened(tmp_path) as rows:
        rows.put(row_of(small_train(1), {"mse": 1.0}))
    assert (tmp_path / ROWS).read_bytes().startswith(whole + b"{")
    assert len(Rows(tmp_path)) == 2


@pytest.mark.parametrize("line", [b"no json\n", b"[1]\n", b'{"key": "a", "colour": "red"}\n'])
def test_damage_is_told_with_the_name_of_the_file(tmp_path, line):
    (tmp_path / ROWS).write_bytes(line)
    with pytest.raises(ExperimentError, match=ROWS):
        Rows(tmp_path)


def test_a_second_writer_is_told_who_is_the_first_and_a_killed_one_lets_go(tmp_path):
    with subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path], stdout=subprocess.PIPE, text=True) as holder:
        try:
            assert holder.stdout.readline() == "mine\n"
            with pytest.raises(OutputError, match=f"process {holder.pid}"), Rows.opened(tmp_path):
                pass
            Rows(tmp_path)  # readers any time
            os.kill(holder.pid, signal.SIGKILL)
            holder.wait()
            with Rows.opened(tmp_path) as rows:
                rows.put(row_of(small_train(), {"mse": 1.0}))
        finally:
            holder.kill()


def test_a_folder_that_cannot_be_is_one_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be used"), Rows.opened(tmp_path / "file"):
        pass
