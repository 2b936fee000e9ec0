"""Errors of a run as TensorBoard shows them; it is not needed to train."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from graphedx.errors import MissingExtraError
from graphedx.training.loop import Epoch, Report


def is_installed() -> bool:
    """Whether logs can be written."""
    return find_spec("tensorboard") is not None


@contextmanager
def logged(folder: Path) -> Iterator[Report]:
    """What to call with every epoch; logs begin with the first, and replace those of epochs that a kill has undone."""
    if not is_installed():
        raise MissingExtraError("tensorboard", "neural")
    from torch.utils.tensorboard import SummaryWriter

    writer: Any = None

    def report(epoch: Epoch) -> None:
        nonlocal writer
        if writer is None:
            writer = SummaryWriter(folder, purge_step=epoch.epoch)
        writer.add_scalar("error/training", epoch.loss, epoch.epoch)
        writer.add_scalar("error/validation", epoch.validation, epoch.epoch)
        writer.add_scalar("error/best", epoch.best, epoch.epoch)
        writer.add_scalar("seconds", epoch.seconds, epoch.epoch)

    try:
        yield report
    finally:
        if writer is not None:
            writer.close()
