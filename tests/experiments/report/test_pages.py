"""The files of a report: whole, escaped, and without anything from elsewhere."""

import csv
import re
from dataclasses import replace

import numpy as np
import pytest

from experiments.report.made_up import METHODS, Page, baselines, cell, kept, scored, trained
from experiments.samples import place_in, row_of, small_train
from graphedx import datasets
from graphedx.costs import UNIFORM
from graphedx.errors import ExperimentError, OutputError
from graphedx.experiments import (
    Cell,
    Example,
    Prepare,
    Rows,
    Solve,
    Statistics,
    Train,
    protocols,
    settings,
    write_report,
)
from graphedx.experiments.report import gathered
from graphedx.experiments.report.figures import pictures
from graphedx.experiments.work import perform

HOSTILE = '<script>alert("x")</script> & | *bold* [link](https://example.com)'


@pytest.fixture
def written(tmp_path):
    """A report of a table with a hostile row, failures and a training that was cut short."""
    hostile = Cell(row=HOSTILE, column="linux", panel="uniform", seeds=((Solve("linux", "uniform", "exact"),),))
    scored(tmp_path, {"GMN-Match": 3.0, "GREED": 2.0, "GraphEdX": 1.0}, ["linux"])
    kept(
        tmp_path,
        row_of(hostile.seeds[0][0], error=HOSTILE),
        trained(cell("ERIC", "code2").seeds[0][0], 5.0, stopped_early=False),
        trained(cell("GREED", "code2").seeds[0][0], 5.0, version=0),
    )
    paths = write_report(tmp_path, tmp_path / "deep" / "report", [baselines(hostile)])
    return {path.suffix: path.read_text(encoding="utf-8") for path in paths}


def test_the_page_is_well_formed_and_has_every_cell(written):
    page = Page(written[".html"])
    assert page.text.count("not run (stale)") == 1
    assert "1 row of an older results version do not count: greed 1." in page.text
    assert "★ 1" in page.text and "☆ 2" in page.text and "paper ☆" in page.text
    assert "1 of 2 seeds · ✂ 300 epochs" in page.text and "code2 ‡" in page.text
    assert "✓ confirmed" not in page.text and "? open" in page.text  # three comparisons would be needed
    assert [value for value in page.values("class") if value in {"best", "second"}] == ["second", "best"]


def test_whatever_names_and_messages_say_is_text(written):
    page = Page(written[".html"])
    assert page.text.count(HOSTILE.split(" & ")[0]) >= 2
    assert not [tag for tag, _ in page.tags if tag == "script"]
    lines = written[".md"].splitlines()
    [row] = [line for line in lines if "alert" in line]
    assert r"\<script>" in row and r"\| \*bold\* \[link\]" in row
    assert len(re.findall(r"(?<!\\)\|", row)) == 4


def test_nothing_comes_from_elsewhere(written):
    page = Page(written[".html"])
    assert not page.values("src")
    assert all(link.startswith("#") for link in page.values("href"))
    ids = page.values("id")
    assert {link.removeprefix("#") for link in page.values("href")} <= set(ids) and len(ids) == len(set(ids))
    assert not re.findall(r"@import|url\(", written[".html"])


def test_csv_has_a_line_a_cell(written):
    lines = list(csv.DictReader(written[".csv"].splitlines()))
    assert len(lines) == 2 * 9  # under both protocols
    best = next(line for line in lines if line["row"] == "GraphEdX" and line["column"] == "linux")
    assert (best["value"], best["spread"], best["rank"], best["status"]) == ("1", "0", "best", "final")
    assert float(best["paper"]) > 0
    cut = next(line for line in lines if line["row"] == "ERIC" and line["column"] == "code2")
    assert (cut["cut_short_at"], cut["substitutes"], cut["status"]) == ("300", "code2", "cut short")
    assert {line["protocol"] for line in lines if line["value"]} == {"published"}


def test_protocols_have_tables_of_their_own(tmp_path):
    scored(tmp_path, {"GREED": 2.0, "ERIC": 3.0}, ["linux"])
    equal = Train("linux", "uniform", "greed", protocol="equal-budget")
    training = protocols.get("equal-budget").training
    kept(tmp_path, trained(equal, 7.0, epochs=30, stopped_early=False, training=training))
    found = gathered(tmp_path, [baselines()])
    assert [part.experiment.protocol for part in found.parts] == ["published", "equal-budget"]
    numbers = [[entry.found.value for entry in part.grids[0].entries.values()] for part in found.parts]
    assert 7.0 not in numbers[0] and set(numbers[1]) == {7.0, None}
    page, text, _ = (path.read_text() for path in write_report(tmp_path, tmp_path / "out", [baselines()]))
    assert {"baselines", "baselines-equal-budget"} <= set(Page(page).values("id"))
    assert "### Models: published protocol" in text and "### Models: equal budget" in text


def test_claims_are_those_of_the_experiments_that_were_asked_for(written):
    assert "every baseline, under both costs" in written[".html"]
    assert "every baseline, under both costs" in written[".md"]
    assert "NodeSwap" not in written[".html"]


