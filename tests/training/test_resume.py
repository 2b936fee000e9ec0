"""A run that was killed at any moment goes on to the same files, bit for bit."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch

from graphedx.errors import ModelError, OutputError
from graphedx.models.saving import load_model, save_tensors
from graphedx.training import PairData, fit
from graphedx.training.data import predict
from training import samples
from training.samples import COSTS, digests, tiny_bracket, tiny_config, tiny_data, tiny_model

SCRIPT = Path(__file__).with_name("killed.py")
FILES = {"run.json", "best.safetensors", "last.safetensors", "history.csv"}


def trained(folder, *, model=None, about=None, **changes):
    return fit(
        model or tiny_model(), tiny_data(), tiny_data(4, 5), COSTS, tiny_config(**changes), folder=folder, about=about
    )


@pytest.fixture
def whole(tmp_path):
    trained(tmp_path / "whole")
    return digests(tmp_path / "whole")


@pytest.mark.parametrize(("kind", "runs"), [("plain", 12), ("noise", 4), ("batch_norm", 6), ("one_cycle", 7)])
def test_a_kill_at_any_file_changes_nothing(tmp_path, kind, runs):
    """An epoch writes best (if it is), last and history."""
    samples.trained(kind, tmp_path / "whole")
    whole = digests(tmp_path / "whole")
    command = [sys.executable, SCRIPT, tmp_path, str(runs), kind]
    done = subprocess.run(command, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    for folder in (tmp_path / str(writes) for writes in range(1, runs + 1)):
        assert digests(folder) != whole
        samples.trained(kind, folder)
        assert digests(folder) == whole
    assert whole.keys() == FILES


def test_between_best_and_last_the_last_counts(tmp_path):
    """The best weights of an epoch that is not in ``last`` are those of a run that did not get there."""
    run, short = tmp_path / "run", tmp_path / "short"
    trained(short, max_epochs=1)
    trained(run, max_epochs=1)
    trained(tmp_path / "long", max_epochs=2)
    (run / "best.safetensors").write_bytes((tmp_path / "long" / "best.safetensors").read_bytes())
    trained(run, max_epochs=1)
    assert digests(run) == digests(short)


def test_more_epochs_go_on_where_a_finished_run_ended(tmp_path, whole):
    run = tmp_path / "run"
    first = trained(run, max_epochs=2)
    assert first.epochs == 2
    seen = []
    fit(tiny_model(), tiny_data(), tiny_data(4, 5), COSTS, tiny_config(), folder=run, report=seen.append)
    assert [epoch.epoch for epoch in seen] == [3, 4, 5, 6]
    assert digests(run) == whole


def test_a_cycle_has_its_length_and_no_other(tmp_path):
    run = tmp_path / "run"
    trained(run, max_epochs=3, one_cycle=True)
    before = digests(run)
    assert trained(run, max_epochs=3, one_cycle=True).epochs == 3
    with pytest.raises(ModelError, match=r"training\.max_epochs is 3 there and 6 here"):
        trained(run, max_epochs=6, one_cycle=True)
    with pytest.raises(ModelError, match=r"training\.max_epochs is 3 there and not set here"):
        trained(run, max_epochs=3)
    assert digests(run) == before


def test_a_model_whose_weights_were_not_all_needed_goes_on(tmp_path):
    """Without costs of relabelling edges nothing is learned about them; Adam knows of those weights all the same."""
    for epochs in (1, 2):
        data = samples.bracket_data(3)
        plain = PairData(data.graphs, data.ends, data.distances)
        done = fit(tiny_bracket(), plain, plain, COSTS, tiny_config(max_epochs=epochs), folder=tmp_path / "run")
        assert done.epochs == epochs


def test_a_finished_run_gives_its_best_weights_again(tmp_path):
    first, again = trained(tmp_path / "run"), trained(tmp_path / "run", model=tiny_model(seed=9))
    assert again[1:] == first[1:]
    for name, tensor in first.model.state_dict().items():
        assert torch.equal(again.model.state_dict()[name], tensor)


def test_the_best_weights_come_with_their_statistics(tmp_path):
    """Running means and the count of batches are those of the best epoch, not of the last."""
    data, validation = tiny_data(), tiny_data(4, 5)
    config = tiny_config(learning_rate=0.3, max_epochs=8)  # so fast that the last epoch is not the best
    done = fit(samples.tiny_egsc(), data, validation, COSTS, config, folder=tmp_path)
    assert done.best_epoch < done.epochs
    batches = -(-len(data) // config.batch)
    counts = [value for name, value in done.model.state_dict().items() if name.endswith("num_batches_tracked")]
    assert [int(count) for count in counts] == [done.best_epoch * batches] * 2
    off = predict(load_model(tmp_path).model, validation, COSTS) - validation.distances
    assert float((off**2).mean()) == pytest.approx(done.validation, rel=1e-6)


def test_history_has_a_line_an_epoch(tmp_path):
    done = trained(tmp_path / "run")
    head, *lines = (tmp_path / "run" / "history.csv").read_text().splitlines()
    assert head == "epoch,training,validation"
    rows = [[float(value) for value in line.split(",")] for line in lines]
    assert [row[0] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert rows[done.best_epoch - 1][2] == done.validation == min(row[2] for row in rows)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"seed": 1}, r"training\.seed is 0 there and 1 here"),
        ({"batch": 9}, r"training\.batch"),
        ({"model": "other settings"}, r"settings\.node_weight is 1\.0 there and 0\.5 here"),
        ({"model": "noise"}, r"settings\.noise is not set there and 0\.5 here"),
        ({"about": {"dataset": "b"}}, 'dataset is "a" there and "b" here'),
    ],
    ids=["seed", "batch", "settings", "noise", "data"],
)
def test_the_folder_of_another_run_is_refused(tmp_path, changes, says):
    run = tmp_path / "run"
    trained(run, about={"dataset": "a"})
    before = digests(run)
    if "model" in changes:
        changes = {"model": tiny_model(**{"noise" if changes["model"] == "noise" else "node_weight": 0.5})}
    with pytest.raises(ModelError, match=says):
        trained(run, **{"about": {"dataset": "a"}, **changes})
    assert digests(run) == before


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(ModelError, match=r"not empty and holds no run .*thesis\.txt"):
        trained(tmp_path)
    with pytest.raises(OutputError, match=r"thesis\.txt: cannot be used as a folder"):
        trained(tmp_path / "thesis.txt")


def test_a_second_run_into_the_same_folder_is_refused(tmp_path, whole):
    def second(_):
        before = digests(tmp_path / "run")
        with pytest.raises(OutputError, match="run: another run is training into this folder; wait for it"):
            trained(tmp_path / "run", model=tiny_model())
        assert digests(tmp_path / "run") == before

    fit(tiny_model(), tiny_data(), tiny_data(4, 5), COSTS, tiny_config(), folder=tmp_path / "run", report=second)
    assert digests(tmp_path / "run") == whole


def test_a_run_that_failed_leaves_its_folder_free(tmp_path, whole):
    def fails(_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fit(tiny_model(), tiny_data(), tiny_data(4, 5), COSTS, tiny_config(), folder=tmp_path / "run", report=fails)
    trained(tmp_path / "run")
    assert digests(tmp_path / "run") == whole


@pytest.mark.parametrize("cut", [0.0, 0.1, 0.9])
def test_a_damaged_checkpoint_is_refused(tmp_path, cut):
    trained(tmp_path, max_epochs=1)
    path = tmp_path / "last.safetensors"
    content = path.read_bytes()
    path.write_bytes(content[: int(cut * len(content))] or b"garbage")
    with pytest.raises(ModelError, match=r"last\.safetensors: is damaged"):
        trained(tmp_path)


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    trained(tmp_path / "a", max_epochs=1)
    trained(tmp_path / "b", max_epochs=1, seed=5)
    (tmp_path / "a" / "last.safetensors").write_bytes((tmp_path / "b" / "last.safetensors").read_bytes())
    with pytest.raises(ModelError, match="of another run"):
        trained(tmp_path / "a")


@pytest.mark.parametrize("lost", ["history", "adam/alignment.0.weight/step", "model/alignment.0.bias", "best/"])
def test_a_checkpoint_that_lacks_something_is_refused(tmp_path, lost):
    from graphedx.models.saving import load_tensors

    trained(tmp_path, max_epochs=1)
    path = tmp_path / "last.safetensors"
    tensors, about = load_tensors(path)
    kept = {name: tensor for name, tensor in tensors.items() if not name.startswith(lost)}
    assert len(kept) < len(tensors)
    save_tensors(path, kept, about)
    with pytest.raises(ModelError, match=r"last\.safetensors"):
        trained(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 99}', "\x00", "[" * 100_000])
def test_a_damaged_description_is_refused(tmp_path, text):
    trained(tmp_path, max_epochs=1)
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(ModelError, match=r"run\.json: (is|was)"):
        trained(tmp_path)


def test_the_same_tensors_give_the_same_bytes(tmp_path):
    """safetensors writes notes in an order that changes from call to call, if there are several."""
    contents = set()
    for _ in range(8):
        save_tensors(tmp_path / "x", {"a": torch.zeros(2)}, {"x": 1, "y": 2, "z": 3})
        contents.add((tmp_path / "x").read_bytes())
    assert len(contents) == 1
