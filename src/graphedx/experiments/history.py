"""How far trainings are, by the history that each writes epoch by epoch; without torch, which only doing them takes."""

from __future__ import annotations

from pathlib import Path

HISTORY = "history.csv"
PATIENCE = 101  # as ``training.TrainConfig`` has it


def validation_errors(run: Path) -> list[float]:
    """That of every epoch so far; none if a training has not begun."""
    try:
        _, *lines = (run / HISTORY).read_text(encoding="utf-8").splitlines()
        return [float(line.rpartition(",")[2]) for line in lines]
    except (OSError, ValueError):
        return []


def has_ended(run: Path, most_epochs: int | None) -> bool:
    """Whether a training has nothing left to do: it has stopped by itself, or is to be cut off by now."""
    errors = validation_errors(run)
    if not errors:
        return False
    since_best = len(errors) - 1 - errors.index(min(errors))
    return since_best >= PATIENCE or (most_epochs is not None and len(errors) >= most_epochs)
