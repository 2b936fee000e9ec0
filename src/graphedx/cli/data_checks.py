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
    heads = ["", "graphs", "pairs", "in the paper"]
    rows = [
        [split, f"{found[split]:,}", f"{found['pairs'][split]:,}", _count(paper.get(f"{split}_pairs"))]
        for split in SPLITS
    ]
    pairs = sum(found["pairs"].values())
    theirs = sum(paper[f"{split}_pairs"] for split in SPLITS) if paper else None
    rows.append(["all", f"{found['graphs']:,}", f"{pairs:,}", _count(theirs)])
    render.print_table(heads[: 4 if paper else 3], [row[: 4 if paper else 3] for row in rows], right=(1, 2, 3))
    render.print_facts(
        [(f"average {what}", _beside(found[f"avg_{what}"], paper.get(f"avg_{what}"))) for what in ("nodes", "edges")]
    )
    _show_distances(found["ged"], paper, folder)


def _show_distances(ged: dict[str, Any], paper: dict[str, Any], folder: Path) -> None:
    if not ged:
        render.print_facts([("labels", f"none yet; graphedx label {folder} makes them")])
        return
    heads = ["average distance", *SPLITS, "all", "proven", *(["in the paper"] if paper else [])]
    rows = []
    for costs, by_split in ged.items():
        averages = [_number(by_split.get(split, {}).get("avg_ged")) for split in (*SPLITS, "all")]
        counts = by_split.get("all", {"proven": 0, "pairs": 0})
        proven = f"{counts['proven']:,} of {counts['pairs']:,}"
        rows.append([costs, *averages, proven, _number(paper.get(_PAPER_GED.get(costs, "")))][: len(heads)])
    render.print_table(heads, rows, right=(1, 2, 3, 4, 5, 6))


def _count(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _beside(ours: float | None, theirs: float | None) -> str:
    return _number(ours) + ("" if theirs is None else f" ({_number(theirs)} in the paper)")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def verify_labels(
    folder: Folder,
    sample: Annotated[int, typer.Option(metavar="N", min=0, help="Proven pairs of each split to solve again.")] = 200,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the choice of those pairs.")] = 0,
    method: options.MethodName = "exact",
    time_limit: options.TimeLimit = None,
    workers: options.Workers = None,
    as_json: options.Json = False,
) -> None:
    """Check a dataset's files, its splits and every label's certificate; solve some pairs again.

    Every mapping must cost what its label says, and pairs are solved again from the other side. Exit code 1 if
    anything is wrong.
    """
    dataset = Dataset.load(folder)
    rules = dataset.provenance.get("rules")
    labelled = isinstance(rules, dict) and rules.get("labelled") is True
    shared = shared_classes({split: dataset.split(split) for split in SPLITS}, labelled=labelled)
    checked = verify(dataset, sample=sample, seed=seed, method=method, time_limit=time_limit, workers=workers)
    problems = [problem for one in checked for problem in one.problems]
    told = dataset.provenance.get("isomorphic_between_splits")
    if told is not None and told != len(shared):  # who makes splits of their own need not tell
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
            [
                one.regime,
                one.split,
                f"{one.pairs:,}",
                f"{one.proven:,}",
                f"{one.solved_again:,}",
                str(len(one.problems)),
            ]
            for one in checked
        ],
        right=(2, 3, 4, 5),
    )
    facts = [("isomorphic between splits", f"{shared:,}" if shared else "none")]
    render.print_facts([*facts, *(("problem", problem) for problem in problems)] if problems else facts)
