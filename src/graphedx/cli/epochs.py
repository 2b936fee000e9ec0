"""Epochs as they end: a live line on a terminal, plain lines from time to time elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from time import perf_counter
from typing import TYPE_CHECKING

from graphedx.cli.render import duration

if TYPE_CHECKING:
    from graphedx.training import Epoch, TrainConfig
    from graphedx.training.loop import Report

INTERVAL = 10.0  # seconds between plain lines


@contextmanager
def shown(config: TrainConfig) -> Iterator[Report]:
    """What to call with every epoch; it is told on stderr."""
    if sys.stderr.isatty():
        with _live(config) as report:
            yield report
    else:
        yield _PlainLines(config)


class _PlainLines:
    """The first epoch, then whatever has just ended when the interval is over."""

    def __init__(self, config: TrainConfig) -> None:
        self._config, self._last = config, -INTERVAL

    def __call__(self, epoch: Epoch) -> None:
        if perf_counter() - self._last >= INTERVAL:
            self._last = perf_counter()
            print(line(epoch, self._config), file=sys.stderr, flush=True)


def line(epoch: Epoch, config: TrainConfig, between: str = ", ") -> str:
    """An epoch in a line, or in two if they are to be set apart."""
    counts = _is_fixed(config)
    number = f"{epoch.epoch} of {config.max_epochs}" if counts else f"{epoch.epoch}"
    end = f"{left(epoch, config)} left" if counts else f"ends in {left(epoch, config)} without a gain"
    return between.join(
        [
            f"epoch {number}: training {epoch.loss:.4g}, validation {epoch.validation:.4g}, "
            f"{duration(epoch.seconds)} an epoch",
            f"best {epoch.best:.4g} (epoch {epoch.best_epoch}), {end}",
        ]
    )


def left(epoch: Epoch, config: TrainConfig) -> str:
    """How long it goes on if nothing improves any more."""
    epochs = min(config.patience - (epoch.epoch - epoch.best_epoch), config.max_epochs - epoch.epoch)
    return str(timedelta(seconds=round(max(0, epochs) * epoch.seconds)))


def _is_fixed(config: TrainConfig) -> bool:
    """Whether the number of epochs is, as patience cannot end before them."""
    return config.max_epochs <= config.patience


@contextmanager
def _live(config: TrainConfig) -> Iterator[Report]:
    """A bar that fills epoch by epoch, or while nothing improves, and is full when training ends."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    columns = TextColumn("{task.description}"), BarColumn(bar_width=12)
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("epoch 1", total=config.max_epochs if _is_fixed(config) else config.patience)

        def report(epoch: Epoch) -> None:
            since = 0 if _is_fixed(config) else epoch.best_epoch
            bar.update(task, description=line(epoch, config, "\n"), completed=epoch.epoch - since)

        yield report
