"""Rows: what every job that was done has left, in a file that only grows; one writer at a time, readers any time."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from graphedx._files import AnyPath, lock
from graphedx.errors import ExperimentError, OutputError
from graphedx.experiments import protocols
from graphedx.experiments.job import Job, Train, job_from_json
from graphedx.experiments.lines import append_line, read_lines
from graphedx.experiments.versions import FIRST, results_version

ROWS, LOCK = "rows.jsonl", ".writing"
Outcome = Mapping[str, object]  # numbers and words by their names; lists of these, where a picture needs them
_FIRST_TRAINING = protocols.get(protocols.PUBLISHED).training  # of rows that do not say it


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A job that was done: its numbers, or the error that it ended with; and by what, where and when."""

    key: str
    job: Mapping[str, Any]
    outcome: Outcome | None
    error: str | None
    version: int  # of the results, as ``versions`` declared it then
    commit: str | None
    machine: str
    date: str
    seconds: float

    @property
    def failed(self) -> bool:
        return self.outcome is None

    @property
    def epochs(self) -> int | None:
        """The number of epochs of a training; None for other jobs and failures."""
        return self._count("epochs")

    @property
    def is_final(self) -> bool:
        """Whether it has a result that more computing would not change; a training by the rule of its protocol."""
        if self.outcome is None:
            return False
        job = self.asked()
        if not isinstance(job, Train):
            return True
        stopped = self.outcome.get("stopped_early") is True
        return protocols.get(job.protocol).is_final(self.epochs, self._count("best_epoch"), stopped)

    @property
    def is_stale(self) -> bool:
        """Whether it was computed by an older declared version, or by other settings of its protocol."""
        job = self.asked()
        if self.version != results_version(job):
            return True
        if self.outcome is None or not isinstance(job, Train):
            return False
        return self.outcome.get("training", _FIRST_TRAINING) != protocols.get(job.protocol).training

    def _count(self, name: str) -> int | None:
        value = None if self.outcome is None else self.outcome.get(name)
        return value if isinstance(value, int) else None

    def number(self, metric: str) -> float | None:
        """One of its numbers; None if it has no such."""
        value = None if self.outcome is None else self.outcome.get(metric)
        return float(value) if isinstance(value, int | float) else None

    def asked(self) -> Job:
        """The job itself."""
        return job_from_json(self.job)


class Rows:
    """The rows of a folder, by the key of their job; of several of a key the last one counts."""

    def __init__(self, folder: AnyPath) -> None:
        self.folder = Path(folder)
        self._rows: dict[str, Row] = {}
        for values in read_lines(self._path):
            self._take(values)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows.values())

    def get(self, job: Job) -> Row | None:
        """Return the result of a job; None if there is none, if it is stale, or of other weights than its training."""
        row, training = self._rows.get(job.key), self._training(job)
        if row is None or self.is_stale(job):
            return None
        if row.failed or training is None or training.failed:
            return row
        return row if row.number("validation") == training.number("validation") else None

    def latest(self, job: Job) -> Row | None:
        """Return the last row of a job, stale or not."""
        return self._rows.get(job.key)

    def is_stale(self, job: Job) -> bool:
        """Return whether the row of a job, or of the training that it rests on, is stale."""
        there = (self._rows.get(job.key), self._training(job))
        return there[0] is not None and any(row is not None and row.is_stale for row in there)

    def is_final(self, job: Job) -> bool:
        """Return whether a job has a result, and the training that it rests on, if any, is final."""
        row = self.get(job)
        if row is None or not row.is_final:
            return False
        training = self._training(job)
        return not isinstance(getattr(job, "train", None), Train) or (training is not None and training.is_final)

    def cut_short(self, job: Job) -> int | None:
        """Return the epochs of the training that a job is, or rests on, if it is not final; else None."""
        row = self._training(job) or self._rows.get(job.key)
        return None if row is None or row.is_final else row.epochs

    def put(self, row: Row) -> None:
        """Add a row; it is on the disk when this returns. Only where the rows were ``opened``."""
        values = asdict(row)
        if row.outcome is not None:
            values["outcome"] = {name: _finite(value) for name, value in row.outcome.items()}
        append_line(self._path, values)
        self._take(values)

    @classmethod
    @contextmanager
    def opened(cls, folder: AnyPath) -> Iterator[Rows]:
        """The rows of a folder, for the only writer while this lasts; the lock of one that was killed goes with it.

        Raises:
            OutputError: another process is writing, or the folder cannot be used.
        """
        path = Path(folder)
        try:
            path.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError as error:
            raise OutputError(f"{path}: cannot be used: {(error.strerror or str(error)).lower()}") from None
        try:
            _lock(descriptor, path)
            yield cls(path)
        finally:
            os.close(descriptor)

    @property
    def _path(self) -> Path:
        return self.folder / ROWS

    def _training(self, job: Job) -> Row | None:
        """Of the training that a job rests on."""
        train = getattr(job, "train", None)
        return self._rows.get(train.key) if isinstance(train, Train) else None

    def _take(self, values: dict[str, Any]) -> None:
        try:
            row = Row(**_upgraded(values))
            _require_kinds(row)
        except (TypeError, ExperimentError) as error:
            raise ExperimentError(f"{self._path}: is no file of rows: {str(values)[:100]} ({error})") from None
        self._rows.pop(row.key, None)
        self._rows[row.key] = row


def _upgraded(values: dict[str, Any]) -> dict[str, Any]:
    """Give rows that were written before versions were declared the first version; they had a digest of all sources."""
    if "version" in values:
        return values
    values = {name: value for name, value in values.items() if name != "code"} | {"version": FIRST}
    outcome = values.get("outcome")
    if isinstance(outcome, dict):
        values["outcome"] = {name: value for name, value in outcome.items() if name != "codes"}
    return values


def _require_kinds(row: Row) -> None:
    """What a file says may be anything."""
    texts = (row.key, row.machine, row.date)
    numbers = type(row.seconds) in (int, float) and type(row.version) is int
    results = (row.outcome is None) == isinstance(row.error, str) and isinstance(row.outcome, dict | None)
    commit = isinstance(row.commit, str | None)
    if not (all(isinstance(text, str) for text in texts) and numbers and results and commit):
        raise ExperimentError("its values are not those of a row")
    row.asked()


def _lock(descriptor: int, folder: Path) -> None:
    """Take the lock, and leave word of who has it."""
    if not lock(descriptor):
        pid = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
        raise OutputError(
            f"{folder}: another run (process {pid or 'unknown'}) is writing here; wait for it or choose another folder"
        )
    os.ftruncate(descriptor, 0)
    os.write(descriptor, f"{os.getpid()}\n".encode())


def _finite(value: Any) -> Any:
    """JSON has no other numbers."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
