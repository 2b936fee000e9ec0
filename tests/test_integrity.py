"""A flipped bit in a saved file is refused in one line, or changes no answer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import graphedx as gx
from damage import QUERY, Sample, outcome_of_flip, samples
from graphedx import _checksums, _native
from graphedx.errors import IntegrityError
from graphedx.search import files
from matrix.samples import some_graphs
from search.old_format import header_of, in_old_format

NAMES = ("index", "index-vectors", "matrix csv", "matrix parquet", "matrix npz", "labels", "weights")
FLIPS = 40  # of each kind; tests/slow has the long run


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Sample]:
    return {sample.name: sample for sample in samples(tmp_path_factory.mktemp("damage"))}


@pytest.mark.parametrize("name", NAMES)
def test_a_flipped_bit_is_refused_or_changes_no_answer(made: dict[str, Sample], name: str) -> None:
    sample = made[name]
    expected = sample.answers()
    outcomes = [(file.name, bit, outcome_of_flip(sample, file, bit, expected)) for file, bit in sample.flips(FLIPS)]
    assert not [one for one in outcomes if one[2] not in ("refused", "harmless")]
    assert any(outcome == "refused" for _, _, outcome in outcomes)


# -- indexes, block by block -----------------------------------------------------------------------------------------


@pytest.fixture
def blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An index whose graphs lie in many blocks."""
    monkeypatch.setattr(files, "BLOCK_BYTES", 64)
    gx.GraphIndex.build(some_graphs(30), vectors=True).save(tmp_path / "i.gxi")
    return tmp_path / "i.gxi"


def place_of(path: Path, name: str) -> tuple[int, int]:
    """Where an array begins and ends."""
    start, header = header_of(path.read_bytes())
    [place] = [place for place in header["arrays"] if place["name"] == name]
    size = {"uint8": 1, "uint32": 4, "int64": 8, "float32": 4}[place["kind"]] * place["length"]
    return start + place["offset"], start + place["offset"] + size


def flip(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 4
    path.write_bytes(content)


def test_every_byte_of_an_index_is_covered(blocks: Path) -> None:
    """Padding too: ``verify`` refuses every flip."""
    whole = blocks.read_bytes()
    assert files.verify(blocks) == files.Verified(30, len(whole), True)
    for place in range(0, len(whole), 13):
        flip(blocks, place)
        with pytest.raises(IntegrityError, match=r"i\.gxi: ") as caught:
            files.verify(blocks)
        assert "\n" not in str(caught.value)
        blocks.write_bytes(whole)


def test_a_damaged_graph_is_refused_when_its_block_is_read(blocks: Path) -> None:
    begin, end = place_of(blocks, "graph_bytes")
    assert end - begin > 5 * 64
    flip(blocks, end - 1)
    index = gx.GraphIndex.load(blocks)  # its graphs are not read by now
    assert index["g0"] == some_graphs(1)[0]
    uses = {
        "graph": lambda: index["g29"],
        "search": lambda: index.search(QUERY, 30, workers=2),
        "range": lambda: index.range(QUERY, 100),
        "approximate": lambda: index.search(QUERY, 30, approximate=True),
        "save": lambda: index.save(blocks.with_name("copy.gxi")),
        "add": lambda: index.add([gx.Graph(1)]),
        "remove": lambda: index.remove(["g0"]),
        "pickle": lambda: index.__reduce__()[1][0].collection.__reduce__(),
    }
    for _ in range(2):  # refused every time, not only the first
        for name, use in uses.items():
            with pytest.raises(IntegrityError, match=r"i\.gxi: is damaged: bytes \d+ to \d+ of graph_bytes do not"):
                pytest.fail(f"{name}: {use()}")
    assert [*blocks.parent.iterdir()] == [blocks] and len(index) == 30


@pytest.mark.parametrize("name", ["ids", "graph_ends", "star_bytes", "view_bytes", "counted_views", "counts"])
def test_arrays_that_every_search_reads_are_verified_at_once(blocks: Path, name: str) -> None:
    flip(blocks, place_of(blocks, name)[0])
    with pytest.raises(IntegrityError, match=rf"i\.gxi: is damaged: bytes 0 to \d+ do not match .*\(array {name}\)"):
        gx.GraphIndex.load(blocks)


@pytest.mark.parametrize("vectors", [False, True])
def test_indexes_of_older_formats_are_read(tmp_path: Path, vectors: bool) -> None:
    index = gx.GraphIndex.build(some_graphs(20), vectors=vectors)
    index.save(tmp_path / "i.gxi")
    old = in_old_format((tmp_path / "i.gxi").read_bytes())
    assert old[8] == (files.WITH_VECTORS if vectors else files.PLAIN)
    (tmp_path / "i.gxi").write_bytes(old)
    loaded = gx.GraphIndex.load(tmp_path / "i.gxi")
    assert loaded.info() == index.info() and [loaded[id] for id in loaded.ids] == [index[id] for id in index.ids]
    for approximate in (False, True):
        found, wanted = (one.search(QUERY, 5, approximate=approximate).to_dict()["hits"] for one in (loaded, index))
        assert found == wanted
    assert files.verify(tmp_path / "i.gxi") == files.Verified(20, len(old), False)
    loaded.save(tmp_path / "i.gxi", overwrite=True)
    assert files.verify(tmp_path / "i.gxi").checksums


def test_a_format_number_that_was_changed_is_refused(blocks: Path) -> None:
    """A single bit makes format 1 or 2 of format 3; without its checksums nothing would be verified."""
    whole = bytearray(blocks.read_bytes())
    for number in (files.PLAIN, files.WITH_VECTORS):
        whole[8] = number
        blocks.write_bytes(whole)
        with pytest.raises(gx.GraphEdXError, match=f"it is of format {number}, and its header is not"):
            gx.GraphIndex.load(blocks)


# -- checksums -------------------------------------------------------------------------------------------------------


def test_crc32c_is_that_of_the_standard() -> None:
    """The examples of RFC 3720, appendix B.4, and the usual check value."""
    known = {b"123456789": 0xE3069283, bytes(32): 0x8A9136AA, b"\xff" * 32: 0x62A8AB43, bytes(range(32)): 0x46DD794E}
    for content, expected in known.items():
        for portable in (False, True):
            data = np.frombuffer(content, np.uint8)
            assert _native.block_checksums(data, 100, portable).tolist() == [expected]


def test_the_portable_checksum_is_that_of_the_processor() -> None:
    data = np.random.default_rng(0).integers(0, 256, 5000, dtype=np.uint8)
    for size in (0, 1, 7, 8, 9, 4999, 5000):
        for block in (1, 3, 64, 5000):
            fast, slow = (_native.block_checksums(data[:size], block, portable) for portable in (False, True))
            assert fast.tolist() == slow.tolist() and len(fast) == _checksums.block_count(size, block)
