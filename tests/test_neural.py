"""The method "neural": a guess inside a proven interval, told apart from proofs wherever it could be taken for one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

import graphedx as gx
from graphedx import EditCosts, Graph, neural, solvers
from graphedx.errors import CostError, GraphError, MethodError, ModelError
from graphedx.solvers.registry import Guarantee
from laws.checking import at_most, close

pytest.importorskip("torch")

from graphedx.models import saving
from graphedx.models.saving import shipped_models
from models.bracket_samples import EXPANSIONS, QUICK, any_costs, estimator, odd_pairs
from models.graph_samples import random_graph

Pair = tuple[Graph, Graph]
OPEN = random_graph(10, 0.3, 0), random_graph(10, 0.3, 1)  # the narrow beam does not prove their distance
STRUCTURE = EditCosts(1, 1, 1, 1, 0, 0)
with_weights = pytest.mark.skipif(
    "bracket" not in shipped_models(), reason="this source tree has no weights of bracket"
)


@pytest.fixture(autouse=True, scope="module")
def untrained() -> Any:
    """Instead of the weights that come with the package: what is tested holds for any."""
    model = estimator(3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neural, "_shipped", lambda: model)
        yield


@QUICK
@given(pair=odd_pairs(6), costs=any_costs())
def test_the_guess_is_inside_what_the_beam_proves(pair: Pair, costs: EditCosts) -> None:
    found, beam = (gx.ged(*pair, costs=costs, method=name, **more) for name, more in (("neural", {}), ("beam", WIDTH)))
    assert isinstance(found, gx.GedEstimate)
    assert (found.method, found.model) == ("neural", "bracket")
    assert (found.lower, found.upper, found.stopped_by) == (beam.lower, beam.upper, beam.stopped_by)
    assert found.mapping == beam.mapping
    assert gx.induced_cost(found.mapping, costs) == found.upper
    assert found.lower <= found.value <= found.upper
    assert found.lower <= found.nearest <= found.upper
    if found.proven:
        assert found.value == found.nearest == found.distance


WIDTH = {"expansions": EXPANSIONS}


@QUICK
@given(pair=odd_pairs(5), costs=any_costs())
def test_the_interval_holds_the_distance(pair: Pair, costs: EditCosts) -> None:
    found, distance = gx.ged(*pair, costs=costs, method="neural"), gx.ged(*pair, costs=costs).upper
    assert at_most(found.lower, distance)
    assert at_most(distance, found.upper)


def test_it_says_what_the_model_says() -> None:
    found = gx.ged(*OPEN, costs=STRUCTURE, method="neural")
    assert isinstance(found, gx.GedEstimate)
    assert not found.proven
    [value], [nearest] = estimator(3).predict_and_snap([OPEN], costs=STRUCTURE)
    assert close(found.value, value)
    assert found.nearest == nearest
    assert (found.upper - found.nearest) % 2 == 0
    with pytest.raises(gx.NotProvenError, match="the distance lies in"):
        _ = found.distance


def test_graphs_of_other_libraries_and_limits_are_taken() -> None:
    a, b = (graph.to_networkx() for graph in OPEN)
    found = gx.ged(a, b, method="neural", time_limit=0, cutoff=0)
    assert found.upper == gx.ged(*OPEN, method="neural").upper
    [last] = gx.ged_stream(*OPEN, method="neural")
    assert last == gx.ged(*OPEN, method="neural")
    assert gx.edit_path(*OPEN, method="neural").cost == last.upper


def test_it_promises_no_more_than_an_estimate() -> None:
    assert solvers.methods()["neural"] is Guarantee.ESTIMATE
    assert gx.methods()["neural"] == "estimate"


def test_what_it_cannot_take_is_refused() -> None:
    arrow = Graph(2, [(0, 1)], directed=True)
    with pytest.raises(GraphError, match="is directed; the models take undirected graphs"):
        gx.ged(arrow, arrow, method="neural")
    with pytest.raises(CostError, match="numbers, not tables"):
        gx.ged(*OPEN, costs=EditCosts(node_sub={("C", "N"): 1.0}), method="neural")
    with pytest.raises(MethodError, match="has no option 'expansions'"):
        gx.ged(*OPEN, method="neural", expansions=5)


def test_a_matrix_holds_proofs_only() -> None:
    with pytest.raises(MethodError, match=r"'neural' guesses.*load_model\(\"bracket\"\)\.matrix"):
        gx.distance_matrix(OPEN, method="neural")


@pytest.fixture
def run(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    from typer.testing import CliRunner

    from graphedx.cli.app import app

    monkeypatch.chdir(tmp_path)
    gx.write(OPEN[0], "one.json")
    gx.write(OPEN[1], "other.json")
    return lambda *arguments: CliRunner().invoke(app, arguments)


ASKED = ("distance", "one.json", "other.json", "--costs", "uniform", "--method", "neural")


def test_the_command_line_shows_the_guess_beside_the_bounds(run: Callable[..., Any]) -> None:
    wanted = gx.ged(*OPEN, costs=STRUCTURE, method="neural")
    assert isinstance(wanted, gx.GedEstimate)
    shown = run(*ASKED)
    assert shown.exit_code == 0, shown.output
    assert f"{wanted.value:.4g} (a guess of the model bracket)" in shown.stdout
    assert f"the possible distance next to it is {wanted.nearest:g}" in shown.stdout
    assert f"between {wanted.lower:g} and {wanted.upper:g}" in shown.stdout
    found = json.loads(run(*ASKED, "--json").stdout)
    assert (found["estimate"], found["nearest"], found["model"]) == (wanted.value, wanted.nearest, "bracket")
    assert (found["lower"], found["upper"], found["proven"]) == (wanted.lower, wanted.upper, False)
    assert found["distance"] is None
    watched = run(*ASKED, "--watch", "--json")
    assert watched.exit_code == 0
    assert f'"estimate": {wanted.value}' in watched.stdout


def test_the_edits_come_with_the_guess_and_both_graphs(run: Callable[..., Any]) -> None:
    done = run("path", "one.json", "other.json", "--method", "neural")
    assert done.exit_code == 0, done.output
    assert [line.split()[0] for line in done.stdout.splitlines()[-4:]] == ["estimate", "distance", "source", "target"]


def test_the_command_line_lists_it_and_refuses_matrices(run: Callable[..., Any]) -> None:
    assert json.loads(run("methods", "--json").stdout)["neural"]["guarantee"] == "estimate"
    refused = run("matrix", "one.json", "other.json", "--method", "neural", "-o", "table.csv")
    assert refused.exit_code == 1
    assert "'neural' guesses" in refused.stderr


@with_weights
def test_the_shipped_model_is_loaded_by_its_name() -> None:
    model = gx.load_model("bracket")
    assert model.name == "bracket"
    pairs = [(random_graph(6, 0.4, 2 * k), random_graph(6, 0.4, 2 * k + 1)) for k in range(40)]
    for costs in (STRUCTURE, EditCosts(1, 1, 1, 1, 1, 1)):
        off = [
            abs(guess - gx.ged(*pair, costs=costs).distance)
            for pair, guess in zip(pairs, model.predict(pairs, costs=costs), strict=True)
        ]
        assert sum(off) / len(off) < 0.5


@with_weights
def test_a_folder_of_that_name_does_not_stand_in_for_the_shipped_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found where somebody happens to work, it must change nothing that the method says."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bracket").mkdir()
    assert gx.load_model("bracket").name == "bracket"
    (tmp_path / "bracket" / "run.json").write_text("{}")
    assert saving.shipped_model("bracket").name == "bracket"
    with pytest.raises(ModelError, match=r"run\.json: is no description"):
        gx.load_model("bracket")


@with_weights
def test_the_method_asks_the_shipped_model(tmp_path: Path) -> None:
    (tmp_path / "bracket").mkdir()
    (tmp_path / "bracket" / "run.json").write_text("{}")
    program = "import graphedx as gx; g = gx.Graph(2, [(0, 1)]); print(gx.ged(g, g, method='neural').value)"
    environment = os.environ | {"PYTHONPATH": str(Path(gx.__file__).resolve().parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.stdout == "0.0\n", done.stderr
