"""Jobs on a Ray of this machine leave the same rows as elsewhere."""

import pytest

from experiments.samples import EPOCHS, place_in, same_part, small_train, undisturbed
from graphedx.experiments import Rows, run

pytest.importorskip("ray")


def test_a_cluster_does_the_same(tmp_path):
    place_in(tmp_path / "ray")
    news = []
    done = run({small_train(): 1.0}, tmp_path / "ray", epochs=EPOCHS, workers=1, engine="ray", report=news.append)
    assert (done.done, done.ran, done.left) == (1, 1, 0)
    wanted = undisturbed(tmp_path / "here", {small_train(): 1.0})
    assert {row.key: same_part(row.outcome) for row in Rows(tmp_path / "ray")} == wanted
    assert any(job.key == small_train().key for one in news for job in one.running)
