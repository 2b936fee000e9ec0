"""Jobs done in this process, against what the library says of the same."""

import gzip
import json
import shutil

import networkx as nx
import numpy as np
import pytest

import graphedx as gx
from experiments.samples import EPOCHS, SMALL, place_in, same_part, small_train
from graphedx import datasets
from graphedx.edits import NodeMapping, induced_cost
from graphedx.errors import GraphEdXError
from graphedx.evaluation import evaluate
from graphedx.experiments import (
    AnyCosts,
    CostTransfer,
    Example,
    Prepare,
    Properties,
    Solve,
    Statistics,
    Timing,
    Train,
    Transfer,
    protocols,
    settings,
)
from graphedx.experiments.lines import read_lines
from graphedx.experiments.place import RAW, TimeIsUp
from graphedx.experiments.work import answered, perform
from graphedx.experiments.work.cost_transfer import drawn
from graphedx.experiments.work.solve import ANSWERS, sampled
from training.samples import digests


@pytest.fixture
def place(tmp_path):
    place = place_in(tmp_path)
    perform(Prepare("alkanes"), place)
    return place


@pytest.fixture
def alkanes(place):
    return datasets.load(place.dataset("alkanes"))


def test_a_training_is_tested_and_can_be_loaded(place, alkanes):
    job = small_train()
    found = perform(job, place)
    assert (found["epochs"], found["stopped_early"], found["pairs"]) == (EPOCHS, False, alkanes.pair_count("test"))
    model = gx.load_model(place.run(job))
    wanted = evaluate(model, alkanes)
    assert found["mse"] == pytest.approx(wanted.mse, rel=1e-5)
    guesses = np.load(place.run(job) / "guesses.npy")
    truth = alkanes.labels("test", gx.EditCosts.parse("uniform")).distances
    assert np.mean((guesses - truth) ** 2) == pytest.approx(found["mse"], rel=1e-5)
    again = perform(job, place)
    assert same_part(again) == same_part(found)
    assert again["seconds_an_epoch"] == found["seconds_an_epoch"] > 0  # of all its parts
    assert again["training"] == protocols.get("published").training


def test_time_that_is_up_stops_after_an_epoch_and_more_time_goes_on_to_the_same(place, tmp_path, monkeypatch):
    job = small_train()
    whole = perform(job, place)
    kept = without_times(digests(place.run(job)))
    other = place_in(tmp_path / "other")
    perform(Prepare("alkanes"), other)
    ticks = iter(range(100))
    monkeypatch.setattr("graphedx.experiments.place.time", lambda: float(next(ticks)))
    with pytest.raises(TimeIsUp):
        perform(job, other._replace(until=3.0))
    assert len((other.run(job) / "history.csv").read_text().splitlines()) == 1 + 3
    assert same_part(perform(job, other)) == same_part(whole)
    assert without_times(digests(other.run(job))) == kept


def without_times(files):
    return {name: digest for name, digest in files.items() if name != ".made_from.json"}


@pytest.mark.parametrize("job", [small_train(), Solve("alkanes", "uniform", "branch", None, None)])
def test_what_was_made_from_other_graphs_is_not_gone_on_with(place, tmp_path, job):
    perform(job, place)
    other = place_in(tmp_path / "other", max_nodes=6)
    perform(Prepare("alkanes"), other)
    fresh = same_part(perform(job, other))
    shutil.rmtree(place.dataset("alkanes"))
    shutil.copytree(other.dataset("alkanes"), place.dataset("alkanes"))
    assert same_part(perform(job, place)) == fresh


def test_times_of_another_version_are_not_taken_over(place, monkeypatch):
    job = Solve("alkanes", "uniform", "branch", None, 5)
    perform(job, place)
    path = place.run(job) / ANSWERS
    [line] = read_lines(path)
    path.write_text(json.dumps({"answers": [[*answer[:4], 9.0] for answer in line["answers"]]}) + "\n")
    assert perform(job, place)["mean_seconds"] == 9.0
    monkeypatch.setattr("graphedx.experiments.work.solve.results_version", lambda _: 99)
    assert perform(job, place)["mean_seconds"] < 9.0


def test_a_training_of_another_version_begins_anew(place, monkeypatch):
    whole = perform(small_train(), place)
    history = place.run(small_train()) / "history.csv"
    lines = history.read_text().splitlines()
    perform(small_train(), place._replace(epochs=2))
    assert history.read_text().splitlines() == lines  # it has more already
    monkeypatch.setattr("graphedx.experiments.work.train.results_version", lambda _: 99)
    perform(small_train(), place._replace(epochs=2))
    assert history.read_text().splitlines() == lines[:3]
    assert same_part(perform(small_train(), place)) == same_part(whole)


def test_runs_from_before_versions_were_noted_go_on(place):
    perform(small_train(), place)
    note = place.run(small_train()) / ".made_from.json"
    noted = json.loads(note.read_text())
    note.write_text(json.dumps({name: noted[name] for name in noted if name not in ("version", "training")}))
    (place.run(small_train()) / "kept").touch()
    perform(small_train(), place)
    assert (place.run(small_train()) / "kept").exists()


