"""Labels on disk: a folder for each regime, with a manifest and, for each split, Parquet shards of a fixed size.

``DATASET/labels/REGIME/labels.json`` says of which graphs, costs, method and version they are. A shard holds the
pairs of consecutive numbers and appears whole or not at all; while a split is being labelled, a journal beside the
shards holds what is not in a shard yet. No time and no machine is written down: the same labels are the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import json
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphedx._files import atomic_write, locked_folder, sweep
from graphedx.datasets.dataset import SPLITS, Dataset
from graphedx.datasets.labels.regime import Regime, Sizes
from graphedx.datasets.splits import pairs_at
from graphedx.engine.answers import CODES, STOPS, Block, Ids
from graphedx.errors import DatasetError
from graphedx.result import StopReason

if TYPE_CHECKING:
    import pyarrow
    from pyarrow import parquet

FORMAT = 1
METHOD = "exact"
"""Searches the same tree in every run: its mappings do not depend on the clock, as those of ``auto`` do."""
SHARD_PAIRS = 8192
MANIFEST = "labels.json"
_CHECKSUM = "checksum"
_MOST_BYTES_A_PAIR = 200  # unpacked, images aside
_STOP_NAMES = [stop.value for stop in STOPS]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What the labels of a folder are of, and by what they were found."""

    format: int
    dataset: str  # its fingerprint
    regime: str
    costs: str
    method: str
    software: str
    shards: dict[str, str]  # file -> SHA-256, of the splits that are complete


class Shard(NamedTuple):
    """The answers to consecutive pairs, and how many seconds each pair was given; ``None`` is without end."""

    block: Block
    time_limit: float | None


