"""What is saved is loaded again, to the last bit; anything else is refused with its name."""

import csv
import hashlib
import json
import random
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from pyarrow import parquet

import graphedx as gx
from graphedx import DistanceMatrix
from graphedx.errors import FormatError, GraphError, IntegrityError, OutputError
from graphedx.matrix import digest
from graphedx.matrix.digest import digest_path
from matrix.samples import hard_graphs, some_graphs

EXTENSIONS = (".csv", ".parquet", ".npz")


@pytest.fixture(scope="module")
def matrix():
    """Odd names, twice the same name, unproven cells, and costs that are no round numbers."""
    odd = [gx.Graph(2, [(0, 1)], name='a "quoted", name\nof two lines'), gx.Graph(3, name="ünïcode ☃"), gx.Graph(0)]
    costs = gx.EditCosts(0.1, 0.2, 1 / 3, 0.7)
    return gx.distance_matrix([*odd, *hard_graphs(2), *hard_graphs(1)], some_graphs(4), costs=costs, time_limit=0.01)


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_round_trip(matrix, tmp_path, extension):
    path = tmp_path / f"m{extension}"
    matrix.save(path)
    loaded = DistanceMatrix.load(path)
    for name in ("lower", "upper", "proven", "stops"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(matrix, name))
    assert (loaded.rows, loaded.columns) == (matrix.rows, matrix.columns)
    assert loaded.count(gx.StopReason.PROVED) == matrix.count(gx.StopReason.PROVED)


def test_csv_has_a_row_for_each_pair(tmp_path):
    graphs = [gx.Graph(1, name="one"), gx.Graph(3, name="three")]
    gx.distance_matrix(graphs).save(tmp_path / "m.csv")
    with (tmp_path / "m.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["source"], row["target"], row["upper"], row["proven"]) for row in rows] == [
        ("one", "one", "0.0", "true"),
        ("one", "three", "2.0", "true"),
        ("three", "one", "2.0", "true"),
        ("three", "three", "0.0", "true"),
    ]


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_an_existing_file_is_kept_unless_told_otherwise(matrix, tmp_path, extension):
    path = tmp_path / f"m{extension}"
    path.write_text("precious")
    with pytest.raises(OutputError, match="exists already"):
        matrix.save(path)
    assert path.read_text() == "precious" and list(tmp_path.iterdir()) == [path]
    matrix.save(path, overwrite=True)
    assert DistanceMatrix.load(path).rows == matrix.rows


@pytest.mark.parametrize("name", ["m.xlsx", "m", "m.csv.gz"])
def test_other_extensions_are_refused(matrix, tmp_path, name):
    with pytest.raises(OutputError, match=r"\.csv, \.parquet, \.npz"):
        matrix.save(tmp_path / name)


@pytest.mark.parametrize("extension", EXTENSIONS)
@pytest.mark.parametrize("content", [b"", b"garbage,\xff", b"row,column\n1,2\n", "half"])
def test_garbage_is_refused_by_name(matrix, tmp_path, extension, content):
    path = tmp_path / f"m{extension}"
    if content == "half":
        matrix.save(path)
        content = path.read_bytes()[: path.stat().st_size // 2]
        digest_path(path).unlink(missing_ok=True)
    path.write_bytes(content)
    with pytest.raises(FormatError, match=rf"m\{extension}: is not a distance matrix"):
        DistanceMatrix.load(path)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0,1,one,three,2.0,2.0,true,proved\n", ""),
        ("0,1,one", "0,0,one"),
        ("2.0,2.0", "2.5,2.0"),
        ("2.0,2.0", "nan,2.0"),
        ("proved", "guessed"),
        ("0,1,one", "-1,1,one"),
    ],
)
def test_a_csv_that_was_tampered_with_is_refused(tmp_path, old, new):
    path = tmp_path / "m.csv"
    gx.distance_matrix([gx.Graph(1, name="one"), gx.Graph(3, name="three")]).save(path)
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(IntegrityError, match=r"m\.csv: is damaged or was changed: .* delete m\.csv\.digest to accept"):
        DistanceMatrix.load(path)
    digest_path(path).unlink()
    with pytest.raises(FormatError, match="is not a distance matrix"):
        DistanceMatrix.load(path)


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_damage_is_refused_or_changes_nothing(matrix, tmp_path, extension):
    path, rng = tmp_path / f"m{extension}", random.Random(extension)
    matrix.save(path)
    whole = path.read_bytes()
    refused = 0
    for _ in range(150):
        damaged = bytearray(whole)
        for _ in range(3):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        path.write_bytes(damaged)
        try:
            assert_same(DistanceMatrix.load(path), matrix)
        except FormatError:
            refused += 1
    assert refused > 75