def test_an_equal_budget_trains_its_declared_epochs(place):
    job = small_train().under("equal-budget")
    found = perform(job, place._replace(epochs=2))
    declared = protocols.get("equal-budget")
    assert (found["epochs"], found["stopped_early"], found["training"]) == (30, False, declared.training)
    assert place.run(job) != place.run(small_train())


def test_both_bounds_of_a_method_are_reported(place, alkanes):
    found = perform(Solve("alkanes", "uniform", "branch", 0.1, None), place)
    pairs = [
        (alkanes.split("test")[a], alkanes.split("test")[b])
        for a, b in alkanes.pairs("test") - alkanes.span("test").start
    ]
    truth = alkanes.labels("test", gx.EditCosts.parse("uniform")).distances
    lower = [gx.ged(a.unlabelled(), b.unlabelled(), method="branch").lower for a, b in pairs]
    assert found["lower_mse"] == pytest.approx(np.mean((lower - truth) ** 2))
    assert "lower_mse" not in perform(Solve("alkanes", "uniform", "bipartite", 0.1, 5), place)
    assert "lower_mse" not in perform(Solve("alkanes", "uniform", "bracket", None, 5), place)


def test_properties_of_a_model_are_measured(place, alkanes):
    perform(small_train(), place)
    found = perform(Properties(small_train(), pairs=40), place)
    model = gx.load_model(place.run(small_train()))
    graphs = [graph.unlabelled() for graph in alkanes.split("test")]
    a, b = graphs[0], graphs[1]
    assert found["estimate_gap"] >= 0 and 0 < found["plan_gap"] <= 1
    assert abs(float(model.predict([(a, b)])[0] - model.predict([(b, a)])[0])) <= found["estimate_gap"] + 1e-5
    assert found["index_gap"] < 1e-4
    assert 0 <= found["stochastic_bound_excess"] < 1e-5 < found["bound_excess"]
    perform(Train("alkanes", "uniform", "greed"), place._replace(epochs=1))
    with pytest.raises(GraphEdXError, match="of GraphEdX only"):
        perform(Properties(Train("alkanes", "uniform", "greed")), place)


def test_an_error_that_is_no_number_is_a_failure(place, monkeypatch):
    request = {"job": Statistics("alkanes").to_json(), "place": place.to_json()}
    assert "outcome" in answered(request)
    monkeypatch.setattr("graphedx.experiments.work.perform", lambda *_: {"mse": float("nan")})
    assert answered(request)["error"] == "its error is no finite number"


def test_a_substitute_has_no_more_graphs_than_the_paper_has(tmp_path):
    file = tmp_path / "raw" / RAW["code2"]
    file.parent.mkdir(parents=True)
    trees = [tree for nodes in (9, 10) for tree in nx.nonisomorphic_trees(nodes)]
    lines = [{"n": len(tree), "edges": list(tree.edges), "labels": ["Name"] * len(tree)} for tree in trees]
    with gzip.open(file, "wt") as out:
        out.writelines(json.dumps(line) + "\n" for line in lines)
    place = place_in(tmp_path / "runs")._replace(data=tmp_path / "raw")
    perform(Prepare("code2"), place)
    assert len(trees) > 128
    assert len(datasets.load(place.dataset("code2")).graphs) == 128


def test_models_are_told_costs_and_labels_as_training_does(place):
    greed = Train("alkanes", "non-uniform", "greed")
    perform(greed, place._replace(epochs=1))
    assert gx.load_model(place.run(greed)).model.config.cost_features
    labelled = Train("alkanes", "labelled", "graphedx", SMALL)
    for need in labelled.needs:
        perform(need, place)
    perform(labelled, place._replace(epochs=1))
    assert gx.load_model(place.run(labelled)).model.config.max_nodes == 7


def test_a_transfer_to_itself_is_the_test(place):
    trained = perform(small_train(), place)
    found = perform(Transfer(small_train(), "alkanes"), place)
    assert {name: found[name] for name in ("mse", "kendall_tau", "validation")} == {
        name: trained[name] for name in ("mse", "kendall_tau", "validation")
    }


def test_other_costs(place):
    perform(small_train(), place)
    found = perform(CostTransfer(small_train(), draws=4), place)
    assert found["draws"] == 4
    assert found["mse"] > 0
    assert found["mse_stderr"] > 0
    assert found["relative_mse"] > 0


