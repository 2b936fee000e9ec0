"""``verify``: labels are believed only as far as they can be checked again."""

from __future__ import annotations

import random
from typing import NamedTuple

import numpy as np

from graphedx._files import AnyPath
from graphedx._limits import as_limit
from graphedx._quoting import quoted
from graphedx.costs import amount
from graphedx.datasets.dataset import SPLITS, Dataset, as_dataset
from graphedx.datasets.labels.regime import PAPER, Regime
from graphedx.datasets.labels.store import MANIFEST, Store, regimes_on_disk, strangers_on_disk
from graphedx.datasets.labels.table import LabelTable, labels
from graphedx.edits import NodeMapping, induced_cost
from graphedx.engine import Answers, Engine, Ids, Progress, Question, Report, Work, opened, run
from graphedx.engine.progress import reporter
from graphedx.errors import DatasetError, MappingError

_SLACK = 1e-9  # of a distance: sums of costs are rounded
_MOST_TOLD = 5  # problems of a split
_REPORT_EVERY = 1000


class Checked(NamedTuple):
    """What was checked of the labels of a split, and what is wrong with them."""

    regime: str
    split: str
    pairs: int
    proven: int
    solved_again: int
    problems: tuple[str, ...]


def verify(
    dataset: Dataset | AnyPath,
    *,
    sample: int = 200,
    seed: int = 0,
    method: str = "exact",
    time_limit: float | None = None,
    engine: str | Engine = "local",
    workers: int | None = None,
    progress: bool | Report = True,
) -> list[Checked]:
    """Check the labels of a dataset (or its folder): every mapping must cost its label's upper bound.

    A sample of the proven pairs of each split is solved again from the other side (target to source, costs swapped), so
    that the search takes another way, and must agree under all of the paper's costs that derive from these labels; what
    is not proven in ``time_limit`` seconds must agree in its bounds. Problems are listed, not raised; damaged and
    missing files are problems too.
    """
    dataset = as_dataset(dataset)
    if not isinstance(sample, int) or sample < 0:
        raise DatasetError(f"sample must be a whole number >= 0, got {quoted(sample)}")
    question = Question(method, PAPER["uniform"], as_limit("time_limit", time_limit))
    _ = question.is_native  # complains about a method that there is not
    found = []
    with opened(engine, workers=workers) as where:
        for regime in regimes_on_disk(dataset):
            for split in SPLITS:
                try:
                    store = Store(dataset, regime)
                    if not store.was_begun(split, store.manifest()):
                        continue
                    table = labels(dataset, split, regime.costs)
                except DatasetError as error:
                    found.append(Checked(regime.key, split, 0, 0, 0, (str(error),)))
                    continue
                chosen = _sample(table, sample, seed)
                problems = _bad_certificates(table, progress)
                problems += _disagreements(table, chosen, question, where, progress)
                problems += _bad_derivations(table, chosen)
                proven = int(table.proven.sum())
                found.append(Checked(regime.key, split, len(table), proven, len(chosen), _shortened(problems)))
            strays = Store(dataset, regime).extra_shards()
            if strays:
                extra = [f"{path}: is no shard of these labels; remove it" for path in strays]
                found.append(Checked(regime.key, "", 0, 0, 0, _shortened(extra)))
    for path in strangers_on_disk(dataset):
        problem = f"{path}: these are no labels of this dataset, or their {MANIFEST} is gone; remove the folder"
        found.append(Checked(path.name, "", 0, 0, 0, (problem,)))
    return found


def _bad_certificates(table: LabelTable, progress: bool | Report) -> list[str]:
    problems = []
    with reporter(progress) as report:
        for k in range(len(table)):
            result = table.result(k)
            try:
                cost = induced_cost(NodeMapping(result.source, result.target, result.images), table.costs)
            except MappingError as error:
                problems.append(f"{_pair(table, k)}: its mapping is none: {error}")
                continue
            if abs(cost - result.upper) > _SLACK * (1 + cost):
                problems.append(
                    f"{_pair(table, k)}: its mapping costs {amount(cost)}, the label says {amount(result.upper)}"
                )
            if k % _REPORT_EVERY == 0:
                report(Progress(k, len(table), 0))
    return problems


def _disagreements(
    table: LabelTable, chosen: Ids, question: Question, engine: Engine, progress: bool | Report
) -> list[str]:
    """Solve the pairs from the other side, and compare."""
    graphs = table.dataset.graphs
    ends = np.column_stack([table.target[chosen], table.source[chosen]])
    work = Work(question._replace(costs=table.costs.swapped()), graphs, graphs, ends)
    answers = Answers(work.source_sizes)
    run(work, answers, engine, order=np.arange(len(work)), arrived=lambda _: None, progress=progress)
    problems = []
    for number, k in enumerate(chosen.tolist()):
        lower, upper, *_ = answers.get(number)
        if max(lower, table.lower[k]) > min(upper, table.upper[k]) + _SLACK * (1 + upper):
            again = amount(lower) if lower == upper else f"in [{amount(lower)}, {amount(upper)}]"
            problems.append(f"{_pair(table, k)}: solved again it is {again}, the label says {amount(table.upper[k])}")
    return problems


def _bad_derivations(table: LabelTable, chosen: Ids) -> list[str]:
    """The mapping of a structural label must cost what the label says under all costs without substitutions."""
    if not Regime.of(table.costs, table.dataset).is_structural:
        return []
    problems = []
    for name in ("non-uniform", "edge-only"):
        derived = labels(table.dataset, table.split, PAPER[name])
        for k in chosen.tolist():
            try:
                cost = induced_cost(derived.result(k).mapping, PAPER[name])
            except MappingError:
                continue  # told with the certificates
            if abs(cost - derived.upper[k]) > _SLACK * (1 + cost):
                problems.append(
                    f"{_pair(table, k)}: under {name} costs it is {amount(cost)}, derived {amount(derived.upper[k])}"
                )
    return problems


def _sample(table: LabelTable, sample: int, seed: int) -> Ids:
    """Of the proven pairs: those that resisted once would keep us waiting again."""
    proven = np.flatnonzero(table.proven).tolist()
    return np.array(sorted(random.Random(seed).sample(proven, min(sample, len(proven)))), dtype=np.int64)


def _pair(table: LabelTable, k: int) -> str:
    return f"pair {k} of {table.split} (graphs {table.source[k]} and {table.target[k]})"


def _shortened(problems: list[str]) -> tuple[str, ...]:
    more = len(problems) - _MOST_TOLD
    return tuple([*problems[:_MOST_TOLD], f"and {more} more"] if more > 0 else problems)
