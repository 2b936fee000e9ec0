"""The colours of the pictures: forty fills for matched nodes, and the light and dark themes around them."""

from __future__ import annotations

from collections.abc import Mapping

FILLS = (
    *("#77aadd", "#ee8866", "#eedd88", "#44bb99", "#ffaabb", "#99ddff", "#bbcc33", "#ae5ea8", "#947f24", "#547cd3"),
    *("#8fe8c0", "#a98081", "#83a73d", "#c1b0fe", "#d6ba82", "#9e85e6", "#58d4d0", "#e685c3", "#559154", "#d46661"),
    *("#6e9ba3", "#a2eff0", "#cda4b0", "#fec2a4", "#bdad2f", "#b4a381", "#798abd", "#b5627d", "#b6e3d5", "#7fc2e0"),
    *("#d88a2c", "#c1d582", "#8472bb", "#cf96f1", "#25aabe", "#dcc8e9", "#acbf9e", "#fc9d5a", "#cd7b9d", "#907691"),
)
"""Fills that carry dark text. The first seven are Paul Tol's "light" scheme; each further one is the farthest from all
before it in OKLab, as seen with normal, protanope and deuteranope vision."""

FILL_INK = "#1b1f24"
"""Text on a fill, in both themes."""

LIGHT: Mapping[str, str] = {
    "paper": "#ffffff",
    "ink": "#1b1f24",
    "muted": "#5f6b7a",
    "line": "#4a5563",
    "frame": "#d9dee5",
    "deleted": "#c8322b",
    "inserted": "#14823c",
    "relabelled": "#b36b00",
    "badge": "#ffffff",
    "outline": "#39424e",
}
DARK: Mapping[str, str] = {
    "paper": "#14181d",
    "ink": "#e8ecf1",
    "muted": "#9aa7b5",
    "line": "#b3bdc9",
    "frame": "#343c46",
    "deleted": "#ff7b72",
    "inserted": "#4fd07b",
    "relabelled": "#f2b13c",
    "badge": "#14181d",
    "outline": "#0b0e12",
}
BY_STYLESHEET: Mapping[str, str] = {name: f"var(--{name})" for name in LIGHT}
"""Leaves the choice to the page around the picture, which defines the variables (see ``page.css``)."""


def fill(match: int) -> str:
    """The fill of the match with this number; colours repeat after forty, places do not."""
    return FILLS[match % len(FILLS)]


def theme(dark: bool | None) -> Mapping[str, str]:
    """The colours by name; ``None`` leaves them to the page."""
    if dark is None:
        return BY_STYLESHEET
    return DARK if dark else LIGHT
