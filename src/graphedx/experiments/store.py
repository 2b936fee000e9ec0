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
from graphedx.experiments.job import Job, job_from_json
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
        epochs = self.outcome["epochs"]
        return epochs if isinstance(epochs, int) else None

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

    def get(self, job: Job | str) -> Row | None:
        """What a job, or that of a key, has left; None if it was not done."""
        return self._rows.get(job if isinstance(job, str) else job.key)

    def put(self, row: Row) -> None:
        """Add a row; it is on the disk when this returns. Only where the rows were ``opened``."""
        values = asdict(row)
        if row.outcome is not None:
            values["outcome"] = {name: _finite(value) for name, value in row.outcome.items()}
        append_line(self._path, values)
        self._take(values)

    def drop(self, job: Job | str) -> None:
        """Forget what a job has left, so that it is done again. Only where the rows were ``opened``."""
        key = job if isinstance(job, str) else job.key
        if key in self._rows:
            append_line(self._path, {"key": key, "dropped": True})
            del self._rows[key]

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

    def _take(self, values: dict[str, Any]) -> None:
        if values.get("dropped") is True:
            self._rows.pop(str(values.get("key")), None)
            return
        try:
            row = Row(**values)
        except TypeError:
            raise ExperimentError(f"{self._path}: is no file of rows: {str(values)[:100]}") from None
        self._rows.pop(row.key, None)
        self._rows[row.key] = row


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