class Store:
    """The folder of one regime of a dataset."""

    def __init__(self, dataset: Dataset, regime: Regime) -> None:
        self.dataset, self.regime = dataset, regime
        self.folder = _folder(dataset) / regime.key

    # -- manifest ----------------------------------------------------------------------------------------------------

    def manifest(self) -> Manifest | None:
        """``None`` if nothing was labelled yet; a manifest of other graphs or a newer format is refused."""
        path = self.folder / MANIFEST
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
            expected = content.pop(_CHECKSUM, None)  # older manifests have none
            if expected is not None and expected != _checksum(content):
                raise ValueError("it is damaged or was changed: its content does not match its checksum")
            read = Manifest(**content)
            if not isinstance(read.shards, dict) or not isinstance(read.software, str):
                raise ValueError("shards must be an object, software a text")
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
            raise DatasetError(f"{path}: cannot be read as a manifest of labels: {error}") from None
        if read.format != FORMAT:
            raise DatasetError(f"{path}: has format {read.format}, this version of graphedx reads {FORMAT}")
        told = (read.dataset, read.regime, read.costs, read.method)
        if told != (self.dataset.fingerprint, self.regime.key, self.regime.costs_text, METHOD):
            raise DatasetError(f"{path}: labels of other graphs, costs or another method; remove {self.folder}")
        return read

    def write(self, manifest: Manifest) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        with atomic_write(self.folder / MANIFEST, overwrite=True, mode="w") as file:
            content = asdict(manifest)
            json.dump({**content, _CHECKSUM: _checksum(content)}, file, indent=1, sort_keys=True)
            file.write("\n")

    def seal(self, manifest: Manifest, split: str) -> Manifest:
        """Take note that a split is complete."""
        shards = {path.name: _digest(path.read_bytes()) for path in self.shard_paths(split)}
        sealed = replace(manifest, shards=dict(sorted((manifest.shards | shards).items())))
        if sealed != manifest:
            self.write(sealed)
        return sealed

    def unseal(self, manifest: Manifest, split: str) -> Manifest:
        """Shards of the split are about to change."""
        names = {path.name for path in self.shard_paths(split)}
        opened = replace(
            manifest, shards={name: digest for name, digest in manifest.shards.items() if name not in names}
        )
        if opened != manifest:
            self.write(opened)
        return opened

    def is_sealed(self, manifest: Manifest | None, split: str) -> bool:
        return manifest is not None and all(path.name in manifest.shards for path in self.shard_paths(split))

    def is_finished(self, split: str, manifest: Manifest) -> bool:
        """Whether a run has come to its end, and left nothing to do but pairs that want more time."""
        there = all(path.exists() for path in self.shard_paths(split))
        return there and self.is_sealed(manifest, split) and not self.journals(split)

    # -- shards ------------------------------------------------------------------------------------------------------

    def journal_path(self, split: str, time_limit: float | None) -> Path:
        """Answers under different time limits are kept apart: what one gave up, a longer one tries again."""
        return self.folder / (f"{split}.journal" if time_limit is None else f"{split}.{time_limit!r}s.journal")

    def journals(self, split: str) -> dict[Path, float | None]:
        """Every journal of a split that is there, and its time limit."""
        found: dict[Path, float | None] = {}
        for path in self.folder.glob(f"{split}.*journal"):
            limit = path.name.removeprefix(f"{split}.").removesuffix("journal").removesuffix("s.")
            with suppress(ValueError):  # a file of somebody else's
                found[path] = float(limit) if limit else None
        return found

    def locked(self) -> AbstractContextManager[None]:
        """One run at a time."""
        return locked_folder(self.folder, "another run is writing these labels; wait for it")

    def shard_path(self, split: str, number: int) -> Path:
        return self.folder / f"{split}-{number:05d}.parquet"

    def shard_paths(self, split: str) -> list[Path]:
        """All that a complete split has."""
        return [self.shard_path(split, number) for number in range(shard_count(self.dataset.pair_count(split)))]

    def extra_shards(self) -> list[Path]:
        """Files that look like shards, and are of no pairs of this dataset."""
        known = {path for split in SPLITS for path in self.shard_paths(split)}
        return [path for path in sorted(self.folder.glob("*.parquet")) if path not in known and path.name[0] != "."]

    def was_begun(self, split: str, manifest: Manifest | None) -> bool:
        """Whether there is anything of this split, or was when the manifest was written."""
        names = manifest.shards if manifest else {}
        shards = any(path.exists() or path.name in names for path in self.shard_paths(split))
        return shards or bool(self.journals(split))

    def is_complete(self, split: str) -> bool:
        """Whether every pair of this split has a label."""
        return self.manifest() is not None and all(path.exists() for path in self.shard_paths(split))

    def sweep(self, split: str) -> None:
        """Remove what a killed run left half-written; for who holds the lock."""
        sweep([self.folder / MANIFEST, *self.shard_paths(split)])

    def write_shard(self, split: str, number: int, shard: Shard, manifest: Manifest) -> None:
        """Write the answers of all pairs of a shard, in order."""
        from pyarrow import parquet

        table = _table(self.dataset, self.regime, split, shard.block)
        about = {"format": FORMAT, "dataset": manifest.dataset, "costs": manifest.costs, "split": split}
        about |= {"method": manifest.method, "software": manifest.software, "first_pair": int(shard.block.ids[0])}
        late = (shard.block.stops == CODES[StopReason.TIME]).any()
        about["time_limit"] = shard.time_limit if late else None  # a limit that never struck leaves no trace
        about["digest"] = _content_digest(about, shard.block)
        table = table.replace_schema_metadata({"graphedx": json.dumps(about, sort_keys=True)})
        sink = io.BytesIO()
        parquet.write_table(table, sink, compression="zstd", version="2.6", write_page_checksum=True)
        with atomic_write(self.shard_path(split, number), overwrite=True) as file:
            file.write(sink.getvalue())

    def read_shard(self, split: str, number: int, digest: str | None = None) -> Shard:
        """The answers of a shard, checked against the pairs that it must hold.

        Raises:
            DatasetError: it is missing, damaged, or of other pairs.
        """
        path = self.shard_path(split, number)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            raise DatasetError(f"{path}: is missing; run graphedx label again to make it") from None
        except OSError as error:  # a folder of that name, or one we may not read
            raise DatasetError(f"{path}: cannot be read: {(error.strerror or str(error)).lower()}") from None
        if digest is not None and _digest(content) != digest:
            raise DatasetError(f"{path}: is damaged (its SHA-256 has changed); delete it and run graphedx label again")
        try:
            return self._checked(split, number, content)
        except (ValueError, LookupError, TypeError, OSError, RuntimeError) as error:  # pyarrow's own are among these
            problem = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise DatasetError(
                f"{path}: is damaged or no shard of labels ({problem}); delete it and run graphedx label again"
            ) from None

    def _checked(self, split: str, number: int, content: bytes) -> Shard:
        import pyarrow as arrow
        from pyarrow import parquet

        ids = shard_ids(self.dataset.pair_count(split), number)
        pairs = pairs_at(self.dataset.span(split), ids)
        sizes = Sizes.of(self.dataset, pairs)
        # Not read_table: its threads may outlive us with a hold on the content, and abort Python when it ends.
        file = parquet.ParquetFile(
            arrow.BufferReader(content), page_checksum_verification=True, read_dictionary=["stopped_by"]
        )
        self._require_fitting(file, split, len(ids), int(sizes.source_nodes.sum()))
        table = file.read(use_threads=False)
        if any(column.null_count for column in table.columns):
            raise ValueError("values are missing")
        columns = {name: table[name].combine_chunks() for name in table.column_names}
        images, stopped_by = columns.pop("images"), columns.pop("stopped_by")
        # Not to_numpy: it imports pandas, and an interrupt that comes meanwhile is lost.
        numbers: dict[str, Any] = {name: np.from_dlpack(column) for name, column in columns.items()}
        if not np.array_equal(np.column_stack([numbers["source"], numbers["target"]]), pairs):
            raise ValueError("it holds other pairs")
        if not np.array_equal(np.diff(np.from_dlpack(images.offsets)), sizes.source_nodes):
            raise ValueError("its mappings do not fit the graphs")
        names = [_STOP_NAMES.index(name) for name in stopped_by.dictionary.to_pylist()]
        stops = np.array(names, dtype=np.int8)[np.from_dlpack(stopped_by.indices)]
        lower, upper, nodes = (numbers[name] for name in ("lower", "upper", "search_nodes"))
        mapped: Any = np.from_dlpack(images.flatten())
        block = Block(ids, lower, upper, nodes, stops, mapped)
        _require_plausible(block)
        if self.regime.is_structural and not np.array_equal(numbers["common_edges"], _common_edges(sizes, upper)):
            raise ValueError("its common edges are not those of its distances")
        about = _about(file)
        expected = about.pop("digest", None)  # older shards have none
        if expected is not None and expected != _content_digest(about, block):
            raise ValueError("its content does not match its digest")
        return Shard(block, about["time_limit"])

    def _require_fitting(self, file: parquet.ParquetFile, split: str, pairs: int, images: int) -> None:
        """Refuse what is no shard of these labels before anything of it is unfolded."""
        about, metadata = _about(file), file.metadata
        if about.get("dataset") != self.dataset.fingerprint or about.get("split") != split:
            raise ValueError("it is of other graphs")
        if about.get("costs") != self.regime.costs_text:
            raise ValueError("it is of other costs")
        if not isinstance(about.get("time_limit", ""), float | int | None):
            raise ValueError("it does not tell its time limit")
        if {field.name: str(field.type).replace("item", "element") for field in file.schema_arrow} != _kinds(
            self.regime
        ):
            raise ValueError("its columns are not those of labels")
        groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
        values = [group.column(number).num_values for group in groups for number in range(metadata.num_columns)]
        if metadata.num_rows != pairs or sum(values) > metadata.num_columns * pairs + images:
            raise ValueError("it holds other pairs")
        if sum(group.total_byte_size for group in groups) > _MOST_BYTES_A_PAIR * pairs + 8 * images + 2**20:
            raise ValueError("it announces more than labels need")


