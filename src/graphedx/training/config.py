"""TrainConfig: how a model is trained; the defaults are the paper's."""

from __future__ import annotations

import math
from dataclasses import dataclass

from graphedx.errors import ModelError


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainConfig:
    """Adam on the mean squared error; it ends when ``patience`` epochs in a row have not improved the validation."""

    learning_rate: float = 1e-3
    weight_decay: float = 5e-4  # added to the gradient, as Adam with L2 has it
    batch: int = 256
    patience: int = 101
    max_epochs: int = 100_000
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("batch", "patience", "max_epochs"):
            if type(getattr(self, name)) is not int or getattr(self, name) < 1:
                raise ModelError(f"{name} must be a whole number >= 1, got {getattr(self, name)!r}")
        if type(self.seed) is not int or not 0 <= self.seed < 2**31:
            raise ModelError(f"seed must be a whole number from 0 to 2^31 - 1, got {self.seed!r}")
        if not (math.isfinite(self.learning_rate) and self.learning_rate > 0):
            raise ModelError(f"learning_rate must be a number > 0, got {self.learning_rate!r}")
        if not (math.isfinite(self.weight_decay) and self.weight_decay >= 0):
            raise ModelError(f"weight_decay must be a number >= 0, got {self.weight_decay!r}")
