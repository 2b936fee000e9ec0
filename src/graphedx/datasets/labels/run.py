"""``label``: the exact distance of every pair of a split, with a mapping that costs as much, written to disk."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

import numpy as np

from graphedx._files import AnyPath
from graphedx._limits import as_limit
from graphedx.costs import EditCosts, require_costs
from graphedx.datasets.dataset import SPLITS, Dataset, as_dataset
from graphedx.datasets.labels.earlier import take_over
from graphedx.datasets.labels.regime import Regime
from graphedx.datasets.labels.store import FORMAT, METHOD, Manifest, Shard, Store, shard_count, shard_ids, shards_of
from graphedx.engine import Answers, Block, Engine, Question, Report, Work, journal, opened, run
from graphedx.engine.answers import OPEN
from graphedx.errors import DatasetError


class Labelled(NamedTuple):
    """What is known of the pairs of a split."""

    regime: str
    split: str
    pairs: int
    proven: int
    solved_now: int


def label(
    dataset: Dataset | AnyPath,
    costs: EditCosts | Iterable[EditCosts],
    *,
    splits: str | Iterable[str] = SPLITS,
    engine: str | Engine = "local",
    workers: int | None = None,
    time_limit: float | None = None,
    progress: bool | Report = True,
) -> list[Labelled]:
    """Label every pair of these splits of a dataset (or its folder) under these costs, and keep the labels there.

    Costs without substitutions share one search a pair. A run that was stopped or killed goes on where it was when it
    is called again, and ends with the same bytes. Pairs that are not proven in ``time_limit`` seconds keep their
    bounds; another call with a longer limit tries just those again.
    """
    dataset = as_dataset(dataset)
    asked = list(costs) if isinstance(costs, Iterable) and not isinstance(costs, str) else [costs]
    for one in asked:
        require_costs(one)
    if not isinstance(splits, Iterable):
        raise DatasetError(f"splits must be some of {', '.join(SPLITS)}, got {type(splits).__name__}")
    chosen = [splits] if isinstance(splits, str) else list(dict.fromkeys(splits))
    for split in chosen:
        dataset.span(split)  # complains about what is no split, before any work is done
    time_limit = as_limit("time_limit", time_limit)
    regimes = dict.fromkeys(Regime.of(one, dataset) for one in asked)
    with opened(engine, workers=workers) as where:
        return [
            _label_split(Store(dataset, regime), split, where, time_limit, progress)
            for regime in regimes
            for split in chosen
        ]


def _label_split(
    store: Store, split: str, engine: Engine, time_limit: float | None, progress: bool | Report
) -> Labelled:
    graphs = store.dataset.split(split)
    ends = store.dataset.pairs(split) - np.int32(store.dataset.span(split).start)
    work = Work(Question(METHOD, store.regime.costs, time_limit), graphs, graphs, ends)
    answers = Answers(work.source_sizes)
    with store.locked():
        store.sweep(split)
        manifest = _begun(store, split)
        mark = f"{manifest.dataset} {manifest.regime} {split} {manifest.software}"
        if store.is_finished(split, manifest):
            known = Answers(work.source_sizes)
            take_over(store, split, known, manifest, mark, time_limit)
            if not known.is_open.any():  # nothing is written, so that it need not be possible
                return Labelled(store.regime.key, split, len(work), len(work) - known.unproven, 0)
        with journal.opened(store.journal_path(split, time_limit), mark, answers) as notes:
            written = take_over(store, split, answers, manifest, mark, time_limit)
            shards = _Shards(store, split, answers, time_limit, written)
            if not shards.all_written:
                manifest = store.unseal(manifest, split)
            still_open = int(np.count_nonzero(answers.is_open))
            shards.write_complete(manifest)

            def keep(block: Block) -> None:
                notes.append(block)
                shards.arrived(block, manifest)

            run(work, answers, engine, order=np.arange(len(work), dtype=np.int64), arrived=keep, progress=progress)
        store.seal(manifest, split)
        for path in store.journals(split):
            path.unlink()  # the shards hold it all now
    return Labelled(store.regime.key, split, len(work), len(work) - answers.unproven, still_open)


def _begun(store: Store, split: str) -> Manifest:
    """The manifest, made if there is none; what another version has begun is not mixed with ours."""
    manifest = store.manifest()
    if manifest is None:
        manifest = Manifest(
            format=FORMAT,
            dataset=store.dataset.fingerprint,
            regime=store.regime.key,
            costs=store.regime.costs_text,
            method=METHOD,
            software=software_version(),
            shards={},
        )
        store.write(manifest)
    elif manifest.software != software_version() and not store.is_sealed(manifest, split):
        raise DatasetError(
            f"{store.folder}: {manifest.software} has begun these labels and this is {software_version()}; "
            "finish with that version, or remove the folder to start over"
        )
    return manifest


def software_version() -> str:
    try:
        return f"graphedx {version('graphedx')}"
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "graphedx (source tree)"


class _Shards:
    """The shards of a split: they are written as soon as all their pairs are answered."""

    def __init__(self, store: Store, split: str, answers: Answers, time_limit: float | None, written: set[int]) -> None:
        self._store, self._split, self._answers, self._time_limit = store, split, answers, time_limit
        self._missing = set(range(shard_count(len(answers)))) - written

    @property
    def all_written(self) -> bool:
        return not self._missing

    def write_complete(self, manifest: Manifest) -> None:
        """What the journal of a killed run completes."""
        self._write(set(self._missing), manifest)

    def arrived(self, block: Block, manifest: Manifest) -> None:
        self._write(shards_of(block.ids), manifest)

    def _write(self, candidates: set[int], manifest: Manifest) -> None:
        for number in sorted(candidates & self._missing):
            ids = shard_ids(len(self._answers), number)
            if not (self._answers.stops[ids] == OPEN).any():
                shard = Shard(self._answers.block(ids), self._time_limit)
                self._store.write_shard(self._split, number, shard, manifest)
                self._missing.remove(number)
