"""Pages that are made from the rows of experiments: they have what the rows in this repository say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import experiment_pages
from experiment_pages import DOCS, FOLDER, PAGE, README
from experiments.samples import row_of
from graphedx.experiments import Rows, Solve, Statistics, Train, settings
from headline import table
from record import RESULTS, load

AGAIN = "run benchmarks/experiment_pages.py"
MOST_BYTES = 1_500_000


def test_pages_and_figures_have_the_rows() -> None:
    assert experiment_pages.report() in PAGE.read_text(encoding="utf-8"), AGAIN
    assert table(Rows(FOLDER)) in README.read_text(encoding="utf-8"), AGAIN
    wanted = {DOCS / place: picture.svg for place, picture in experiment_pages.drawn().items()}
    assert {path: path.read_text(encoding="utf-8") for path in experiment_pages.PICTURES.glob("*.svg")} == wanted, AGAIN


def test_rows_are_few_and_name_no_place() -> None:
    text = (FOLDER / "rows.jsonl").read_text(encoding="utf-8")
    assert len(text.encode()) < MOST_BYTES
    assert "/home/" not in text and "/tmp/" not in text
    keys = [json.loads(line)["key"] for line in text.splitlines()]
    assert keys == sorted(set(keys))


def test_rows_are_all_there_with_a_declared_version() -> None:
    rows = list(Rows(FOLDER))
    assert len(rows) >= 1306
    assert {row.version for row in rows} <= {1, 2}
    assert any(row.is_stale for row in rows)  # of models that have changed since


def test_rows_of_a_folder_are_taken_over_once_each_if_an_experiment_asks_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, other = Statistics("linux"), Statistics("alkanes")
    with Rows.opened(tmp_path / "run") as rows:
        for graphs in (1, 2):
            rows.put(row_of(asked, {"graphs": graphs}))
        rows.put(row_of(other, {"graphs": 3}))
    monkeypatch.setattr(experiment_pages, "FOLDER", tmp_path / "kept")
    assert experiment_pages.take(tmp_path / "run") == 1
    assert [row.outcome for row in Rows(tmp_path / "kept")] == [{"graphs": 2}]
    stale = Train("linux", "uniform", "h2mn")
    with Rows.opened(tmp_path / "more") as rows:
        rows.put(row_of(stale, {"mse": 1.0}, version=1))
    assert experiment_pages.take(tmp_path / "more") == 1
    assert {row.key for row in Rows(tmp_path / "kept")} == {asked.key, stale.key}  # what was there stays
    with pytest.raises(SystemExit, match="has no rows"):
        experiment_pages.take(tmp_path / "typo")
    assert len(Rows(tmp_path / "kept")) == 2


def test_the_headline(tmp_path: Path) -> None:
    greed, eric = (Train("aids", "uniform", model) for model in ("greed", "eric"))
    one = Train("aids", "uniform", "graphedx", settings(edge_term="xor", node_term="xor", node_weight=1))
    trained = {"validation": 1.0, "epochs": 80, "stopped_early": False}
    with Rows.opened(tmp_path) as rows:
        rows.put(row_of(greed, {"mse": 2.0} | trained))
        rows.put(row_of(eric, {"mse": 1.5} | trained | {"stopped_early": True}))
        rows.put(row_of(one, {"mse": 0.5} | trained))
        rows.put(row_of(Solve("aids", "uniform", "exact", None, None), {"mse": 0.0, "mean_seconds": 5e-5}))
    lines = table(Rows(tmp_path)).splitlines()
    assert lines[0] == "|  | aids | µs |"
    assert "| best baseline, ours | 1.500 (1 of 9) / not run |  |" in lines  # greed was cut short
    assert "| GraphEdX, paper | 0.565 / 1.252 |  |" in lines
    assert "| GraphEdX, ours | 0.500 ✂ / not run |  |" in lines  # of eighteen variants one is there, and cut off
    assert "| `exact` | 0 / not run | 50.0 |" in lines
    with Rows.opened(tmp_path) as rows:
        rows.put(row_of(greed, {"mse": 0.1} | trained))
    assert table(Rows(tmp_path)).splitlines()[3] == lines[3]  # a cut training is never the best


def test_what_the_page_says_of_trainings_that_got_stuck() -> None:
    rows = load(RESULTS / "alignment_rows_linux.csv")
    stuck = [row for row in rows if float(row["rows_off"]) > 0.2]
    others = [row for row in rows if row not in stuck]
    off, usual = ([float(row["rows_off"]) for row in some] for some in (stuck, others))
    errors, less = (
        [float(row["training_mse"]) for row in some if "/uniform/" in row["run"]] for some in (stuck, others)
    )
    by_edges = sum("edge_term=diff_align" in row["run"] for row in stuck)
    for sentence in (
        f"Of {len(rows)} trainings {len(stuck)} are stuck, {by_edges} of them with DiffAlign for edges.",
        f"off by {min(off):.2f} to {max(off):.2f} on average, those of all others by at most {max(usual):.2f}.",
        f"errors are {min(errors):.2f} to {max(errors):.2f}, those of all others at most {max(less):.2f}.",
    ):
        assert sentence in PAGE.read_text(encoding="utf-8")
