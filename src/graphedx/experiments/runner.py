"""``run``: jobs that are not done yet, the most valuable first, until all are or the budget is spent.

Each job that ends is a row, at once. A job that fails is a row that says so; one whose process dies is begun once more.
Trainings keep every epoch, so whatever is stopped or killed goes on when it is run again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic, time
from typing import Any, NamedTuple

from graphedx._files import AnyPath
from graphedx.experiments import pools, provenance
from graphedx.experiments.history import validation_errors
from graphedx.experiments.job import Job, Prepare, Train
from graphedx.experiments.place import Place
from graphedx.experiments.schedule import Schedule
from graphedx.experiments.store import Row, Rows
from graphedx.experiments.versions import results_version

_SECONDS_BETWEEN_REPORTS = 1.0
_LIVES = 2  # how often a job may lose its process before that is its result


class Running(NamedTuple):
    """A job that is being done, and how far it is if it is a training."""

    key: str
    seconds: float
    epoch: int | None = None
    validation: float | None = None
    best: float | None = None


class Progress(NamedTuple):
    """So many of all jobs that are asked for have a row; ``left`` is how many seconds the others may take."""

    done: int
    failed: int
    total: int
    running: tuple[Running, ...]
    left: float
    budget: float | None  # seconds until it is spent


class Summary(NamedTuple):
    """What has become of the jobs that were asked for."""

    total: int
    done: int
    failed: dict[str, str]  # key -> what went wrong
    left: int  # for another time
    impossible: dict[str, str]  # key -> why it was not run
    ran: int  # in this run


Report = Callable[[Progress], object]


def run(
    asked: Mapping[Job, float],
    folder: AnyPath,
    *,
    data: AnyPath | None = None,
    epochs: int | None = None,
    budget: float | None = None,
    retry: bool = False,
    turn: Callable[[Job], tuple[int, ...]] = lambda _: (),
    engine: str = "local",
    workers: int | None = None,
    address: str | None = None,
    report: Report = lambda _: None,
) -> Summary:
    """Do the jobs that have no row in a folder yet, by what they are worth for the seconds that they take.

    ``data`` is the folder of raw files from which datasets are made that are not in the folder. Trainings are cut off
    after so many ``epochs``, and go on when that is raised. After ``budget`` seconds no job is begun, and trainings
    stop at the end of their epoch. Jobs that have failed before are tried again with ``retry`` only. Jobs with a lower
    ``turn`` come first, see ``Selection.turn``.

    Raises:
        OutputError: another run is writing to the folder.
    """
    start, until = monotonic(), None if budget is None else time() + budget
    place = Place(Path(folder).resolve(), None if data is None else Path(data).resolve(), epochs, until)
    with Rows.opened(folder) as rows:
        schedule = Schedule(asked, rows, place, retry=retry, turn=turn)
        if not schedule.open:
            return _summary(asked, rows, schedule, 0)
        with pools.opened(engine, workers=workers, address=address) as pool:
            crew = _Run(rows, schedule, place, pool)
            while crew.step():
                spent = None if budget is None else budget - (monotonic() - start)
                report(_progress(asked, rows, schedule, crew, spent))
        return _summary(asked, rows, schedule, crew.ran)


class _Run:
    """Jobs out and back."""

    def __init__(self, rows: Rows, schedule: Schedule, place: Place, pool: pools.Pool) -> None:
        self._rows, self._schedule, self.place, self.pool = rows, schedule, place, pool
        self.out: dict[Job, float] = {}  # since when
        self.ran = 0
        self._deaths: dict[Job, int] = {}

    def step(self) -> bool:
        """Begin what can be begun, and take in what has come back; false at the end."""
        while len(self.out) < self.pool.size and not self._time_is_up():
            job = self._schedule.pick()
            if job is None:
                break
            self.out[job] = monotonic()
            self.pool.start(job, {"job": job.to_json(), "place": self.place.to_json()})
        if not self.out:
            return False
        for back in self.pool.wait(_SECONDS_BETWEEN_REPORTS):
            del self.out[back.job]
            self._take(back)
        return True

    def _time_is_up(self) -> bool:
        return self.place.until is not None and time() >= self.place.until

    def _take(self, back: pools.Back) -> None:
        job, answer = back.job, back.answer
        if answer is None:
            self._deaths[job] = self._deaths.get(job, 0) + 1
            if self._deaths[job] < _LIVES:
                self._schedule.lost(job)
                return
            about: dict[str, Any] = provenance.here()
            answer = about | {"error": f"{back.lost}, {_LIVES} times", "seconds": 0.0}
        if answer.get("unfinished"):
            self._schedule.lost(job)
        elif not isinstance(job, Prepare):
            row = _row(job, answer)
            self._rows.put(row)
            self._schedule.done(job, row)
            self.ran += 1
        elif "error" in answer:
            self._schedule.impossible(job, answer["error"])
        else:
            self._schedule.done(job, None)


def _row(job: Job, answer: Mapping[str, Any]) -> Row:
    return Row(
        key=job.key,
        job=job.to_json(),
        outcome=answer.get("outcome"),
        error=answer.get("error"),
        version=results_version(job),
        commit=answer["commit"],
        machine=answer["machine"],
        date=provenance.today(),
        seconds=answer["seconds"],
    )


def _progress(asked: Mapping[Job, float], rows: Rows, schedule: Schedule, crew: _Run, spent: float | None) -> Progress:
    now, still_open = monotonic(), set(schedule.open)
    there = [row for job in asked if job not in still_open and (row := rows.get(job)) is not None]
    left = sum(max(0.0, schedule.expected(job) - (now - crew.out.get(job, now))) for job in still_open)
    running = tuple(_running(job, now - since, crew.place) for job, since in crew.out.items())
    return Progress(
        sum(not row.failed for row in there),
        sum(row.failed for row in there),
        len(asked),
        running,
        left / crew.pool.size,
        None if spent is None else max(0.0, spent),
    )


def _running(job: Job, seconds: float, place: Place) -> Running:
    """How far a training is says its history, wherever it runs."""
    errors = validation_errors(place.run(job)) if isinstance(job, Train) else []
    if errors:
        return Running(job.key, seconds, len(errors), errors[-1], min(errors))
    return Running(job.key, seconds)


def _summary(asked: Mapping[Job, float], rows: Rows, schedule: Schedule, ran: int) -> Summary:
    still_open, impossible = set(schedule.open), schedule.blocked
    there = [row for job in asked if job not in still_open and (row := rows.get(job)) is not None]
    return Summary(
        total=len(asked),
        done=sum(not row.failed for row in there),
        failed={row.key: row.error for row in there if row.error is not None},
        left=len(still_open),
        impossible={job.key: why for job, why in impossible.items()},
        ran=ran,
    )
