"""How far a matrix is: told to a callable, or shown as a bar on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rich.progress import Progress as Bar


class Progress(NamedTuple):
    """So many pairs of a total are done, and so many of those have bounds only."""

    done: int
    total: int
    unproven: int


Report = Callable[[Progress], object]


@contextmanager
def reporter(progress: bool | Report) -> Iterator[Report]:
    """What to call with news: the caller's own callable, a bar if stderr is a terminal, or nothing."""
    if callable(progress):
        yield progress
    elif not progress or sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
    else:
        with _bar() as bar:
            task = bar.add_task("pairs", total=None, unproven=0, rate="")
            yield lambda news: bar.update(
                task, completed=news.done, total=news.total, unproven=news.unproven, rate=_rate(bar)
            )


def _bar() -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("unproven {task.fields[unproven]}"),
        console=Console(stderr=True),
        transient=True,
    )


def _rate(bar: Bar) -> str:
    speed = bar.tasks[0].speed
    return f"{speed:,.0f}/s" if speed and speed >= 10 else f"{speed:.2g}/s" if speed else ""
