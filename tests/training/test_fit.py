"""Early stopping, the best weights, and the same bits from the same seed."""

import math

import pytest
import torch

from graphedx.errors import ModelError
from graphedx.models.base import ModelConfig, PairModel
from graphedx.training import PairData, TrainConfig, fit
from graphedx.training.data import pair_data, predict
from training.samples import COSTS, digests, tiny_config, tiny_data, tiny_graphs, tiny_model


def weights(model: torch.nn.Module) -> list[bytes]:
    return [tensor.numpy().tobytes() for tensor in model.state_dict().values()]


class Scripted(PairModel):
    """Guesses such that the validation errors are those of a list, an epoch each, whatever is learned."""

    name = "scripted"

    def __init__(self, errors: list[float]) -> None:
        super().__init__()
        self.config = ModelConfig()
        self.errors, self.epochs = errors, 0
        self.weight = torch.nn.Parameter(torch.zeros(()))

    def encode(self, graphs, costs=None):
        return None

    def compare(self, graphs, encoded, pairs, costs):
        if self.training:
            return self.weight - torch.ones(len(pairs))  # always pulled upwards
        error = self.errors[self.epochs]
        self.epochs += 1
        return torch.full((len(pairs),), math.sqrt(error))


def zero_distances() -> PairData:
    return pair_data(tiny_graphs(1, 0), [(0, 0)], [0.0])


def scripted(errors: list[float], **changes):
    seen = []
    model = Scripted([*errors, *[99.0] * 20])
    done = fit(
        model,
        zero_distances(),
        zero_distances(),
        COSTS,
        tiny_config(max_epochs=20, **changes),
        report=lambda epoch: seen.append((epoch.epoch, float(model.weight.detach()))),
    )
    return done, dict(seen), model


def test_patience_counts_epochs_without_strict_gain():
    done, _, _ = scripted([4.0, 1.0, 1.0, 1.0, 1.0, 0.25], patience=3)
    assert (done.epochs, done.best_epoch) == (5, 2)  # equal is no gain, so epoch 5 is the last that is tried
    assert done.validation == pytest.approx(1.0)


def test_a_gain_within_the_patience_starts_it_anew():
    done, _, _ = scripted([4.0, 1.0, 2.0, 0.25], patience=2)
    assert (done.epochs, done.best_epoch) == (6, 4)


def test_the_best_weights_are_those_of_the_end():
    done, seen, model = scripted([4.0, 1.0, 2.0, 2.0], patience=2)
    assert float(model.weight.detach()) == seen[done.best_epoch] != seen[done.epochs]


def test_it_learns():
    train, validation = tiny_data(8, seed=1), tiny_data(5, seed=2)
    seen = []
    done = fit(tiny_model(), train, validation, COSTS, tiny_config(max_epochs=15), report=seen.append)
    assert seen[-1].loss < seen[0].loss / 2
    off = predict(done.model, validation, COSTS) - validation.distances
    assert float((off.double() ** 2).mean()) == pytest.approx(done.validation, rel=1e-12)
    assert done.validation == min(epoch.validation for epoch in seen)


def test_the_same_seed_gives_the_same_bits_and_another_does_not():
    def once(seed: int) -> list[bytes]:
        torch.rand(3)  # what others draw must not matter
        model = tiny_model()
        state = torch.get_rng_state()
        fit(model, tiny_data(), tiny_data(4, 5), COSTS, tiny_config(max_epochs=3, seed=seed))
        assert torch.equal(state, torch.get_rng_state())  # nor do we disturb them
        return weights(model)

    assert once(0) == once(0) != once(1)


def test_threads_change_no_more_than_rounding():
    def errors(threads: int) -> list[tuple[float, ...]]:
        before, seen = torch.get_num_threads(), []
        torch.set_num_threads(threads)
        try:
            fit(tiny_model(), tiny_data(), tiny_data(4, 5), COSTS, tiny_config(max_epochs=2), report=seen.append)
        finally:
            torch.set_num_threads(before)
        return [epoch[1:3] for epoch in seen]

    for one, two in zip(errors(1), errors(2), strict=True):
        assert one == pytest.approx(two, rel=1e-3)


@pytest.mark.parametrize("empty", ["training", "validation"])
def test_an_empty_split_is_refused(empty):
    nothing = pair_data(tiny_graphs(1, 0), [], [])
    data = {"training": tiny_data(), "validation": tiny_data()} | {empty: nothing}
    with pytest.raises(ModelError, match=f"no pairs for {empty}"):
        fit(tiny_model(), *data.values(), COSTS, tiny_config())


def test_a_loss_that_is_no_number_ends_the_run_and_keeps_what_was_good(tmp_path):
    run, model = tmp_path / "run", tiny_model()
    fit(model, tiny_data(), tiny_data(), COSTS, tiny_config(max_epochs=1), folder=run)
    before = digests(run)
    nothing = torch.full((len(tiny_data()),), math.nan), torch.zeros(())
    model.distances_and_penalty = lambda graphs, pairs, *_: (nothing[0][: len(pairs)], nothing[1])
    with pytest.raises(ModelError, match="loss of epoch 2 is nan; a lower learning_rate"):
        fit(model, tiny_data(), tiny_data(), COSTS, tiny_config(), folder=run)
    assert digests(run) == before


def test_a_validation_that_is_no_number_ends_the_run():
    with pytest.raises(ModelError, match="validation error of epoch 2 is inf"):
        scripted([1.0, math.inf])


def test_distances_must_be_numbers():
    with pytest.raises(ModelError, match="finite"):
        pair_data(tiny_graphs(1, 0), [(0, 0)], [math.nan])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[(name, value) for name in ("batch", "patience", "max_epochs", "blocks") for value in (0, -1, 2.5, True)],
        *[("learning_rate", value) for value in (0.0, -1.0, math.nan, math.inf, "fast")],
        *[("weight_decay", value) for value in (-1.0, math.nan)],
        *[("one_cycle", value) for value in (1, "no")],
        *[("seed", value) for value in (-1, 2**31, 0.5)],
    ],
)
def test_settings_that_make_no_sense_are_refused(name, value):
    with pytest.raises(ModelError, match=name):
        TrainConfig(**{name: value})
