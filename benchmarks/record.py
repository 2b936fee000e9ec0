"""What stands beside every number (machine, seed, commit, date), and what every measuring script needs to begin."""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console

from graphedx._files import atomic_write
from graphedx.experiments.provenance import machine, today

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
IMAGES = HERE.parent / "docs" / "images"
WORK = HERE.parent / "build" / "benchmarks"  # journals; not in the repository
EXPERIMENTS = HERE.parent / "build" / "experiments"  # trained models, where ``graphedx experiment run`` has put them
CONSOLE = Console(width=None if sys.stdout.isatty() else 150)
PROVENANCE = ("machine", "seed", "commit", "date")


def commit() -> str:
    command = ["git", "-C", str(HERE), "describe", "--always", "--dirty", "--abbrev=12"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def provenance(seed: int) -> tuple[str, int, str, str]:
    """The values of ``PROVENANCE``, here and now."""
    return machine(), seed, commit(), today()


def plain(value: object) -> object:
    """As it stands in a result file: numbers to six digits."""
    return f"{value:.6g}" if isinstance(value, float) else value


def save(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]], seed: int | None) -> None:
    """A CSV with the provenance beside each row, unless the rows bring their own (``seed`` is ``None``)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    where = () if seed is None else provenance(seed)
    with atomic_write(path, overwrite=True, mode="w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*columns, *(PROVENANCE if where else ())])
        writer.writerows([*map(plain, row), *where] for row in rows)


def result_file(name: str, quick: bool) -> Path:
    """Where a study's numbers go: into the repository, unless it was only tried."""
    return WORK / f"quick_{name}.csv" if quick else RESULTS / f"{name}.csv"


def image_file(name: str, quick: bool) -> Path:
    return WORK / f"quick_{name}.png" if quick else IMAGES / f"{name}.png"


def load(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV; none if it is not there."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def pin_to_one_core() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def data_folder(named: Path | None) -> Path | None:
    """The folder with ``bench/`` and ``data/raw/`` that ``--data`` or ``GRAPHEDX_DATA`` names, if it is one."""
    folder = named or os.environ.get("GRAPHEDX_DATA")
    return Path(folder) if folder and (Path(folder) / "bench").is_dir() else None


def chosen_data(options: argparse.Namespace, parser: argparse.ArgumentParser) -> Path:
    """The folder of raw data; without one it ends with a message."""
    data = data_folder(options.data)
    if data is None:
        parser.error("no data: pass --data, or set GRAPHEDX_DATA")
    return data
