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
from graphedx.experiments.job import Job, Train, job_from_json
from graphedx.experiments.lines import append_line, read_lines

ROWS, LOCK = "rows.jsonl", ".writing"
Outcome = Mapping[str, object]  # numbers and words by their names; lists of these, where a picture needs them


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A job that was done: its numbers, or the error that it ended with; and by what, where and when."""

    key: str
    job: Mapping[str, Any]
    outcome: Outcome | None
    error: str | None
    code: str
    commit: str | None
    machine: str
    date: str
    seconds: float

    @property
    def failed(self) -> bool:
        return self.outcome is None

    @property
    def cut_off(self) -> int | None:
        """After how many epochs a training was cut off; None if it ended by itself, or is none."""
        if self.outcome is None or self.outcome.get("stopped_early") is not False:
            return None
        epochs = self.outcome.get("epochs")
        return epochs if isinstance(epochs, int) else None

    @property
    def codes(self) -> frozenset[str]:
        """All versions of the code that had a part in it: a training may go on with another one than it began with."""
        earlier = None if self.outcome is None else self.outcome.get("codes")
        return frozenset([self.code, *(earlier if isinstance(earlier, list) else [])])

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
        """What a job has left; None if it was not done, or on other weights than those that its training has left."""
        row, training = self._rows.get(job.key), self._training(job)
        if row is None or row.failed or training is None or training.failed:
            return row
        return row if row.number("validation") == training.number("validation") else None

    def cut_off(self, job: Job) -> int | None:
        """After how many epochs the training that a job is, or rests on, was cut off; None if it ended by itself."""
        row = self._training(job) or self._rows.get(job.key)
        return None if row is None else row.cut_off

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
            row = Row(**values)
            _require_kinds(row)
        except (TypeError, ExperimentError) as error:
            raise ExperimentError(f"{self._path}: is no file of rows: {str(values)[:100]} ({error})") from None
        self._rows.pop(row.key, None)
        self._rows[row.key] = row


def _require_kinds(row: Row) -> None:
    """What a file says may be anything."""
    texts = (row.key, row.code, row.machine, row.date)
    numbers = type(row.seconds) in (int, float)
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
