"""Training: one loop for every model, with early stopping and checkpoints; a killed run goes on to the same weights."""

from graphedx.training.config import TrainConfig
from graphedx.training.data import PairData
from graphedx.training.loop import Epoch, Trained, fit
from graphedx.training.session import train

__all__ = ["Epoch", "PairData", "TrainConfig", "Trained", "fit", "train"]
