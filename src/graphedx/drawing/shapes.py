"""What a picture is made of, whoever draws it: pills, curves, polygons and words, gathered into items with a tooltip.

Colours are names of a theme ("ink", "deleted") or plain hex; the renderers look them up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

Point = tuple[float, float]


class Style(NamedTuple):
    fill: str = "none"
    stroke: str = "none"
    width: float = 0.0
    dash: tuple[float, ...] = ()


class Pill(NamedTuple):
    """A circle, or a rectangle with half-round ends where it is wider than high."""

    centre: Point
    half_width: float
    half_height: float
    style: Style


class Curve(NamedTuple):
    """A quadratic Bézier curve; straight where ``control`` is in the middle."""

    start: Point
    control: Point
    end: Point
    style: Style


class Polygon(NamedTuple):
    points: tuple[Point, ...]
    style: Style


class Words(NamedTuple):
    """One line of text; ``at`` is on the baseline."""

    at: Point
    text: str
    size: float
    colour: str = "ink"
    anchor: Literal["start", "middle", "end"] = "middle"
    bold: bool = False
    halo: bool = False  # an outline in the paper's colour, for text on top of lines


Shape = Pill | Curve | Polygon | Words


class Item(NamedTuple):
    """Shapes that belong together: a node, an edge, a legend entry."""

    kind: str  # classes, e.g. "node deleted source"
    shapes: tuple[Shape, ...]
    tooltip: str = ""
    data: tuple[tuple[str, str], ...] = ()


class Scene(NamedTuple):
    """A picture ready to be rendered; ``description`` says in words what it shows."""

    width: float
    height: float
    items: tuple[Item, ...]
    title: str
    description: str


BASELINE = 0.36
"""How far below the middle of a line its baseline is, in font sizes."""


def centred_words(centre: Point, text: str, size: float, colour: str = "ink", *, bold: bool = False) -> Words:
    return Words((centre[0], centre[1] + BASELINE * size), text, size, colour, "middle", bold)


def moved(item: Item, dx: float, dy: float) -> Item:
    """The same item somewhere else."""
    return item._replace(shapes=tuple(_moved(shape, dx, dy) for shape in item.shapes))


def _moved(shape: Shape, dx: float, dy: float) -> Shape:
    def there(point: Point) -> Point:
        return point[0] + dx, point[1] + dy

    match shape:
        case Pill():
            return shape._replace(centre=there(shape.centre))
        case Curve(start, control, end, _):
            return shape._replace(start=there(start), control=there(control), end=there(end))
        case Polygon():
            return shape._replace(points=tuple(there(point) for point in shape.points))
        case Words():
            return shape._replace(at=there(shape.at))


def resolved(colour: str, theme: Mapping[str, str]) -> str:
    return theme.get(colour, colour)
