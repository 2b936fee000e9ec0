"""What is done next, and what is not done at all."""

from experiments.samples import row_of, small_train
from graphedx.experiments import Prepare, Rows, Selection, Solve, Statistics, Train, Transfer, protocols
from graphedx.experiments.job import settings
from graphedx.experiments.place import Place
from graphedx.experiments.schedule import WEIGHTS, Expected, Schedule
from graphedx.experiments.work.train import train_config
from graphedx.training import TrainConfig

TRAIN = small_train()
PATIENCE = protocols.get("published").patience
ENDED = {"mse": 1.0, "validation": 1.0, "epochs": 10, "stopped_early": True, "seconds_an_epoch": 2.0}
CUT = ENDED | {"stopped_early": False}


def schedule(folder, asked, *rows, epochs=None, **given):
    with Rows.opened(folder) as there:
        for row in rows:
            there.put(row)
    return Schedule(asked, Rows(folder), Place(folder, epochs=epochs), **given)


def test_needs_come_first_and_nobody_waits_for_nothing(tmp_path):
    transfer = Transfer(TRAIN, "aids")
    plan = schedule(tmp_path, {transfer: 1.0})
    assert plan.pick() == Prepare("alkanes")
    assert plan.pick() == Prepare("aids")  # which does not wait for the other
    assert plan.pick() is None
    plan.done(Prepare("alkanes"), None)
    assert plan.pick() == TRAIN
    plan.done(Prepare("aids"), None)
    assert plan.pick() is None
    left_weights(tmp_path, TRAIN)
    plan.done(TRAIN, row_of(TRAIN, ENDED))
    plan = schedule(tmp_path, {transfer: 1.0}, row_of(TRAIN, ENDED))
    plan.done(Prepare("aids"), None)
    assert plan.pick() == transfer
    plan.done(transfer, row_of(transfer, {"mse": 1.0}))
    assert plan.open == []


def test_the_most_valuable_second_first(tmp_path):
    quick, long = Statistics("linux"), Train("linux", "uniform", "greed")
    plan = schedule(tmp_path, {long: 100.0, quick: 1.0})
    plan.done(plan.pick(), None)
    assert plan.pick() == quick
    plan = schedule(tmp_path, {long: 10_000.0, quick: 1.0})
    plan.done(plan.pick(), None)
    assert plan.pick() == long


def test_likely_seconds_are_those_of_jobs_alike(tmp_path):
    rows = [
        row_of(Train("linux", "uniform", "greed"), ENDED, seconds=3.0),  # 20 s, though the last part took 3
        row_of(Train("aids", "uniform", "greed"), ENDED | {"seconds_an_epoch": None}),  # was only tested
        row_of(Train("linux", "uniform", "isonet"), error="diverged"),
        row_of(Solve("linux", "uniform", "exact", 1.0), {"mse": 0.0}, seconds=5.0),
    ]
    expected = Expected(rows, Place(tmp_path))
    assert expected.seconds(Train("linux", "uniform", "greed", seed=1)) == 20
    assert expected.seconds(Train("linux", "non-uniform", "isonet")) == 20  # better than nothing
    aids = Train("aids", "uniform", "greed", seed=1)
    assert expected.seconds(aids) == aids.guess
    assert expected.seconds(Solve("linux", "non-uniform", "exact", 1.0)) == 5
    assert expected.seconds(Solve("linux", "uniform", "exact", 10.0)) > 5


def test_a_variant_takes_its_own_time_once_that_is_known(tmp_path):
    plain = row_of(Train("linux", "uniform", "graphedx"), ENDED)
    slow = row_of(Train("linux", "uniform", "graphedx", settings(variant="reg")), ENDED | {"seconds_an_epoch": 7.0})
    asked = Train("linux", "non-uniform", "graphedx", settings(variant="reg"), seed=1)
    assert Expected([plain], Place(tmp_path)).seconds(asked) == 20
    assert Expected([plain, slow], Place(tmp_path)).seconds(asked) == 70
    assert Expected([plain, slow], Place(tmp_path)).seconds(Train("linux", "uniform", "graphedx", seed=1)) == 20


