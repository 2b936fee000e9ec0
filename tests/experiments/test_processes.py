"""Real processes: one that dies is replaced, and a run that is killed goes on to the same numbers."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from experiments import killed
from experiments.samples import EPOCHS, SOME, place_in, same_part, small_train, undisturbed
from graphedx.experiments import Rows, Statistics, run
from models.installed import MODEL, find_in, install

DEADLY = MODEL.replace("return graphs.sizes.float()", "import os; os.kill(os.getpid(), 9)")
KILLS = 3


def test_a_job_that_kills_its_process_is_a_row_and_no_more(tmp_path, monkeypatch):
    install(tmp_path / "installed", "deadly", "deadly_model", DEADLY.format(name="deadly"))
    find_in(tmp_path / "installed", monkeypatch)
    folder = tmp_path / "kept"
    place_in(folder)
    deadly = small_train(model="deadly")
    done = run({deadly: 1.0, Statistics("alkanes"): 0.0}, folder, epochs=EPOCHS, workers=1)
    assert (done.done, done.left, done.ran) == (1, 0, 2)
    assert done.failed == {deadly.key: "its process was killed by signal 9, 2 times"}


def test_kills_at_random_change_nothing(tmp_path):
    wanted = undisturbed(tmp_path / "whole", SOME)
    folder = tmp_path / "killed"
    place_in(folder)
    command = [sys.executable, str(Path(killed.__file__)), str(folder)]
    rng = random.Random(0)
    for _ in range(KILLS):
        before = traces(folder)
        with subprocess.Popen(command) as child:
            deadline = time.monotonic() + 60
            while traces(folder) == before and child.poll() is None:  # until it has begun something
                assert time.monotonic() < deadline
                time.sleep(0.01)
            time.sleep(rng.random() * 0.2)
            child.send_signal(signal.SIGKILL)
        wait_for_orphans(folder)
    subprocess.run(command, check=True, timeout=120)
    assert {row.key: same_part(row.outcome) for row in Rows(folder)} == wanted


def traces(folder: Path) -> dict[str, int]:
    """All files of a run that are whole, and when they came; hidden ones are written or locked."""
    found = {}
    for path in folder.rglob("*"):
        try:
            if not path.name.startswith("."):
                found[str(path)] = path.stat().st_mtime_ns
        except FileNotFoundError:  # it was replaced meanwhile
            continue
    return found


def wait_for_orphans(folder: Path) -> None:
    """Processes end with the one that started them, at once."""
    before, deadline = None, time.monotonic() + 20
    while (now := traces(folder)) != before:
        assert time.monotonic() < deadline, "somebody still writes"
        before = now
        time.sleep(0.2)
