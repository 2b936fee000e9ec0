"""Evaluation: how far guesses are from the truth."""

from graphedx.evaluation.metrics import Errors, errors

__all__ = ["Errors", "errors"]
