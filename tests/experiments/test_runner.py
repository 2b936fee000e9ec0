"""What becomes of jobs, whatever happens to them; here they are done in this process, which takes no time to start."""

import os
from contextlib import contextmanager

import pytest

from experiments.samples import EPOCHS, SMALL, SOME, place_in, same_part, small_train, undisturbed
from graphedx.errors import MethodError, OutputError
from graphedx.experiments import Rows, Statistics, Train, Transfer, pools, run, settings
from graphedx.experiments.store import ROWS
from graphedx.experiments.work import answered

DIVERGING = Train("alkanes", "uniform", "graphedx", settings(**dict(SMALL), noise=1e300))


class Inline:
    """A pool that does its jobs when it is asked what has come back."""

    def __init__(self, size: int) -> None:
        self.size, self.out = size, []

    def start(self, job, request) -> None:
        self.out.append((job, request))

    def wait(self, seconds):
        job, request = self.out.pop(0)
        return [pools.Back(job, answered(request))]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    @contextmanager
    def opened(engine, *, workers, address):
        yield Inline(workers)

    monkeypatch.setattr(pools, "opened", opened)
    place_in(tmp_path)
    return tmp_path


def test_jobs_leave_what_they_leave_alone(folder, tmp_path):
    news = []
    done = run(SOME, folder, epochs=EPOCHS, workers=2, report=news.append)
    assert (done.total, done.done, done.ran, done.left) == (len(SOME), len(SOME), len(SOME), 0)
    found = {row.key: same_part(row.outcome) for row in Rows(folder)}
    assert found == undisturbed(tmp_path / "whole", SOME)
    assert news[-1].done == len(SOME)
    assert all(one.total == len(SOME) and one.left >= 0 and len(one.running) <= 2 for one in news)
    assert run(SOME, folder, epochs=EPOCHS, workers=2).ran == 0


def test_a_row_says_what_it_is_and_comes_back_when_it_is_deleted(folder):
    run({small_train(): 1.0}, folder, epochs=EPOCHS, workers=1)
    row = Rows(folder).get(small_train())
    assert row.job == small_train().to_json()
    assert (row.epochs, row.is_final, row.version) == (EPOCHS, False, 1)
    assert row.machine
    assert row.seconds > 0
    for also_the_training in (False, True):
        (folder / ROWS).unlink()
        if also_the_training:
            for path in (folder / "runs" / small_train().key).iterdir():
                path.unlink()
        assert run({small_train(): 1.0}, folder, epochs=EPOCHS, workers=1).ran == 1
        assert same_part(Rows(folder).get(small_train()).outcome) == same_part(row.outcome)


def test_what_fails_is_a_row_and_what_cannot_be_is_told(folder):
    orphan, missing = Transfer(DIVERGING, "alkanes"), Statistics("aids")
    asked = {DIVERGING: 1.0, orphan: 1.0, missing: 1.0, small_train(): 1.0}
    done = run(asked, folder, epochs=EPOCHS, workers=1)
    assert (done.done, done.left, done.ran) == (1, 0, 2)
    assert "the loss of epoch 1 is nan" in done.failed[DIVERGING.key]
    assert done.impossible[orphan.key] == f"{DIVERGING.key} has failed"
    assert "no data: aids needs" in done.impossible[missing.key]
    assert Rows(folder).get(DIVERGING).failed
    assert Rows(folder).get(missing) is None
    assert run({DIVERGING: 1.0}, folder, workers=1).ran == 0
    again = run({DIVERGING: 1.0}, folder, workers=1, retry=True)
    assert (again.ran, len(again.failed)) == (1, 1)


def test_a_budget_that_is_spent_stops_a_training_which_goes_on_later(folder, monkeypatch):
    job, ticks = small_train(), iter(range(1000))
    monkeypatch.setattr("graphedx.experiments.runner.time", lambda: 0.0)
    monkeypatch.setattr("graphedx.experiments.place.time", lambda: float(next(ticks)))
    with monkeypatch.context() as patch:
        patch.setattr("graphedx.experiments.runner._Run._time_is_up", lambda self: next(ticks) >= 30)
        done = run({job: 1.0}, folder, budget=30.0, workers=1)
    assert (done.left, done.ran) == (1, 0)
    assert Rows(folder).get(job) is None
    epochs = len((folder / "runs" / job.key / "history.csv").read_text().splitlines()) - 1
    assert 1 <= epochs < 30
    assert run({job: 1.0}, folder, epochs=epochs, workers=1).ran == 1
    assert Rows(folder).get(job).epochs == epochs


def test_no_budget_no_jobs(folder):
    done = run({small_train(): 1.0}, folder, budget=0.0, workers=1)
    assert (done.left, done.ran) == (1, 0)


def test_a_training_that_was_cut_off_goes_on(folder):
    for epochs in (2, EPOCHS):
        assert run({small_train(): 1.0}, folder, epochs=epochs, workers=1).ran == 1
        assert Rows(folder).get(small_train()).epochs == epochs
    assert run({small_train(): 1.0}, folder, epochs=3, workers=1).ran == 0


def test_a_second_run_is_refused(tmp_path):
    with Rows.opened(tmp_path), pytest.raises(OutputError, match=f"process {os.getpid()}"):
        run(SOME, tmp_path)
    with pytest.raises(MethodError, match="there is no engine"):
        run(SOME, tmp_path, engine="steam")
    with pytest.raises(MethodError, match="address"):
        run(SOME, tmp_path, address="auto")
