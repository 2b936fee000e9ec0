"""Kills ``graphedx label`` with SIGKILL at random moments, lets it resume, and compares the labels byte by byte.

    python benchmarks/check_kill.py --kills 20 --seed 0 [--set pyast] [--engine ray]

Round by round: a fresh copy of the dataset is labelled by runs that are killed after a random time, until one of them
reaches the end; then every file must be what a run that nobody disturbed has written.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from graphedx import datasets

COMMAND = (sys.executable, "-m", "graphedx", "label")


def contents(folder: Path) -> dict[str, str]:
    files = (path for path in sorted((folder / "labels").rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def labelled(folder: Path, engine: str, seconds: float | None) -> bool:
    """Whether the run reached its end before it was killed."""
    child = subprocess.Popen(
        [*COMMAND, str(folder), "--engine", engine],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,  # so that what it has started dies with it
        text=True,
    )
    try:
        _, complaint = child.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        return False
    if child.returncode != 0:
        raise SystemExit(f"label failed with {child.returncode}: {complaint}")
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", default="pyast")
    parser.add_argument("--engine", default="local")
    parser.add_argument("--max-graphs", type=int, default=400)
    plan = parser.parse_args()
    rng = random.Random(plan.seed)
    with tempfile.TemporaryDirectory() as temporary:
        plain, whole, victim = (Path(temporary) / name for name in ("plain", "whole", "victim"))
        datasets.prepare(plan.set, out=plain, max_graphs=plan.max_graphs)
        shutil.copytree(plain, whole)
        start = time.monotonic()
        labelled(whole, "local", None)
        seconds, truth = time.monotonic() - start, contents(whole)
        kills = rounds = wrong = 0
        while kills < plan.kills:
            shutil.rmtree(victim, ignore_errors=True)
            shutil.copytree(plain, victim)
            while not labelled(victim, plan.engine, rng.uniform(0, 1.5 * seconds) if kills < plan.kills else None):
                kills += 1
                print(f"kill {kills}: {len(contents(victim))} files", flush=True)
            rounds += 1
            wrong += contents(victim) != truth
        print(f"{kills} kills in {rounds} rounds of {len(truth)} files: {wrong} rounds ended with other bytes")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
