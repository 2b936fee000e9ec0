"""Rows survive whatever happens to the writer; there is one at a time."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict

import pytest

from experiments.samples import row_of, small_train
from graphedx.errors import ExperimentError, OutputError
from graphedx.experiments import Rows, Transfer
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
    assert found.get(job).asked() == job
    assert found.cut_off(job) == 7
    assert found.get(other).failed
    assert found.get(small_train(2)) is None


def test_what_rests_on_a_training_is_as_final_as_that_and_goes_when_it_is_done_anew(tmp_path):
    job = Transfer(small_train(), "alkanes")
    with Rows.opened(tmp_path) as rows:
        rows.put(row_of(job, {"mse": 1.0, "validation": 0.5}))
        assert rows.get(job).number("mse") == 1.0  # nothing is known of the training
        assert rows.cut_off(job) is None
        rows.put(row_of(small_train(), {"mse": 2.0, "validation": 0.5, "stopped_early": False, "epochs": 7}))
        assert rows.get(job).number("mse") == 1.0
        assert rows.cut_off(job) == 7
        rows.put(row_of(small_train(), {"mse": 2.0, "validation": 0.4, "stopped_early": True, "epochs": 90}))
        assert rows.get(job) is None
        rows.put(row_of(job, error="there are no weights"))
        assert rows.get(job).failed


def test_all_codes_of_a_training_that_was_done_in_parts_are_known():
    assert row_of(small_train(), {"mse": 1.0}).codes == {"1"}
    assert row_of(small_train(), {"mse": 1.0, "codes": ["0", "1"]}).codes == {"0", "1"}


@pytest.mark.parametrize("values", [b'{"mse": NaN}', b'{"mse": Infinity}'])
def test_what_is_no_number_is_none(tmp_path, values):
    with Rows.opened(tmp_path) as rows:
        rows.put(row_of(small_train(), {"mse": 1.0}))
    path = tmp_path / ROWS
    path.write_bytes(path.read_bytes().replace(b'{"mse": 1.0}', values))
    assert Rows(tmp_path).get(small_train()).number("mse") is None


def test_a_last_line_without_its_end_counts_if_it_is_whole(tmp_path):
    with Rows.opened(tmp_path) as rows:
        rows.put(row_of(small_train(0), {"mse": 1.0}))
        rows.put(row_of(small_train(1), {"mse": 1.0}))
    path = tmp_path / ROWS
    path.write_bytes(path.read_bytes()[:-1])  # as an editor may leave it
    assert len(Rows(tmp_path)) == 2
    with Rows.opened(tmp_path) as rows:
        rows.put(row_of(small_train(2), {"mse": 1.0}))
    assert len(Rows(tmp_path)) == len(path.read_bytes().splitlines()) == 3


@pytest.mark.parametrize("torn", [b'{"key": "tra', b"{", b"\xff"])
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


WHOLE = asdict(row_of(small_train(), {"mse": 1.0}))
CHANGES = (
    *({"key": [1]}, {"outcome": "good"}, {"outcome": None}, {"error": "and yet"}, {"seconds": "2"}, {"commit": 3}),
    *({"job": "train"}, {"job": {"kind": "sing"}}, {"job": {"kind": "train"}}),
)
WRONG = [json.dumps(WHOLE | change).encode() + b"\n" for change in CHANGES]


@pytest.mark.parametrize("line", [b"no json\n", b"[1]\n", b'{"key": "a", "colour": "red"}\n', *WRONG])
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
