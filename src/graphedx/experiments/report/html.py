"""The report as one HTML page that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from graphedx.drawing.page import figure, html_page
from graphedx.drawing.text import escaped
from graphedx.experiments.protocols import PUBLISHED, get
from graphedx.experiments.report.claims import RULES, Judged, papers_words
from graphedx.experiments.report.evidence import Check
from graphedx.experiments.report.grid import Entry, Grid
from graphedx.experiments.report.picture import Picture
from graphedx.experiments.report.summary import Part, facts
from graphedx.experiments.report.words import LEGEND, MARKS, heading, notes, number, paper, paper_error, spread, state

TITLE = "GraphEdX: the paper's experiments, computed again"
VERDICTS = {"confirmed": "✓", "contradicted": "✗", "open": "?"}
_LEAD = (
    "Every table has our numbers and, below each, the one that the paper reports (Jain et al., Graph Edit Distance "
    "with General Costs Using Neural Set Divergence, NeurIPS 2024). What has not been computed says so."
)
_CONTENTS = '<a href="#claims">Claims</a> <a href="#tables">Tables</a> <a href="#figures">Figures</a>'
_STYLES = Path(__file__).with_name("report.css")


def report_html(parts: Sequence[Part], claims: Mapping[str, Sequence[Judged]], pictures: Sequence[Picture]) -> str:
    """The whole page; names and messages are escaped."""
    body = [
        f'<p class="lead">{escaped(_LEAD)}</p>',
        f'<p class="contents">{_CONTENTS}</p>',
        _summary(parts),
        *_claims(claims),
        '<h2 id="tables">Tables</h2>',
        f'<p class="legend">{escaped(LEGEND)}</p>',
        *(_experiment(part) for part in parts if part.is_begun or part.experiment.protocol == PUBLISHED),
        *_pictures(pictures),
    ]
    return html_page(TITLE, "\n".join(body), styles=_STYLES.read_text(encoding="utf-8"))


def _summary(parts: Sequence[Part]) -> str:
    known = "".join(f"<dt>{escaped(name)}</dt><dd>{escaped(words)}</dd>" for name, words in facts(parts))
    lines = []
    for part in parts:
        tally, title = part.tally, escaped(part.title)
        linked = part.is_begun or part.experiment.protocol == PUBLISHED
        name = f'<a href="#{escaped(part.id)}">{title}</a>' if linked else f"<span>{title}</span>"
        others = {"cut short": tally.cut_short, "stale": tally.stale, "failed": tally.failed}
        more = "".join(f", {count} {word}" for word, count in others.items() if count)
        bar = (
            f'<span class="bar"><i style="width:{100 * tally.final / tally.total:.1f}%"></i>'
            f'<i class="partly" style="width:{100 * tally.cut_short / tally.total:.1f}%"></i></span>'
        )
        lines.append(f'<li>{name}{bar}<span class="count">{tally.final} of {tally.total} final{more}</span></li>')
    return (
        f'<section class="summary">\n<dl>{known}</dl>\n<ul class="progress">\n'
        + "\n".join(lines)
        + "\n</ul>\n</section>"
    )


def _claims(claims: Mapping[str, Sequence[Judged]]) -> Iterator[str]:
    """One list of claims for each protocol."""
    if not any(claims.values()):
        return
    yield '<section>\n<h2 id="claims">What we confirm and what we don’t</h2>'
    yield f"<p>{escaped(RULES)}</p>"
    for protocol, some in claims.items():
        if not some:
            continue
        counts = {verdict: sum(one.ours.verdict == verdict for one in some) for verdict in VERDICTS}
        told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        yield f"<h3>Claims: {escaped(get(protocol).title)}</h3>"
        yield f"<p>{escaped(get(protocol).about)} {len(some)} claims of the paper: {told}.</p>"
        yield '<ol class="claims">'
        for one in some:
            verdict = one.ours.verdict
            yield (
                f'<li class="{verdict}"><p><span class="verdict">{VERDICTS[verdict]} {verdict}</span> '
                f"<b>{escaped(one.claim.sentence)}</b></p>\n"
                f"<p>{escaped(one.ours.because)}</p>{_papers(one)}{_evidence(one.ours.checks)}</li>"
            )
        yield "</ol>"
    yield "</section>"


def _papers(one: Judged) -> str:
    said = papers_words(one)
    return f'<p class="paper">The paper’s own numbers: {escaped(said[0].lower() + said[1:])}</p>' if said else ""


def _evidence(checks: Sequence[Check]) -> str:
    if not checks:
        return ""
    order = {False: 0, None: 1, True: 2}
    words = {False: "✗", None: "≈", True: "✓"}
    lines = [
        f"<li>{words[check.holds]} {escaped(check.said)}{' (not final)' if check.unfinished else ''}</li>"
        for check in sorted(checks, key=lambda check: order[check.holds])
    ]
    return f'<details><summary>The numbers</summary><ul class="checks">{"".join(lines)}</ul></details>'


def _experiment(part: Part) -> str:
    experiment = part.experiment
    lines = [f'<section class="experiment" id="{escaped(part.id)}">', f"<h3>{escaped(part.title)}</h3>"]
    lines.append(f"<p>The paper: {escaped(experiment.about)}</p>")
    if part.warning:
        lines.append(f'<p class="warning">⚠ {escaped(part.warning)}</p>')
    for grid in part.grids:
        lines += [f"<h4>{escaped(grid.panel)}</h4>"] if grid.panel else []
        lines.append(_table(grid, part.substitutes))
    return "\n".join([*lines, "</section>"])


def _table(grid: Grid, substitutes: Sequence[str]) -> str:
    heads = "".join(f'<th scope="col">{escaped(heading(name, substitutes))}</th>' for name in grid.columns)
    lines = [f"<thead><tr><td></td>{heads}</tr></thead>\n<tbody>"]
    before = False
    for row in grid.rows:
        if row in grid.beyond and not before:
            before = True
            lines.append(
                f'</tbody>\n<tbody class="beyond"><tr><th colspan="{len(grid.columns) + 1}">not in the paper</th></tr>'
            )
        cells = "".join(_cell(grid.entries.get((row, column))) for column in grid.columns)
        lines.append(f'<tr><th scope="row">{_words(heading(row, substitutes))}</th>{cells}</tr>')
    return '<div class="scroll"><table class="numbers">\n' + "\n".join(lines) + "\n</tbody></table></div>"


def _words(name: str) -> str:
    """A name that is broken between its parts only."""
    return " ".join(f'<span class="part">{escaped(part)}</span>' for part in name.replace(" / ", " /\n").split("\n"))


def _cell(entry: Entry | None) -> str:
    if entry is None:
        return "<td></td>"
    if entry.found.value is None:
        failed = bool(entry.found.failures) and not entry.found.stale
        kind = "failed" if failed else "missing"
        whole = f' title="{escaped(entry.found.failures[0])}"' if failed else ""
        words = f'<span class="{kind}"{whole}>{escaped(state(entry))}</span>'
    else:
        mark = (
            f'<span class="mark" title="{entry.rank} of the column">{MARKS[entry.rank]}</span> ' if entry.rank else ""
        )
        words = f"{mark}<b>{number(entry.found.value)}</b>"
        words += f" <small>{escaped(spread(entry))}</small>" if spread(entry) else ""
    said = paper(entry)
    if said:
        error = f' title="{escaped(paper_error(entry))}"' if paper_error(entry) else ""
        words += f'<span class="paper"{error}>paper {escaped(said)}</span>'
    if notes(entry):
        words += f'<span class="note">{escaped(" · ".join(notes(entry)))}</span>'
    return f'<td class="{entry.rank}">{words}</td>' if entry.rank else f"<td>{words}</td>"


def _pictures(pictures: Sequence[Picture]) -> Iterator[str]:
    """Those of the same title stand together, and what all of them say stands above them once."""
    yield '<h2 id="figures">Figures</h2>'
    for title, some in groupby(pictures, key=lambda picture: picture.title):
        panels = list(some)
        common = {panel.text for panel in panels}
        shared = f"<p>{escaped(panels[0].text)}</p>" if len(common) == 1 else ""
        yield f'<section>\n<h3>{escaped(title)}</h3>\n{shared}\n<div class="pictures">'
        for panel in panels:
            head = f"<h4>{escaped(panel.panel)}</h4>" if panel.panel else ""
            text = "" if shared else f"<p>{escaped(panel.text)}</p>"
            yield f"<div>{head}{text}{figure(panel.svg) if panel.svg else ''}</div>"
        yield "</div>\n</section>"
