"""An index survives its file: the same graphs come back, and nothing but a whole index is taken for one."""

from __future__ import annotations

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphedx as gx
from graphedx.errors import FormatError, OutputError
from graphedx.search import files
from matrix.samples import some_graphs
from search.old_format import header_of, in_old_format
from strategies import graphs

TESTS = Path(__file__).parents[1]
Header = dict[str, Any]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    gx.GraphIndex.build(some_graphs(20)).save(tmp_path / "some.gxi")
    return tmp_path / "some.gxi"


@settings(max_examples=40, deadline=None)
@given(st.booleans().flatmap(lambda directed: st.lists(graphs(directed=directed), max_size=6)), st.data())
def test_what_is_saved_comes_back(
    tmp_path_factory: pytest.TempPathFactory, members: list[gx.Graph], data: st.DataObject
) -> None:
    text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n"), min_size=1, max_size=8)
    ids = data.draw(st.lists(text, min_size=len(members), max_size=len(members), unique=True))
    index = gx.GraphIndex.build(members, ids=ids)
    path = tmp_path_factory.mktemp("saved") / "some.gxi"
    index.save(path)
    loaded = gx.GraphIndex.load(path)
    assert loaded.ids == index.ids == tuple(ids) and loaded.info() == index.info()
    for id, graph in zip(ids, members, strict=True):
        assert loaded[id] == graph and loaded[id].name == id
    query = members[0] if members else gx.Graph(1)
    assert loaded.search(query, 3).to_dict()["hits"] == index.search(query, 3).to_dict()["hits"]
    loaded.add([gx.Graph(1, directed=query.directed and bool(members))], ids=["\x00new\r"])
    loaded.save(path, overwrite=True)  # over the file that it is mapped from
    assert gx.GraphIndex.load(path).ids == (*ids, "\x00new\r")


def test_labels_come_back_with_their_types(tmp_path: Path) -> None:
    labels = ("C", 7, 2.5, True, None, ("C", (1, "x")), "Ω\n")
    graph = gx.Graph(7, [(k, k + 1) for k in range(6)], node_labels=labels, edge_labels=labels[1:])
    numpys = gx.Graph(2, [(0, 1)], node_labels=[np.int64(7), np.float32(0.5)], edge_labels=[(np.int32(3),)])
    gx.GraphIndex.build([graph, numpys]).save(tmp_path / "i")
    loaded = gx.GraphIndex.load(tmp_path / "i")
    found = loaded["0"]
    assert (found.node_labels, found.edge_labels) == (labels, labels[1:])
    assert [*map(type, found.node_labels)] == [*map(type, labels)]
    assert (loaded["1"].node_labels, loaded["1"].edge_labels) == ((7, 0.5), ((3,),))
    assert type(loaded["1"].node_labels[1]) is float


@pytest.mark.parametrize("label", [Fraction(1, 2), float("inf"), frozenset("a"), b"x"])
def test_labels_that_would_not_come_back_are_refused(tmp_path: Path, label: Any) -> None:
    index = gx.GraphIndex.build([gx.Graph(1, node_labels=[label])])
    assert index.search(gx.Graph(1, node_labels=[label]))[0].distance == 0
    with pytest.raises(FormatError, match="cannot be kept"):
        index.save(tmp_path / "i")
    assert not list(tmp_path.iterdir())


def test_labels_that_would_be_the_same_in_a_file_are_refused(tmp_path: Path) -> None:
    index = gx.GraphIndex.build([gx.Graph(2, node_labels=[5, np.datetime64(5, "ns")])])
    assert index.info().node_labels == 2
    with pytest.raises(FormatError, match="two labels that differ would be the same"):
        index.save(tmp_path / "i")
    assert not list(tmp_path.iterdir())


def test_a_file_is_replaced_only_if_that_was_asked_for(saved: Path) -> None:
    before = saved.read_bytes()
    index = gx.GraphIndex.build([gx.Graph(1)])
    with pytest.raises(OutputError, match="overwrite=True"):
        index.save(saved)
    assert saved.read_bytes() == before
    old = gx.GraphIndex.load(saved)
    index.save(saved, overwrite=True)
    assert len(gx.GraphIndex.load(saved)) == 1
    assert old.search(old["g3"], 1)[0].distance == 0 and len(old) == 20  # what was loaded is still there


# -- what is no index ------------------------------------------------------------------------------------------------


def refused(path: Path) -> str:
    """What is said of a file that is no index; one line that names it."""
    with pytest.raises(FormatError) as caught:
        gx.GraphIndex.load(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\x89ge", b"PK\x03\x04" * 40, b"{}", bytes(1000)])
def test_foreign_files_are_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "i").write_bytes(content)
    assert "is no index of graphedx" in refused(tmp_path / "i")


def test_files_that_are_not_there_are_refused(tmp_path: Path) -> None:
    assert "no such file" in refused(tmp_path / "i")
    assert "is no file" in refused(tmp_path)
    with pytest.raises(FormatError, match="null"):
        gx.GraphIndex.load("a\x00b")