def test_a_training_that_was_cut_off_says_what_an_epoch_takes_and_not_how_many_there_are(tmp_path):
    cut_off = ENDED | {"epochs": 3, "stopped_early": False, "seconds_an_epoch": 4.0}
    rows = [row_of(Train("linux", "uniform", "greed"), ENDED), row_of(Train("aids", "uniform", "greed"), cut_off)]
    job = Train("aids", "uniform", "greed", seed=1)
    assert Expected(rows, Place(tmp_path)).seconds(job) == 10 * 4.0
    assert Expected(rows, Place(tmp_path, epochs=7)).seconds(job) == 7 * 4.0
    assert Expected(rows[1:], Place(tmp_path)).seconds(job) > 100 * 4.0


def test_what_has_a_row_is_done_unless_it_can_go_on(tmp_path):
    assert schedule(tmp_path / "a", {TRAIN: 1.0}, row_of(TRAIN, ENDED)).open == []
    assert schedule(tmp_path / "b", {TRAIN: 1.0}, row_of(TRAIN, CUT), epochs=10).open == []
    assert schedule(tmp_path / "b", {TRAIN: 1.0}, epochs=11).open == [TRAIN]
    assert schedule(tmp_path / "b", {TRAIN: 1.0}).open == [TRAIN]


def test_failures_are_tried_again_only_if_wanted_and_stop_what_needs_them(tmp_path):
    transfer = Transfer(TRAIN, "alkanes")
    plan = schedule(tmp_path, {TRAIN: 1.0, transfer: 1.0}, row_of(TRAIN, error="diverged"))
    assert plan.open == [transfer]
    assert plan.pick() is None
    assert plan.open == []
    assert plan.blocked == {transfer: f"{TRAIN.key} has failed"}
    assert set(schedule(tmp_path, {TRAIN: 1.0, transfer: 1.0}, retry=True).open) == {TRAIN, transfer}


def test_a_training_whose_weights_are_gone_is_done_again_for_who_needs_them(tmp_path):
    transfer = Transfer(TRAIN, "alkanes")
    plan = schedule(tmp_path, {TRAIN: 1.0, transfer: 1.0}, row_of(TRAIN, ENDED))
    assert plan.open == [transfer]
    assert plan.pick() == Prepare("alkanes")
    plan.done(Prepare("alkanes"), None)
    assert plan.pick() == TRAIN


def test_weights_serve_if_they_are_those_of_the_row_and_nobody_changes_them(tmp_path):
    transfer = Transfer(TRAIN, "alkanes")

    def first(*errors):
        plan = schedule(tmp_path, {transfer: 1.0}, row_of(TRAIN, ENDED))
        plan.done(Prepare("alkanes"), None)
        left_weights(tmp_path, TRAIN, errors)
        return plan.pick(), plan.pick()

    whole = (1.0, *[2.0] * PATIENCE)
    assert first(*whole) == (transfer, None)
    assert first(*whole[:50]) == (TRAIN, None)  # begun anew, and not at its end: nothing is done on it meanwhile
    assert first(0.5, *whole[1:]) == (TRAIN, None)  # of another one


def test_what_rests_on_a_training_that_was_cut_off_waits_for_the_rest(tmp_path):
    transfer = Transfer(TRAIN, "alkanes")
    rows = row_of(TRAIN, CUT), row_of(transfer, {"mse": 1.0, "validation": 1.0})
    assert schedule(tmp_path, {transfer: 1.0}, *rows, epochs=10).open == []
    assert schedule(tmp_path, {transfer: 1.0}).open == [transfer]


def test_epochs_that_are_behind_are_not_expected_again(tmp_path):
    rows = [row_of(Train("alkanes", "uniform", "graphedx"), ENDED)]
    history(tmp_path, TRAIN, [3.0] * 4)
    assert Expected(rows, Place(tmp_path)).seconds(TRAIN) == 6 * 2.0
    history(tmp_path, TRAIN, [3.0] * 40)
    assert Expected(rows, Place(tmp_path)).seconds(TRAIN) == 2.0  # it may end any time


