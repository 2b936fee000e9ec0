"""The examples run, and the pages that show them show what they print."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize(
    ("example", "page", "needs"),
    [("quickstart", "README.md", "rdkit"), ("own_graphs", "docs/datasets.md", "pandas")],
)
def test_pages_show_the_example_and_its_output(example: str, page: str, needs: str) -> None:
    pytest.importorskip(needs, reason="the example uses it")
    script = ROOT / "examples" / f"{example}.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    shown = (ROOT / page).read_text(encoding="utf-8")
    code = script.read_text(encoding="utf-8").split('"""', 2)[2].strip()
    assert code in shown
    assert done.stdout.strip() in shown
