"""Training: one loop for every model, with early stopping, checkpoints that survive a kill, and the same result again."""

from graphedx.training.config import TrainConfig
from graphedx.training.data import PairData
from graphedx.training.loop import Trained, fit

__all__ = ["PairData", "TrainConfig", "Trained", "fit"]
