"""The tables of search: what they say of given rows, and that the page has those of the result files."""

from __future__ import annotations

import search_table

MEASURED = {
    "collection": "MUV",
    "graphs": "93127",
    "costs": "labelled",
    "queries": "edited",
    "count": "50",
    "k": "10",
    "workers": "2",
    "time_limit": "60",
    "proven": "49",
    "seconds_median": "0.4512",
    "seconds_q1": "0.1",
    "seconds_q3": "1.26",
    "seconds_p90": "23.4",
    "bounded_median": "1234.5",
    "searched_median": "7",
    "times_fewer_searches": "9876",
    "scans": "2",
    "scan_ended": "2",
    "scan_undecided": "3",
    "scan_seconds_median": "61.7",
    "scan_times_slower": "136.2",
    "scan_median_times": "31.4",
    "own_scan_ended": "2",
    "own_scan_seconds_median": "80.2",
    "own_scan_times_slower": "177",
    "own_scan_median_times": "8.25",
    "machine": "one",
}


def test_a_line_has_searches_and_scans() -> None:
    text = search_table.searches([MEASURED])
    said = "| MUV | elements | edited | 49 of 50 | 0.45 | 0.1 to 1.3 | 23 | 1,234 | 7 | 9,876 "
    said += "| 62 | 136 (31) | 80 | 177 (8.25) |"
    assert text.splitlines()[2] == said
    assert "queries, 2 in all" in text and "left 3 undecided" in text


def test_scans_that_did_not_end_are_lower_bounds() -> None:
    [line] = search_table.searches([MEASURED | {"own_scan_ended": "1"}]).splitlines()[2:3]
    assert line.endswith("| 62 | 136 (31) | > 80 | > 177 (8.25) |")


def test_where_nothing_was_scanned_nothing_is_said() -> None:
    assert search_table.searches([MEASURED | {"scans": "0"}]).splitlines()[2].endswith("| 9,876 |  |  |  |  |")


def test_what_is_extrapolated_says_so() -> None:
    beyond = {"graphs": "1000000", "extrapolated": "yes", "seconds_a_graph": "1.26e-6", "seconds_median": "1.92"}
    points = [MEASURED | {"extrapolated": "no", "seconds_a_graph": ""}, MEASURED | beyond]
    measured, extrapolated = search_table.grown(points).splitlines()[4:6]
    assert measured == "| elements | 93,127 | 49 of 50 | 0.45 | 0.1 to 1.3 | 23 | 1,234 | 7 |"
    assert extrapolated == "| elements | 1,000,000 | extrapolated, 1.3 µs more a graph | *1.9* |  |  |  |  |"


def test_an_index_is_bytes_and_seconds() -> None:
    row = MEASURED | {"avg_nodes": "24.233", "bytes_a_graph": "203.2", "bytes_a_graph_with_ids": "216"}
    row |= {"build_seconds": "2.61", "build_microseconds_a_graph": "28", "save_seconds": "0.043"}
    line = search_table.stored([row | {"open_seconds": "0.0612"}]).splitlines()[2]
    assert line == "| MUV | 93,127 | 24.2 | 203 | 216 | 2.6 | 28 | 0.043 | 0.061 |"


def test_the_page_has_the_results() -> None:
    page = search_table.PAGE.read_text(encoding="utf-8")
    assert search_table.section() in page, "run benchmarks/studies/search.py --table"