def test_every_truncation_is_refused(saved: Path) -> None:
    content = saved.read_bytes()
    start, header = header_of(content)
    ends = [start + place["offset"] for place in header["arrays"]]
    cuts = {*range(80), *range(80, start, 37), start - 1, start, *ends, *(end - 1 for end in ends), len(content) - 1}
    for cut in sorted(cuts):
        saved.write_bytes(content[:cut])
        assert "cut short" in refused(saved) or cut < 8
    saved.write_bytes(content + b"\0")
    assert "is damaged: it has" in refused(saved)


def test_newer_formats_are_refused(saved: Path) -> None:
    content = bytearray(saved.read_bytes())
    content[8] = 9
    saved.write_bytes(content)
    assert "is of format 9, this version reads 1 to 3; a newer graphedx reads it" in refused(saved)


def test_a_flipped_byte_of_the_header_is_refused(saved: Path) -> None:
    content = saved.read_bytes()
    length = int.from_bytes(content[12:20], "little")
    rng = random.Random(0)
    for place in [*range(52), *(rng.randrange(64, 64 + length) for _ in range(200))]:
        changed = bytearray(content)
        changed[place] ^= 1 << rng.randrange(8)
        saved.write_bytes(changed)
        refused(saved)


def test_flipped_bytes_of_the_arrays_crash_nothing(saved: Path) -> None:
    content = in_old_format(saved.read_bytes())  # without checksums
    start, _ = header_of(content)
    rng = random.Random(0)
    for _ in range(200):
        changed = bytearray(content)
        for _ in range(rng.randrange(1, 4)):
            changed[rng.randrange(start, len(content))] ^= 1 << rng.randrange(8)
        saved.write_bytes(changed)
        try:  # it is an index, or it is not; what is not checked may be other graphs than there were
            index = gx.GraphIndex.load(saved)
            index.search(gx.Graph(3, [(0, 1)]), 2, time_limit=1)
        except gx.GraphEdXError:
            continue


def with_header(content: bytes, change: Callable[[Header], Any]) -> bytes:
    """The file with a changed header that has the right checksum."""
    start, header = header_of(content)
    changed = change(header)
    text = (json.dumps(header if changed is None else changed)).encode()
    head = content[:12] + len(text).to_bytes(8, "little") + hashlib.sha256(text).digest() + bytes(12)
    padding = bytes(-(64 + len(text)) % 64)
    return head + text + padding + content[start:]


def set_in(place: int, **values: Any) -> Callable[[Header], None]:
    return lambda header: header["arrays"][place].update(values)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda _: [], "no object"),
        (lambda header: header.update(graphs=-1), "'graphs' .* must be a whole number"),
        (lambda header: header.update(graphs=True), "'graphs' .* must be a whole number"),
        (lambda header: header.update(graphs=21), "and should have 21"),
        (lambda header: header.update(nodes="x"), "'nodes' .* must be a whole number"),
        (lambda header: header.update(nodes=0), r"have [\d,]+ nodes, and should have 0"),
        (lambda header: header.update(node_labels=["a", "b", "a"]), "labels of its header must be different"),
        (lambda header: header.update(edge_labels=[1, True]), "labels of its header must be different"),
        (lambda header: header.update(bytes=2**70), "'bytes' .* must be a whole number"),
        (lambda header: header.update(bytes=64), "should have"),
        (lambda header: header.update(directed=1), "'directed' .* must be true or false"),
        (lambda header: header.update(node_labels={}), "'node_labels' .* must be a list"),
        (lambda header: header.update(node_labels=[{}]), "cannot be kept"),
        (lambda header: header.update(arrays=[]), "name every array once"),
        (lambda header: header["arrays"].append(3), "not described"),
        (lambda header: header["arrays"].append({}), "not described"),
        (lambda header: header["arrays"].append(header["arrays"][0]), "name every array once"),
        (lambda header: header["arrays"].pop(1), "."),
        (set_in(0, offset=-64), "offset and length of 'ids'"),
        (set_in(0, offset=32), "multiple of 64"),
        (set_in(0, offset=1.0), "offset and length of 'ids'"),
        (set_in(0, length=-1), "offset and length of 'ids'"),
        (set_in(0, length=2**60), "offset and length of 'ids'"),
        (set_in(0, length=2**40), "overlap|ends behind the file"),
        (set_in(0, length=3), "is damaged: "),
        (set_in(1, offset=0), "overlap"),
        (set_in(-1, length=2**30), "ends behind the file"),
        (set_in(0, kind="object"), "is not of uint8"),
        (set_in(0, kind=["uint8"]), "is not of uint8"),
        (set_in(0, kind="float64"), "is not of uint8"),
        (set_in(1, kind="uint32"), "."),
        (set_in(0, name=3), "no name"),
        (set_in(1, name="other"), "."),
    ],
)
def test_headers_that_lie_are_refused(saved: Path, change: Callable[[Header], Any], word: str) -> None:
    new = saved.read_bytes()
    for content, reason in ((in_old_format(new), word), (new, "some.gxi: ")):
        saved.write_bytes(with_header(content, lambda _: None))
        assert len(gx.GraphIndex.load(saved)) == 20  # so that it is the lie that is refused
        saved.write_bytes(with_header(content, change))
        with pytest.raises(FormatError, match=reason):
            gx.GraphIndex.load(saved)