def assert_same(loaded, matrix):
    assert (loaded.rows, loaded.columns) == (matrix.rows, matrix.columns)
    for name in ("lower", "upper", "stops"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(matrix, name))


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_files_without_a_digest_are_read(matrix, tmp_path, extension, monkeypatch):
    """Files that older versions wrote, and CSV files that others have edited and brought along."""
    path = tmp_path / f"m{extension}"
    matrix.save(path)
    if extension == ".csv":
        digest_path(path).unlink()
    elif extension == ".npz":
        with ZipFile(path) as archive:
            members = {name: archive.read(name) for name in archive.namelist() if name != "digest.npy"}
        with ZipFile(path, "w") as archive:
            for name, content in members.items():
                archive.writestr(name, content)
    else:
        parquet.write_table(parquet.read_table(path).replace_schema_metadata(None), path)
    assert_same(DistanceMatrix.load(path), matrix)


def test_a_csv_has_a_digest_file_that_sha256sum_reads(matrix, tmp_path):
    path = tmp_path / "m.csv"
    for _ in range(2):
        matrix.save(path, overwrite=True)
        expected = hashlib.sha256(path.read_bytes()).hexdigest()
        assert digest_path(path).read_text() == f"{expected}  m.csv\n"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["m.csv", "m.csv.digest"]


@pytest.mark.parametrize("text", [b"", b"half", b"\xff", b"0" * 63 + b"  m.csv\n"])
def test_a_damaged_digest_file_is_named(matrix, tmp_path, text):
    matrix.save(tmp_path / "m.csv")
    digest_path(tmp_path / "m.csv").write_bytes(text)
    with pytest.raises(IntegrityError, match=r"m\.csv\.digest: is damaged: .* delete it to accept"):
        DistanceMatrix.load(tmp_path / "m.csv")


@pytest.mark.parametrize("kept", [True, False])
def test_a_kill_at_any_moment_leaves_a_csv_that_matches_its_digest_file(matrix, tmp_path, monkeypatch, kept):
    """The old file is there, or the new one, and each of them is accepted."""
    path = tmp_path / "m.csv"
    newer = gx.distance_matrix([gx.Graph(1, name="one")])
    for moment in range(1, 4):
        matrix.save(path, overwrite=True)
        if not kept:
            digest_path(path).unlink()
        calls, replace = iter(range(1, 9)), Path.replace

        def killed(self, target, calls=calls, moment=moment, replace=replace):
            if next(calls) == moment:
                raise Killed
            return replace(self, target)

        monkeypatch.setattr(Path, "replace", killed)
        monkeypatch.setattr(digest, "_restore", lambda *_: None)  # a killed process restores nothing
        with pytest.raises(Killed):
            newer.save(path, overwrite=True)
        monkeypatch.undo()
        assert DistanceMatrix.load(path).rows == (newer.rows if moment == 3 else matrix.rows)


class Killed(BaseException):
    """The end of a process."""


def test_a_missing_file(tmp_path):
    with pytest.raises(FormatError, match="cannot be read: no such file"):
        DistanceMatrix.load(tmp_path / "none.csv")


def test_nothing_to_save(tmp_path):
    with pytest.raises(OutputError, match="no distances"):
        gx.distance_matrix([]).save(tmp_path / "m.csv")


def test_names_no_file_can_hold(tmp_path):
    matrix = gx.distance_matrix([gx.Graph(1, name="\ud800")])
    for extension in EXTENSIONS:
        with pytest.raises(OutputError, match="half a character"):
            matrix.save(tmp_path / f"m{extension}")
    assert not list(tmp_path.iterdir())