def test_a_report_replaces_the_last_one_and_needs_rows(tmp_path):
    with pytest.raises(ExperimentError, match="has no rows to report"):
        write_report(tmp_path, tmp_path / "out")
    kept(tmp_path, row_of(Statistics("aids"), {"graphs": 911}))
    first = write_report(tmp_path, tmp_path / "out")
    assert first == write_report(tmp_path, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["report.csv", "report.html", "report.md"]
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot be used"):
        write_report(tmp_path, tmp_path / "file")


def test_all_that_is_declared_makes_a_page(tmp_path):
    rows = kept(tmp_path, row_of(Statistics("aids"), {"graphs": 911, "avg_nodes": 10.97}))
    assert len(rows) == 1
    page, *_ = write_report(tmp_path, tmp_path / "out")
    text = Page(page.read_text(encoding="utf-8")).text
    assert "911" in text and "10.970" in text and "Nothing can be compared yet." in text


def test_figures_are_drawn_of_what_is_there(tmp_path):
    titles = ["Error against the time limit", "Accuracy against time", "Guesses against the truth"]
    titles += ["Distribution of errors", "Node-edge consistency", "The sequence of edit operations"]
    assert [picture.title for picture in pictures([], tmp_path)] == titles
    assert not any(picture.svg for picture in pictures([], tmp_path))
    place = place_in(tmp_path)
    perform(Prepare("alkanes"), place)
    truth = datasets.load(place.dataset("alkanes")).labels("test", UNIFORM).distances
    jobs = [Train("alkanes", "uniform", model, (), 0) for model in METHODS.values()]
    errors = [3.0, 2.0, 1.0, 4.0]
    rows = [trained(job, mse) for job, mse in zip(jobs, errors, strict=True)]
    guided = Train("alkanes", "uniform", "eric", settings(cost_guided=True))
    rows.append(trained(guided, 0.1))  # an ablation, which stands for nobody
    for job, mse in zip(jobs, errors, strict=True):
        place.run(job).mkdir(parents=True)
        np.save(place.run(job) / "guesses.npy", (truth + mse).astype(np.float32))
    solved = row_of(Solve("alkanes", "uniform", "exact", 0.1), {"mse": 0.0, "mean_seconds": 2e-5})
    found = {picture.title: picture for picture in pictures([*rows, solved], tmp_path)}
    scatter = found["Guesses against the truth"]
    assert scatter.panel == "alkanes, uniform"
    assert "GraphEdX, MSE 4" in scatter.svg and "ERIC, MSE 1" in scatter.svg  # ours, and the best of the others
    assert "GREED" not in scatter.svg
    assert found["Distribution of errors"].svg
    assert "Not drawn" in found["Accuracy against time"].text  # one series is no comparison
    times = {f"{job.model}_seconds": 1e-5 for job in jobs}
    timed = replace(solved, key="timing/alkanes", job={"kind": "timing", "dataset": "alkanes"}, outcome=times)
    found = {picture.title: picture for picture in pictures([*rows, solved, timed], tmp_path)}
    assert found["Accuracy against time"].svg.count('class="point"') == 5


def test_limits_are_of_one_sample_and_times_of_all_that_there_is(tmp_path):
    def solved(method, limit, mse, pairs):
        job = Solve("linux", "uniform", method, limit, pairs)
        return row_of(job, {"mse": mse, "mean_seconds": 1e-3, "pairs": 190 if pairs is None else pairs})

    rows = [solved("auto", 0.01, 1.0, 100), solved("auto", 0.01, 2.0, None), solved("ipfp", 0.01, 3.0, 100)]
    found = {picture.title: picture.svg for picture in pictures(rows, tmp_path)}
    bounds = row_of(Solve("linux", "uniform", "branch", 0.01), {"mse": 4.0, "lower_mse": 5.0, "mean_seconds": 1e-3})
    drawn = {picture.title: picture.svg for picture in pictures([*rows, bounds], tmp_path)}[
        "Error against the time limit"
    ]
    assert "branch, upper bound: (0.01, 4)" in drawn and "branch, lower bound: (0.01, 5)" in drawn
    limits, times = found["Error against the time limit"], found["Accuracy against time"]
    assert "auto: (0.01, 1)" in limits and "GraphEdX, paper: (0.0001, 0.354)" in limits
    assert "auto: (0.001, 2)" in times and "paper" not in times


def test_an_example_is_drawn_of_its_row_alone(tmp_path):
    place = place_in(tmp_path / "work")
    perform(Prepare("alkanes"), place)
    perform(small_train(), place)
    job = Example(small_train(), pairs=20)
    with Rows.opened(tmp_path / "rows") as rows:
        rows.put(row_of(job, dict(perform(job, place))))
    drawn = pictures(list(Rows(tmp_path / "rows")), tmp_path / "rows")
    consistency, sequence = (
        [picture for picture in drawn if picture.title == title]
        for title in ("Node-edge consistency", "The sequence of edit operations")
    )
    assert [picture.panel.split(":")[0] for picture in consistency] == ["S that follows from P", "S by itself"]
    assert [picture.panel.split(":")[0] for picture in sequence] == ["Edits by the model", "Optimal edits"]
    assert all('class="cell"' in picture.svg for picture in consistency)
    assert all('class="node' in picture.svg for picture in sequence)
