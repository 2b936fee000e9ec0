"""What a job has left in its folder for the next time, and what that was made from: with anything else it is no use."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from graphedx._files import atomic_write
from graphedx.experiments import protocols
from graphedx.experiments.versions import FIRST

_NOTE = ".made_from.json"
_UNNOTED = {"version": FIRST, "training": protocols.get(protocols.PUBLISHED).training}  # before these were noted


def taken_up(folder: Path, **made_from: object) -> dict[str, Any]:
    """What is noted in a folder of a job; what was made from something else goes first, or if that is not known."""
    noted = _noted(folder)
    noted = _UNNOTED | noted if noted else noted
    if folder.exists() and any(noted.get(name) != value for name, value in made_from.items()):
        shutil.rmtree(folder)
        noted = {}
    folder.mkdir(parents=True, exist_ok=True)
    return noted | made_from


def note(folder: Path, values: dict[str, Any]) -> None:
    """Keep what ``taken_up`` is to find."""
    with atomic_write(folder / _NOTE, overwrite=True, mode="w", encoding="utf-8") as file:
        json.dump(values, file, sort_keys=True)


def _noted(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / _NOTE).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
