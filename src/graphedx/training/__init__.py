"""Training: one loop for every model, with early stopping and checkpoints; a killed run goes on to the same weights."""

from graphedx.training.config import TrainConfig
from graphedx.training.data import PairData
from graphedx.training.loop import Trained, fit

__all__ = ["PairData", "TrainConfig", "Trained", "fit"]