def test_edges_that_were_miscounted_are_told_when_graphs_go(saved: Path) -> None:
    saved.write_bytes(with_header(saved.read_bytes(), lambda header: header.update(edges=0)))
    index = gx.GraphIndex.load(saved)
    with pytest.raises(gx.GraphError, match="more nodes or edges than it says"):
        index.remove(index.ids[:10])
    assert len(index) == 20


@pytest.mark.parametrize("labels", ["node_labels", "edge_labels"])
def test_graphs_with_labels_that_are_not_there_are_refused_when_read(saved: Path, labels: str) -> None:
    query = gx.Graph(3, [(0, 1)], node_labels="abc", edge_labels="x")
    saved.write_bytes(with_header(saved.read_bytes(), lambda header: header.update({labels: ["a"]})))
    index = gx.GraphIndex.load(saved)
    with pytest.raises(gx.GraphError, match=r"damaged|collection"):
        [index[id] for id in index.ids]
    with pytest.raises(gx.GraphError, match=r"damaged|collection"):
        index.search(query, 20)


@pytest.mark.parametrize(
    ("ids", "word"), [(b"g0\ng0", "'g0' is given twice"), (b"g0\n\n", "empty"), (b"\xff", "no text")]
)
def test_ids_that_are_none_are_refused(saved: Path, ids: bytes, word: str) -> None:
    content = bytearray(in_old_format(saved.read_bytes()))
    start, header = header_of(bytes(content))
    place = header["arrays"][0]
    assert place["name"] == "ids"
    begin = start + place["offset"]
    content[begin : begin + len(ids)] = ids
    saved.write_bytes(content)
    assert word in refused(saved)


# -- writers ---------------------------------------------------------------------------------------------------------

KILLED = """
import os, signal, sys
from contextlib import contextmanager
import graphedx as gx
from graphedx.search import files
path, calls = sys.argv[1], int(sys.argv[2])
index = gx.GraphIndex.load(path)
index.add([gx.Graph(2)], ids=["new"])
atomic_write = files.atomic_write

class Deadly:
    def __init__(self, file):
        self.file, self.tell = file, file.tell
    def write(self, data):
        global calls
        calls -= 1
        if not calls:
            self.file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        return self.file.write(data)

@contextmanager
def deadly(*arguments, **keywords):
    with atomic_write(*arguments, **keywords) as file:
        yield Deadly(file)

files.atomic_write = deadly
index.save(path, overwrite=True)
"""


@pytest.mark.parametrize("writes", [1, 5])
def test_killed_while_saving_the_old_index_survives(saved: Path, writes: int) -> None:
    before = saved.read_bytes()
    done = python(KILLED, saved, writes)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert saved.read_bytes() == before and len([*saved.parent.iterdir()]) == 2
    index = gx.GraphIndex.load(saved)
    index.add([gx.Graph(2)], ids=["new"])
    index.save(saved, overwrite=True)
    assert "new" in gx.GraphIndex.load(saved)
    assert [*saved.parent.iterdir()] == [saved]  # what the killed process left is gone


HOLDING = """
import sys
from graphedx.search import files
with files.only_writer(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_there_is_one_writer_at_a_time(saved: Path) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(saved)],
        env=surroundings(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert other.stdout and other.stdout.readline() == "held\n"
    with pytest.raises(OutputError, match="another process is changing this index"), files.only_writer(saved):
        pass
    assert len(gx.GraphIndex.load(saved)) == 20  # readers do not mind
    other.kill()
    other.communicate()
    with files.only_writer(saved):  # the lock went with its holder
        gx.GraphIndex.build([gx.Graph(1)]).save(saved, overwrite=True)
    with files.only_writer(saved):  # and holds for the new file
        assert len(gx.GraphIndex.load(saved)) == 1
    with pytest.raises(FormatError, match="no such file"), files.only_writer(saved.with_name("other")):
        pass


def test_who_loads_while_others_save_sees_the_old_or_the_new(saved: Path) -> None:
    indices = [gx.GraphIndex.build([gx.Graph(1)] * size) for size in (7, 300)]
    indices[0].save(saved, overwrite=True)
    done = threading.Event()
    sizes: set[int] = set()

    def look() -> None:
        while not done.is_set():
            index = gx.GraphIndex.load(saved)
            sizes.add(len(index))
            assert len(index.search(gx.Graph(1), 1, workers=1).ties) == len(index) - 1

    reader = threading.Thread(target=look)
    reader.start()
    for k in range(30):
        indices[k % 2].save(saved, overwrite=True)
    done.set()
    reader.join(60)
    assert sizes <= {7, 300} and sizes


def surroundings() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), str(Path(gx.__file__).parents[1])])}


def python(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=surroundings(),
        capture_output=True,
        text=True,
        timeout=60,
    )
