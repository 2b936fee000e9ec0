"""The results of ``studies/approximate_search.py`` as the table of the guide."""

from __future__ import annotations

from page_tables import DOCS, begin, markdown, put_into
from record import RESULTS, load

PAGE = DOCS / "approximate-search.md"
FROM = RESULTS / "approximate_search.csv"
COSTS = ("structure", "atom labels")
STAGES = {"best 800": "the ten nearest among 800 candidates", "best 10": "the ten that are returned"}
HEAD = ("", *(column for costs in COSTS for column in (f"recall, {costs}", "ms (90 %)")))


def table(rows: list[dict[str, str]]) -> str:
    """One line for each contender, in markdown; what was measured for one kind of costs only has a gap."""
    found = {(row["stage"], row["contender"], row["costs"]): row for row in rows}
    lines = []
    for stage, title in STAGES.items():
        lines.append([f"**{title}**", "", "", "", ""])
        names = dict.fromkeys(row["contender"] for row in rows if row["stage"] == stage)
        lines += [
            [name, *(cell for costs in COSTS for cell in _cells(found.get((stage, name, costs))))] for name in names
        ]
    return markdown(HEAD, 1, lines) + "\n"


def refresh() -> None:
    """Make the guide say what the result file says."""
    put_into(PAGE, begin("approximate_search"), table(load(FROM)))


def _cells(row: dict[str, str] | None) -> tuple[str, str]:
    if row is None:
        return "", ""
    recall, spread, median, most = (float(row[name]) for name in ("recall", "recall_std", "median_ms", "p90_ms"))
    return f"{recall:.3f} ± {spread:.3f}", f"{median:.1f} ({most:.0f})"
