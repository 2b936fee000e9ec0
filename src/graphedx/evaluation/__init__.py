"""Evaluation: how far guesses are from the truth."""

from graphedx.evaluation.labelled import evaluate
from graphedx.evaluation.metrics import Errors, errors

__all__ = ["Errors", "errors", "evaluate"]
