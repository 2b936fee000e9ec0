"""Experiments: the paper's tables and figures as data, the jobs that they take, and the rows that those leave.

An experiment asks for jobs; jobs that several ask for are done once. What a job leaves is a row in ``rows.jsonl``, from
which tables are made. ``run`` goes on wherever it was stopped or killed.

>>> from graphedx import experiments
>>> experiments.run(experiments.experiments()["combinations"].jobs, "experiments", budget=3600)   # doctest: +SKIP
"""

from graphedx.experiments.declared import chosen, experiments, jobs_of
from graphedx.experiments.job import (
    AnyCosts,
    CostTransfer,
    Example,
    Job,
    Prepare,
    Solve,
    Statistics,
    Timing,
    Train,
    Transfer,
    settings,
)
from graphedx.experiments.report import write_report
from graphedx.experiments.runner import Progress, Running, Summary, run
from graphedx.experiments.store import Row, Rows
from graphedx.experiments.table import Cell, Experiment, Measured, Reported, measured

__all__ = [
    "AnyCosts",
    "Cell",
    "CostTransfer",
    "Example",
    "Experiment",
    "Job",
    "Measured",
    "Prepare",
    "Progress",
    "Reported",
    "Row",
    "Rows",
    "Running",
    "Solve",
    "Statistics",
    "Summary",
    "Timing",
    "Train",
    "Transfer",
    "chosen",
    "experiments",
    "jobs_of",
    "measured",
    "run",
    "settings",
    "write_report",
]
