"""Self-contained HTML pages: headings, text, figures and tables, light or dark as the reader prefers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import quote

from graphedx.drawing.palette import DARK, LIGHT
from graphedx.drawing.text import escaped

# Nothing may be fetched, from anywhere: everything the page needs is in it.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"

_WRITTEN_NUMBER = re.compile(r"-?\d[\d,]*(\.\d+)?( ?%)?")


class Section(NamedTuple):
    """A part of a page; what is empty is left out.

    ``figure`` is SVG text from this package and goes in as it is; everything else is escaped. ``table`` begins with its
    heads; columns of numbers, written out or not, are set to the right.
    """

    heading: str = ""
    text: str | Sequence[str] = ""  # one paragraph, or several
    figure: str = ""
    table: Sequence[Sequence[object]] = ()
    links: Sequence[tuple[str, str]] = ()  # (words, file beside the page)


def report_page(title: str, sections: Iterable[Section]) -> str:
    """A page of sections as HTML text that needs nothing but itself.

    Figures drawn with ``dark=None`` follow the reader's light or dark preference.

    >>> "<h2>Why</h2>" in report_page("Report", [Section("Why", "Because.")])
    True
    """
    return html_page(title, "\n".join(_section(section) for section in sections))


def html_page(title: str, body: str, *, styles: str = "", scripts: str = "") -> str:
    """The shell of every page; ``body``, ``styles`` and ``scripts`` are trusted, the title is not."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escaped(title)}</title>
<style>
{_variables()}
{asset("page.css")}{styles}</style>
</head>
<body>
<h1>{escaped(title)}</h1>
{body}
{scripts}</body>
</html>
"""


def asset(name: str) -> str:
    """The text of a file that comes with this package."""
    return (files("graphedx.drawing") / "assets" / name).read_text(encoding="utf-8")


def figure(svg: str) -> str:
    return f"<figure>\n{svg}</figure>"


def _variables() -> str:
    return f":root {{ {_declared(LIGHT)} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {_declared(DARK)} }} }}"


def _declared(colours: Mapping[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())


def _section(section: Section) -> str:
    paragraphs = [section.text] if isinstance(section.text, str) else section.text
    parts = [f"<h2>{escaped(section.heading)}</h2>"] if section.heading else []
    parts += [f"<p>{escaped(paragraph)}</p>" for paragraph in paragraphs if paragraph]
    parts += [figure(section.figure)] if section.figure else []
    parts += [_table(section.table)] if section.table else []
    parts += [f'<p><a href="{escaped(quote(file))}">{escaped(words)}</a></p>' for words, file in section.links]
    return "<section>\n" + "\n".join(parts) + "\n</section>"


def _table(rows: Sequence[Sequence[object]]) -> str:
    heads, *body = rows
    columns = [[row[k] for row in body if k < len(row) and row[k] != ""] for k in range(len(heads))]
    numeric = [bool(column) and all(map(_is_number, column)) for column in columns]
    lines = ["<tr>" + _cells("th", heads, numeric) + "</tr>"]
    lines += ["<tr>" + _cells("td", row, numeric) + "</tr>" for row in body]
    return '<div class="scroll"><table>\n' + "\n".join(lines) + "\n</table></div>"


def _cells(tag: str, row: Sequence[object], numeric: Sequence[bool]) -> str:
    cells = []
    for k, value in enumerate(row):
        kind = ' class="number"' if k < len(numeric) and numeric[k] else ""
        cells.append(f"<{tag}{kind}>{escaped(_shown(value))}</{tag}>")
    return "".join(cells)


def _is_number(value: object) -> bool:
    if isinstance(value, str):
        return _WRITTEN_NUMBER.fullmatch(value) is not None
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: object) -> object:
    return f"{value:g}" if isinstance(value, float) else value
