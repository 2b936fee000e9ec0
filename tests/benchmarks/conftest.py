"""The measuring scripts are no package: they find each other in their own folder, and the tests find them there."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
