"""``graphedx data stats`` and ``graphedx data verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from graphedx.cli import options, render
from graphedx.cli.guard import BAD_INPUT
from graphedx.datasets.classes import shared_classes
from graphedx.datasets.dataset import SPLITS, Dataset
from graphedx.datasets.labels import Checked, verify
from graphedx.datasets.stats import stats

STATS_EPILOG = """Examples:

  graphedx data stats aids

  graphedx data stats aids --json"""

VERIFY_EPILOG = """Examples:

  graphedx data verify aids

  graphedx data verify aids --sample 1000 --method f2"""

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A dataset, as `data prepare` makes it.")]
_PAPER_GED = {"uniform": "avg_ged_uniform", "non-uniform": "avg_ged_non_uniform"}


def stats_of(folder: Folder, as_json: options.Json = False) -> None:
    """The numbers of a dataset and of its labels, beside the paper's where there are any."""
    found = stats(Dataset.load(folder))
    if as_json:
        render.print_json(found)
        return
    paper = found["paper"] or {}
    heads = ["", "here", *(["in the paper"] if paper else [])]
    rows = [*_size_rows(found, paper), *_ged_rows(found, paper)]
    render.print_table(heads, [row[: len(heads)] for row in rows], right=(1, 2))
    if not found["ged"]:
        render.print_facts([("labels", f"none yet; graphedx label {folder} makes them")])


def _size_rows(found: dict[str, Any], paper: dict[str, Any]) -> list[list[str]]:
    rows = [["graphs", f"{found['graphs']:,}", f"{paper.get('graphs', 0):,}"]]
    rows += [[f"graphs in {split}", f"{found[split]:,}", ""] for split in SPLITS]
    rows += [
        [f"pairs in {split}", f"{found['pairs'][split]:,}", f"{paper.get(f'{split}_pairs', 0):,}"] for split in SPLITS
    ]
    return rows + [
        [f"average {what}", _number(found[f"avg_{what}"]), _number(paper.get(f"avg_{what}"))]
        for what in ("nodes", "edges")
    ]


def _ged_rows(found: dict[str, Any], paper: dict[str, Any]) -> list[list[str]]:
    rows = []
    for costs, by_split in found["ged"].items():
        for split, one in by_split.items():
            theirs = _number(paper.get(_PAPER_GED.get(costs, ""))) if split == "all" else ""
            rows.append([f"average distance, {costs}, {split}", _number(one["avg_ged"]), theirs])
            if one["proven"] < one["pairs"]:
                rows.append([f"unproven, {costs}, {split}", f"{one['pairs'] - one['proven']:,}", ""])
    return rows


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def verify_labels(
    folder: Folder,
    sample: Annotated[int, typer.Option(metavar="N", min=0, help="Pairs of each split to solve again.")] = 200,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the choice of those pairs.")] = 0,
    method: options.MethodName = "exact",
    workers: options.Workers = None,
    as_json: options.Json = False,
) -> None:
    """Check a dataset's files, its splits and every label's certificate; solve some pairs again.

    Every mapping must cost what its label says, and pairs are solved again from the other side. Exit code 1 if
    anything is wrong.
    """
    dataset = Dataset.load(folder)
    rules = dataset.provenance.get("rules", {})
    shared = shared_classes({split: dataset.split(split) for split in SPLITS}, labelled=bool(rules.get("labelled")))
    checked = verify(dataset, sample=sample, seed=seed, method=method, workers=workers)
    told = int(dataset.provenance.get("isomorphic_between_splits", 0))
    problems = [problem for one in checked for problem in one.problems]
    if len(shared) != told:
        problems.append(f"{len(shared)} pairs of isomorphic graphs sit in two splits, dataset.json says {told}")
    if as_json:
        rows = [one._asdict() for one in checked]
        render.print_json({"labels": rows, "isomorphic_between_splits": len(shared), "problems": problems})
    else:
        _show(checked, len(shared), problems)
    raise typer.Exit(BAD_INPUT if problems else 0)


def _show(checked: list[Checked], shared: int, problems: list[str]) -> None:
    render.print_table(
        ["labels", "split", "pairs", "proven", "solved again", "problems"],
        [
            [one.regime, one.split, f"{one.pairs:,}", f"{one.proven:,}", f"{one.solved_again:,}", str(len(one.problems))]
            for one in checked
        ],
        right=(2, 3, 4, 5),
    )
    facts = [("isomorphic between splits", f"{shared:,}" if shared else "none")]
    render.print_facts([*facts, *(("problem", problem) for problem in problems)] if problems else facts)
