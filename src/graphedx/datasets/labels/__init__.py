"""Exact labels of a dataset's pairs: made by an engine, kept as Parquet with certificates, read as arrays, verified."""

from graphedx.datasets.labels.regime import PAPER, Regime, costs_text, has_edge_labels, has_node_labels
from graphedx.datasets.labels.run import Labelled, label
from graphedx.datasets.labels.table import LabelTable, labels
from graphedx.datasets.labels.verify import Checked, verify

__all__ = [
    "PAPER",
    "Checked",
    "LabelTable",
    "Labelled",
    "Regime",
    "costs_text",
    "has_edge_labels",
    "has_node_labels",
    "label",
    "labels",
    "verify",
]
