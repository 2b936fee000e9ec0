"""TrainConfig: how a model is trained; the defaults are the paper's."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from graphedx.errors import ModelError

_RISING, _FIRST = 0.3, 0.04  # of a cycle's time, and of its highest rate
_MOST_IN_A_CYCLE = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig:
    """Adam on the mean squared error; it ends when ``patience`` epochs in a row have not improved the validation."""

    learning_rate: float = 1e-3
    weight_decay: float = 5e-4  # added to the gradient, as Adam with L2 has it
    batch: int = 256
    patience: int = 101
    max_epochs: int = 100_000
    seed: int = 0
    blocks: int = 1  # a batch has pairs between two of so many random parts of the graphs: fewer of them to encode
    one_cycle: bool = False  # the rate rises to learning_rate and falls to 0 over max_epochs

    def rate(self, epochs: float) -> float:
        """Of learning, after so many epochs."""
        if not self.one_cycle:
            return self.learning_rate
        done = min(1.0, epochs / self.max_epochs)
        if done < _RISING:
            return self.learning_rate * (_FIRST + (1 - _FIRST) * _eased(done / _RISING))
        return self.learning_rate * (1 - _eased((done - _RISING) / (1 - _RISING)))

    def identity(self) -> dict[str, float]:
        """What must be the same for a run to go on: without a cycle it can always go on for longer."""
        values = asdict(self)
        if not self.one_cycle:
            del values["max_epochs"], values["one_cycle"]
        if self.blocks == 1:
            del values["blocks"]
        return values

    def __post_init__(self) -> None:
        for name in ("batch", "patience", "max_epochs", "blocks"):
            if type(getattr(self, name)) is not int or getattr(self, name) < 1:
                raise ModelError(f"{name} must be a whole number >= 1, got {getattr(self, name)!r}")
        if type(self.seed) is not int or not 0 <= self.seed < 2**31:
            raise ModelError(f"seed must be a whole number from 0 to 2^31 - 1, got {self.seed!r}")
        if type(self.one_cycle) is not bool:
            raise ModelError(f"one_cycle must be True or False, got {self.one_cycle!r}")
        if self.one_cycle and self.max_epochs > _MOST_IN_A_CYCLE:
            raise ModelError(f"a cycle needs an end: set max_epochs (--epochs) to at most {_MOST_IN_A_CYCLE:,}")
        for name in ("learning_rate", "weight_decay"):
            if not isinstance(getattr(self, name), int | float):
                raise ModelError(f"{name} must be a number, got {getattr(self, name)!r}")
        if not (math.isfinite(self.learning_rate) and self.learning_rate > 0):
            raise ModelError(f"learning_rate must be a number > 0, got {self.learning_rate!r}")
        if not (math.isfinite(self.weight_decay) and self.weight_decay >= 0):
            raise ModelError(f"weight_decay must be a number >= 0, got {self.weight_decay!r}")


def _eased(share: float) -> float:
    return (1 - math.cos(math.pi * share)) / 2
