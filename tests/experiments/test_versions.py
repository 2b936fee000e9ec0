"""Results versions are declared: they change when somebody changes them, and with nothing else."""

import pytest

from graphedx.experiments import CostTransfer, Example, Solve, Statistics, Timing, Train, Transfer, settings, versions
from graphedx.experiments.versions import results_version

GRAPHEDX = Train("linux", "non-uniform", "graphedx", settings(edge_term="xor"))


@pytest.mark.parametrize(
    ("job", "version"),
    [
        (GRAPHEDX, 1),
        (Train("linux", "uniform", "graphedx", settings(variant="reg")), 1),
        (Train("linux", "uniform", "graphedx", settings(variant="max")), 2),
        (Train("linux", "uniform", "graphedx", settings(variant="max_or")), 2),
        *((Train("linux", "uniform", name), 2) for name in ("gmn_embed", "gmn_match", "isonet")),
        *((Train("linux", "uniform", name), 2) for name in ("simgnn", "graphsim", "h2mn")),
        *((Train("linux", "uniform", name), 1) for name in ("greed", "eric", "egsc")),
        *((Train("linux", costs, "eric"), 2) for costs in ("non-uniform", "edge-only")),
        (Train("linux", "labelled", "eric"), 1),  # all four costs are one
        (Train("linux", "non-uniform", "eric", settings(cost_features=False)), 1),
        (Transfer(Train("linux", "uniform", "h2mn"), "aids"), 2),
        (CostTransfer(GRAPHEDX), 1),
        (Example(GRAPHEDX), 1),
        (Solve("linux", "uniform", "exact"), 1),
        (Statistics("linux"), 1),
        (Timing("linux"), 2),
    ],
    ids=lambda value: getattr(value, "key", ""),
)
def test_the_version_of_a_job(job, version):
    assert results_version(job) == version


def test_a_version_is_raised_in_one_place(monkeypatch):
    monkeypatch.setattr(versions, "MODELS", {"graphedx": 7})
    assert {results_version(job) for job in (GRAPHEDX, CostTransfer(GRAPHEDX), Example(GRAPHEDX))} == {7}
