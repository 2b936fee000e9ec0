"""Scenes as SVG: plain elements and attributes, no ids and no scripts, so that figures can share a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from graphedx.drawing.palette import theme
from graphedx.drawing.scene import edit_path_scene
from graphedx.drawing.shapes import Curve, Item, Pill, Point, Polygon, Scene, Shape, Style, Words, resolved
from graphedx.drawing.text import escaped, number
from graphedx.edits import EditPath

FONTS = "Helvetica Neue, Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"


def edit_path_svg(path: EditPath, *, title: str | None = None, dark: bool | None = False) -> str:
    """A figure of an edit path as SVG text: source left, target right, matched nodes in one colour, every edit marked.

    Names and labels are escaped, so they may come from anywhere. The same path gives the same bytes.
    ``dark=None`` leaves the colours to the page around it, for ``report_page``.

    >>> from graphedx.costs import UNIT
    >>> from graphedx.edits import NodeMapping
    >>> from graphedx.graph import Graph
    >>> a, b = Graph(1, node_labels="C"), Graph(1, node_labels="N")
    >>> path = EditPath.from_mapping(NodeMapping(a, b, [0]), UNIT)
    >>> edit_path_svg(path).count('class="node relabelled')
    2
    """
    return scene_svg(edit_path_scene(path, title), theme(dark), background=dark is not None)


def scene_svg(scene: Scene, colours: Mapping[str, str], *, background: bool = True) -> str:
    """Any scene as SVG text, in the colours of a theme."""
    width, height = number(scene.width), number(scene.height)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="{escaped(scene.title)}" font-family="{FONTS}" '
        f'stroke-linecap="round" stroke-linejoin="round">',
        f"<title>{escaped(scene.title)}</title>",
        f"<desc>{escaped(scene.description)}</desc>",
    ]
    if background:
        lines.append(f'<rect width="{width}" height="{height}" fill="{colours["paper"]}"/>')
    lines.extend(_item(item, colours) for item in scene.items)
    lines.append("</svg>")
    return "\n".join(lines) + "\n"


def _item(item: Item, colours: Mapping[str, str]) -> str:
    data = "".join(f' data-{key}="{escaped(value)}"' for key, value in item.data)
    tooltip = f"<title>{escaped(item.tooltip)}</title>" if item.tooltip else ""
    shapes = "".join(_shape(shape, colours) for shape in item.shapes)
    return f'<g class="{escaped(item.kind)}"{data}>{tooltip}{shapes}</g>'


def _shape(shape: Shape, colours: Mapping[str, str]) -> str:
    match shape:
        case Pill():
            return _pill(shape, colours)
        case Curve(start, control, end, style):
            return f'<path d="M{_point(start)}{_segment(start, control, end)}"{_painted(style, colours)}/>'
        case Polygon(points, style):
            return f'<path d="M{"L".join(_point(point) for point in points)}Z"{_painted(style, colours)}/>'
        case Words():
            return _words(shape, colours)


def _segment(start: Point, control: Point, end: Point) -> str:
    off_line = (control[0] - start[0]) * (end[1] - start[1]) - (control[1] - start[1]) * (end[0] - start[0])
    return f"L{_point(end)}" if abs(off_line) < 1e-6 else f"Q{_point(control)} {_point(end)}"


def _pill(pill: Pill, colours: Mapping[str, str]) -> str:
    x, y = pill.centre
    paint = _painted(pill.style, colours)
    if pill.half_width - pill.half_height < 0.01:
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(pill.half_height)}"{paint}/>'
    return (
        f'<rect x="{number(x - pill.half_width)}" y="{number(y - pill.half_height)}" '
        f'width="{number(2 * pill.half_width)}" height="{number(2 * pill.half_height)}" '
        f'rx="{number(pill.half_height)}"{paint}/>'
    )


def _words(words: Words, colours: Mapping[str, str]) -> str:
    attributes = [
        f'x="{number(words.at[0])}" y="{number(words.at[1])}"',
        f'font-size="{number(words.size)}" fill="{resolved(words.colour, colours)}"',
    ]
    if words.anchor != "start":
        attributes.append(f'text-anchor="{words.anchor}"')
    if words.bold:
        attributes.append('font-weight="600"')
    if words.halo:
        attributes.append(f'stroke="{colours["paper"]}" stroke-width="4" paint-order="stroke"')
    return f"<text {' '.join(attributes)}>{escaped(words.text)}</text>"


def _painted(style: Style, colours: Mapping[str, str]) -> str:
    return "".join(_paint(style, colours))


def _paint(style: Style, colours: Mapping[str, str]) -> Iterator[str]:
    yield f' fill="{resolved(style.fill, colours)}"'
    if style.stroke != "none":
        yield f' stroke="{resolved(style.stroke, colours)}" stroke-width="{number(style.width)}"'
    if style.dash:
        yield f' stroke-dasharray="{" ".join(number(part) for part in style.dash)}"'


def _point(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"
