"""Models come back from disk as they were; whatever is wrong with the files is one clear error."""

import json

import networkx as nx
import numpy as np
import pytest
import torch

import graphedx as gx
from graphedx.errors import CostError, GraphError, ModelError
from graphedx.models.base import make
from graphedx.models.saving import load_tensors, save_tensors
from graphedx.training import fit
from graphedx.training.data import predict
from training.samples import COSTS, tiny_config, tiny_data, tiny_graphs, tiny_model

UNIFORM = gx.EditCosts(1, 1, 1, 1, 0, 0)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "run"
    done = fit(tiny_model(), tiny_data(), tiny_data(4, 5), COSTS, tiny_config(max_epochs=2), folder=folder)
    return folder, done.model


@pytest.fixture
def run(trained, tmp_path):
    """A copy to spoil."""
    for path in trained[0].iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


def describe(run, **changes):
    path = run / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def adopt(run):
    """Make the weights say that they belong to the description beside them."""
    from graphedx.models.saving import fingerprint, read_description

    tensors, about = load_tensors(run / "best.safetensors")
    save_tensors(run / "best.safetensors", tensors, about | {"run": fingerprint(read_description(run / "run.json"))})


def test_a_loaded_model_guesses_what_the_trained_one_did(trained):
    folder, model = trained
    graphs, data = tiny_graphs(6, 0), tiny_data()
    pairs = [(graphs[i], graphs[j]) for i, j in data.ends.tolist()]
    state = torch.get_rng_state()
    found = gx.load_model(folder).predict(pairs)
    assert torch.equal(state, torch.get_rng_state())
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, predict(model, data, COSTS).double().numpy())


def test_graphs_of_other_libraries_and_an_iterator_of_pairs(trained):
    estimator = gx.load_model(trained[0])
    ours, theirs = gx.Graph(4, [(0, 1), (1, 2), (2, 3)]), nx.path_graph(4)
    star = nx.star_graph(3)
    found = estimator.predict(pair for pair in [(ours, star), (theirs, star)])
    assert found[0] == pytest.approx(found[1], rel=1e-5)
    assert estimator.predict([]).shape == (0,)
    assert estimator.predict([(gx.Graph(0), gx.Graph(0)), (gx.Graph(0), ours)]).shape == (2,)
    assert estimator.costs == UNIFORM


def test_what_the_model_cannot_do_is_said(trained):
    estimator, one = gx.load_model(trained[0]), gx.Graph(1)
    with pytest.raises(ModelError, match=r"trained for EditCosts\(1,1,1,1,0,0\) and cannot guess for .*3,1,2,1"):
        estimator.predict([(one, one)], costs=gx.EditCosts.parse("3,1,2,1"))
    with pytest.raises(CostError, match="EditCosts"):
        estimator.predict([(one, one)], costs="uniform")
    with pytest.raises(ModelError, match="at most 5 nodes, got one of 6"):
        estimator.predict([(one, gx.Graph(6))])
    with pytest.raises(ModelError, match=r"\(graph, graph\)"):
        estimator.predict([one])
    with pytest.raises(GraphError, match="directed"):
        estimator.predict([(gx.Graph(2, [(0, 1)], directed=True),) * 2])


def test_a_folder_without_a_model(tmp_path, run):
    with pytest.raises(ModelError, match=r"run\.json: no such file; `graphedx train`"):
        gx.load_model(tmp_path / "nowhere")
    (run / "best.safetensors").unlink()
    with pytest.raises(ModelError, match=r"best\.safetensors: no such file"):
        gx.load_model(run)
    (run / "best.safetensors").mkdir()
    with pytest.raises(ModelError, match=r"best\.safetensors: cannot be read"):
        gx.load_model(run)
    with pytest.raises(ModelError, match="too long"):
        gx.load_model("x" * 5_000)


def test_damaged_weights(run):
    path = run / "best.safetensors"
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(ModelError, match=r"best\.safetensors: is damaged"):
        gx.load_model(run)


def test_weights_that_are_not_finite(run):
    tensors, about = load_tensors(run / "best.safetensors")
    tensors["alignment.0.bias"][0] = float("nan")
    save_tensors(run / "best.safetensors", tensors, about)
    with pytest.raises(ModelError, match="not finite"):
        gx.load_model(run)


