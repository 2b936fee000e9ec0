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
from graphedx.experiments import Rows, Train, Transfer, protocols
from graphedx.experiments.store import ROWS
from graphedx.experiments.versions import results_version

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
    assert found.get(job).epochs == 7
    assert found.get(job).asked() == job
    assert found.cut_short(job) == 7
    assert found.get(other).failed
    assert found.get(small_train(2)) is None


def test_what_rests_on_a_training_is_as_final_as_that_and_goes_when_it_is_done_anew(tmp_path):
    job = Transfer(small_train(), "alkanes")
    with Rows.opened(tmp_path) as rows:
        rows.put(row_of(job, {"mse": 1.0, "validation": 0.5}))
        assert rows.get(job).number("mse") == 1.0  # nothing is known of the training
        assert not rows.is_final(job)
        rows.put(row_of(small_train(), {"mse": 2.0, "validation": 0.5, "stopped_early": False, "epochs": 7}))
        assert rows.get(job).number("mse") == 1.0
        assert rows.cut_short(job) == 7
        assert not rows.is_final(job)
        rows.put(row_of(small_train(), {"mse": 2.0, "validation": 0.5, "stopped_early": True, "epochs": 190}))
        assert rows.is_final(job)
        rows.put(row_of(small_train(), {"mse": 2.0, "validation": 0.4, "stopped_early": True, "epochs": 190}))
        assert rows.get(job) is None
        rows.put(row_of(job, error="there are no weights"))
        assert rows.get(job).failed


@pytest.mark.parametrize(
    ("protocol", "epochs", "best_epoch", "final"),
    [
        ("published", 120, 19, True),  # 101 epochs without a gain
        ("published", 120, 20, False),
        ("published", 30, 30, False),
        ("equal-budget", 30, 30, True),
        ("equal-budget", 29, 1, False),
        ("equal-budget", 30, 1, True),
    ],
)
def test_a_training_is_final_by_the_rule_of_its_protocol(protocol, epochs, best_epoch, final):
    job = Train("linux", "uniform", "greed", protocol=protocol)
    training = protocols.get(protocol).training
    outcome = {"mse": 1.0, "epochs": epochs, "best_epoch": best_epoch, "training": training}
    assert row_of(job, outcome).is_final is final
    assert not row_of(job, error="diverged").is_final


def test_a_row_of_another_version_is_stale_kept_and_not_used(tmp_path):
    job = Train("linux", "uniform", "gmn_embed")
    transfer = Transfer(job, "aids")
    with Rows.opened(tmp_path) as rows:
        rows.put(row_of(job, {"mse": 1.0, "validation": 0.5}, version=results_version(job) - 1))
        rows.put(row_of(transfer, {"mse": 1.0, "validation": 0.5}, version=results_version(transfer) - 1))
    rows = Rows(tmp_path)
    assert len(rows) == 2 and rows.latest(job).number("mse") == 1.0
    for one in (job, transfer):
        assert rows.is_stale(one) and rows.get(one) is None and not rows.is_final(one)
    assert not rows.is_stale(small_train())


def test_a_row_of_other_numbers_of_its_protocol_is_stale(tmp_path):
    job = Train("linux", "uniform", "greed", protocol="equal-budget")
    training = protocols.get("equal-budget").training
    with Rows.opened(tmp_path) as rows:
        rows.put(row_of(job, {"mse": 1.0, "epochs": 30, "training": training | {"learning_rate": 0.1}}))
        assert rows.is_stale(job)
        rows.put(row_of(job, {"mse": 1.0, "epochs": 30, "training": training}))
        assert rows.is_final(job)


def test_rows_from_before_versions_were_declared_have_the_first_one(tmp_path):
    row = asdict(row_of(small_train(), {"mse": 1.0, "codes": ["0+abc"]}))
    del row["version"], row["job"]["protocol"]
    (tmp_path / ROWS).write_text(json.dumps(row | {"code": "0+abc"}) + "\n")
    [found] = Rows(tmp_path)
    assert (found.version, found.outcome, found.asked()) == (1, {"mse": 1.0}, small_train())


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
    *(
        {"key": [1]},
        {"outcome": "good"},
        {"outcome": None},
        {"error": "and yet"},
        {"seconds": "2"},
        {"commit": 3},
        {"version": "1"},
    ),
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
