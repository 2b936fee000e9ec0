"""The report as Markdown: the same tables and claims, for documentation and diffs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graphedx.drawing.text import clean
from graphedx.experiments.report.claims import RULES, Judged
from graphedx.experiments.report.grid import Entry, Grid
from graphedx.experiments.report.summary import Part, facts, progress
from graphedx.experiments.report.words import LEGEND, MARKS, heading, notes, number, paper, spread, state

_SPECIAL = str.maketrans({char: f"\\{char}" for char in "\\|*_`<[]"})


def report_markdown(title: str, parts: Sequence[Part], claims: Sequence[Judged]) -> str:
    """The whole text; names and messages are escaped."""
    lines = [f"# {_safe(title)}", ""]
    lines += [f"- {_safe(name)}: {_safe(words)}" for name, words in facts(parts)]
    lines += ["", "| experiment | cells done | partly | failed | of |", "| --- | ---: | ---: | ---: | ---: |"]
    for part, done, total in progress(parts):
        states = part.states
        lines.append(f"| {_safe(part.experiment.name)} | {done} | {states['partly']} | {states['failed']} | {total} |")
    lines.append("")
    lines += _claims(claims)
    lines += ["## Tables", "", f"{LEGEND} The paper's number is in brackets.", ""]
    for part in parts:
        lines += _experiment(part)
    return "\n".join(lines).rstrip("\n") + "\n"


def _claims(claims: Sequence[Judged]) -> Iterator[str]:
    if not claims:
        return
    yield from ("## What we confirm and what we don't", "", _safe(RULES), "")
    yield from ("| claim | verdict | our numbers | the paper's own |", "| --- | --- | --- | --- |")
    for one in claims:
        own = _safe(one.paper.because) if one.paper.checks else ""
        yield f"| {_safe(one.claim.sentence)} | **{one.ours.verdict}** | {_safe(one.ours.because)} | {own} |"
    yield ""


def _experiment(part: Part) -> Iterator[str]:
    experiment = part.experiment
    yield from (f"### {_safe(experiment.title)}", "", f"The paper: {_safe(experiment.about)}", "")
    if part.warning:
        yield from (f"**Warning:** {_safe(part.warning)}", "")
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