@pytest.mark.parametrize("variant", ["standard", "reg"])
def test_an_example_is_what_the_model_says_of_a_pair(place, alkanes, variant):
    trained = Train("alkanes", "non-uniform", "graphedx", settings(**dict(SMALL), variant=variant))
    perform(trained, place._replace(epochs=1))
    found = perform(Example(trained, pairs=30), place)
    shown, costs = found["picture"], gx.EditCosts.parse("non-uniform")
    table, model = alkanes.labels("test", costs), gx.load_model(place.run(trained))
    result = table.result(shown["pair"])
    source, target = (gx.Graph(shown[name]["nodes"], shown[name]["edges"]) for name in ("source", "target"))
    aligned = model.align(source, target)
    assert shown["distance"] == result.distance == gx.ged(source, target, costs=costs).distance
    assert shown["cost"] == induced_cost(NodeMapping(source, target, shown["images"]), costs) >= shown["distance"]
    assert shown["best_images"] == list(result.images)
    assert shown["guess"] == pytest.approx(model.predict([(source, target)])[0], abs=1e-3)
    np.testing.assert_allclose(shown["nodes"], np.clip(aligned.soft, 0, 1), atol=1e-3)
    sizes = (source.num_edges + 1, target.num_edges + 1)
    assert np.shape(shown["edges"]) == np.shape(shown["free_edges"]) == sizes
    u, v = source.edge_index[0]
    a, b = target.edge_index[0]
    joint = aligned.soft[u, a] * aligned.soft[v, b] + aligned.soft[u, b] * aligned.soft[v, a]
    assert shown["edges"][0][0] == pytest.approx(min(joint, 1.0), abs=1e-3)
    # Whatever S is, it cannot ask for fewer edits than the numbers of nodes and edges do.
    assert shown["free_cost"] >= shown["least_cost"] <= shown["distance"]
    assert shown["torn"] <= shown["kept"] <= min(sizes) - 1
    assert found["gap"] >= 0 >= found["least_gap"]
    assert 0 <= found["share_torn"] <= 1


def test_examples_are_of_graphedx(place):
    perform(Train("alkanes", "uniform", "greed"), place._replace(epochs=1))
    with pytest.raises(GraphEdXError, match="shown of GraphEdX only"):
        perform(Example(Train("alkanes", "uniform", "greed")), place)


def test_what_is_shipped_is_asked_under_the_same_costs(place):
    found = perform(AnyCosts("alkanes", "bracket", draws=1), place)
    [costs] = drawn(1, 0)
    text = ",".join(f"{price:.2f}" for price in (costs.node_del, costs.node_ins, costs.edge_del, costs.edge_ins))
    assert found["mse"] == pytest.approx(perform(Solve("alkanes", text, "bracket", None, None), place)["mse"], rel=1e-4)


def test_models_are_timed_beside_each_other(place, alkanes, monkeypatch):
    monkeypatch.setattr("graphedx.experiments.work.timing.IN_THE_BOX", ("greed", "graphedx"))
    found = perform(Timing("alkanes"), place)
    assert found["pairs"] == alkanes.pair_count("test")
    assert found["graphedx_step_seconds"] > found["greed_step_seconds"] > 0
    assert found["graphedx_seconds"] > found["graphedx_encoded_seconds"] > 0


def test_methods_are_asked_pair_by_pair_and_go_on(place, alkanes, monkeypatch):
    exact = perform(Solve("alkanes", "non-uniform", "exact", None, None), place)
    assert (exact["mse"], exact["pairs"], exact["share_proven"]) == (0, alkanes.pair_count("test"), 1)
    lower = Solve("alkanes", "uniform", "hed", 1.0, 6)
    ticks = iter(range(100))
    monkeypatch.setattr("graphedx.experiments.place.time", lambda: float(next(ticks)))
    with pytest.raises(TimeIsUp):
        perform(lower, place._replace(until=3.0))
    found = perform(lower, place)
    assert found["pairs"] == 6
    assert found["mse"] >= 0
    kept = (place.run(lower) / "answers.jsonl").read_text().splitlines()
    assert len(kept) == 2  # before and after


@pytest.mark.parametrize("method", ["neural", "bracket"])
def test_guesses_have_a_place_beside_methods(place, method):
    found = perform(Solve("alkanes", "uniform", method, None, 6), place)
    assert 0 <= found["mse"] < 1
    assert found["mean_seconds"] > 0


def test_samples_are_the_same_for_all():
    assert sampled(1000, 5, 0) == sampled(1000, 5, 0) != sampled(1000, 5, 1)
    assert sampled(4, 9, 0) == sampled(4, None, 0) == [0, 1, 2, 3]


def test_statistics(place, alkanes):
    found = perform(Statistics("alkanes"), place)
    assert (found["graphs"], found["test_pairs"]) == (len(alkanes), alkanes.pair_count("test"))
    assert found["avg_ged_non_uniform"] > found["avg_ged_uniform"] > 0


@pytest.mark.parametrize(
    ("job", "says"),
    [
        (Prepare("aids"), "no data: aids needs AIDS/AIDS_TU.tar.gz below the folder that --data names"),
        (Prepare("nowhere"), "no dataset 'nowhere'"),
        (Train("alkanes", "uniform", "oracle"), "no model 'oracle'"),
        (Transfer(small_train(5), "alkanes"), "no such file"),
        (Solve("alkanes", "uniform", "oracle"), "oracle"),
    ],
    ids=lambda value: getattr(value, "key", ""),
)
def test_what_cannot_be_done_is_one_error(place, job, says):
    with pytest.raises(GraphEdXError, match=says):
        perform(job, place)