def test_weights_beside_the_description_of_another_run(run):
    describe(run, costs=[3, 1, 2, 1, 0, 0])
    with pytest.raises(ModelError, match=r"of another run than run\.json"):
        gx.load_model(run)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"format": 1}, "another version of graphedx"),
        ({"model": "oracle"}, "no model 'oracle'; there are"),
        ({"settings": {"widht": 3}}, "no setting 'widht'"),
        ({"settings": {"width": "wide"}}, "width must be of type int"),
        ({"settings": {"node_term": "magic"}}, "node_term must be one of"),
        ({"settings": {"max_nodes": 10**9}}, r"run\.json: is damaged: max_nodes must be between"),
        ({"settings": {"max_nodes": 10**5}}, r"run\.json: is damaged: with these settings graphedx has 10,001,"),
        ({"settings": {"max_nodes": 10**3}}, "of another model: alignment"),
        ({"settings": {"max_nodes": -3}}, r"run\.json: is damaged"),
        ({"settings": []}, r"run\.json: is damaged"),
        ({"settings": None}, r"run\.json: is damaged"),
        ({"costs": [1, 2, 3]}, r"run\.json: is damaged"),
        ({"costs": "cheap"}, r"run\.json: is damaged"),
        ({"costs": [-1, 1, 1, 1, 0, 0]}, "node_del"),
        ({"vocabulary": 7}, r"run\.json: is damaged"),
        ({"vocabulary": [{}]}, "labels are text"),
        ({"vocabulary": ["C", "N"]}, "2 labels are not 1 features"),
    ],
    ids=str,
)
def test_descriptions_that_describe_nothing(run, changes, says):
    if "settings" in changes and isinstance(changes["settings"], dict):
        there = json.loads((run / "run.json").read_text())["settings"]
        changes = {"settings": there | changes["settings"]}
    describe(run, **changes)
    if "format" not in changes:
        adopt(run)
    with pytest.raises((ModelError, CostError), match=says):
        gx.load_model(run)


def test_labels_come_back_as_they_were(tmp_path):
    """Also those that are tuples, which JSON does not have."""
    labels = ["C", ("N", 1), None, 2]
    graphs = [gx.Graph(2, [(0, 1)], node_labels=pair) for pair in (labels[:2], labels[2:])]
    from graphedx.training.data import pair_data

    data = pair_data(graphs, [(0, 1), (1, 0)], [1.0, 2.0], labels)
    about = {"vocabulary": labels}
    fit(tiny_model(features=4), data, data, COSTS, tiny_config(max_epochs=1), folder=tmp_path / "run", about=about)
    estimator = gx.load_model(tmp_path / "run")
    assert estimator.vocabulary == tuple(labels)
    assert estimator.predict([(graphs[0], graphs[1])]).shape == (1,)
    with pytest.raises(GraphError, match="'Xe', which the model does not know"):
        estimator.predict([(graphs[0], gx.Graph(1, node_labels=["Xe"]))])


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("gmn_embed", {"features": 1}),
        ("gmn_match", {"features": 1}),
        ("graphsim", {"features": 1, "layers": 3, "channels": 4}),
        ("greed", {"features": 1, "cost_features": True}),
        ("h2mn", {"features": 1}),
        ("isonet", {"features": 1, "alignment": 25}),  # a setting that version 1 had
        ("simgnn", {"features": 1, "slices": 8, "bins": 16}),
        ("graphedx", {"features": 1, "variant": "max"}),
    ],
)
def test_weights_of_changed_models_are_refused_by_their_version(run, name, settings):
    describe(run, model=name, settings=settings)
    adopt(run)
    with pytest.raises(ModelError) as refused:
        gx.load_model(run)
    assert str(refused.value) == (
        f"{run / 'run.json'}: these weights are for version 1 of {name}, this graphedx has version 2 with other "
        "equations; train the model again"
    )


def test_a_changed_model_is_kept_with_its_version(tmp_path):
    model = make("gmn_embed", {"width": 2, "layers": 1})
    fit(model, tiny_data(), tiny_data(4, 5), COSTS, tiny_config(max_epochs=1), folder=tmp_path / "run")
    assert json.loads((tmp_path / "run" / "run.json").read_text())["model_version"] == 2
    assert gx.load_model(tmp_path / "run").name == "gmn_embed"


def test_an_unchanged_model_has_no_version_so_that_older_runs_can_go_on(trained):
    assert "model_version" not in json.loads((trained[0] / "run.json").read_text())
