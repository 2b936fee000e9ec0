"""Text in pictures: made safe for XML, shortened to fit, and measured without a font at hand."""

from __future__ import annotations

import unicodedata
from html import escape

_NARROW = frozenset("iljtfrI.,:;'|!()[]{}`·-/ ")
_BROAD = frozenset("mwMW@%—→&")
_NARROW_EM, _USUAL_EM, _CAPITAL_EM, _BROAD_EM, _FULL_EM = 0.34, 0.59, 0.71, 0.92, 1.05


def clean(value: object) -> str:
    """A label or name as one line of text that any XML or HTML parser accepts.

    Control characters, lone surrogates and text-direction marks could break or reorder the document: U+FFFD instead.
    """
    line = " ".join(str(value).split())
    return "".join("\ufffd" if _is_unprintable(char) else char for char in line)


def _is_unprintable(char: str) -> bool:
    if char in "\u200c\u200d":  # joiners that emoji and several scripts need
        return False
    code = ord(char)
    is_noncharacter = code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF
    return is_noncharacter or unicodedata.category(char) in ("Cc", "Cf", "Cs")


def escaped(value: object) -> str:
    """Clean text, escaped for element content and for quoted attributes alike."""
    return escape(clean(value), quote=True)


def shorten(text: str, limit: int) -> str:
    """At most ``limit`` characters; what is cut off leaves an ellipsis.

    >>> shorten("FunctionDef", 8)
    'Functio…'
    """
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def text_width(text: str, size: float) -> float:
    """About how wide the text is at a font size, for a common sans serif; rather too wide than too narrow."""
    return size * sum(_ems(char) for char in text)


def _ems(char: str) -> float:
    if unicodedata.combining(char):
        return 0.0
    if unicodedata.east_asian_width(char) in "WF":
        return _FULL_EM
    if char in _NARROW:
        return _NARROW_EM
    if char in _BROAD:
        return _BROAD_EM
    return _CAPITAL_EM if char.isupper() else _USUAL_EM


def number(value: float) -> str:
    """A coordinate with at most two decimals, written shortly and the same on every machine.

    >>> number(3.0), number(-0.001), number(2.345)
    ('3', '0', '2.35')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def counted(count: int, noun: str) -> str:
    """A number and its noun.

    >>> counted(1, "node"), counted(2, "edge")
    ('1 node', '2 edges')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
