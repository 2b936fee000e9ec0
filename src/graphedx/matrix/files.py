"""Distance matrices on disk: CSV and Parquet with a row for each pair, NPZ with the arrays; ``digest`` tells damage."""

from __future__ import annotations

import csv
import io
import json
import math
import zlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from graphedx._files import AnyPath, as_path, atomic_write
from graphedx.engine.answers import STOPS
from graphedx.errors import FormatError, IntegrityError, OutputError
from graphedx.matrix.digest import content_digest, require_digest, require_digest_file, write_with_digest
from graphedx.matrix.table import DistanceMatrix
from graphedx.result import StopReason

HEADER = ("row", "column", "source", "target", "lower", "upper", "proven", "stopped_by")
"""The columns of a file; ``row`` and ``column`` count from 0, since two graphs may have the same name."""

_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
_MOST_A_BYTE_UNFOLDS_TO = 1032  # of what deflate has folded

_BAD_CONTENT = (
    *(ValueError, KeyError, IndexError, TypeError, AttributeError, EOFError),
    *(BadZipFile, zlib.error, NotImplementedError, RuntimeError),  # zipfile's, of an archive that is broken or locked
)


class _Cells(NamedTuple):
    """The columns that a matrix can be rebuilt from."""

    row: Sequence[int]
    column: Sequence[int]
    source: Sequence[str]
    target: Sequence[str]
    lower: Sequence[float]
    upper: Sequence[float]
    stopped_by: Sequence[str]


def save(matrix: DistanceMatrix, path: AnyPath, *, overwrite: bool = False) -> None:
    """Write the matrix in the format that the extension names."""
    extension = require_extension(path)
    if matrix.lower.size == 0:
        raise OutputError(f"{path}: there are no distances to write")
    try:
        content = _WRITERS[extension](matrix)
    except UnicodeEncodeError:
        raise OutputError(f"{path}: a graph's name holds half a character, which no file can") from None
    if extension == ".csv":
        write_with_digest(path, content, overwrite=overwrite)
        return
    with atomic_write(path, overwrite=overwrite) as file:
        file.write(content)


def load(path: AnyPath) -> DistanceMatrix:
    """Read what ``save`` wrote; anything else is a FormatError that names the file."""
    extension = require_extension(path)
    try:
        content = as_path(path).read_bytes()
        if extension == ".csv":
            require_digest_file(path, content)
    except IntegrityError:
        raise
    except (OSError, ValueError) as error:  # a null byte in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise FormatError(f"{path}: cannot be read: {reason.lower()}") from None
    try:
        return _READERS[extension](content)
    except IntegrityError as error:
        raise IntegrityError(f"{path}: {error}") from None
    except _BAD_CONTENT as error:
        problem = str(error) or type(error).__name__
        raise FormatError(f"{path}: is not a distance matrix as graphedx saves it: {problem}") from None


def require_extension(path: AnyPath) -> str:
    """The extension, if it is one that a matrix can be saved with."""
    extension = as_path(path).suffix.lower()
    if extension not in _WRITERS:
        raise OutputError(f"{path}: a distance matrix is saved as {', '.join(_WRITERS)}, not {extension or 'nothing'}")
    return extension


def _columns(matrix: DistanceMatrix) -> dict[str, list[Any]]:
    row, column = (place.ravel().tolist() for place in np.indices(matrix.lower.shape))
    values = (
        row,
        column,
        [matrix.rows[i] for i in row],
        [matrix.columns[j] for j in column],
        matrix.lower.ravel().tolist(),
        matrix.upper.ravel().tolist(),
        matrix.proven.ravel().tolist(),
        [STOPS[stop].value for stop in matrix.stops.ravel()],
    )
    return dict(zip(HEADER, values, strict=True))


def _rebuilt(cells: _Cells, digest: object = None) -> DistanceMatrix:
    n, m = max(cells.row) + 1, max(cells.column) + 1
    places = set(zip(cells.row, cells.column, strict=True))
    if len(cells.row) != n * m or len(places) != n * m or min(cells.row) < 0 or min(cells.column) < 0:
        raise ValueError(f"{n} x {m} cells are needed, each once, but there are {len(cells.row)} rows")
    stop_of = {reason.value: code for code, reason in enumerate(StopReason)}
    lower, upper, stops = np.empty((n, m)), np.empty((n, m)), np.empty((n, m), dtype=np.int8)
    lower[cells.row, cells.column] = cells.lower
    upper[cells.row, cells.column] = cells.upper
    stops[cells.row, cells.column] = [stop_of[reason] for reason in cells.stopped_by]
    sources, targets = (
        dict(zip(cells.row, cells.source, strict=True)),
        dict(zip(cells.column, cells.target, strict=True)),
    )
    return _checked(lower, upper, stops, [sources[i] for i in range(n)], [targets[j] for j in range(m)], digest)


def _checked(
    lower: Any, upper: Any, stops: Any, rows: Sequence[str], columns: Sequence[str], digest: object
) -> DistanceMatrix:
    require_digest(digest, content_digest(lower, upper, stops, rows, columns))
    if not (lower <= upper).all():  # NaN too
        raise ValueError("a lower bound is not below its upper bound")
    if not ((stops >= 0) & (stops < len(STOPS))).all():
        raise ValueError("unknown reasons for stopping")
    return DistanceMatrix(lower, upper, stops, tuple(rows), tuple(columns))


