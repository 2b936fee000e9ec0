"""What earlier runs have found: their shards, and the journals of those that were killed."""

from __future__ import annotations

import math

import numpy as np

from graphedx.datasets.labels.store import Manifest, Shard, Store, shard_count
from graphedx.engine import Answers, Block, journal
from graphedx.engine.answers import CODES
from graphedx.result import StopReason

_LATE = CODES[StopReason.TIME]


def take_over(
    store: Store, split: str, answers: Answers, manifest: Manifest, mark: str, time_limit: float | None
) -> set[int]:
    """Put into ``answers`` all that is known; returns the shards that need not be written again.

    Pairs that an earlier run gave up under a shorter limit than ours are left open.
    """
    own = store.journal_path(split, time_limit)  # is open already
    for path, limit in store.journals(split).items():
        if path != own:
            found = Answers(answers.sizes)
            with journal.opened(path, mark, found):
                _merge(answers, found.block(np.flatnonzero(~found.is_open)), limit, time_limit)
    shards: dict[int, Shard] = {}
    for number in range(shard_count(len(answers))):
        path = store.shard_path(split, number)
        if path.exists():
            shards[number] = store.read_shard(split, number, manifest.shards.get(path.name))
            _merge(answers, *shards[number], time_limit)
    return {number for number, shard in shards.items() if _holds(shard, answers, time_limit)}


def _holds(shard: Shard, answers: Answers, ours: float | None) -> bool:
    """Whether a shard says all that is known; what it gave up under a shorter limit than ours it knows less of."""
    block, limit = shard
    same = np.array_equal(answers.stops[block.ids], block.stops)
    return same and (_seconds(limit) >= _seconds(ours) or not (block.stops == _LATE).any())


def _merge(answers: Answers, found: Block, limit: float | None, ours: float | None) -> None:
    late = found.stops == _LATE
    useful = (answers.is_open[found.ids] | (answers.stops[found.ids] == _LATE)) & ~late
    if _seconds(limit) >= _seconds(ours):
        useful |= answers.is_open[found.ids]
    answers.put(found.chosen(useful, answers.sizes[found.ids]))


def _seconds(limit: float | None) -> float:
    return math.inf if limit is None else limit
