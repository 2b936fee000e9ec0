"""Provenance of rows: the commit, the machine and the date. ``versions`` declares which rows are comparable."""

from __future__ import annotations

import datetime
import platform
import subprocess
from functools import cache
from pathlib import Path


@cache
def commit() -> str | None:
    """Return the commit of the source tree that this file is in, with "-dirty" if it was changed; None without one."""
    tree = next((folder for folder in Path(__file__).resolve().parents if (folder / ".git").exists()), None)
    if tree is None:
        return None
    command = ["git", "-C", str(tree), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None


@cache
def machine() -> str:
    """The processor."""
    cpus = Path("/proc/cpuinfo")
    lines = cpus.read_text().splitlines() if cpus.exists() else []
    models = [line for line in lines if line.startswith("model name")]
    return models[0].split(":", 1)[1].strip() if models else platform.processor() or platform.machine()


def here() -> dict[str, str | None]:
    """Return the commit and the machine of this process."""
    return {"commit": commit(), "machine": machine()}


def today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()
