"""Trainings of ``studies/reproduction.py`` and ``studies/baselines.py`` as those of ``graphedx experiment``.

    python benchmarks/take_runs.py FOLDER [--runs DIR] [--dry-run]

Runs below DIR, which is build/benchmarks, are copied to where ``graphedx experiment run --folder FOLDER`` looks for
them: it then goes on with them, or only tests them. A run is taken if it is of the very model, settings, costs and seed
that an experiment asks for; those that are in FOLDER already stay as they are. Runs that are still going on may be
copied, too: each of their files is whole.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import astuple
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

from graphedx import datasets
from graphedx.costs import EditCosts
from graphedx.experiments import Train, experiments, jobs_of
from graphedx.experiments.place import Place
from graphedx.models.base import make
from graphedx.models.saving import DESCRIPTION
from graphedx.training import TrainConfig
from graphedx.training.session import chosen_settings
from paper_data import RAW
from record import WORK

SETS = {raw.entry: name for name, raw in RAW.items()}
STUDIES = ("reproduction", "baselines")


class Move(NamedTuple):
    """A run that fits a job, and where it goes."""

    source: Path
    target: Path


def study_folder(job: Train) -> str:
    """What the studies call the run of a job; where they have no such run, a name that none has."""
    where, given = f"{SETS[job.dataset]}-{job.costs}", dict(job.settings)
    if job.model == "graphedx":
        terms = (str(given.pop(name, "")) for name in ("edge_term", "node_term", "node_weight"))
        name = f"reproduction/{where}-{'-'.join(terms)}"
    else:
        kind = "-guided" if given.pop("cost_guided", False) else "" if given.pop("cost_features", True) else "-"
        name = f"baselines/{where}-{job.model}{kind}"
    return f"{name}-{job.seed}" + "".join(f"-{setting}={value}" for setting, value in given.items())


def description(job: Train, runs: Path) -> dict[str, Any]:
    """What the training of a job would write down of itself."""
    costs = EditCosts.parse(job.costs)
    settings = chosen_settings(loaded(runs / "datasets" / job.dataset), costs, job.model, dict(job.settings))
    return {
        "model": job.model,
        "settings": make(job.model, settings).config.to_json(),
        "training": TrainConfig(seed=job.seed).identity(),
        "costs": list(astuple(costs)),
        "vocabulary": [],
    }


@cache
def loaded(folder: Path) -> datasets.Dataset:
    return datasets.load(folder)


def moves(runs: Path, folder: Path) -> Iterator[Move]:
    """Every run that an experiment asks for.

    Raises:
        ValueError: a run has the name of a job and is something else.
    """
    place = Place(folder)
    for job in jobs_of(experiments().values()):
        if isinstance(job, Train) and (source := runs / study_folder(job)).is_dir():
            found, wanted = json.loads((source / DESCRIPTION).read_text()), description(job, runs)
            if different := [name for name, value in wanted.items() if found.get(name) != value]:
                raise ValueError(f"{source} is not {job.key}: its {', '.join(different)} differ")
            yield Move(source, place.run(job))


def copied(move: Move) -> bool:
    """Whether it was not there yet; a copy that is killed leaves nothing at its place."""
    if move.target.exists():
        return False
    part = move.target.with_name(f".{move.target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    shutil.copytree(move.source, part)
    part.rename(move.target)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="of experiments")
    parser.add_argument("--runs", type=Path, default=WORK, help="where the studies keep their runs and datasets")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be copied")
    options = parser.parse_args()
    found = list(moves(options.runs, options.folder))
    for move in found:
        fresh = not move.target.exists() if options.dry_run else copied(move)
        word = "there" if not fresh else "to take" if options.dry_run else "taken"
        print(f"{word}: {move.source.relative_to(options.runs)} -> {move.target}")
    known = {move.source for move in found}
    for study in STUDIES:
        for source in sorted((options.runs / study).glob("*")):
            if source not in known:
                print(f"left: {source.relative_to(options.runs)}, which no experiment asks for")
    return 0


if __name__ == "__main__":
    sys.exit(main())
