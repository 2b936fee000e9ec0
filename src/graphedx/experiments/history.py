"""How far trainings are, by the history that each writes epoch by epoch; without torch, which only doing them takes."""

from __future__ import annotations

from pathlib import Path

from graphedx.experiments.protocols import Protocol

HISTORY = "history.csv"


def validation_errors(run: Path) -> list[float]:
    """That of every epoch so far; none if a training has not begun."""
    try:
        _, *lines = (run / HISTORY).read_text(encoding="utf-8").splitlines()
        return [float(line.rpartition(",")[2]) for line in lines]
    except (OSError, ValueError):
        return []


def has_ended(run: Path, protocol: Protocol, cut: int | None) -> bool:
    """Return whether a training has nothing left to do: it is final, or has as many epochs as it is cut short at."""
    errors = validation_errors(run)
    if not errors:
        return False
    limit = protocol.epoch_limit(cut)
    return protocol.is_final(len(errors), errors.index(min(errors)) + 1) or (limit is not None and len(errors) >= limit)
