"""The report as one HTML page that needs nothing but itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from graphedx.drawing.page import figure, html_page
from graphedx.drawing.text import escaped
from graphedx.experiments.report.claims import RULES, Judged
from graphedx.experiments.report.evidence import Check, Decision
from graphedx.experiments.report.grid import Entry, Grid
from graphedx.experiments.report.picture import Picture
from graphedx.experiments.report.summary import Part, facts, progress
from graphedx.experiments.report.words import LEGEND, MARKS, heading, notes, number, paper, paper_error, spread, state

TITLE = "GraphEdX: the paper's experiments, computed again"
VERDICTS = {"confirmed": "✓", "contradicted": "✗", "open": "?"}
_LEAD = (
    "Every table has our numbers and, below each, the one that the paper reports (Jain et al., Graph Edit Distance "
    "with General Costs Using Neural Set Divergence, NeurIPS 2024). What has not been computed says so."
)
_CONTENTS = '<a href="#claims">Claims</a> <a href="#tables">Tables</a> <a href="#figures">Figures</a>'
_STYLES = Path(__file__).with_name("report.css")


def report_html(parts: Sequence[Part], claims: Sequence[Judged], pictures: Sequence[Picture]) -> str:
    """The whole page; names and messages are escaped."""
    body = [
        f'<p class="lead">{escaped(_LEAD)}</p>',
        f'<p class="contents">{_CONTENTS}</p>',
        _summary(parts),
        *_claims(claims),
        '<h2 id="tables">Tables</h2>',
        f'<p class="legend">{escaped(LEGEND)}</p>',
        *(_experiment(part) for part in parts),
        *_pictures(pictures),
    ]
    return html_page(TITLE, "\n".join(body), styles=_STYLES.read_text(encoding="utf-8"))


def _summary(parts: Sequence[Part]) -> str:
    known = "".join(f"<dt>{escaped(name)}</dt><dd>{escaped(words)}</dd>" for name, words in facts(parts))
    lines = []
    for part, done, total in progress(parts):
        states, name = part.states, escaped(part.experiment.name)
        others = [f"{states[word]} {word}" for word in ("partly", "failed") if states[word]]
        begun = done + states["partly"]
        bar = (
            f'<span class="bar"><i style="width:{100 * done / total:.1f}%"></i>'
            f'<i class="partly" style="width:{100 * (begun - done) / total:.1f}%"></i></span>'
        )
        lines.append(
            f'<li><a href="#{name}">{escaped(part.experiment.title)}</a>{bar}'
            f'<span class="count">{done} of {total}{escaped("".join(f", {word}" for word in others))}</span></li>'
        )
    return (
        f'<section class="summary">\n<dl>{known}</dl>\n<ul class="progress">\n'
        + "\n".join(lines)
        + "\n</ul>\n</section>"
    )


def _claims(claims: Sequence[Judged]) -> Iterator[str]:
    if not claims:
        return
    yield '<section>\n<h2 id="claims">What we confirm and what we don’t</h2>'
    counts = {verdict: sum(one.ours.verdict == verdict for one in claims) for verdict in VERDICTS}
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    yield f"<p>{len(claims)} claims of the paper: {told}. {escaped(RULES)}</p>"
    yield '<ol class="claims">'
    for one in claims:
        verdict = one.ours.verdict
        yield (
            f'<li class="{verdict}"><p><span class="verdict">{VERDICTS[verdict]} {verdict}</span> '
            f"<b>{escaped(one.claim.sentence)}</b></p>\n"
            f"<p>{escaped(one.ours.because)}</p>{_papers(one.paper)}{_evidence(one.ours.checks)}</li>"
        )
    yield "</ol>\n</section>"


def _papers(decision: Decision) -> str:
    if not decision.checks:
        return ""
    because = decision.because[0].lower() + decision.because[1:]
    return f'<p class="paper">The paper’s own numbers: {escaped(because)}</p>'


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
    lines = [f'<section class="experiment" id="{escaped(experiment.name)}">', f"<h3>{escaped(experiment.title)}</h3>"]
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
        failed = entry.found.state == "failed"
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