def _about(file: parquet.ParquetFile) -> dict[str, Any]:
    about = json.loads((file.schema_arrow.metadata or {}).get(b"graphedx", b"{}"))
    if not isinstance(about, dict):
        raise ValueError("it does not tell what it is of")
    return about


def _require_plausible(block: Block) -> None:
    """Refuse bounds that contradict each other, or what is said of them."""
    if not ((block.lower >= 0) & (block.lower <= block.upper) & (block.upper < np.inf)).all():
        raise ValueError("a lower bound is not between 0 and its upper bound")
    if not np.array_equal(block.stops == CODES[StopReason.PROVED], block.lower == block.upper):
        raise ValueError("what is called proved is not where the bounds meet")
    if not np.isin(block.stops, [CODES[StopReason.PROVED], CODES[StopReason.TIME]]).all() or block.nodes.min() < 0:
        raise ValueError("it tells of a search that cannot have been")


def shard_count(pairs: int) -> int:
    return -(-pairs // SHARD_PAIRS)


def shards_of(ids: Ids) -> set[int]:
    """The shards that these pairs belong to."""
    return set((ids // SHARD_PAIRS).tolist())


def shard_ids(pairs: int, number: int) -> Ids:
    """The numbers of the pairs of a shard."""
    return np.arange(number * SHARD_PAIRS, min(pairs, (number + 1) * SHARD_PAIRS), dtype=np.int64)


def _table(dataset: Dataset, regime: Regime, split: str, block: Block) -> pyarrow.Table:
    import pyarrow as arrow

    pairs = pairs_at(dataset.span(split), block.ids)
    sizes = Sizes.of(dataset, pairs)
    offsets = np.concatenate([[0], np.cumsum(sizes.source_nodes)]).astype(np.int32)
    columns: dict[str, Any] = {
        "source": arrow.array(pairs[:, 0]),
        "target": arrow.array(pairs[:, 1]),
        "lower": arrow.array(block.lower),
        "upper": arrow.array(block.upper),
        "stopped_by": arrow.array([_STOP_NAMES[stop] for stop in block.stops]),
        "search_nodes": arrow.array(block.nodes),
        "images": arrow.ListArray.from_arrays(arrow.array(offsets), arrow.array(block.images)),
    }
    if regime.is_structural:
        columns["common_edges"] = arrow.array(_common_edges(sizes, block.upper))
    return arrow.table(columns)


def _kinds(regime: Regime) -> dict[str, str]:
    """The columns of a shard, as they are read."""
    numbers = {"source": "int32", "target": "int32", "lower": "double", "upper": "double"}
    kinds = numbers | {"stopped_by": "dictionary<values=string, indices=int32, ordered=0>", "search_nodes": "int64"}
    kinds["images"] = "list<element: int32>"
    return kinds | ({"common_edges": "int32"} if regime.is_structural else {})


def _common_edges(sizes: Sizes, upper: NDArray[np.float64]) -> NDArray[np.int32]:
    return np.rint(sizes.common_edges(upper)).astype(np.int32)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _content_digest(about: dict[str, Any], block: Block) -> str:
    """SHA-256 of a shard: page checksums leave out its footer, and the manifest covers complete splits only."""
    return _digest(json.dumps(about, sort_keys=True).encode() + block.to_bytes())


def _checksum(manifest: dict[str, Any]) -> str:
    """SHA-256 of a manifest without its checksum."""
    return _digest(json.dumps(manifest, sort_keys=True).encode())


def regimes_on_disk(dataset: Dataset) -> list[Regime]:
    """The regimes that labels were begun for."""
    names = sorted(path.parent.name for path in _folder(dataset).glob(f"*/{MANIFEST}"))
    return [regime for name in names if (regime := Regime.named(name, dataset)) is not None]


def strangers_on_disk(dataset: Dataset) -> list[Path]:
    """Folders beside the labels that are not of any costs, or whose manifest is gone."""
    known = {regime.key for regime in regimes_on_disk(dataset)}
    folders = (path for path in sorted(_folder(dataset).glob("*")) if path.is_dir() and path.name not in known)
    return [path for path in folders if any(path.iterdir())]


def _folder(dataset: Dataset) -> Path:
    if dataset.folder is None:
        raise DatasetError("labels are kept beside a dataset: save it to a folder first")
    return dataset.folder / "labels"
