"""The report as Markdown: the same tables and claims, for documentation and diffs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from graphedx.drawing.text import clean
from graphedx.experiments.protocols import PUBLISHED, get
from graphedx.experiments.report.claims import RULES, Judged, papers_words
from graphedx.experiments.report.grid import Entry, Grid
from graphedx.experiments.report.summary import Part, facts
from graphedx.experiments.report.words import LEGEND, MARKS, heading, notes, number, paper, spread, state

_SPECIAL = str.maketrans({char: f"\\{char}" for char in "\\|*_`<[]"})


def report_markdown(title: str, parts: Sequence[Part], claims: Mapping[str, Sequence[Judged]]) -> str:
    """The whole text; names and messages are escaped."""
    lines = [f"# {_safe(title)}", ""]
    lines += [f"- {_safe(name)}: {_safe(words)}" for name, words in facts(parts)]
    heads = ("experiment", "protocol", "final", "cut short", "not run", "of these stale", "failed", "cells")
    lines += ["", f"| {' | '.join(heads)} |", f"| --- | --- |{' ---: |' * (len(heads) - 2)}"]
    for part in parts:
        counts = " | ".join(str(count) for count in (*part.tally, part.tally.total))
        lines.append(f"| {_safe(part.experiment.name)} | {get(part.experiment.protocol).title} | {counts} |")
    lines.append("")
    lines += _claims(claims)
    lines += ["## Tables", "", f"{LEGEND} The paper's number is in brackets.", ""]
    for part in parts:
        if part.is_begun or part.experiment.protocol == PUBLISHED:
            lines += _experiment(part)
    lines += _not_begun(parts)
    return "\n".join(lines).rstrip("\n") + "\n"


def _claims(claims: Mapping[str, Sequence[Judged]]) -> Iterator[str]:
    """One table of claims for each protocol."""
    if not any(claims.values()):
        return
    yield from ("## What we confirm and what we don't", "", _safe(RULES), "")
    for protocol, some in claims.items():
        if not some:
            continue
        yield from (f"### Claims: {get(protocol).title}", "", _safe(get(protocol).about), "")
        yield from ("| claim | verdict | our numbers | the paper's own |", "| --- | --- | --- | --- |")
        for one in some:
            own = _safe(papers_words(one))
            yield f"| {_safe(one.claim.sentence)} | **{one.ours.verdict}** | {_safe(one.ours.because)} | {own} |"
        yield ""


def _not_begun(parts: Sequence[Part]) -> Iterator[str]:
    """Name the tables of other protocols of which nothing was trained."""
    missing = [part for part in parts if not part.is_begun and part.experiment.protocol != PUBLISHED]
    for protocol in dict.fromkeys(part.experiment.protocol for part in missing):
        names = ", ".join(part.experiment.name for part in missing if part.experiment.protocol == protocol)
        yield from (
            f"### Not run: {get(protocol).title}",
            "",
            f"No model of these tables was trained: {_safe(names)}.",
            "",
        )


def _experiment(part: Part) -> Iterator[str]:
    experiment = part.experiment
    yield from (f"### {_safe(part.title)}", "", f"The paper: {_safe(experiment.about)}", "")
    if part.warning:
        yield from (f"**Stale:** {_safe(part.warning)}", "")
    for grid in part.grids:
        yield from _table(grid, part.substitutes)
        yield ""


def _table(grid: Grid, substitutes: Sequence[str]) -> Iterator[str]:
    heads = [_safe(grid.panel), *(_safe(heading(name, substitutes)) for name in grid.columns)]
    yield f"| {' | '.join(heads)} |"
    yield f"| --- |{' ---: |' * len(grid.columns)}"
    for row in grid.rows:
        name = _safe(heading(row, substitutes))
        cells = [_cell(grid.entries.get((row, column))) for column in grid.columns]
        yield f"| {' | '.join([f'*{name}*' if row in grid.beyond else name, *cells])} |"


def _cell(entry: Entry | None) -> str:
    if entry is None:
        return ""
    if entry.found.value is None:
        words = _safe(state(entry))
    else:
        value = number(entry.found.value)
        shown = f"**{value}**" if entry.rank == "best" else value
        words = f"{MARKS[entry.rank]} {shown} {spread(entry)}".strip()
    said = paper(entry)
    extra = f"; {'; '.join(notes(entry))}" if notes(entry) else ""
    return f"{words}{f' ({said})' if said else ''}{extra}"


def _safe(text: str) -> str:
    return clean(text).translate(_SPECIAL)
