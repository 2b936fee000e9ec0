"""What stands beside every number: by what code, at which commit, on which machine and when it was computed."""

from __future__ import annotations

import datetime
import hashlib
import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_CHECKOUT = _PACKAGE.parents[1]
_COMPUTING = (
    *("models", "training", "evaluation", "datasets", "solvers", "experiments/work"),
    *("convert", "io", "engine"),  # by which datasets are read and labelled
)
_PICTURES = ("experiments/work/example.py",)  # no number of another table comes from there


@cache
def code() -> str:
    """The version, and a digest of all sources that can change a result: rows of different ones are not one table.

    The native core is among them where this is a source tree; where it is installed, the version stands for it.
    """
    pictures = {_PACKAGE / name for name in _PICTURES}
    files = [path for part in _COMPUTING for path in (_PACKAGE / part).rglob("*.py") if path not in pictures]
    files += [path for path in (_PACKAGE / "models" / "weights").rglob("*") if path.is_file()]
    files += _PACKAGE.glob("*.py")
    files += [path for path in (_CHECKOUT / "native").rglob("*") if path.suffix in (".cpp", ".hpp")]
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(f"{path.relative_to(_CHECKOUT).as_posix()}\n".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return f"{_version()}+{digest.hexdigest()[:12]}"


@cache
def commit() -> str | None:
    """Of the source tree, with a word if it was changed since; None where this is none, or git is not there."""
    if not (_CHECKOUT / ".git").exists():
        return None
    command = ["git", "-C", str(_CHECKOUT), "describe", "--always", "--dirty", "--abbrev=12"]
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
    """By what and where something is computed now."""
    return {"code": code(), "commit": commit(), "machine": machine()}


def today() -> str:
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def _version() -> str:
    try:
        return version("graphedx")
    except PackageNotFoundError:  # run from a source tree that is not installed
        return "0+unknown"
