"""An index as one file that is mapped into memory, not read.

It begins with a head of 64 bytes: a magic word, the number of the format, and the length and SHA-256 of the header that
follows, which is JSON: labels, counts, and where each array lies. Then come the arrays, each at a multiple of 64 bytes:
ids, the columns of the collection, vectors for approximate search if there are any, and the checksums of all of these.

The checksums are the CRC-32C of each block of 64 KiB, array after array; the header has the CRC-32C of the checksums.
``load`` verifies the arrays that it reads anyway. The graphs, which are most of the file, are verified block by block
before a block is first read, and vectors before the first approximate search. Formats 1 and 2 are older: they have no
checksums, but for the SHA-256 of vectors.
Files may come from anyone: nothing in them is run, and the header is believed only where it fits the file.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate, pairwise
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx._checksums import BLOCK_BYTES, BlockChecksums, block_checksums, block_count, damaged_bytes
from graphedx._collection import Collection, StoredGraphs
from graphedx._files import AnyPath, as_path, atomic_write, lock
from graphedx.datasets.dataset import label_from_json, label_text, plain_label
from graphedx.errors import DatasetError, FormatError, GraphEdXError, GraphError, IdError, IntegrityError, OutputError
from graphedx.graph import Label
from graphedx.search.kept_vectors import KeptVectors, Stored
from graphedx.search.state import State, require_ids
from graphedx.search.vectors import blocks_for, columns_of

FORMAT = 3
"""The format that is written; what vectors count is part of the format too."""
PLAIN, WITH_VECTORS = 1, 2
"""Older formats without checksums, without and with vectors. They are read, and no longer written."""
_MAGIC = b"\x89gedidx\n"  # no text begins like this, and what mangles line ends is noticed
_HEAD_PADDING = 12
_HEAD = struct.Struct(f"<8sIQ32s{_HEAD_PADDING}x")  # magic, format, length of the header, its SHA-256
_ALIGNED = 64
_KINDS = {"uint8": "|u1", "uint32": "<u4", "int64": "<i8", "float32": "<f4"}
_IDS = "ids"
_SIZES, _COUNTS = "vector_sizes", "vector_counts"
_CHECKSUMS = "checksums"
_LAZY = ("graph_bytes", _SIZES, _COUNTS)  # verified when first used, not by ``load``
_MOST_BLOCK_BYTES = 2**30


class _Place(NamedTuple):
    """Where an array lies: bytes from the end of the header, and how many elements of which kind."""

    name: str
    kind: str
    offset: int
    length: int

    @property
    def end(self) -> int:
        return self.offset + self.length * np.dtype(_KINDS[self.kind]).itemsize


Checksums = Mapping[str, BlockChecksums]


class Verified(NamedTuple):
    """What ``verify`` has found intact; without ``checksums`` the file is of an older format and has none."""

    graphs: int
    bytes: int
    checksums: bool


def save(state: State, path: AnyPath, *, overwrite: bool = False) -> None:
    """Write an index, whole or not at all; a label that would not come back as it is now is refused."""
    collection = state.collection
    vectors = state.vectors.arrays()
    arrays = {_IDS: np.frombuffer("\n".join(state.ids).encode(), dtype=np.uint8), **collection.arrays}
    arrays |= {name: vectors[name].reshape(-1) for name in (_SIZES, _COUNTS) if vectors}
    arrays = {name: np.ascontiguousarray(array, dtype=_KINDS[array.dtype.name]) for name, array in arrays.items()}
    sums = np.concatenate([block_checksums(array, BLOCK_BYTES).values for array in arrays.values()])
    arrays[_CHECKSUMS] = np.ascontiguousarray(sums, dtype=_KINDS["uint32"])
    places = _places(arrays)
    header = {
        "graphs": len(state),
        "nodes": state.nodes,
        "edges": state.edges,
        "directed": bool(collection.directed),
        "node_labels": _json_labels(collection.node_labels, path),
        "edge_labels": _json_labels(collection.edge_labels, path),
        "arrays": [place._asdict() for place in places],
        "bytes": max((place.end for place in places), default=0),
        _CHECKSUMS: {"block_bytes": BLOCK_BYTES, "crc32c": _crc32c(arrays[_CHECKSUMS])},
    }
    text = json.dumps(header, allow_nan=False).encode()
    with atomic_write(path, overwrite=overwrite) as file:
        file.write(_HEAD.pack(_MAGIC, FORMAT, len(text), hashlib.sha256(text).digest()) + text)
        start = _aligned(_HEAD.size + len(text))
        for place in places:
            file.write(bytes(start + place.offset - file.tell()))  # zeros up to where it begins
            file.write(arrays[place.name].data)


def load(path: AnyPath) -> State:
    """What ``save`` wrote, its arrays mapped into memory; anything else is a FormatError that names the file.

    The file may be replaced meanwhile: who has loaded it keeps what was there.
    """
    with _opened(path) as file:
        return _loaded(file, path)


def verify(path: AnyPath) -> Verified:
    """Read the whole file and compare it with its checksums.

    Raises:
        IntegrityError: it is no index, or it is damaged.
        FormatError: there is no such file, or it cannot be read.
    """
    with _opened(path) as file:
        try:
            state = _loaded(file, path)
            state.collection.verify()
            state.vectors.arrays()
        except FormatError as error:
            raise error if isinstance(error, IntegrityError) else IntegrityError(str(error)) from None
        file.seek(0)
        _, number, _, _ = _HEAD.unpack(file.read(_HEAD.size))
        return Verified(len(state), os.fstat(file.fileno()).st_size, number >= FORMAT)


def _loaded(file: IO[bytes], path: AnyPath) -> State:
    try:
        return _rebuilt(*_content(file), path)
    except FormatError as error:
        raise type(error)(f"{path}: {error}") from None
    except (GraphError, IdError) as error:  # what is asked of a caller's graphs and ids is asked of a file's too
        raise FormatError(f"{path}: is damaged: {error}") from None


@contextmanager
def only_writer(path: AnyPath) -> Iterator[None]:
    """Be the only one who changes the index in this file while this lasts; readers are not kept waiting.

    Raises:
        OutputError: another process is changing it.
        FormatError: there is no such file.
    """
    while True:
        with _opened(path) as file:
            if not lock(file.fileno()):
                raise OutputError(f"{path}: another process is changing this index; try again when it is done")
            # A writer that has just finished has put a new file there; what is locked then is the old one.
            if not _is_same(file, Path(path)):
                continue
            yield
            return


@contextmanager
def _opened(path: AnyPath) -> Iterator[IO[bytes]]:
    place = as_path(path)
    try:
        if place.exists() and not place.is_file():
            raise FormatError(f"{path}: is no file")
        file = place.open("rb")  # it is closed below; what the body raises is not ours
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:  # a null byte in the name
        if isinstance(error, GraphEdXError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise FormatError(f"{path}: cannot be read: {reason.lower()}") from None
    with file:
        yield file


def _is_same(file: IO[bytes], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except OSError:
        return False


def _places(arrays: Mapping[str, NDArray[Any]]) -> list[_Place]:
    ends = [*accumulate(_aligned(array.nbytes) for array in arrays.values())]
    starts = zip(arrays.items(), [0, *ends[:-1]], strict=True)
    return [_Place(name, array.dtype.name, start, array.size) for (name, array), start in starts]


def _aligned(size: int) -> int:
    return -(-size // _ALIGNED) * _ALIGNED


def _json_labels(labels: Iterable[Label], path: AnyPath) -> list[Any]:
    try:
        values = [json.loads(label_text(plain_label(label))) for label in labels]
    except DatasetError as error:
        raise FormatError(f"{path}: {error}") from None
    if not _are_different(map(label_from_json, values)):  # a type of the caller's, say
        raise FormatError(f"{path}: two labels that differ would be the same in a file")
    return values


def _content(file: IO[bytes]) -> tuple[dict[str, Any], dict[str, NDArray[Any]], Checksums]:
    """The header, the arrays and their checksums; everything fits into the file, and nothing overlaps."""
    size = os.fstat(file.fileno()).st_size
    head = file.read(_HEAD.size)
    if not head.startswith(_MAGIC):
        raise FormatError("is no index of graphedx; `graphedx index build` makes one")
    if len(head) < _HEAD.size:
        raise FormatError("is cut short: its head is not whole")
    _, number, length, digest = _HEAD.unpack(head)
    if number not in (PLAIN, WITH_VECTORS, FORMAT):
        newer = "; a newer graphedx reads it" if number > FORMAT else ""
        raise FormatError(f"is of format {number}, this version reads {PLAIN} to {FORMAT}{newer}")
    if length > size - _HEAD.size:
        raise FormatError("is cut short: its header is not whole")
    text = file.read(length)
    if hashlib.sha256(text).digest() != digest:
        raise FormatError("is damaged: its header has not the SHA-256 that it should have")
    header = _checked(text)
    if (number == WITH_VECTORS) != ("vectors" in header) or (number == FORMAT) != (_CHECKSUMS in header):
        raise FormatError(f"is damaged: it is of format {number}, and its header is not")
    start = _aligned(_HEAD.size + length)
    if size != start + header["bytes"]:
        what = "is cut short" if size < start + header["bytes"] else "is damaged"
        raise FormatError(f"{what}: it has {size:,} bytes and should have {start + header['bytes']:,}")
    places = _checked_places(header)
    whole = np.memmap(file, dtype=np.uint8, mode="r")
    arrays = {place.name: whole[start + place.offset : start + place.end].view(_KINDS[place.kind]) for place in places}
    if number < FORMAT:
        return header, arrays, {}
    ends = [_HEAD.size + length, *(start + place.end for place in places)]
    starts = [start + place.offset for place in places]
    gaps = [(_HEAD.size - _HEAD_PADDING, _HEAD.size), *zip(ends, starts, strict=False)]
    if any(whole[end:begin].any() for end, begin in gaps):
        raise IntegrityError("is damaged: there is something between its arrays")
    return header, arrays, _verified(header[_CHECKSUMS], arrays)


def _verified(about: object, arrays: dict[str, NDArray[Any]]) -> Checksums:
    """The checksums by array. Those arrays are verified that are read now; the checksums leave ``arrays``."""
    values = arrays.pop(_CHECKSUMS, None)
    block, crc = (about.get(key) if isinstance(about, dict) else None for key in ("block_bytes", "crc32c"))
    if type(block) is not int or not 0 < block <= _MOST_BLOCK_BYTES or values is None or values.dtype != np.uint32:
        raise FormatError("is damaged: its header does not describe its checksums")
    if _crc32c(values) != crc:
        raise IntegrityError("is damaged: its checksums do not match their own checksum")
    ends = [*accumulate(block_count(array.nbytes, block) for array in arrays.values())]
    if ends[-1] != len(values):
        raise FormatError(f"is damaged: it has {len(values):,} checksums, and should have {ends[-1]:,}")
    parts = zip(arrays, np.split(values, ends[:-1]), strict=True)
    found = {name: BlockChecksums(part, block) for name, part in parts}
    for name in arrays.keys() - {*_LAZY}:
        _require_intact(name, arrays, found)
    return found


def _require_intact(name: str, arrays: Mapping[str, NDArray[Any]], checksums: Checksums) -> None:
    if damage := damaged_bytes(arrays[name], checksums[name]):
        raise IntegrityError(f"is damaged: {damage} (array {name}); restore the file or build the index again")


def _crc32c(array: NDArray[Any]) -> int:
    values = block_checksums(array, max(array.nbytes, 1)).values
    return int(values[0]) if len(values) else 0


def _checked(text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text)
    except (ValueError, RecursionError):
        raise FormatError("is damaged: its header is no JSON") from None
    if not isinstance(header, dict):
        raise FormatError("is damaged: its header is no object")
    for key in ("graphs", "nodes", "edges", "bytes"):
        if type(header.get(key)) is not int or not 0 <= header[key] < 2**62:
            raise FormatError(f"is damaged: {key!r} of its header must be a whole number >= 0")
    for key in ("node_labels", "edge_labels", "arrays"):
        if not isinstance(header.get(key), list):
            raise FormatError(f"is damaged: {key!r} of its header must be a list")
    if not isinstance(header.get("directed"), bool):
        raise FormatError("is damaged: 'directed' of its header must be true or false")
    return header


def _checked_places(header: Mapping[str, Any]) -> list[_Place]:
    places = sorted(map(_checked_place, header["arrays"]), key=lambda place: place.offset)
    names = [place.name for place in places]
    if len(set(names)) < len(names) or _IDS not in names:
        raise FormatError("is damaged: its header must name every array once")
    if any(place.end > after.offset for place, after in pairwise(places)):
        raise FormatError("is damaged: arrays of its header overlap")
    if any(place.end > header["bytes"] for place in places):
        raise FormatError("is damaged: an array of its header ends behind the file")
    return places


def _checked_place(entry: object) -> _Place:
    try:
        place = _Place(**entry)  # type: ignore[arg-type]
    except TypeError:
        raise FormatError("is damaged: an array of its header is not described") from None
    if not isinstance(place.name, str) or place.kind not in [*_KINDS]:
        raise FormatError(f"is damaged: an array of its header has no name, or is not of {', '.join(_KINDS)}")
    if any(type(value) is not int or not 0 <= value < 2**58 for value in (place.offset, place.length)):
        raise FormatError(f"is damaged: offset and length of {place.name!r} must be whole numbers >= 0")
    if place.offset % _ALIGNED:
        raise FormatError(f"is damaged: {place.name!r} must begin at a multiple of {_ALIGNED} bytes")
    return place


def _rebuilt(header: Mapping[str, Any], arrays: dict[str, NDArray[Any]], checksums: Checksums, path: AnyPath) -> State:
    ids = _decoded(arrays.pop(_IDS))
    require_ids(ids)
    nodes, edges = (_checked_labels(header[key]) for key in ("node_labels", "edge_labels"))
    stored = StoredGraphs(str(path), checksums["graph_bytes"]) if "graph_bytes" in checksums else None
    collection = Collection(arrays, nodes, edges, directed=header["directed"], stored=stored)
    if not len(ids) == len(collection) == header["graphs"]:
        raise FormatError(
            f"is damaged: it has {len(collection):,} graphs and {len(ids):,} ids, and should have {header['graphs']:,}"
        )
    if (counted := int(arrays["counts"].sum(dtype=np.uint64))) != header["nodes"]:
        raise FormatError(f"is damaged: its graphs have {counted:,} nodes, and should have {header['nodes']:,}")
    vectors = KeptVectors(collection, stored=_stored(header, arrays, checksums, collection, path))
    return State(collection, tuple(ids), header["nodes"], header["edges"], vectors)


def _stored(
    header: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    checksums: Checksums,
    collection: Collection,
    path: AnyPath,
) -> Stored | None:
    """The vectors of the file, if it has some; they belong to its graphs as far as their number tells."""
    if "vectors" not in header and not checksums.keys() & {_SIZES, _COUNTS}:
        return None
    blocks = columns_of(blocks_for(collection.node_labels, collection.edge_labels))
    widths = {_SIZES: (np.float32, 2), _COUNTS: (np.uint8, max(block.stop for block in blocks.values()))}
    for name, (kind, width) in widths.items():
        if name not in arrays or arrays[name].dtype != kind or arrays[name].size != len(collection) * width:
            raise FormatError(f"is damaged: its vectors do not belong to its graphs ({name})")

    def check() -> None:
        try:
            for name in checksums.keys() & widths:
                _require_intact(name, arrays, checksums)
        except IntegrityError as error:
            raise IntegrityError(f"{path}: {error}") from None
        if not checksums and _digest(arrays) != header["vectors"]:
            raise IntegrityError(f"{path}: is damaged: its vectors have not the SHA-256 that they should have")
        # Who wrote the file may have lied: sizes that are no numbers would be looked for without end.
        sizes = arrays[_SIZES].reshape(-1, 2)
        whole = np.isfinite(sizes).all() and (sizes >= 0).all()
        if not whole or sizes.sum(axis=0, dtype=np.float64).tolist() != [header["nodes"], header["edges"]]:
            raise FormatError(f"{path}: is damaged: its vectors do not belong to its graphs ({_SIZES})")

    return Stored({name: arrays[name].reshape(-1, width) for name, (_, width) in widths.items()}, check)


def _digest(arrays: Mapping[str, NDArray[Any]]) -> str:
    """SHA-256 of the vectors, as files of format 2 have it."""
    digest = hashlib.sha256()
    for name in (_SIZES, _COUNTS):
        digest.update(np.ascontiguousarray(arrays[name], dtype=_KINDS[arrays[name].dtype.name]).data)
    return digest.hexdigest()


def _decoded(content: NDArray[np.uint8]) -> list[str]:
    """All ids at once: a hundred thousand take ten milliseconds, fewer than it takes to look at each when asked."""
    try:
        return content.tobytes().decode().split("\n") if content.size else []
    except UnicodeDecodeError:
        raise FormatError("is damaged: its ids are no text") from None


def _checked_labels(values: list[Any]) -> tuple[Label, ...]:
    labels: tuple[Label, ...] = tuple(map(label_from_json, values))
    for label in labels:
        try:
            label_text(label)
        except DatasetError as error:
            raise FormatError(f"is damaged: {error}") from None
    if not _are_different(labels):  # graphs that are added would get the numbers of other labels
        raise FormatError("is damaged: labels of its header must be different")
    return labels


def _are_different(labels: Iterable[Label]) -> bool:
    listed = list(labels)
    return len(set(listed)) == len(listed)
