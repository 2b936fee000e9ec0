"""Experiments: the paper's tables and figures as data, the jobs that they take, and the rows that those leave.

An experiment asks for jobs; jobs that several ask for are done once. What a job leaves is a row in ``rows.jsonl``, from
which tables are made. ``run`` goes on wherever it was stopped or killed.

>>> from graphedx import experiments
>>> experiments.run(experiments.experiments()["combinations"].jobs, "experiments", budget=3600)   # doctest: +SKIP
"""

from graphedx.experiments.declared import chosen, experiments, jobs_of, under
from graphedx.experiments.job import (
    AnyCosts,
    CostTransfer,
    Example,
    Job,
    Prepare,
    Properties,
    Solve,
    Statistics,
    Timing,
    Train,
    Transfer,
    settings,
)
from graphedx.experiments.report import write_report
from graphedx.experiments.runner import Progress, Running, Summary, run
from graphedx.experiments.selection import Selection
from graphedx.experiments.status import Status, Tally, status
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
    "Properties",
    "Reported",
    "Row",
    "Rows",
    "Running",
    "Selection",
    "Solve",
    "Statistics",
    "Status",
    "Summary",
    "Tally",
    "Timing",
    "Train",
    "Transfer",
    "chosen",
    "experiments",
    "jobs_of",
    "measured",
    "run",
    "settings",
    "status",
    "under",
    "write_report",
]
