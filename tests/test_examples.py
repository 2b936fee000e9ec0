"""The README's example runs, and the README shows what it prints."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_the_readme_shows_the_quickstart_and_its_output() -> None:
    pytest.importorskip("rdkit", reason="the example reads SMILES")
    script = ROOT / "examples" / "quickstart.py"
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    code = script.read_text(encoding="utf-8").split('"""', 2)[2].strip()
    assert code in readme
    assert done.stdout.strip() in readme