def test_without_data_nothing_of_it_is_begun(tmp_path):
    plan = schedule(tmp_path, {TRAIN: 1.0, Train("alkanes", "labelled", "greed"): 1.0, Statistics("linux"): 1.0})
    while (job := plan.pick()) is not None:
        if job == Prepare("alkanes"):
            plan.impossible(job, "no data")
        elif job == Prepare("linux"):
            plan.done(job, None)
        else:
            assert job == Statistics("linux")
            plan.done(job, row_of(job, {}))
    assert plan.open == []
    assert set(plan.blocked.values()) == {"no data"}
    assert len(plan.blocked) == 2


def test_a_lost_job_can_be_picked_again(tmp_path):
    plan = schedule(tmp_path, {Statistics("linux"): 1.0})
    plan.lost(plan.pick())
    assert plan.pick() == Prepare("linux")


def history(folder, job, errors):
    run = Place(folder).run(job)
    run.mkdir(parents=True, exist_ok=True)
    lines = [f"{epoch},1.0,{error}" for epoch, error in enumerate(errors, 1)]
    (run / "history.csv").write_text("\n".join(["epoch,training,validation", *lines]) + "\n")


def left_weights(folder, job, errors=(1.0, *[2.0] * PATIENCE)):
    history(folder, job, errors)
    (Place(folder).run(job) / WEIGHTS).touch()


def test_a_training_that_has_ended_needs_its_test_only(tmp_path):
    def seconds(job, epochs=None):
        return Expected((), Place(tmp_path, epochs=epochs)).seconds(job)

    begun, stopped = small_train(0), small_train(1)
    history(tmp_path, begun, [2.0, *[1.0] * PATIENCE])
    history(tmp_path, stopped, [1.0, *[2.0] * PATIENCE])
    assert seconds(small_train(2)) == seconds(begun) == begun.guess
    assert seconds(stopped) < 60
    assert seconds(begun, epochs=PATIENCE + 1) < 60  # it is to be cut off there
    assert seconds(begun, epochs=PATIENCE + 2) == begun.guess
    history(tmp_path, begun, ["torn"])
    assert seconds(begun) == begun.guess


def test_the_published_protocol_is_what_trainings_have_by_default():
    assert train_config(protocols.get("published"), 3, None) == TrainConfig(seed=3)
    assert train_config(protocols.get("published"), 3, 20) == TrainConfig(seed=3, max_epochs=20)


def test_an_equal_budget_is_one_cycle_that_is_not_cut():
    found = train_config(protocols.get("equal-budget"), 0, 7)
    assert (found.max_epochs, found.one_cycle, found.learning_rate) == (30, True, 5e-3)
    assert found.patience >= found.max_epochs


def test_jobs_of_an_earlier_turn_come_first_whatever_they_are_worth(tmp_path):
    jobs = [Train(dataset, "uniform", "greed", protocol="equal-budget") for dataset in ("linux", "aids", "molhiv")]
    asked = dict(zip(jobs, (1000.0, 1.0, 10.0), strict=True))
    order = Selection(["equal-budget"], ["aids", "molhiv", "linux"])
    plan = schedule(tmp_path, asked, turn=order.turn)
    assert [job.dataset for job in plan.in_order()] == ["aids", "molhiv", "linux"]
    assert plan.pick() == Prepare("aids")
    assert [job.dataset for job in schedule(tmp_path, asked).in_order()] == ["linux", "molhiv", "aids"]


def test_a_stale_or_incomplete_row_is_not_done(tmp_path):
    stale = Train("linux", "uniform", "simgnn")
    assert schedule(tmp_path / "a", {stale: 1.0}, row_of(stale, ENDED, version=1)).open == [stale]
    bound = Solve("linux", "uniform", "branch", 0.1)
    plan = schedule(tmp_path / "b", {bound: 1.0}, row_of(bound, {"mse": 1.0}))
    assert plan.open == [bound]  # its row was written before lower bounds were reported
    assert schedule(tmp_path / "b", {bound: 1.0}, row_of(bound, {"mse": 1.0, "lower_mse": 2.0})).open == []


def test_an_equal_budget_takes_its_declared_epochs(tmp_path):
    rows = [row_of(Train("linux", "uniform", "greed"), ENDED | {"epochs": 700})]
    job = Train("linux", "uniform", "greed", protocol="equal-budget")
    assert Expected(rows, Place(tmp_path)).seconds(job) == 30 * 2.0
