"""The results of ``studies/approximate_speed.py`` and ``studies/approximate_search.py`` as the tables of the guide."""

from __future__ import annotations

from page_tables import DOCS, begin, markdown, put_into
from record import RESULTS, load

PAGE = DOCS / "approximate-search.md"
FROM = RESULTS / "approximate_search.csv"
SPEED = RESULTS / "approximate_speed.csv"
SPEED_HEAD = ("collection", "costs", "queries", "measured", "recall", "median (ms)", "90 %")
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


def speed_table(rows: list[dict[str, str]]) -> str:
    """What a user waits for, in markdown."""
    names = {"uniform": "structure", "labelled": "elements", "member": "members", "edited": "edited", "all": "all"}
    lines = [
        [
            row["collection"],
            names[row["costs"]],
            names[row["queries"]],
            f"{row['count']} of {int(row['count']) + int(row['unproven'])}",
            f"{float(row['recall']):.3f} ± {float(row['recall_std']):.3f}",
            f"{float(row['median_ms']):.1f}",
            f"{float(row['p90_ms']):.0f}",
        ]
        for row in rows
    ]
    return markdown(SPEED_HEAD, 3, lines) + "\n"


def refresh() -> None:
    """Make the guide say what the result files say."""
    put_into(PAGE, begin("approximate_search"), table(load(FROM)))
    put_into(PAGE, begin("approximate_speed"), speed_table(load(SPEED)))


def _cells(row: dict[str, str] | None) -> tuple[str, str]:
    if row is None:
        return "", ""
    recall, spread, median, most = (float(row[name]) for name in ("recall", "recall_std", "median_ms", "p90_ms"))
    return f"{recall:.3f} ± {spread:.3f}", f"{median:.1f} ({most:.0f})"
