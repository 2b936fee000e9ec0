"""The test errors of ``studies/bracket.py`` as the table of the model's card."""

from __future__ import annotations

from page_tables import DOCS, begin, markdown, put_into
from record import RESULTS, load

PAGE = DOCS / "methods" / "bracket.md"
FROM = RESULTS / "bracket.csv"
HEAD = (
    "set",
    "costs",
    "pairs",
    "MSE",
    "snapped",
    "beam alone",
    "paper",
    "Kendall's tau",
    "hits",
    "hits, snapped",
    "µs a pair",
)


def table(rows: list[dict[str, str]]) -> str:
    """One line for each row, in markdown."""
    lines = []
    for row in rows:
        errors = [f"{float(row['mse']):.3f} ± {float(row['mse_stderr']):.3f}"]
        errors += [f"{float(row[name]):.3f}" for name in ("mse_snapped", "mse_upper")]
        shares = [f"{float(row[name]):.1%}" for name in ("hits", "hits_snapped")]
        tau, time = f"{float(row['kendall_tau']):.3f}", f"{float(row['microseconds']):.0f}"
        lines.append([row["dataset"], row["costs"], row["pairs"], *errors, row["paper_mse"], tau, *shares, time])
    return markdown(HEAD, 2, lines) + "\n"


def refresh() -> None:
    """Make the card say what the result file says."""
    put_into(PAGE, begin("bracket"), table(load(FROM)))
