"""Quote values in messages: what a file or a caller gives may be megabytes long, a message is one line."""

from __future__ import annotations

MOST_QUOTED = 80
"""No message quotes more characters than this of one value."""


def shortened(text: str, limit: int = MOST_QUOTED) -> str:
    """Cut the text to ``limit`` characters; an ellipsis marks the cut.

    >>> shortened("FunctionDef", 8)
    'Funct...'
    """
    return text if len(text) <= limit else text[: limit - 3] + "..."


def quoted(value: object, limit: int = MOST_QUOTED) -> str:
    """Return the ``repr`` of a value in at most ``limit`` characters; a value without one is named by its type.

    >>> quoted("a" * 100, 12)
    "'aaaaaaa...'"
    """
    if isinstance(value, str):
        value = shortened(value, limit - 2)
    try:
        return shortened(repr(value), limit)
    except Exception:  # a number of too many digits, nested too deeply, or whatever a foreign type raises
        return f"a value of type {type(value).__name__}"
