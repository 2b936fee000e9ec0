"""The test errors of ``studies/reproduction.py`` as the tables of its page: ours beside the paper's."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import product
from statistics import mean, stdev

from page_tables import DOCS, markdown, put_into
from record import RESULTS, load

PAGE = DOCS / "reproduction.md"
FROM = RESULTS / "reproduction.csv"

NAMES = {"diff_align": "DiffAlign", "align_diff": "AlignDiff", "xor": "XOR-DiffAlign"}
COMBINATIONS = tuple(product(NAMES, NAMES))
COSTS = {"uniform": "uniform", "non-uniform": "(3,1,2,1)"}
CHOSEN_IN_PAPER = {
    ("AIDS", "uniform"): "0.565",
    ("AIDS", "non-uniform"): "1.252",
    ("Linux", "uniform"): "0.354",
    ("Linux", "non-uniform"): "0.914",
    ("Molhiv", "uniform"): "0.781",
    ("Molhiv", "non-uniform"): "1.804",
    ("Mutag", "uniform"): "0.492",
    ("Mutag", "non-uniform"): "1.134",
}
"""The paper's test MSE of that one of its nine which has the lowest validation error."""

Runs = list[dict[str, str]]


def tables(rows: Runs) -> str:
    """One for each set of which there are rows, in markdown."""
    by_set: dict[str, Runs] = defaultdict(list)
    for row in rows:
        by_set[row["dataset"]].append(row)
    return "\n".join(_table(name, by_set[name]) for name in sorted(by_set))


def refresh() -> None:
    """Make the page say what the result file says."""
    put_into(PAGE, "reproduction", tables(load(FROM)))


def _table(dataset: str, rows: Runs) -> str:
    costs = [name for name in COSTS if any(row["costs"] == name for row in rows)]
    head = ["edge term", "node term"]
    for name in costs:
        head += [COSTS[name], "chosen seed", "paper"]
    lines = []
    for edge, node in COMBINATIONS:
        found = [row for row in rows if (row["edge_term"], row["node_term"]) == (edge, node)]
        if found:
            line = [NAMES[edge], NAMES[node]]
            for name in costs:
                runs = [row for row in found if row["costs"] == name]
                line += [*_cells(runs), runs[0]["paper_mse"] if runs else ""]
            lines.append(line)
    line = ["**by validation**", ""]
    for name in costs:
        chosen = _best_of_each_seed([row for row in rows if row["costs"] == name])
        line += [*_cells(chosen), CHOSEN_IN_PAPER.get((dataset, name), "")]
    lines.append(line)
    parts = [f"### {dataset}\n", markdown(head, 2, lines)]
    for name in costs:
        best = min((row for row in rows if row["costs"] == name), key=_validation)
        terms = f"{NAMES[best['edge_term']]} / {NAMES[best['node_term']]}"
        error = f"{float(best['mse']):.3f} ± {float(best['mse_stderr']):.3f}"
        parts.append(
            f"\nLowest validation error, {COSTS[name]}: {terms}, λ = {best['node_weight']}, seed {best['seed']}, "
            f"epoch {best['best_epoch']}: {float(best['validation']):.3f}, and {error} "
            f"on the test pairs (Kendall's tau {float(best['kendall_tau']):.3f}).\n{_choices(rows, name)}"
        )
    if any(row["stopped_early"] != "True" for row in rows):
        parts.append("\n\\* With a run that was cut off before it stopped by itself.")
    return "\n".join(parts) + "\n"


def _cells(runs: Runs) -> list[str]:
    """Mean and standard deviation over the seeds, and the error of the seed with the lowest validation error."""
    if not runs:
        return ["", ""]
    found = [float(row["mse"]) for row in runs]
    over_seeds = f"{mean(found):.3f} ± {stdev(found):.3f}" if len(found) > 1 else f"{found[0]:.3f} (one seed)"
    cut_off = "" if all(row["stopped_early"] == "True" for row in runs) else "\\*"
    return [over_seeds + cut_off, f"{float(min(runs, key=_validation)['mse']):.3f}"]


def _choices(rows: Runs, costs: str) -> str:
    """Among how many combinations each seed could choose; it is not always all nine."""
    seeds = Counter(row["seed"] for row in rows if row["costs"] == costs)
    among = [f"{seeds[seed]} combination{'s' if seeds[seed] > 1 else ''} (seed {seed})" for seed in sorted(seeds)]
    return f"Chosen among {', '.join(among)}."


def _best_of_each_seed(rows: Runs) -> Runs:
    best: dict[str, dict[str, str]] = {}
    for row in rows:
        kept = best.setdefault(row["seed"], row)
        best[row["seed"]] = min(kept, row, key=_validation)
    return list(best.values())


def _validation(row: dict[str, str]) -> float:
    return float(row["validation"])
