"""Jobs as they go on: live lines on a terminal, plain lines from time to time elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from time import monotonic

from graphedx.experiments.runner import Progress, Report, Running

INTERVAL = 30.0  # seconds between plain lines


@contextmanager
def shown() -> Iterator[Report]:
    """What to call with news; it is told on stderr."""
    if sys.stderr.isatty():
        with _live() as report:
            yield report
    else:
        yield _PlainLines()


class _PlainLines:
    """Whenever a job has ended, and when the interval is over."""

    def __init__(self) -> None:
        self._last, self._ended = monotonic(), 0

    def __call__(self, news: Progress) -> None:
        ended = news.done + news.failed
        if ended == self._ended and monotonic() - self._last < INTERVAL:
            return
        self._last, self._ended = monotonic(), ended
        print("; ".join([head(news), *map(line, news.running)]), file=sys.stderr, flush=True)


def head(news: Progress) -> str:
    """All jobs in a few words."""
    failed = f", {news.failed} failed" if news.failed else ""
    budget = "" if news.budget is None else f", budget for {long(news.budget)}"
    return f"{news.done} of {news.total} jobs{failed}, about {long(news.left)} left{budget}"


def line(job: Running) -> str:
    """One that is running."""
    if job.epoch is None:
        return f"{job.key} ({long(job.seconds)})"
    return f"{job.key} (epoch {job.epoch}, validation {job.validation:.4g}, best {job.best:.4g}, {long(job.seconds)})"


def long(seconds: float) -> str:
    """Hours, minutes and seconds."""
    return str(timedelta(seconds=round(seconds)))


@contextmanager
def _live() -> Iterator[Report]:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    with Live(console=Console(stderr=True), transient=True, refresh_per_second=2) as live:
        yield lambda news: live.update(Text("\n".join([head(news), *(f"  {line(job)}" for job in news.running)])))
