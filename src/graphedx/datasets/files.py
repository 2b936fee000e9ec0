"""A dataset as a folder: ``dataset.json`` says what it is, ``graphs.parquet`` holds a row for each graph.

Folders may come from anyone: nothing in them is run, what they announce is limited, and checksums tell damage.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from graphedx._files import AnyPath, as_path, atomic_folder
from graphedx._quoting import quoted
from graphedx.datasets.dataset import SPLITS, Dataset, label_from_json, label_text
from graphedx.errors import DatasetError, GraphEdXError, GraphError, OutputError
from graphedx.graph import Graph, Label

FORMAT = 1
DESCRIPTION, GRAPHS, LABELS = "dataset.json", "graphs.parquet", "labels"
CHECKSUM = "checksum"
MAX_BYTES = 2**30
"""No file larger than this is read, packed or unpacked."""
MAX_NODES = 50_000_000
"""No dataset may announce more nodes, edges or ends of edges than this."""
FREE_NODES, NODES_PER_BYTE = 1_000_000, 100
"""How many of them a dataset may announce however small its file is, and how many more for each byte of the file."""

_KINDS = {
    "name": "string",
    "split": "string",
    "num_nodes": "int32",
    "edges": "list of int32",
    "node_labels": "list of int32",
    "edge_labels": "list of int32",
}


def save(dataset: Dataset, folder: AnyPath, *, overwrite: bool = False) -> Dataset:
    """See ``Dataset.save``."""
    target = as_path(folder)
    if stored_fingerprint(target) == dataset.fingerprint:
        found = _loaded_or_none(target)
        if found is not None and found.name == dataset.name:
            return found
    require_replaceable(target, overwrite=overwrite)
    nodes, edges = _Vocabulary(), _Vocabulary()
    content = _parquet(dataset, nodes, edges)
    description = {
        "format": FORMAT,
        "name": dataset.name,
        "directed": dataset.directed,
        "sizes": dict(zip(SPLITS, dataset.sizes, strict=True)),
        "fingerprint": dataset.fingerprint,
        "graphs_sha256": hashlib.sha256(content).hexdigest(),
        "provenance": dict(dataset.provenance),
        "vocabularies": {"node": nodes.labels, "edge": edges.labels},
    }
    try:
        plain = json.loads(json.dumps(description, allow_nan=False))
        text = json.dumps({**plain, CHECKSUM: _checksum(plain)}, indent=1)
    except (TypeError, ValueError) as error:
        raise DatasetError(f"the provenance of a dataset must be something JSON can hold: {error}") from None
    with atomic_folder(target, overwrite=True) as place:  # what may not be replaced was refused above
        (place / GRAPHS).write_bytes(content)
        (place / DESCRIPTION).write_bytes(f"{text}\n".encode())
    return replace(dataset, folder=target)


def load(folder: AnyPath) -> Dataset:
    """See ``Dataset.load``."""
    place = as_path(folder)
    description = _description(place)
    content = _content(place / GRAPHS)
    if hashlib.sha256(content).hexdigest() != description["graphs_sha256"]:
        raise DatasetError(
            f"{place / GRAPHS}: is damaged or was changed: it has not the SHA-256 that {DESCRIPTION} tells"
        )
    try:
        dataset = _rebuilt(description, content, place)
    except DatasetError as error:
        raise DatasetError(f"{place}: {error}") from None
    except (GraphError, ValueError, IndexError, RecursionError) as error:
        raise DatasetError(f"{place / GRAPHS}: does not hold the graphs of a dataset: {error}") from None
    if dataset.fingerprint != description["fingerprint"]:
        raise DatasetError(f"{place}: its graphs are not those that the fingerprint in {DESCRIPTION} stands for")
    return dataset


def require_replaceable(folder: Path, *, overwrite: bool) -> None:
    """Make room for a dataset, or refuse the place before hours of work; nothing but a dataset is replaced."""
    try:
        if not folder.exists():
            folder.resolve().parent.mkdir(parents=True, exist_ok=True)
            return
        if not folder.is_dir():
            raise OutputError(f"{folder}: this is a file, not a folder; choose another path")
        inside = {file.name for file in folder.iterdir()}
    except (OSError, ValueError) as error:  # a null byte in the name
        if isinstance(error, GraphEdXError):
            raise
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(f"{folder}: cannot be written: {reason.lower()}") from None
    if not inside:
        return
    if others := sorted(inside - {DESCRIPTION, GRAPHS, LABELS}):
        raise OutputError(f"{folder}: holds {quoted(others[0])}, which is no part of a dataset; choose another folder")
    if not overwrite:
        labels = "; its labels would be lost" if has_labels(folder) else ""
        raise OutputError(f"{folder}: exists already and was left as it is; pass overwrite=True to replace it{labels}")


def stored_fingerprint(folder: Path) -> str | None:
    """The fingerprint of the dataset that lies there; None if there is none that can be read."""
    try:
        return str(_description(folder)["fingerprint"])
    except DatasetError:
        return None


def has_labels(folder: Path) -> bool:
    """Whether distances have been computed for the dataset that lies there."""
    return (folder / LABELS).exists()


def _loaded_or_none(folder: Path) -> Dataset | None:
    try:
        return load(folder)
    except DatasetError:
        return None


class _Vocabulary:
    """Distinct labels in order of appearance; 1, 1.0 and true, which Python calls equal, are three."""

    def __init__(self) -> None:
        self.labels: list[Any] = []
        self._codes: dict[str, int] = {}
        self._known: dict[tuple[type, Label], int] = {}

    def codes(self, labels: Iterable[Label]) -> list[int]:
        return [self._code(label) for label in labels]

    def _code(self, label: Label) -> int:
        key = (type(label), label)
        if key in self._known:
            return self._known[key]
        text = label_text(label)
        code = self._codes.setdefault(text, len(self._codes))
        if code == len(self.labels):
            self.labels.append(json.loads(text))
        if not isinstance(label, tuple | float):  # (1,) equals (True,), and 0.0 equals -0.0
            self._known[key] = code
        return code


def _parquet(dataset: Dataset, nodes: _Vocabulary, edges: _Vocabulary) -> bytes:
    import pyarrow as arrow
    from pyarrow import parquet

    columns: dict[str, list[Any]] = {
        "name": [graph.name for graph in dataset.graphs],
        "split": _split_names(dataset.sizes),
        "num_nodes": [len(graph) for graph in dataset.graphs],
        "edges": [list(chain.from_iterable(graph.edge_index)) for graph in dataset.graphs],
        "node_labels": [nodes.codes(graph.node_labels) for graph in dataset.graphs],
        "edge_labels": [edges.codes(graph.edge_labels) for graph in dataset.graphs],
    }
    numbers = arrow.list_(arrow.field("element", arrow.int32(), nullable=False))
    kinds = {"string": arrow.string(), "int32": arrow.int32(), "list of int32": numbers}
    schema = arrow.schema([arrow.field(name, kinds[kind], nullable=False) for name, kind in _KINDS.items()])
    try:
        table = arrow.table(columns, schema=schema)
    except UnicodeEncodeError:
        raise DatasetError("a graph's name holds half a character, which no file can") from None
    sink = arrow.BufferOutputStream()
    # Everything that has a default is set: the same graphs are to be the same bytes next year too. Without
    # dictionaries a small file cannot unfold into a huge one, so files with them are not read either.
    parquet.write_table(
        table,
        sink,
        version="2.6",
        data_page_version="1.0",
        compression="zstd",
        compression_level=3,
        use_dictionary=False,
        write_statistics=False,
        store_schema=False,
        row_group_size=max(len(dataset), 1),
    )
    return bytes(sink.getvalue())


def _split_names(sizes: Iterable[int]) -> list[str]:
    return [name for name, size in zip(SPLITS, sizes, strict=True) for _ in range(size)]


def _description(folder: Path) -> dict[str, Any]:
    """What dataset.json tells, all of it there and of the right kind."""
    try:
        if not folder.is_dir():
            raise DatasetError(f"{folder}: no such folder" if not folder.exists() else f"{folder}: is no folder")
    except OSError as error:  # such as a name that is too long
        raise DatasetError(f"{folder}: cannot be read: {(error.strerror or str(error)).lower()}") from None
    path = folder / DESCRIPTION
    try:
        description = json.loads(_content(path), parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        if isinstance(error, DatasetError):
            raise
        raise DatasetError(f"{path}: is damaged: it is not JSON: {error}") from None
    if not isinstance(description, dict) or not isinstance(description.get("format"), int):
        raise DatasetError(f"{path}: does not describe a dataset: it has no format number")
    if description["format"] != FORMAT:
        newer = "; a newer graphedx reads it" if description["format"] > FORMAT else ""
        raise DatasetError(f"{path}: is of format {description['format']}, this version reads {FORMAT}{newer}")
    for key, is_right, what in _EXPECTED:
        if not is_right(description.get(key)):
            raise DatasetError(f"{path}: was changed by hand or is damaged: {quoted(key)} must be {what}")
    expected = description.pop(CHECKSUM, None)  # older datasets have none
    if expected is not None and expected != _checksum(description):
        raise DatasetError(f"{path}: was changed by hand or is damaged: its content does not match its checksum")
    return description


def _checksum(description: Mapping[str, Any]) -> str:
    """SHA-256 of the description without its checksum."""
    return hashlib.sha256(json.dumps(description, sort_keys=True).encode()).hexdigest()


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_sizes(value: object) -> bool:
    return isinstance(value, dict) and list(value) == list(SPLITS) and all(type(size) is int for size in value.values())


def _is_vocabularies(value: object) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(kind), list) for kind in ("node", "edge"))


_EXPECTED: tuple[tuple[str, Callable[[object], bool], str], ...] = (
    ("name", _is_text, "text"),
    ("directed", lambda value: isinstance(value, bool), "true or false"),
    ("sizes", _is_sizes, f"an object with the sizes of {', '.join(SPLITS)}"),
    ("fingerprint", _is_text, "text"),
    ("graphs_sha256", _is_text, "text"),
    ("provenance", lambda value: isinstance(value, dict), "an object"),
    ("vocabularies", _is_vocabularies, "an object with the lists node and edge"),
)


def _content(path: Path) -> bytes:
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise DatasetError(f"{path}: has {size} bytes, more than the limit of {MAX_BYTES}")
        return path.read_bytes()
    except FileNotFoundError:
        raise DatasetError(f"{path}: is missing, so {path.parent} is no whole dataset") from None
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from None


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _rebuilt(description: Mapping[str, Any], content: bytes, folder: Path) -> Dataset:
    columns = _columns(content)
    sizes = tuple(description["sizes"].values())
    if sum(sizes) != len(columns["split"]) or columns["split"] != _split_names(sizes):
        raise DatasetError(f"the splits of {GRAPHS} are not those of {DESCRIPTION}")
    nodes, edges = ([*map(label_from_json, description["vocabularies"][kind])] for kind in ("node", "edge"))
    if sum(columns["num_nodes"]) > (most := _most_nodes(len(content))):
        raise DatasetError(f"announces more than the limit of {most} nodes for a file of {len(content)} bytes")
    # Before a graph is made, which has a name for every node that is announced.
    for count, ends, node_codes, edge_codes in zip(
        *(columns[column] for column in ("num_nodes", "edges", "node_labels", "edge_labels")), strict=True
    ):
        if count != len(node_codes) or len(ends) != 2 * len(edge_codes):
            raise ValueError("a graph has not as many labels as nodes and edges")
    graphs = [
        Graph(
            count,
            zip(ends[::2], ends[1::2], strict=True),
            node_labels=[nodes[code] for code in node_codes],
            edge_labels=[edges[code] for code in edge_codes],
            directed=description["directed"],
            name=name,
        )
        for name, count, ends, node_codes, edge_codes in zip(
            *(columns[column] for column in ("name", "num_nodes", "edges", "node_labels", "edge_labels")), strict=True
        )
    ]
    return Dataset(description["name"], tuple(graphs), sizes, description["provenance"], folder)


def _columns(content: bytes) -> dict[str, list[Any]]:
    """The columns as lists; none is unfolded before its size is known to be within the limits."""
    import pyarrow as arrow
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(arrow.BufferReader(content))
        _require_modest(file.metadata, _most_nodes(len(content)))
        table = file.read(use_threads=False)
    except (arrow.ArrowException, OSError) as error:
        raise ValueError(str(error).splitlines()[0]) from None
    if table.column_names != [*_KINDS]:
        raise ValueError(f"its columns are not {', '.join(_KINDS)}")
    return {name: _values(name, table.column(name).combine_chunks()) for name in _KINDS}


def _most_nodes(size: int) -> int:
    """Return how many nodes or ends of edges a file of this size may hold; packed zeros take next to no bytes."""
    return min(MAX_NODES, FREE_NODES + NODES_PER_BYTE * size)


def _require_modest(metadata: Any, most_nodes: int) -> None:
    columns = [
        metadata.row_group(group).column(number)
        for group in range(metadata.num_row_groups)
        for number in range(metadata.num_columns)
    ]
    if any(column.has_dictionary_page or "DICT" in "".join(column.encodings) for column in columns):
        raise ValueError("it has dictionaries, which a dataset never has")
    values = sum(column.num_values for column in columns)
    if values > len(_KINDS) * most_nodes or sum(column.total_uncompressed_size for column in columns) > MAX_BYTES:
        raise ValueError(f"it announces more than the limits of {most_nodes} nodes and {MAX_BYTES} bytes")


def _values(name: str, array: Any) -> list[Any]:
    """As ``to_pylist``, at a tenth of its time for lists of numbers."""
    import pyarrow as arrow

    is_list = arrow.types.is_list(array.type)
    numbers = array.flatten() if is_list else array
    if f"{'list of ' if is_list else ''}{numbers.type}" != _KINDS[name] or array.null_count or numbers.null_count:
        raise ValueError(f"its column {name} is not of {_KINDS[name]} throughout")
    if not is_list:
        return list(array.to_pylist())
    # Not to_numpy: it imports pandas, and an interrupt that comes meanwhile is lost.
    ends, flat = (np.from_dlpack(part).tolist() for part in (array.offsets, numbers))
    return [flat[start - ends[0] : end - ends[0]] for start, end in pairwise(ends)]
