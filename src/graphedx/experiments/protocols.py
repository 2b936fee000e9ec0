"""Training protocols: how the trainings of a table are run, and when one of them is final.

The numbers of each protocol are declared here and nowhere else. A training belongs to one protocol, and a table shows
trainings of one protocol only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from graphedx.errors import ExperimentError

Settings = dict[str, bool | int | float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Protocol:
    """How models are trained: until an early stop, or for a declared number of epochs.

    ``node_weight`` is GraphEdX's λ if the protocol declares one. None means that every declared λ is trained, and that
    the validation error chooses.
    """

    name: str
    title: str
    about: str
    learning_rate: float
    weight_decay: float = 5e-4
    batch: int = 256
    patience: int | None = None  # epochs without a gain on the validation MSE; None: no early stop
    epochs: int | None = None  # None: until the early stop
    one_cycle: bool = False
    node_weight: float | None = None

    def __post_init__(self) -> None:
        if self.patience is None and self.epochs is None:
            raise ExperimentError(f"protocol {self.name!r} never ends; declare patience or epochs")

    @property
    def training(self) -> Settings:
        """The settings that the numbers depend on; a row keeps them, and is stale if they change."""
        return {
            "learning_rate": self.learning_rate,
            "weight_decay": self.weight_decay,
            "batch": self.batch,
            "patience": self.patience,
            "epochs": self.epochs,
            "one_cycle": self.one_cycle,
        }

    def epoch_limit(self, cut: int | None) -> int | None:
        """Return the declared number of epochs; without one, where the caller cuts trainings short."""
        return cut if self.epochs is None else self.epochs

    def is_final(self, epochs: int | None, best_epoch: int | None, stopped_early: bool = False) -> bool:
        """Return whether a training has reached its early stop or the full declared number of epochs.

        ``stopped_early`` stands for the best epoch in rows that have none.
        """
        if epochs is None:
            return False
        if self.epochs is not None and epochs >= self.epochs:
            return True
        if self.patience is None:
            return False
        return stopped_early if best_epoch is None else epochs - best_epoch >= self.patience


PUBLISHED = "published"
EQUAL_BUDGET = "equal-budget"

_ALL = (
    Protocol(
        name=PUBLISHED,
        title="published protocol",
        about=(
            "Adam with rate 0.001 until 101 epochs in a row have not improved the validation error; GraphEdX with both "
            "λ = 0.1 and λ = 1, of which validation chooses one."
        ),
        learning_rate=1e-3,
        patience=101,
    ),
    Protocol(
        name=EQUAL_BUDGET,
        title="equal budget",
        about=(
            "Every model, variant and ablation has the same number of epochs (30), one cycle of the learning rate with "
            "its peak at 0.005, and one λ = 1."
        ),
        learning_rate=5e-3,
        epochs=30,
        one_cycle=True,
        node_weight=1,
    ),
)

PROTOCOLS: Mapping[str, Protocol] = MappingProxyType({protocol.name: protocol for protocol in _ALL})


def get(name: str) -> Protocol:
    """Return the protocol of this name.

    Raises:
        ExperimentError: there is no such protocol.
    """
    if name not in PROTOCOLS:
        raise ExperimentError(f"there is no protocol {name!r}; there are {' and '.join(PROTOCOLS)}")
    return PROTOCOLS[name]
