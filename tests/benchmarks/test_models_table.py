"""The table of times: what it says of given rows, and that the page has that of the result file."""

from __future__ import annotations

import models_table
from record import load


def test_the_fastest_model_comes_first() -> None:
    times = {"pairs": "820", "data": "AIDS", "machine": "one", "output": "distance", "parameters": "3030"}
    fast = times | {"model": "greed", "interaction": "late", "microseconds": "2.4", "microseconds_encoded": "0.18"}
    slow = times | {"model": "h2mn", "interaction": "early", "microseconds": "70", "microseconds_encoded": "69"}
    text = models_table.table([slow | {"steps_per_second": "10.4"}, fast | {"steps_per_second": "273"}])
    first, second = text.splitlines()[2:4]
    assert first == "| `greed` | late | distance | 3,030 | 2.40 | 0.18 | 273 |"
    assert second == "| `h2mn` | early | distance | 3,030 | 70.00 | 69.00 | 10 |"


def test_the_page_has_the_results() -> None:
    page = models_table.PAGE.read_text(encoding="utf-8")
    assert models_table.table(load(models_table.FROM)) in page, "run benchmarks/kernels/models.py --table"
