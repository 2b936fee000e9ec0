"""The test errors of ``studies/baselines.py`` as the tables of its page: ours beside the paper's."""

from __future__ import annotations

from statistics import mean, stdev

from page_tables import DOCS, markdown, put_into
from record import RESULTS, load

PAGE = DOCS / "baselines.md"
FROM = RESULTS / "baselines.csv"
COSTS = {"uniform": "uniform", "non-uniform": "(3,1,2,1)"}

Runs = list[dict[str, str]]


def tables(rows: Runs) -> str:
    """One for each set and costs of which there are rows, in markdown."""
    asked = dict.fromkeys((row["dataset"], row["costs"]) for row in sorted(rows, key=_set_and_costs))
    return "\n".join(
        _table(*which, [row for row in rows if (row["dataset"], row["costs"]) == which]) for which in asked
    )


def refresh() -> None:
    """Make the page say what the result file says."""
    put_into(PAGE, "baselines", tables(load(FROM)))


def _set_and_costs(row: dict[str, str]) -> tuple[str, int]:
    return row["dataset"], list(COSTS).index(row["costs"])


def _table(dataset: str, costs: str, rows: Runs) -> str:
    head = ["model", "parameters", "epochs", "MSE", "± SE", "paper", "τ", "paper"]
    methods = list(dict.fromkeys(row["method"] for row in rows))
    lines = [_line(method, [row for row in rows if row["method"] == method]) for method in methods]
    parts = [f"### {dataset}, {COSTS[costs]}\n", markdown(head, 1, lines)]
    if any(row["stopped_early"] != "True" for row in rows):
        parts.append("\n\\* Cut off there, before it stopped by itself.")
    return "\n".join(parts) + "\n"


def _line(method: str, runs: Runs) -> list[str]:
    """Means over the seeds with their standard deviations; SE is that over the test pairs."""
    epochs = f"{mean(float(row['best_epoch']) for row in runs):.0f}"
    limits = {row["epochs"] for row in runs if row["stopped_early"] != "True"}
    cut_off = f" of {', '.join(sorted(limits))}\\*" if limits else ""
    error = mean(float(row["mse_stderr"]) for row in runs)
    paper = [runs[0]["paper_mse"], runs[0]["paper_tau"]]
    return [
        *(method.replace("*", "\\*"), f"{int(runs[0]['parameters']):,}", epochs + cut_off),
        *(_over_seeds(runs, "mse"), f"{error:.3f}", paper[0], _over_seeds(runs, "kendall_tau"), paper[1]),
    ]


def _over_seeds(runs: Runs, column: str) -> str:
    found = [float(row[column]) for row in runs]
    return f"{mean(found):.3f} ± {stdev(found):.3f}" if len(found) > 1 else f"{found[0]:.3f}"
