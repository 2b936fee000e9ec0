"""Tables that are made from result files: they replace those of the page, and the pages have those of the files."""

from __future__ import annotations

from pathlib import Path

import bracket_table
from page_tables import END, begin, markdown, put_into
from record import load


def test_tables_replace_those_of_the_page_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n{begin('study')}old\n{END}after\n", encoding="utf-8")
    put_into(page, begin("study"), "λ")
    put_into(page, begin("study"), "new")
    assert page.read_text(encoding="utf-8") == f"before\n{begin('study')}\nnew\n{END}after\n"


def test_words_are_on_the_left_and_numbers_on_the_right() -> None:
    assert markdown(["set", "MSE"], 1, [["AIDS", "0.1"]]) == "| set | MSE |\n| --- | ---: |\n| AIDS | 0.1 |"


def test_the_card_of_bracket_has_the_results() -> None:
    wanted = bracket_table.table(load(bracket_table.FROM))
    assert wanted in bracket_table.PAGE.read_text(encoding="utf-8"), "run benchmarks/studies/bracket.py --table"
