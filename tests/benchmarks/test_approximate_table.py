"""The table of approximate search: what it says of given rows, and that the guide has that of the result file."""

from __future__ import annotations

import approximate_table
from record import load

ROW = {"costs": "structure", "stage": "best 10", "contender": "vectors alone", "recall": "0.36207"}
ROW |= {"recall_std": "0.2551", "median_ms": "12.345", "p90_ms": "20.6"}


def test_a_line_has_both_costs_and_a_gap_where_one_was_not_measured() -> None:
    lines = approximate_table.table([ROW]).splitlines()
    assert lines[-1] == "| vectors alone | 0.362 ± 0.255 | 12.3 (21) |  |  |"
    both = approximate_table.table([ROW, ROW | {"costs": "atom labels", "recall": "0.5"}])
    assert both.splitlines()[-1] == "| vectors alone | 0.362 ± 0.255 | 12.3 (21) | 0.500 ± 0.255 | 12.3 (21) |"


def test_the_guide_has_the_results() -> None:
    wanted = approximate_table.table(load(approximate_table.FROM))
    page = approximate_table.PAGE.read_text(encoding="utf-8")
    assert wanted in page, "run benchmarks/studies/approximate_search.py --table"


def test_the_guide_has_the_times() -> None:
    rows = load(approximate_table.SPEED)
    assert rows
    page = approximate_table.PAGE.read_text(encoding="utf-8")
    assert approximate_table.speed_table(rows) in page, "run benchmarks/studies/approximate_speed.py --table"
