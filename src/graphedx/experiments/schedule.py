"""Which job is next: what it needs first, then the one that is worth most for the time that it is going to take."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from statistics import fmean
from typing import NamedTuple

from graphedx.experiments import protocols
from graphedx.experiments.history import has_ended, validation_errors
from graphedx.experiments.job import Job, Prepare, Train
from graphedx.experiments.place import Place
from graphedx.experiments.store import Row, Rows

WEIGHTS = "best.safetensors"
_TEST_SECONDS = 5.0
_EPOCHS = 500.0  # of a training, where none has ended


class _Begun(NamedTuple):
    """How far a training is."""

    ended: bool
    epochs: int


_NEW = _Begun(ended=False, epochs=0)


class Expected:
    """How long jobs are going to take, from how long others like them took.

    Of a training, an epoch takes as long as one of others like it; there are as many as those took that ended by
    themselves, or as many as trainings are cut off at, less those that it has behind it. One that has ended and has no
    row, such as one that was taken from elsewhere, needs its test only.
    """

    def __init__(self, rows: Iterable[Row], place: Place) -> None:
        self._place = place
        self._begun: dict[Train, _Begun] = {}  # when it was asked for first: thousands of files are not read twice
        self._taken: dict[tuple[str, ...], list[float]] = defaultdict(list)  # of trainings, by an epoch
        self._epochs: dict[tuple[str, ...], list[float]] = defaultdict(list)
        for row in rows:
            self.learn(row)

    def learn(self, row: Row) -> None:
        """From a job that was done."""
        if row.failed:
            return
        job = row.asked()
        taken: float | None = row.seconds
        if isinstance(job, Train):  # which may have been done in parts
            taken, epochs = row.number("seconds_an_epoch"), row.number("epochs")
            if epochs is not None and row.is_final and job.protocol == protocols.PUBLISHED:
                for likeness in (*job.likeness, *_of_any_set(job)):
                    self._epochs[likeness].append(epochs)
        if taken is not None:
            for likeness in job.likeness:
                self._taken[likeness].append(taken)

    def seconds(self, job: Job) -> float:
        """Of one job."""
        known = self._known(job) if isinstance(job, Train) else _NEW
        if known.ended:
            return _TEST_SECONDS
        taken = _mean_of_nearest(self._taken, job.likeness)
        if taken is None:
            return job.guess
        if not isinstance(job, Train):
            return taken
        return taken * max(1.0, self._epochs_of(job) - known.epochs)

    def _epochs_of(self, job: Train) -> float:
        declared = protocols.get(job.protocol).epochs
        if declared is not None:
            return declared
        usual = _mean_of_nearest(self._epochs, (*job.likeness, *_of_any_set(job)))
        return min(_EPOCHS if usual is None else usual, math.inf if self._place.epochs is None else self._place.epochs)

    def _known(self, job: Train) -> _Begun:
        if job not in self._begun:
            run = self._place.run(job)
            ended = has_ended(run, protocols.get(job.protocol), self._place.epochs)
            self._begun[job] = _Begun(ended, len(validation_errors(run)))
        return self._begun[job]


class Schedule:
    """The jobs that are asked for, and what they need; it is told what becomes of those that it hands out."""

    def __init__(
        self,
        asked: Mapping[Job, float],
        rows: Rows,
        place: Place,
        *,
        retry: bool = False,
        turn: Callable[[Job], tuple[int, ...]] = lambda _: (),
    ) -> None:
        """``turn`` puts jobs into classes: no job is begun while one of an earlier class could be."""
        self._rows, self._place, self._retry, self._turn = rows, place, retry, turn
        self._expected = Expected(rows, place)
        self._fresh: set[Job] = set()  # done now: their rows stand, whatever they say
        self._out: set[Job] = set()
        self._blocked: dict[Job, str] = {}
        self._asked = {job: value for job, value in asked.items() if not self._is_done(job)}

    @property
    def open(self) -> list[Job]:
        """What is asked for and not done, nor impossible."""
        return [job for job in self._asked if job not in self._blocked]

    @property
    def blocked(self) -> dict[Job, str]:
        """What is asked for and cannot be done, and why."""
        return {job: why for job, why in self._blocked.items() if job in self._asked}

    def in_order(self) -> list[Job]:
        """Return what is open: by turn, then by what a second of it is worth."""
        return sorted(self.open, key=lambda job: (self._turn(job), -self._worth(job)))

    def pick(self) -> Job | None:
        """The next job, which is then out; None if all that is left waits for jobs that are."""
        for job in self.in_order():
            found = self._first_open(job)
            if found is not None:
                self._out.add(found)
                return found
        return None

    def done(self, job: Job, row: Row | None) -> None:
        """It has come back and left a row, unless it is of a kind that leaves none."""
        self._out.discard(job)
        self._fresh.add(job)
        self._asked.pop(job, None)
        if row is not None and not row.failed:
            self._expected.learn(row)

    def lost(self, job: Job) -> None:
        """It has come back undone, and can be picked again."""
        self._out.discard(job)

    def impossible(self, job: Job, why: str) -> None:
        """It cannot be done now, nor what needs it."""
        self._out.discard(job)
        self._blocked[job] = why

    def expected(self, job: Job) -> float:
        """The seconds that it is going to take."""
        return self._expected.seconds(job)

    def _worth(self, job: Job) -> float:
        """A second of it, with all that has to be done before."""
        needed = sum(self.expected(need) for need in job.needs if not self._serves(need))
        return self._asked[job] / max(1.0, self.expected(job) + needed)

    def _first_open(self, job: Job) -> Job | None:
        """What can be begun for a job: itself or what it needs; None if it waits for others, or is impossible."""
        if job in self._out:
            return None
        waits = False
        for need in job.needs:
            if self._serves(need):
                continue
            if need in self._blocked or self._has_failed(need):
                self._blocked[job] = self._blocked.get(need, f"{need.key} has failed")
                return None
            found = self._first_open(need)
            if found is not None:
                return found
            if need in self._blocked:
                self._blocked[job] = self._blocked[need]
                return None
            waits = True
        return None if waits else job

    def _is_done(self, job: Job) -> bool:
        row = self._rows.get(job)
        if row is None or row.outcome is None:
            return row is not None and not self._retry
        if not job.is_complete(row.outcome):
            return False
        cut = self._rows.cut_short(job)
        enough = cut is not None and self._place.epochs is not None and self._place.epochs <= cut
        return self._rows.is_final(job) or enough

    def _has_failed(self, job: Job) -> bool:
        row = self._rows.get(job)
        return row is not None and row.failed and (job in self._fresh or not self._retry)

    def _serves(self, need: Job) -> bool:
        """Whether those that need it can begin: the weights of a training are not in its row."""
        if isinstance(need, Prepare):
            return need in self._fresh
        if need in self._out or self._has_failed(need) or not (need in self._fresh or self._is_done(need)):
            return False
        return not isinstance(need, Train) or self._has_weights(need)

    def _has_weights(self, job: Train) -> bool:
        """Whether those of its row are there, and not those of the same training that was begun anew."""
        run, row = self._place.run(job), self._rows.get(job)
        errors = validation_errors(run)
        is_whole = bool(errors) and row is not None and row.number("validation") == min(errors)
        return is_whole and (run / WEIGHTS).exists() and has_ended(run, protocols.get(job.protocol), self._place.epochs)


def _of_any_set(job: Train) -> tuple[tuple[str, ...], ...]:
    """How many epochs a model takes is much the same on other datasets."""
    return ((job.kind, "", job.model), (job.kind,))


def _mean_of_nearest(
    found: Mapping[tuple[str, ...], list[float]], likenesses: Iterable[tuple[str, ...]]
) -> float | None:
    return next((fmean(found[likeness]) for likeness in likenesses if likeness in found), None)
