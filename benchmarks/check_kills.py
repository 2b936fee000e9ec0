"""Kills ``graphedx experiment run`` with SIGKILL at random moments, lets it go on, and compares the rows.

    python benchmarks/check_kills.py [--kills 10] [--seed 0] [--workers 2] [--epochs 60]

Trainings, tests of them under other costs, and statistics, on a dataset of a few alkanes that stands in for that of the
experiments. Round by round: runs in a fresh folder are killed after a random time, until one of them reaches the end;
then every number but times must be that of a run that nobody disturbed, every epoch of every training too, and no job
may have been done twice. Printed is what each kill has cost: how long ago what was being done was last written down.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

from graphedx import datasets
from graphedx.drawing.text import counted
from graphedx.experiments import Rows
from graphedx.experiments.place import Place
from graphedx.experiments.store import ROWS

DATASET, STAND_IN = "linux", "alkanes"
EXPERIMENTS = ("datasets", "cost-transfer")
TIMES = frozenset({"seconds_an_epoch", "mean_seconds"})
_HISTORY, _SECONDS = "history.csv", "seconds"


class Lost(NamedTuple):
    """What a kill has cost: trainings that were cut short, and for how long nothing of them had been written down."""

    trainings: int
    epochs: int  # that they have kept
    seconds: float


def prepared(folder: Path) -> Path:
    place = Place(folder)
    place.dataset(DATASET).parent.mkdir(parents=True)
    datasets.prepare(STAND_IN, out=place.dataset(DATASET), max_nodes=8, progress=False)
    return folder


def ran(folder: Path, options: argparse.Namespace, seconds: float | None) -> bool:
    """Whether the run reached its end before it was killed."""
    how = ["--only", DATASET, "--epochs", str(options.epochs), "--workers", str(options.workers)]
    command = [sys.executable, "-m", "graphedx", "experiment", "run", *EXPERIMENTS, "--folder", str(folder), *how]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as child:
        try:
            _, complaint = child.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            child.send_signal(signal.SIGKILL)
            return False
    if child.returncode:
        raise SystemExit(f"the run failed with {child.returncode}: {complaint}")
    return True


def numbers(folder: Path) -> dict[str, dict[str, Any]]:
    """The outcomes of all jobs, without times."""
    return {
        row.key: {name: value for name, value in (row.outcome or {}).items() if name not in TIMES}
        for row in Rows(folder)
    }


def histories(folder: Path) -> dict[str, list[dict[str, str]]]:
    """Every epoch of every training, without its time."""
    found = {}
    for path in sorted((folder / "runs").rglob(_HISTORY)):
        with path.open(newline="") as file:
            epochs = [{name: value for name, value in row.items() if name != _SECONDS} for row in csv.DictReader(file)]
        found[str(path.parent.relative_to(folder / "runs"))] = epochs
    return found


def done_twice(folder: Path) -> list[str]:
    keys = Counter(json.loads(line)["key"] for line in (folder / ROWS).read_text().splitlines())
    return [key for key, count in keys.items() if count > 1]


def lost(folder: Path, since: float, now: float) -> Lost:
    """By the trainings that were begun or gone on with in this run and have no row."""
    done, cut = {row.key for row in Rows(folder)}, {}
    for key, epochs in histories(folder).items():
        written = (folder / "runs" / key / _HISTORY).stat().st_mtime
        if key not in done and written >= since:
            cut[key] = (len(epochs), now - written)
    return Lost(len(cut), sum(epochs for epochs, _ in cut.values()), sum(seconds for _, seconds in cut.values()))


def until_nobody_writes(folder: Path) -> None:
    """Workers end with the process that started them, at once; nothing may be read before."""
    before = None
    while (now := {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.is_file()}) != before:
        before = now
        time.sleep(0.3)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--epochs", type=int, default=60)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as temporary:
        whole = prepared(Path(temporary) / "whole")
        start = time.time()
        ran(whole, options, None)
        seconds, truth, epochs = time.time() - start, numbers(whole), histories(whole)
        print(
            f"undisturbed: {len(truth)} rows, {sum(map(len, epochs.values())):,} epochs in {seconds:.0f} s", flush=True
        )
        kills = rounds = wrong = 0
        most = 0.0
        while kills < options.kills:
            rounds += 1
            victim = prepared(Path(temporary) / f"victim-{rounds}")
            while True:
                since = time.time()
                if ran(victim, options, rng.uniform(0, 0.5 * seconds) if kills < options.kills else None):
                    break
                cost = lost(victim, since, time.time())
                until_nobody_writes(victim)
                kills, most = kills + 1, max(most, cost.seconds)
                kept = f"{counted(len(Rows(victim)), 'row')} and {counted(cost.epochs, 'epoch')} of"
                short = f"{kept} {counted(cost.trainings, 'training')} cut short are kept"
                print(f"kill {kills}: {short}, {cost.seconds:.2f} s lost", flush=True)
            same = numbers(victim) == truth and histories(victim) == epochs and not done_twice(victim)
            wrong += not same
        print(
            f"{kills} kills in {rounds} rounds: {wrong} rounds ended otherwise; at most {most:.2f} s were lost at once"
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
