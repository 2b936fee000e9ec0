"""Experiments from the command line; jobs are done in this process, on a dataset of a few alkanes."""

import json
import sys
from contextlib import contextmanager
from types import ModuleType

import pytest

from experiments.samples import place_in, small_train
from experiments.test_runner import DIVERGING, Inline
from graphedx.cli import jobs
from graphedx.experiments import Cell, Experiment, Progress, Rows, Running, Statistics, declared, pools

TINY = Experiment(
    name="tiny",
    title="A tiny table",
    about="Nothing.",
    cells=(
        Cell(row="model", column="alkanes", seeds=((small_train(0),), (small_train(1),))),
        Cell(row="bad", column="alkanes", seeds=((DIVERGING,),)),
    ),
)
OTHER = Experiment(
    name="other", title="Another", about="Nothing.", cells=(Cell(row="a", column="b", seeds=((Statistics("aids"),),)),)
)


@pytest.fixture
def tiny(run, tmp_path, monkeypatch):
    """Two experiments, and the folder that they are kept in."""
    module = ModuleType("tiny")
    module.EXPERIMENTS = (TINY, OTHER)
    monkeypatch.setitem(sys.modules, f"{declared.__name__}.tiny", module)
    monkeypatch.setattr(declared, "MODULES", ("tiny",))

    @contextmanager
    def opened(engine, *, workers, address):
        yield Inline(workers or 1)

    monkeypatch.setattr(pools, "opened", opened)
    declared.experiments.cache_clear()
    place_in(tmp_path / "experiments")
    yield tmp_path / "experiments"
    declared.experiments.cache_clear()


def test_run_and_list(run, tiny):
    done = run("experiment", "run", "tiny", "--epochs", "2", "--only", "seed=0")
    assert done.exit_code == 0, done.output
    assert "the loss of epoch 1 is nan" in done.stdout
    assert "1 of 2 jobs, 1 failed" in done.stderr
    assert len(Rows(tiny)) == 2
    found = json.loads(run("experiment", "list", "--json").stdout)["experiments"]
    counts = ("name", "jobs", "final", "cut_short", "failed")
    assert [tuple(one[name] for name in counts) for one in found] == [("tiny", 3, 0, 1, 1), ("other", 1, 0, 0, 0)]
    shown = run("experiment", "list")
    assert shown.exit_code == 0
    assert "A tiny table" in shown.stdout
    found = json.loads(run("experiment", "run", "tiny", "--epochs", "2", "--json").stdout)
    assert (found["total"], found["done"], found["ran"], found["left"]) == (3, 2, 1, 0)


def test_status_counts_final_cells_only(run, tiny):
    run("experiment", "run", "tiny", "--epochs", "2")
    found = json.loads(run("experiment", "status", "--json").stdout)["protocols"]
    assert [one["protocol"] for one in found] == ["published", "equal-budget"]
    tally = found[0]["tables"]["tiny"]
    assert (tally["final"], tally["cut_short"], tally["not_run"], tally["failed"]) == (0, 1, 1, 1)
    assert found[0]["paper"]["reported"] == 866
    shown = run("experiment", "status")
    assert shown.exit_code == 0, shown.output
    assert "published: table" in shown.stdout and "cut short" in shown.stdout


def test_an_equal_budget_is_run_and_listed_in_order(run, tiny):
    listed = run("experiment", "list", "tiny", "--protocol", "equal-budget", "--jobs", "--json")
    assert len(json.loads(listed.stdout)["jobs"]) == 3
    done = run("experiment", "run", "tiny", "--protocol", "equal-budget", "--dataset", "alkanes", "--only", "seed=1")
    assert done.exit_code == 0, done.output
    [row] = Rows(tiny)
    assert (row.epochs, row.is_final, row.asked().protocol) == (30, True, "equal-budget")
    shown = run("experiment", "list", "tiny", "--protocol", "equal-budget", "--jobs")
    assert "equal-budget/seed=0" in shown.stdout and "equal-budget/seed=1" not in shown.stdout


def test_what_is_left_is_an_exit_code(run, tiny):
    done = run("experiment", "run", "tiny", "--epochs", "2", "--budget", "0s")
    assert done.exit_code == 3
    done = run("experiment", "run", "all", "--epochs", "2", "--only", "aids")
    assert done.exit_code == 3
    assert "1 job: no data: aids needs AIDS/AIDS_TU.tar.gz" in done.stdout


def test_ctrl_c_says_that_the_same_command_goes_on(run, tiny, monkeypatch):
    monkeypatch.setattr(Inline, "wait", lambda self, seconds: (_ for _ in ()).throw(KeyboardInterrupt))
    done = run("experiment", "run", "tiny")
    assert done.exit_code == 130
    assert "what is done is kept, and the same command goes on where it was stopped" in done.stderr


def test_report(run, tiny, tmp_path):
    run("experiment", "run", "tiny", "--epochs", "2", "--only", "seed=0")
    done = run("experiment", "report")
    assert done.exit_code == 0, done.output
    page = (tiny / "report" / "report.html").read_text(encoding="utf-8")
    assert "A tiny table" in page and "Another" in page and "1 of 2 seeds" in page
    done = run("experiment", "report", "other", "--out", str(tmp_path / "out"), "--json")
    files = json.loads(done.stdout)["files"]
    assert files == [str(tmp_path / "out" / name) for name in ("report.html", "report.md", "report.csv")]
    assert "A tiny table" not in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["run", "nothing"], 1, "there is no experiment 'nothing'; there are tiny, other and all"),
        (["run", "tiny", "--budget", "3"], 2, "3h, 45m, 600s"),
        (["run", "tiny", "--budget", "-1h"], 2, "3h, 45m, 600s"),
        (["run", "tiny", "--only", "mars"], 2, "no job of these experiments"),
        (["run", "tiny", "--dataset", "mars"], 1, "no job has the dataset 'mars'; there are alkanes"),
        (["run", "tiny", "--model", "oracle"], 1, "no job has the model 'oracle'; there are graphedx"),
        (["run", "tiny", "--protocol", "long"], 1, "there is no protocol 'long'; there are published and equal-budget"),
        (["run", "tiny", "--protocol", "equal-budget", "--epochs", "2"], 2, "--epochs is for the published protocol"),
        (["list", "--folder", "path.json"], 1, "path.json"),
        (["report"], 1, "has no rows to report; `graphedx experiment run` computes some"),
        (["report", "nothing"], 1, "there is no experiment 'nothing'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_nonsense_is_told(run, tiny, arguments, code, says):
    done = run("experiment", *arguments)
    assert done.exit_code == code
    assert says in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr


def test_news_are_lines_for_people():
    training = Running("train/linux", 61.4, 12, 0.51234, 0.5)
    news = Progress(3, 1, 9, (training, Running("solve/aids", 5.0)), 7265.0, 3600.0)
    assert jobs.head(news) == "3 of 9 jobs, 1 failed, about 2:01:05 left, budget for 1:00:00"
    assert jobs.line(training) == "train/linux (epoch 12, validation 0.5123, best 0.5, 0:01:01)"
    assert jobs.line(news.running[1]) == "solve/aids (0:00:05)"