def test_a_loaded_matrix_has_no_mappings(matrix, tmp_path):
    matrix.save(tmp_path / "m.npz")
    with pytest.raises(GraphError, match="holds no graphs"):
        DistanceMatrix.load(tmp_path / "m.npz").result(0, 0)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("m.npz", b"\x80\x04junk", "no zip archive"),
        ("m.npz", b"", "no zip archive"),
        ("m.csv", b"", "its columns are not row"),
        ("m.csv", b"row,column,source,target,lower,upper,proven,stopped_by\n", "no rows"),
        ("m.csv", b"row,column,source,target,lower,upper,proven,stopped_by\n0,0,a\n", "without 8 entries"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_our_words(tmp_path, name, content, problem):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError, match=f"{name}: is not a distance matrix as graphedx saves it: .*{problem}"):
        gx.DistanceMatrix.load(tmp_path / name)


def npy(shape, kind="<f8", data=b""):
    """A file of an array, with a header that says what it likes."""
    header = f"{{'descr': {kind!r}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("lower", npy((10**6, 10**6)), r"lower has the shape \(1000000, 1000000\)"),
        ("lower", npy((2**62, 2**62)), "lower has the shape"),
        ("lower", npy((-1, 2)), "lower has the shape"),
        ("lower", npy((2, 2)), "lower has the shape"),
        ("lower", npy((2, 2), data=bytes(31)), "lower has the shape"),
        ("lower", npy((4,), data=bytes(32)), "lower has the shape"),
        ("lower", npy((2, 2), "|O", bytes(32)), "lower is of type object"),
        ("upper", npy((2, 2), "<U1000000", bytes(32)), "upper is of type <U1000000"),
        ("stops", npy((2, 2), "<f8", bytes(32)), "stops is of type float64, not int8"),
        ("names", npy((10**12,), "|u1"), "names has the shape"),
        ("names", npy((9,), "|u1", b'["a","b"]'), "its names are no text"),
        ("names", npy((11,), "|u1", b'[["a"],[1]]'), "its names are no text"),
        ("names", npy((13,), "|u1", b'[["a"],["b"]]'), "lower has the shape"),
        ("lower", b"\x93NUMPY\x09\x00", "format of numpy's"),
        ("lower", npy((2, 2), data=bytes(32))[:40], "EOF|header"),
    ],
)
def test_an_archive_of_absurd_arrays_is_refused_by_their_headers(tmp_path, name, content, problem):
    path = tmp_path / "m.npz"
    numbers = {"lower": npy((2, 2), data=bytes(32)), "upper": npy((2, 2), data=bytes(32))}
    names = b'[["a","b"],["c","d"]]'
    good = numbers | {"stops": npy((2, 2), "|i1", bytes(4)), "names": npy((len(names),), "|u1", names)}
    for each, fails in ((good, False), (good | {name: content}, True)):
        with ZipFile(path, "w") as archive:
            for member, data in each.items():
                archive.writestr(f"{member}.npy", data)
        if fails:
            with pytest.raises(FormatError, match=f"is not a distance matrix as graphedx saves it: .*({problem})"):
                DistanceMatrix.load(path)
        else:
            assert DistanceMatrix.load(path).upper.tolist() == [[0, 0], [0, 0]]


def test_an_archive_that_announces_more_than_it_holds_is_refused(tmp_path):
    """Names for a million of distances, and of each array no more than its header."""
    path, names = tmp_path / "m.npz", json.dumps([["a"] * 1000] * 2).encode()
    header = npy((1000, 1000))
    with ZipFile(path, "w") as archive:
        archive.writestr("names.npy", npy((len(names),), "|u1", names))
        archive.writestr("lower.npy", header)
    size = (len(header) + 8 * 10**6).to_bytes(4, "little")
    content = bytearray(path.read_bytes())
    place = (
        content.rindex(b"lower.npy") - 46 + 24
    )  # the size once it is unfolded, in the archive's list of what it holds
    content[place : place + 4] = size
    path.write_bytes(content)
    with pytest.raises(FormatError, match="lower announces more than it can hold"):
        DistanceMatrix.load(path)


def test_numbers_of_another_byte_order_are_read(matrix, tmp_path):
    path = tmp_path / "m.npz"
    matrix.save(path)
    with np.load(path) as arrays:
        swapped = {name: array.astype(array.dtype.newbyteorder(">")) for name, array in arrays.items()}
    np.savez_compressed(path, **swapped)
    found = DistanceMatrix.load(path)
    np.testing.assert_array_equal(found.upper, matrix.upper)
    assert found.upper.dtype == np.float64
