"""XML from anyone: no entities are expanded, nothing outside is fetched, no tree without end is built."""

from __future__ import annotations

import io
import re
from collections import ChainMap
from collections.abc import Iterator, MutableMapping
from typing import Any
from xml.etree.ElementTree import Element, ParseError
from xml.sax.saxutils import escape as _escape

from graphedx._quoting import quoted, shortened
from graphedx.errors import FormatError

MAX_ELEMENTS = 5_000_000
MAX_DEPTH = 200
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def parse(content: bytes, root_tag: str) -> Element:
    """The root of an XML document whose outermost element must be ``root_tag``."""
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import iterparse

    try:
        root = _grow(iterparse(io.BytesIO(content), events=("start", "end")))
    except FormatError:
        raise
    except DefusedXmlException as error:
        raise FormatError(f"declares or uses XML entities, which are refused: {shortened(str(error), 120)}") from None
    except ParseError as error:
        what = "the file is empty" if not content.strip() else str(error)
        raise FormatError(f"is not well-formed XML: {shortened(what, 120)}") from None
    except (LookupError, ValueError) as error:  # an encoding that nobody knows, or that expat cannot take
        raise FormatError(f"is not XML in a known encoding: {shortened(str(error), 120)}") from None
    if tag(root) != root_tag:
        raise FormatError(f"the outermost element must be <{root_tag}>, got <{shortened(tag(root))}>")
    return root


def _grow(events: Any) -> Element:
    root: Element | None = None
    elements = depth = 0
    for event, element in events:
        if event == "end":
            depth -= 1
            continue
        root = element if root is None else root
        elements, depth = elements + 1, depth + 1
        if elements > MAX_ELEMENTS:
            raise FormatError(f"has more than the limit of {MAX_ELEMENTS} XML elements")
        if depth > MAX_DEPTH:
            raise FormatError(f"is nested more than {MAX_DEPTH} XML elements deep")
    if root is None:
        raise ParseError("no element found")
    return root


def tag(element: Element) -> str:
    """The element's name without its namespace."""
    return element.tag.rpartition("}")[2]


def children(element: Element, *tags: str) -> Iterator[Element]:
    """The direct children of these names, whatever their namespace."""
    return (child for child in element if tag(child) in tags)


def has_child(element: Element, *tags: str) -> bool:
    """Whether there is such a child (an element without children is itself false, so ``any`` will not do)."""
    return next(children(element, *tags), None) is not None


def required(element: Element, attribute: str) -> str:
    """An attribute that must be there."""
    value = element.get(attribute)
    if value is None:
        raise FormatError(f"<{shortened(tag(element))}> element without {quoted(attribute)}")
    return value


def with_defaults(defaults: dict[str, Any]) -> MutableMapping[str, Any]:
    """Return new attributes over shared defaults: many defaults and many nodes must not be multiplied in memory."""
    return ChainMap({}, defaults) if defaults else {}


def value_of(text: str, kind: str, where: str) -> Any:
    """Text as the Python value of its kind: bool, int, float or str."""
    if kind == "str":
        return text
    try:
        if kind == "bool":
            return {"true": True, "1": True, "false": False, "0": False}[text.strip().lower()]
        return int(text) if kind == "int" else float(text)
    except (KeyError, ValueError):
        expected = {"bool": "true or false", "int": "a whole number", "float": "a number"}[kind]
        raise FormatError(f"{where} must be {expected}, got {quoted(text)}") from None


def text_of(value: object) -> str:
    """The way back from ``value_of``, not escaped yet."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def escape(text: str) -> str:
    """Text that is safe in element content and in double-quoted attributes; what XML has no way to write is refused."""
    forbidden = _FORBIDDEN.search(text)
    if forbidden:
        raise FormatError(
            f"XML cannot hold the character {quoted(forbidden.group())} of {quoted(text)}; relabel it first"
        )
    return _escape(text, {'"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#9;"})
