"""The script that measures a step of training runs, and its two ways agree."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "kernels" / "training_step.py"


def test_the_written_formulas_and_the_native_core_have_the_same_gradients() -> None:
    literal, native = (measured(how) for how in ("literal", "native"))
    assert literal.keys() == native.keys() and len(native) > 10
    for name, values in literal.items():
        largest = max(1.0, *map(abs, values))
        assert native[name] == pytest.approx(values, abs=1e-9 * largest)


def measured(how: str) -> dict[str, list[float]]:
    command = [sys.executable, str(SCRIPT), "--measure", how, "--pairs", "3", "--seed", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    gradients: dict[str, list[float]] = json.loads(done.stdout)["double"]
    return gradients