def _digest(matrix: DistanceMatrix) -> str:
    return content_digest(matrix.lower, matrix.upper, matrix.stops, matrix.rows, matrix.columns)


def _to_csv(matrix: DistanceMatrix) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    columns = _columns(matrix)
    columns["proven"] = [str(proven).lower() for proven in columns["proven"]]
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue().encode("utf-8")


def _from_csv(content: bytes) -> DistanceMatrix:
    try:
        head, *body = [*csv.reader(io.StringIO(content.decode("utf-8"), newline=""), strict=True)] or [[]]
    except csv.Error as error:
        raise ValueError(error) from None
    if head != list(HEADER):
        raise ValueError(f"its columns are not {', '.join(HEADER)}")
    if not body or any(len(line) != len(HEADER) for line in body):
        raise ValueError(f"it has no rows, or one without {len(HEADER)} entries")
    row, column, source, target, lower, upper, _, stopped_by = zip(*body, strict=True)
    places = [int(i) for i in row], [int(j) for j in column]
    bounds = [float(value) for value in lower], [float(value) for value in upper]
    return _rebuilt(_Cells(*places, source, target, *bounds, stopped_by))


def _to_parquet(matrix: DistanceMatrix) -> bytes:
    import pyarrow as arrow
    from pyarrow import parquet

    kinds = {"row": arrow.int32(), "column": arrow.int32()}
    columns = {name: arrow.array(values, kinds.get(name)) for name, values in _columns(matrix).items()}
    sink = io.BytesIO()
    about = {"graphedx": json.dumps({"digest": _digest(matrix)})}
    # Page checksums too: a column that is not in the digest, such as "proven", is for other readers.
    parquet.write_table(arrow.table(columns).replace_schema_metadata(about), sink, write_page_checksum=True)
    return sink.getvalue()


def _from_parquet(content: bytes) -> DistanceMatrix:
    import pyarrow as arrow
    from pyarrow import parquet

    try:
        # Not read_table: its threads may outlive us with a hold on the content, and abort Python when it ends.
        file = parquet.ParquetFile(arrow.BufferReader(content), page_checksum_verification=True)
        about = json.loads((file.schema_arrow.metadata or {}).get(b"graphedx", b"{}"))
        table = file.read(use_threads=False).to_pydict()
    except (arrow.ArrowException, OSError) as error:
        raise ValueError(str(error).splitlines()[0]) from None
    return _rebuilt(_Cells(*(table[name] for name in _Cells._fields)), about.get("digest"))


def _to_npz(matrix: DistanceMatrix) -> bytes:
    names = json.dumps([matrix.rows, matrix.columns], ensure_ascii=False).encode("utf-8")  # numpy drops final NULs
    sink = io.BytesIO()
    arrays: dict[str, Any] = {"lower": matrix.lower, "upper": matrix.upper, "stops": matrix.stops}
    arrays["digest"] = np.frombuffer(_digest(matrix).encode(), dtype=np.uint8)
    np.savez_compressed(sink, **arrays, names=np.frombuffer(names, dtype=np.uint8))
    return sink.getvalue()


def _from_npz(content: bytes) -> DistanceMatrix:
    if not content.startswith(b"PK"):  # numpy would advise to unpickle whatever it is
        raise ValueError("it is no zip archive")
    with ZipFile(io.BytesIO(content)) as archive:
        rows, columns = json.loads(_array(archive, "names", np.uint8, None).tobytes().decode("utf-8"))
        if not all(
            isinstance(names, list) and all(isinstance(name, str) for name in names) for names in (rows, columns)
        ):
            raise ValueError("its names are no text")
        shape = len(rows), len(columns)
        lower, upper = (_array(archive, name, np.float64, shape) for name in ("lower", "upper"))
        stops, digest = _array(archive, "stops", np.int8, shape), None
        if "digest.npy" in archive.namelist():
            digest = _array(archive, "digest", np.uint8, None).tobytes().decode("ascii")
        return _checked(lower, upper, stops, rows, columns, digest)


def _array(archive: ZipFile, name: str, kind: type[np.generic], shape: tuple[int, ...] | None) -> NDArray[Any]:
    """An array of this kind and shape (``None`` is a row of any length); anything else is refused by its header."""
    member = archive.getinfo(f"{name}.npy")
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        if version not in _HEADERS:
            raise ValueError(f"{name} is in a format of numpy's that graphedx does not write")
        there, _, dtype = _HEADERS[version](file)
        data = member.file_size - file.tell()
    shape = (data,) if shape is None else shape
    if dtype.newbyteorder("=") != kind:
        raise ValueError(f"{name} is of type {dtype}, not {np.dtype(kind)}")
    if there != shape or data != math.prod(shape) * dtype.itemsize:
        raise ValueError(f"{name} has the shape {there}, which is not that of its names and numbers")
    if member.file_size > _MOST_A_BYTE_UNFOLDS_TO * member.compress_size:
        raise ValueError(f"{name} announces more than it can hold")
    with archive.open(member) as file:
        found: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False).astype(kind, copy=False)
    return found


_WRITERS: dict[str, Callable[[DistanceMatrix], bytes]] = {".csv": _to_csv, ".parquet": _to_parquet, ".npz": _to_npz}
_READERS: dict[str, Callable[[bytes], DistanceMatrix]] = {
    ".csv": _from_csv,
    ".parquet": _from_parquet,
    ".npz": _from_npz,
}
