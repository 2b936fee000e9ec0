"""Which pairs go out next, and how many at once.

Pairs are handed out in batches that are expected to take about as long as the engine likes, by what pairs of similar
sizes have taken so far. Sizes tell little of a search, so the native core gets only a moment for each pair at first;
the few that resist come again at the end, one by one and with all the time they may have, when they can no longer keep
the others waiting. A proof does not depend on when the clock would have struck, so neither do the answers.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import NamedTuple

import numpy as np

from graphedx.engine.answers import CODES, Block, Ids
from graphedx.engine.work import Question, Work
from graphedx.errors import EngineError
from graphedx.result import StopReason

MOMENT = 0.1
"""Seconds that each pair gets at first."""
_LOSSES = 5  # so many workers may die over one pair
_PIECES = 16  # that a lost batch is cut into: what killed its worker is found in few steps, and the others lose little
_FIRST_GUESS = 1e-3  # seconds a pair
_MOST_A_BATCH = 16384


class Errand(NamedTuple):
    """Pairs for one worker, and what is asked of them."""

    ids: Ids
    question: Question


class Schedule:
    """The pairs of a work that are still to be solved; not for several threads at once."""

    def __init__(self, work: Work, ids: Ids, *, workers: int, seconds: float) -> None:
        self.workers, self.seconds = workers, seconds  # may change meanwhile
        self._work, self._ids, self._next = work, ids, 0
        limit = work.question.time_limit
        self._hurries = work.question.is_native and (limit is None or limit > MOMENT)
        self._hurried = work.question._replace(time_limit=MOMENT) if self._hurries else work.question
        self._again: deque[Errand] = deque()  # lost with a worker once: most likely no fault of theirs
        self._suspects: deque[Errand] = deque()  # lost more often: only when they can no longer harm the others
        self._resisting: deque[int] = deque()
        self._losses: Counter[int] = Counter()
        self._losses_in_a_row = 0
        self._hopeless: list[str] = []  # a line for each pair that is given up
        self._buckets = np.log2(work.difficulty + 1).astype(np.int64)
        self._pace = np.full(int(self._buckets.max(initial=0)) + 1, np.nan)  # seconds a pair, by bucket
        self.out = 0
        """Errands that are with workers."""

    @property
    def finished(self) -> bool:
        """Whether every pair is answered or given up."""
        waiting = self._again or self._suspects or self._resisting or self._next < len(self._ids)
        return self.out == 0 and not waiting

    def require_answers(self) -> None:
        """Raises EngineError if pairs were given up."""
        if self._hopeless:
            more = f" (and over {len(self._hopeless) - 1} other pairs)" if len(self._hopeless) > 1 else ""
            raise EngineError(f"{_LOSSES} workers in a row died over {self._hopeless[0]}{more}; all others are solved")

    def take(self) -> Errand | None:
        """The next errand; ``None`` if there is none for now."""
        errand = None
        if self._again:
            errand = self._again.popleft()
        elif self._next < len(self._ids):
            ids = self._ids[self._next : self._next + self._fitting()]
            self._next += len(ids)
            errand = Errand(ids, self._hurried)
        elif self._resisting:
            ids = np.array([self._resisting.popleft()], dtype=np.int64)
            errand = Errand(ids, self._work.question)
        elif self._suspects:
            errand = self._suspects.popleft()
        self.out += errand is not None
        return errand

    def done(self, errand: Errand, block: Block, seconds: float) -> Block:
        """Take note of an errand's end; returns the answers that are final."""
        self.out -= 1
        self._losses_in_a_row = 0
        self._learn(errand.ids, seconds)
        if not self.hurries(errand):
            return block
        resists = block.stops == CODES[StopReason.TIME]
        self._resisting.extend(block.ids[resists].tolist())
        return block.chosen(~resists, self._work.source_sizes[block.ids])

    def hurries(self, errand: Errand) -> bool:
        """Whether its pairs get only a moment each."""
        return self._hurries and errand.question is not self._work.question

    def lost(self, errand: Errand, why: str) -> None:
        """The worker died: its pairs go out again, in ever smaller pieces, so that one which kills workers is found.

        Raises EngineError if workers die whatever they are given.
        """
        self.out -= 1
        self._losses.update(errand.ids.tolist())
        self._losses_in_a_row += 1
        if self._losses_in_a_row > 4 * _LOSSES * self.workers:
            raise EngineError(
                f"{self._losses_in_a_row} workers in a row died, the last over {self._described(errand.ids[0], why)}; "
                "what was solved before is kept"
            )
        losses = max(self._losses[k] for k in errand.ids.tolist())
        if losses >= _LOSSES and len(errand.ids) == 1:
            self._hopeless.append(self._described(errand.ids[0], why))
            return
        queue = self._again if losses == 1 else self._suspects
        pieces = np.array_split(errand.ids, min(_PIECES, len(errand.ids)))
        queue.extend(Errand(piece, errand.question) for piece in pieces)

    def _described(self, k: int, why: str) -> str:
        i, j = self._work.ends[k].tolist()
        return f"the pair {i}, {j} ({self._work.sources[i]} and {self._work.targets[j]}): {why}"

    def _fitting(self) -> int:
        """How many of the next pairs fit into a batch; fewer near the end, so that workers finish together."""
        left = len(self._ids) - self._next
        fair = max(1, left // (2 * self.workers))
        ahead = self._ids[self._next : self._next + min(fair, _MOST_A_BATCH)]
        expected = np.cumsum(self._paces()[self._buckets[ahead]])
        return max(1, int(np.searchsorted(expected, self.seconds, side="right")))

    def _paces(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Seconds a pair, by bucket; where there is no experience, that of the nearest smaller bucket with some."""
        known = np.flatnonzero(~np.isnan(self._pace))
        if not len(known):
            return np.full(len(self._pace), _FIRST_GUESS)
        nearest = known[np.maximum(np.searchsorted(known, np.arange(len(self._pace)), side="right") - 1, 0)]
        paces = self._pace[nearest] * 2.0 ** np.maximum(0, np.arange(len(self._pace)) - nearest)
        return np.asarray(paces, dtype=np.float64)

    def _learn(self, ids: Ids, seconds: float) -> None:
        """Every bucket of the batch moves by as much as the batch was off its expectation."""
        paces, buckets = self._paces(), np.unique(self._buckets[ids])
        expected = float(paces[self._buckets[ids]].sum())
        factor = max(seconds, 1e-6) / expected if expected > 0 else 1.0
        seen = ~np.isnan(self._pace[buckets])
        self._pace[buckets] = paces[buckets] * np.where(seen, 0.5 + 0.5 * factor, factor)
