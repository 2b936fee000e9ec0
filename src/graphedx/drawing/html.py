"""An edit path as one HTML page: the figure, and below it the graph changing edit by edit."""

from __future__ import annotations

import json
from typing import Any

from graphedx.costs import amount
from graphedx.drawing.legend import describe_counts
from graphedx.drawing.page import asset, figure, html_page
from graphedx.drawing.palette import BY_STYLESHEET
from graphedx.drawing.scene import edit_path_scene, lay_out
from graphedx.drawing.steps import stepper_data
from graphedx.drawing.svg import FONTS, scene_svg
from graphedx.drawing.text import clean, escaped, number
from graphedx.edits import EditPath


def edit_path_html(path: EditPath, *, title: str | None = None) -> str:
    """A page that shows an edit path and steps through it; it needs no network and no other file.

    Keys: left and right, Home and End. Light or dark as the reader prefers. Names and labels are escaped.
    """
    heading = clean(title) if title else f"Edit path of cost {amount(path.cost)}"
    laid_out = lay_out(path)
    data = stepper_data(path, laid_out)
    body = "\n".join(
        [
            f'<p class="lead">{escaped(describe_counts(path, laid_out.marks))}</p>',
            figure(scene_svg(edit_path_scene(path, laid_out=laid_out), BY_STYLESHEET, background=False)),
            "<h2>Step by step</h2>",
            _stepper(data),
        ]
    )
    scripts = (
        f'<script type="application/json" id="edit-path">{script_json(data)}</script>\n'
        f"<script>\n{asset('stepper.js')}</script>\n"
    )
    return html_page(heading, body, styles=asset("stepper.css"), scripts=scripts)


def script_json(data: Any) -> str:
    """JSON that may stand inside a script element: no label can end it, open a comment or break a line."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)  # pure ASCII
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _stepper(data: dict[str, Any]) -> str:
    last = len(data["edits"])
    view = " ".join(number(value) for value in data["view"])
    return f"""<div class="stepper">
<div>
<figure class="fits"><svg id="canvas" viewBox="{view}" role="img" aria-label="The graph at the chosen step"
 font-family="{FONTS}" stroke-linecap="round"></svg></figure>
<div class="controls" role="group" aria-label="Steps">
<button id="first" aria-label="First step">{_icon("M4 3v10M13 3L6 8l7 5z")}</button>
<button id="previous" aria-label="Previous step">{_icon("M11 3L4 8l7 5z")}</button>
<button id="play">Play</button>
<button id="next" aria-label="Next step">{_icon("M5 3l7 5-7 5z")}</button>
<button id="last" aria-label="Last step">{_icon("M12 3v10M3 3l7 5-7 5z")}</button>
<input id="slider" type="range" min="0" max="{last}" value="0" aria-label="Step">
</div>
<p class="status" aria-live="polite"><span id="status"></span><br>
Cost so far <b id="running">0</b> of {data["totals"][-1]}</p>
</div>
<ol class="edits" aria-label="Edits, each with its cost and the total so far">
{_entries(data)}
</ol>
</div>"""


def _icon(outline: str) -> str:
    return f'<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="{outline}"/></svg>'


def _entries(data: dict[str, Any]) -> str:
    lines = [
        f'<li><button class="{edit["action"]}">{escaped(edit["text"])}'
        f'<span title="cost">{edit["cost"]}</span><span title="total so far">{total}</span></button></li>'
        for edit, total in zip(data["edits"], data["totals"][1:], strict=True)
    ]
    return "\n".join(lines) if lines else "<li>Nothing to edit: the graphs are alike.</li>"
