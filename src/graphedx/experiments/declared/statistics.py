"""The paper's table of datasets."""

from __future__ import annotations

from graphedx.experiments.declared.common import DATASETS
from graphedx.experiments.job import Statistics
from graphedx.experiments.protocols import PUBLISHED
from graphedx.experiments.table import Cell, Experiment, Reported

_COLUMNS = {
    "graphs": "graphs",
    "train_pairs": "training pairs",
    "val_pairs": "validation pairs",
    "test_pairs": "test pairs",
    "avg_nodes": "nodes",
    "avg_edges": "edges",
    "avg_ged_uniform": "GED, uniform",
    "avg_ged_non_uniform": "GED, non-uniform",
}

EXPERIMENTS = (
    Experiment(
        name="datasets",
        title="Datasets",
        about="Seven datasets of graphs with at most 20 nodes, split 60/20/20, with exact distances of all pairs.",
        better="none",
        protocols=(PUBLISHED,),
        cells=tuple(
            Cell(
                row=dataset,
                column=column,
                metric=metric,
                seeds=((Statistics(dataset),),),
                paper=Reported("datasets", "", "", dataset, metric),
            )
            for dataset in DATASETS
            for metric, column in _COLUMNS.items()
        ),
    ),
)
