"""The code passes its own linters; where one is not installed, that is said."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CHECKS = {
    "ruff check": ["ruff", "check", "--no-cache", "."],
    "ruff format": ["ruff", "format", "--no-cache", "--check", "."],
    "mypy": ["mypy"],
}


@pytest.mark.parametrize("name", CHECKS)
def test_a_linter_has_nothing_to_say(name: str) -> None:
    tool, *arguments = CHECKS[name]
    if find_spec(tool) is None:
        pytest.skip(f"{tool} is not installed")
    done = subprocess.run(
        [sys.executable, "-m", tool, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
