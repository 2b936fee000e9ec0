"""Index files as older versions wrote them: formats 1 and 2, without checksums."""

from __future__ import annotations

import hashlib
import json
from itertools import accumulate
from typing import Any

VECTORS = ("vector_sizes", "vector_counts")


def header_of(content: bytes) -> tuple[int, dict[str, Any]]:
    """Where the arrays begin, and the header."""
    length = int.from_bytes(content[12:20], "little")
    return -(-(64 + length) // 64) * 64, json.loads(content[64 : 64 + length])


def arrays_of(content: bytes) -> dict[str, bytes]:
    """The bytes of each array."""
    start, header = header_of(content)
    sizes = {"uint8": 1, "uint32": 4, "int64": 8, "float32": 4}
    return {
        place["name"]: content[start + place["offset"] :][: place["length"] * sizes[place["kind"]]]
        for place in header["arrays"]
    }


def in_old_format(content: bytes) -> bytes:
    """The same index in format 1, or 2 if it has vectors."""
    _, header = header_of(content)
    arrays = arrays_of(content)
    del header["checksums"], arrays["checksums"]
    places = [place for place in header["arrays"] if place["name"] in arrays]
    ends = [*accumulate(-(-len(array) // 64) * 64 for array in arrays.values())]
    for place, offset in zip(places, [0, *ends], strict=False):
        place["offset"] = offset
    header |= {"arrays": places, "bytes": places[-1]["offset"] + len(arrays[places[-1]["name"]])}
    number = 1
    if arrays.keys() >= {*VECTORS}:
        number = 2
        header["vectors"] = hashlib.sha256(b"".join(arrays[name] for name in VECTORS)).hexdigest()
    text = json.dumps(header).encode()
    head = content[:8] + number.to_bytes(4, "little") + len(text).to_bytes(8, "little")
    whole = bytearray(head + hashlib.sha256(text).digest() + bytes(12) + text)
    start = -(-len(whole) // 64) * 64
    for place in places:
        whole += bytes(start + place["offset"] - len(whole))
        whole += arrays[place["name"]]
    return bytes(whole)
