"""The paper's examples: edges that are aligned as their ends are, or by themselves, and the edits that follow."""

from __future__ import annotations

from graphedx.experiments.declared.common import WORTH
from graphedx.experiments.job import Example, Train, Value, settings
from graphedx.experiments.table import Cell, Experiment

_DATASETS = ("mutagenicity", "code2", "molhiv", "aids", "linux")
_COLUMNS = {
    "share_optimal": "edits of P optimal, share of pairs",
    "gap": "edits of P, above the distance",
    "least_gap": "cheapest S without P, above the distance",
    "share_too_cheap": "cheapest S too cheap, share of pairs",
    "free_gap": "learned S without P, above the distance",
    "share_torn": "edges kept by it whose ends P parts, share",
}


def _cells(panel: str, dataset: str, worth: float, **terms: Value) -> list[Cell]:
    job = Example(Train(dataset, "uniform", "graphedx", settings(node_weight=1, **terms)))
    return [
        Cell(panel=panel, row=dataset, column=column, metric=metric, seeds=((job,),), value=worth / len(_COLUMNS))
        for metric, column in _COLUMNS.items()
    ]


_OWN = {"edge_term": "xor", "node_term": "diff_align"}
_REG = {"edge_term": "xor", "node_term": "align_diff", "variant": "reg"}

EXPERIMENTS = (
    Experiment(
        name="consistency",
        title="Node-edge consistency: S that follows from P, and S by itself",
        about="An S that need not follow from P asks for too few edits, or for some that cannot be done.",
        better="none",
        cells=(
            *(cell for dataset in _DATASETS for cell in _cells("GraphEdX", dataset, WORTH[dataset] / 10, **_OWN)),
            *_cells("REG-xor", "linux", WORTH["linux"] / 10, **_REG),
        ),
    ),
)
