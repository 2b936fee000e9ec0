"""What ``studies/search.py`` has measured as the section of the page on search that says how fast it is."""

from __future__ import annotations

from page_tables import DOCS, begin, markdown, put_into
from record import RESULTS, load

PAGE = DOCS / "search.md"
FROM, GROWTH, INDEX = (RESULTS / f"{name}.csv" for name in ("search", "search_growth", "search_index"))
WORDS = {"uniform": "structure", "labelled": "elements", "member": "members", "edited": "edited", "all": "all"}
Rows = list[dict[str, str]]


def section() -> str:
    """All tables; nothing as long as nothing was measured."""
    rows, growth, index = load(FROM), load(GROWTH), load(INDEX)
    return "\n".join([searches(rows), grown(growth), stored(index)]) if rows and growth and index else ""


def searches(rows: Rows) -> str:
    """A line for each collection, costs and kind of query, and what the scans were told."""
    head = ["collection", "costs", "queries", "proven", "median (s)", "quartiles", "90 %", "bounded", "searched"]
    head += ["times fewer searches", "scan (s)", "times slower (median)"]
    head += ["with its own cutoff (s)", "times slower (median)"]
    lines = [
        [
            *(row["collection"], WORDS[row["costs"]], WORDS[row["queries"]], f"{row['proven']} of {row['count']}"),
            _seconds(row["seconds_median"]),
            f"{_seconds(row['seconds_q1'])} to {_seconds(row['seconds_q3'])}",
            *(_seconds(row["seconds_p90"]), _count(row["bounded_median"]), _count(row["searched_median"])),
            *(_count(row["times_fewer_searches"]), *_scanned(row, "scan"), *_scanned(row, "own_scan")),
        ]
        for row in rows
    ]
    first, last = rows[0], rows[-1]
    about = (
        f"Certified top-{first['k']} on {first['workers']} threads of {first['machine']}, at most "
        f"{float(first['time_limit']):g} s each. `bounded` graphs are those that the stored counts do not rule out, "
        "`searched` those that tighter bounds do not rule out either; medians. A scan calls `auto` for each graph, on "
        f"as many threads. For the first proven queries, {last['scans']} in all, it was measured twice: told the "
        "distance of the last hit as its cutoff from the start, which nobody knows beforehand, and with the best that "
        f"it has found so far. A pair gets 5 s; the former left {last['scan_undecided']} undecided. How many times "
        "slower a scan is than a search, and how many times fewer exact searches there are than graphs, are ratios of "
        "sums, which the few slowest queries decide; in brackets is the median of the ratios of single queries."
    )
    return f"{markdown(head, 3, lines)}\n\n{about}\n"


def grown(rows: Rows) -> str:
    """A line for each size; the extrapolated one says that it is."""
    head = ["costs", "graphs", "proven", "median (s)", "quartiles", "90 %", "bounded", "searched"]
    lines = []
    for row in rows:
        said = [WORDS[row["costs"]], f"{int(row['graphs']):,}"]
        if row["extrapolated"] == "yes":
            line = f"extrapolated, {1e6 * float(row['seconds_a_graph']):.2g} µs more a graph"
            lines.append([*said, line, f"*{_seconds(row['seconds_median'])}*", "", "", "", ""])
            continue
        quartiles = f"{_seconds(row['seconds_q1'])} to {_seconds(row['seconds_q3'])}"
        times = [_seconds(row["seconds_median"]), quartiles, _seconds(row["seconds_p90"])]
        counts = [_count(row["bounded_median"]), _count(row["searched_median"])]
        lines.append([*said, f"{row['proven']} of {row['count']}", *times, *counts])
    about = (
        "The same queries, half of them edited, in ever larger random subsets of both collections together. Larger "
        "collections have nearer graphs, and a nearer last hit rules out more."
    )
    picture = "![How the time of a search grows with the number of graphs](images/search_growth.png)"
    return f"{about}\n\n{markdown(head, 1, lines)}\n\n{picture}\n"


def stored(rows: Rows) -> str:
    head = [
        "index",
        "graphs",
        "atoms",
        "bytes a graph",
        "with ids",
        "built (s)",
        "µs a graph",
        "saved (s)",
        "opened (s)",
    ]
    lines = [
        [
            *(row["collection"], f"{int(row['graphs']):,}", f"{float(row['avg_nodes']):.1f}"),
            *(f"{float(row[name]):.0f}" for name in ("bytes_a_graph", "bytes_a_graph_with_ids")),
            *(_seconds(row["build_seconds"]), f"{float(row['build_microseconds_a_graph']):.0f}"),
            *(_seconds(row["save_seconds"]), _seconds(row["open_seconds"])),
        ]
        for row in rows
    ]
    about = "Built from graphs, on one core; parsing their SMILES takes about a millisecond each, which is not counted."
    return f"{markdown(head, 1, lines)}\n\n{about}\n"


def refresh() -> None:
    """Make the page say what the result files say."""
    put_into(PAGE, begin("search"), section())


def _scanned(row: dict[str, str], kind: str) -> tuple[str, str]:
    """Seconds of a scan, and how many times those of a search they are: lower bounds if a scan did not end."""
    if int(row["scans"]) == 0:
        return "", ""
    sign = "" if row["scans"] == row[f"{kind}_ended"] else "> "
    times = f"{sign}{_count(row[f'{kind}_times_slower'])} ({_count(row[f'{kind}_median_times'])})"
    return f"{sign}{_seconds(row[f'{kind}_seconds_median'])}", times


def _seconds(text: str) -> str:
    """Two digits that count, no exponent."""
    value = float(text)
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{float(f'{value:.2g}'):g}"


def _count(text: str) -> str:
    value = float(text)
    return f"{value:,.0f}" if value >= 10 else f"{value:.3g}"
