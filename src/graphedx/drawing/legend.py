"""The foot of a picture: what the marks mean, how many edits of each kind there are, and what they cost."""

from __future__ import annotations

from graphedx.costs import amount
from graphedx.drawing.marks import Fate, PathMarks, Tally
from graphedx.drawing.shapes import Curve, Item, Pill, Point, Shape, Style, Words
from graphedx.drawing.text import counted, text_width
from graphedx.edits import EditPath

BADGE = 6.5
MARGIN = 28.0
_HEADINGS = {
    Fate.KEPT: "kept, same colour",
    Fate.RELABELLED: "relabelled",
    Fate.DELETED: "deleted",
    Fate.INSERTED: "inserted",
}


def describe_counts(path: EditPath, marks: PathMarks) -> str:
    """The picture in one sentence, for those who cannot see it."""
    parts = [f"{_counts(tally)} {fate.value}" for fate, tally in marks.tallies.items() if tally.nodes + tally.edges]
    listed = "; ".join(parts) if parts else "nothing on either side"
    return f"{counted(len(path), 'edit')} of total cost {amount(path.cost)}: {listed}."


def legend_items(path: EditPath, marks: PathMarks, width: float, top: float, ui: float) -> tuple[list[Item], float]:
    """The legend's items and the y at which the picture ends; columns that do not fit go to another row."""
    rule = Curve((MARGIN, top), (width / 2, top), (width - MARGIN, top), Style(stroke="frame", width=1.0))
    items = [Item("divider", (rule,))]
    x, y = MARGIN, top + 16 * ui
    for column in _columns(path, marks):
        needed = column.width(ui)
        if x > MARGIN and x + needed > width - MARGIN:
            x, y = MARGIN, y + 46 * ui
        items.append(_column_item(column, (x, y), ui))
        x += needed + 18 * ui
    if marks.footnote:
        y += 48 * ui
        items.append(Item("footnote", (Words((MARGIN, y), marks.footnote, 11 * ui, "muted", "start"),)))
        return items, y + 18 * ui
    return items, y + 50 * ui


class _Column:
    """One entry: a sample, a heading and a line below it."""

    def __init__(self, fate: Fate | None, heading: str, detail: str) -> None:
        self.fate = fate
        self.heading = heading
        self.detail = detail

    def width(self, ui: float) -> float:
        words = max(text_width(self.heading, 13 * ui), text_width(self.detail, 11.5 * ui))
        return 0.95 * words + (34 * ui if self.fate else 0.0)


def _columns(path: EditPath, marks: PathMarks) -> list[_Column]:
    total = _Column(None, f"Total cost {amount(path.cost)}", counted(len(path), "edit"))
    return [total, *(_Column(fate, _HEADINGS[fate], _detail(fate, tally)) for fate, tally in marks.tallies.items())]


def _detail(fate: Fate, tally: Tally) -> str:
    if not tally.nodes + tally.edges:
        return "none"
    return _counts(tally) if fate is Fate.KEPT else f"{_counts(tally)} · cost {amount(tally.cost)}"


def _counts(tally: Tally) -> str:
    parts = [counted(tally.nodes, "node")] if tally.nodes else []
    parts += [counted(tally.edges, "edge")] if tally.edges else []
    return ", ".join(parts)


def _column_item(column: _Column, at: Point, ui: float) -> Item:
    x, y = at
    shapes: list[Shape] = []
    if column.fate:
        shapes.extend(_sample(column.fate, (x + 11 * ui, y + 13 * ui), ui))
        x += 34 * ui
    colour = column.fate.value if column.fate and column.fate is not Fate.KEPT else "ink"
    shapes.append(Words((x, y + 10 * ui), column.heading, 13 * ui, colour, "start", bold=True))
    shapes.append(Words((x, y + 26 * ui), column.detail, 11.5 * ui, "muted", "start"))
    kind = column.fate.value if column.fate else "total"
    return Item(f"legend {kind}", tuple(shapes))


def _sample(fate: Fate, centre: Point, ui: float) -> list[Shape]:
    """A small node and the stub of an edge, drawn as on the panels."""
    x, y = centre
    radius = 7.5 * ui
    width = 2.2 * ui
    lines = {
        Fate.KEPT: Style(stroke="line", width=1.7 * ui),
        Fate.RELABELLED: Style(stroke="relabelled", width=width),
        Fate.DELETED: Style(stroke="deleted", width=width, dash=(3.5 * ui, 2.5 * ui)),
        Fate.INSERTED: Style(stroke="inserted", width=width),
    }
    style = lines[fate]
    stub = Curve((x + radius, y), (x + radius + 4 * ui, y), (x + radius + 9 * ui, y), style)
    fill = "#77aadd" if fate in (Fate.KEPT, Fate.RELABELLED) else "paper"
    outline = style._replace(fill=fill) if fate is not Fate.KEPT else Style(fill, "outline", 1.2 * ui)
    shapes: list[Shape] = [stub, Pill(centre, radius, radius, outline)]
    if fate in (Fate.DELETED, Fate.INSERTED):
        shapes.extend(badge((x + 0.75 * radius, y - 0.75 * radius), fate, 4.6 * ui))
    return shapes


def badge(centre: Point, fate: Fate, size: float = BADGE) -> list[Shape]:
    """A small disc with a cross for deletions or a plus for insertions, so that colour is not all that tells."""
    arm = 0.45 * size
    x, y = centre
    strokes = [((x - arm, y), (x + arm, y)), ((x, y - arm), (x, y + arm))]
    if fate is Fate.DELETED:
        arm *= 0.8
        strokes = [((x - arm, y - arm), (x + arm, y + arm)), ((x - arm, y + arm), (x + arm, y - arm))]
    line = Style(stroke="badge", width=0.24 * size)
    disc = Pill(centre, size, size, Style(fate.value, "paper", 1.0))
    return [disc, *(Curve(start, centre, end, line) for start, end in strokes)]
