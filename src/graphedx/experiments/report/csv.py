"""The report as CSV: one line a cell."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from graphedx.experiments.report.summary import Part

HEADS = (
    *(
        "experiment",
        "protocol",
        "panel",
        "row",
        "column",
        "metric",
        "status",
        "value",
        "error",
        "spread",
        "seeds",
        "of_seeds",
    ),
    *("partial", "cut_short_at", "rank", "paper", "paper_stderr", "substitutes", "stale", "failures"),
)


def report_csv(parts: Sequence[Part]) -> str:
    """All cells of all experiments; what is not known is empty.

    ``error`` is the standard error that tables show, ``spread`` the standard deviation of the seeds.
    """
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(HEADS)
    for part in parts:
        for grid in part.grids:
            for (row, column), entry in grid.entries.items():
                found, paper = entry.found, entry.paper
                lines.writerow(
                    [
                        *(part.experiment.name, part.experiment.protocol, grid.panel, row, column),
                        *(entry.cell.metric, found.status),
                        *(_shown(found.value), _shown(found.error), _shown(found.spread), found.seeds, found.of),
                        *(str(found.partial).lower(), found.cut_short, entry.rank),
                        *((_shown(paper.value), _shown(paper.stderr)) if paper else ("", "")),
                        *(" ".join(sorted(entry.substitutes)), found.stale),
                        "; ".join(found.failures),
                    ]
                )
    return text.getvalue()


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
