"""A figure of a report."""

from __future__ import annotations

from typing import NamedTuple


class Picture(NamedTuple):
    """A figure and what it shows; without ``svg``, why there is none. Those with the same title stand together."""

    title: str
    text: str
    svg: str = ""
    panel: str = ""  # which of several it is
