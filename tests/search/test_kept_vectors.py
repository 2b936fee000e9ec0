"""Approximate searches of an index: what they say of themselves, and vectors that come, stay and go with the graphs."""

from __future__ import annotations

import gc
import json
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphedx as gx
from graphedx.costs import UNIFORM, UNIT
from graphedx.errors import FormatError, GraphError, IntegrityError, MethodError, NotProvenError
from graphedx.search import files, pages
from graphedx.search.approximate import ApproximateSearch
from matrix.samples import hard_graphs, some_graphs
from search.old_format import header_of, in_old_format
from search.test_files import with_header

SAID = "approximate: not proven that no nearer graph was missed"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The sizes of collections whose vectors were made from the start."""
    sizes: list[int] = []
    original = ApproximateSearch.of.__func__  # type: ignore[attr-defined]

    def of(cls: type[ApproximateSearch], collection: Any) -> ApproximateSearch:
        sizes.append(len(collection))
        return original(cls, collection)  # type: ignore[no-any-return]

    monkeypatch.setattr(ApproximateSearch, "of", classmethod(of))
    return sizes


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    gx.GraphIndex.build(some_graphs(20), vectors=True).save(tmp_path / "some.gxi")
    return tmp_path / "some.gxi"


@pytest.mark.parametrize("prices", [UNIT, UNIFORM])
@pytest.mark.parametrize("directed", [False, True])
def test_intervals_hold_and_nothing_is_called_complete(prices: gx.EditCosts, directed: bool) -> None:
    members = some_graphs(40, directed=directed)
    index = gx.GraphIndex.build(members)
    for query in some_graphs(3, seed=1, directed=directed):
        hits = index.search(query, 5, costs=prices, approximate=True)
        assert hits.approximate and not hits.complete and hits.ties == () and len(hits) == 5 and hits.total == 40
        for hit in hits:
            distance = gx.ged(query, members[int(hit.id[1:])], costs=prices).distance
            assert hit.lower <= distance <= hit.upper
        assert [hit.upper for hit in hits] == sorted(hit.upper for hit in hits)
        exact = index.search(query, 5, costs=prices)
        # All forty are candidates, so what is found is as near as what is proven to be nearest.
        assert [hit.upper for hit in hits if hit.exact] == [hit.distance for hit in exact][: sum(h.exact for h in hits)]


def test_hits_say_that_they_are_approximate() -> None:
    index = gx.GraphIndex.build(some_graphs(20))
    hits = index.search(index["g3"], 2, approximate=True)
    assert hits[0].distance == 0 and SAID in repr(hits) and SAID in pages.summary(hits)
    assert "(proven)" not in pages.summary(hits)
    data = json.loads(hits.to_json())
    assert (data["approximate"], data["complete"], data["unseen"]) == (True, False, 0)
    exact = index.search(index["g3"], 2)
    assert exact.to_dict()["approximate"] is False and SAID not in repr(exact) and SAID not in pages.summary(exact)


def test_what_is_not_proven_of_a_hit_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    index = gx.GraphIndex.build(hard_graphs(3))
    hits = index.search(hard_graphs(4)[-1], 3, approximate=True, costs=UNIFORM, time_limit=0.3)
    unproven = next(hit for hit in hits if not hit.exact)
    with pytest.raises(NotProvenError, match="search without approximate to prove it"):
        unproven.distance  # noqa: B018
    monkeypatch.setattr(pages, "_HURRIED", 0.05)  # and no limit of the caller's: the edits are not waited for
    monkeypatch.setattr(pages, "edit_path_svg", lambda edits, **_: f"{edits.cost:g}")
    assert [float(section.figure) >= hit.lower for section, hit in zip(pages.pictures(hits), hits, strict=True)] == [
        True
    ] * 3


def test_an_empty_index_and_numbers_beyond_all_graphs() -> None:
    empty = gx.GraphIndex.build([], vectors=True)
    hits = empty.search(gx.Graph(2, directed=True), 10**30, approximate=True)
    assert len(hits) == 0 and hits.approximate and not hits.complete
    empty.add(some_graphs(3))
    assert empty.info().vector_bytes > 0
    assert len(empty.search(gx.Graph(2), 10**30, approximate=True)) == 3


def test_bad_questions_are_refused() -> None:
    index = gx.GraphIndex.build(some_graphs(3))
    with pytest.raises(MethodError, match="approximate must be True or False, got 'yes'"):
        index.search(gx.Graph(1), approximate="yes")  # type: ignore[arg-type]
    with pytest.raises(MethodError, match="k must be"):
        index.search(gx.Graph(1), 0, approximate=True)
    with pytest.raises(GraphError, match="the query is directed"):
        index.search(gx.Graph(1, directed=True), approximate=True)
    assert index.info().vector_bytes == 0  # none were made for nothing


def test_vectors_are_made_once_whoever_asks(made: list[int]) -> None:
    index = gx.GraphIndex.build(some_graphs(30))
    index.search(gx.Graph(1))
    assert made == [] and index.info().vector_bytes == 0
    plain = index.info().bytes
    threads = [
        threading.Thread(target=index.search, args=(gx.Graph(2),), kwargs={"approximate": True}) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert made == [30]
    assert index.info().vector_bytes > 0 and index.info().bytes == plain


def test_ctrl_c_is_heard_while_vectors_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are made in the thread that asks: no other hears it."""
    index, makers = gx.GraphIndex.build(some_graphs(5)), []

    def interrupted(collection: Any) -> None:
        makers.append(threading.current_thread())
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(ApproximateSearch, "of", interrupted)
        index.search(gx.Graph(1), approximate=True)
    assert makers == [threading.current_thread()] and index.info().vector_bytes == 0
    assert len(index.search(gx.Graph(1), 2, approximate=True)) == 2  # nothing is left half done


def test_old_vectors_go_at_once() -> None:
    """Without waiting for the garbage collector, which does not know how large they are."""
    index = gx.GraphIndex.build(some_graphs(5), vectors=True)
    index.search(gx.Graph(1), 2, approximate=True)
    old = weakref.ref(index._state.vectors.search())
    gc.disable()
    try:
        index.remove(["g0"])
        assert old() is None
    finally:
        gc.enable()


def test_vectors_follow_what_is_added_and_removed(made: list[int]) -> None:
    members = some_graphs(30)
    index = gx.GraphIndex.build(members[:20], vectors=True)
    index.add(members[20:])
    index.remove(["g0", "g25"])
    assert made == [20]
    anew = gx.GraphIndex.build([graph for graph in members if graph.name not in ("g0", "g25")], vectors=True)
    assert index.info().vector_bytes == anew.info().vector_bytes
    query = some_graphs(1, seed=5)[0]
    one, other = (some.search(query, 5, approximate=True).to_dict()["hits"] for some in (index, anew))
    assert one == other
    plain = gx.GraphIndex.build(members[:20])
    plain.add(members[20:])
    plain.remove(["g0"])
    assert plain.info().vector_bytes == 0  # nobody has asked for any


@pytest.mark.parametrize("gone", [["rare"], ["g1", "g2"], ["rare", "g1", "g2"]])
def test_vectors_stay_right_when_labels_go(gone: list[str], made: list[int]) -> None:
    """They are made of the numbers of labels, and of one label there is nothing to count."""
    letters = {"rare": "ZY", "g0": "CC", "g1": "NC", "g2": "CN", "g3": "CC"}
    members = [gx.Graph(2, [(0, 1)], node_labels=labels, name=name) for name, labels in letters.items()]
    index = gx.GraphIndex.build(members, vectors=True)
    index.remove(gone)
    made.clear()
    anew = gx.GraphIndex.build([graph for graph in members if graph.name not in gone], vectors=True)
    own, fresh = index._state.vectors.arrays(), anew._state.vectors.arrays()
    assert [*map(len, own.values())] == [5 - len(gone)] * 2
    for name, array in fresh.items():
        assert np.array_equal(own[name], array)
    assert index.info() == anew.info()
    one, other = (some.search(members[1], 3, approximate=True).to_dict()["hits"] for some in (index, anew))
    assert one == other and made == [5 - len(gone)]


def test_vectors_are_selected_where_only_the_last_labels_go(made: list[int]) -> None:
    index = gx.GraphIndex.build(some_graphs(10), vectors=True)
    before = index._state.vectors.arrays()
    index.add([gx.Graph(1, node_labels=["new"])], ids=["new"])
    index.remove(["new"])
    assert made == [10]
    assert all(np.array_equal(index._state.vectors.arrays()[name], array) for name, array in before.items())


def test_vectors_are_kept_in_the_file(saved: Path, made: list[int]) -> None:
    loaded, query = gx.GraphIndex.load(saved), gx.Graph(3, [(0, 1)])
    info = loaded.info()
    assert 0 < info.vector_bytes <= 20 * 700
    first = loaded.search(query, 5, approximate=True)
    assert made == []
    anew = gx.GraphIndex.build(some_graphs(20))
    assert anew.info().bytes == info.bytes
    assert first.to_dict()["hits"] == anew.search(query, 5, approximate=True).to_dict()["hits"]
    anew.save(saved, overwrite=True)  # those that a search has made are kept as well
    assert gx.GraphIndex.load(saved).info() == info
    loaded = gx.GraphIndex.load(saved)
    made.clear()
    loaded.add([gx.Graph(2)], ids=["new"])
    loaded.save(saved, overwrite=True)  # over the file that they are mapped from
    grown = gx.GraphIndex.load(saved)
    assert grown.info().vector_bytes == info.vector_bytes // 20 * 21
    assert grown.search(gx.Graph(2), 1, approximate=True).ids == ("new",) and made == []


def test_files_without_vectors_get_them_when_needed(tmp_path: Path) -> None:
    gx.GraphIndex.build(some_graphs(5)).save(tmp_path / "i")
    content = (tmp_path / "i").read_bytes()
    assert content[8] == files.FORMAT and "vector_sizes" not in [
        array["name"] for array in header_of(content)[1]["arrays"]
    ]
    index = gx.GraphIndex.load(tmp_path / "i")
    assert len(index.search(gx.Graph(1), 2, approximate=True)) == 2 and index.info().vector_bytes > 0


@pytest.mark.parametrize(
    ("old", "word"), [(True, "its vectors have not the SHA-256"), (False, r"bytes .* do not match .* \(array vector_")]
)
def test_damaged_vectors_are_refused_when_needed(saved: Path, old: bool, word: str) -> None:
    content = bytearray(in_old_format(saved.read_bytes()) if old else saved.read_bytes())
    start, header = header_of(bytes(content))
    for name in ("vector_sizes", "vector_counts"):
        [place] = [place for place in header["arrays"] if place["name"] == name]
        changed = content.copy()
        changed[start + place["offset"] + 3] ^= 1
        saved.write_bytes(changed)
        index = gx.GraphIndex.load(saved)
        assert index.search(index["g3"], 1)[0].distance == 0  # nobody needs them for this
        uses: list[Callable[[], Any]] = [
            lambda index=index: index.search(gx.Graph(1), approximate=True),
            lambda index=index: index.save(saved.with_name("copy")),
            lambda index=index: index.add([gx.Graph(1)]),
            lambda index=index: index.remove(["g1"]),
        ]
        for use in uses:
            with pytest.raises(IntegrityError, match=rf"some\.gxi: is damaged: {word}"):
                use()
        assert len(index) == 20 and [*saved.parent.iterdir()] == [saved]


def lied(content: bytes, name: str, value: float) -> bytes:
    """The file with other numbers in this array, and the checksum that fits them."""
    start, header = header_of(content)
    arrays = {}
    changed = bytearray(content)
    for place in header["arrays"][-2:]:
        kind = np.dtype(place["kind"])
        begin = start + place["offset"]
        array = np.frombuffer(content, kind, place["length"], begin).copy()
        if place["name"] == name:
            array[1] = value
        arrays[place["name"]] = array
        changed[begin : begin + array.nbytes] = array.tobytes()
    return with_header(bytes(changed), lambda header: header.update(vectors=files._digest(arrays)))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -3.0, 1e6])
def test_sizes_that_lie_are_refused(saved: Path, value: float) -> None:
    saved.write_bytes(lied(in_old_format(saved.read_bytes()), "vector_sizes", value))
    with pytest.raises(FormatError, match=r"vectors do not belong to its graphs \(vector_sizes\)"):
        gx.GraphIndex.load(saved).search(gx.Graph(1), approximate=True)


@pytest.mark.parametrize("place", [-1, -2])
@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda header, place: header["arrays"].pop(place), "vectors do not belong to its graphs"),
        (lambda header, place: header["arrays"][place].update(name="other"), "vectors do not belong to its graphs"),
        (lambda header, place: header["arrays"][place].update(length=2), "vectors do not belong to its graphs"),
        (lambda header, place: header["arrays"][place].update(kind="int64", length=1), "vectors do not belong"),
        (lambda header, place: header.pop("vectors"), "it is of format 2, and its header is not"),
    ],
)
def test_vectors_that_do_not_fit_are_refused(
    saved: Path, change: Callable[[Any, int], Any], word: str, place: int
) -> None:
    def changed(header: Any) -> None:
        change(header, place)

    saved.write_bytes(with_header(in_old_format(saved.read_bytes()), changed))
    with pytest.raises(FormatError, match=word):
        gx.GraphIndex.load(saved)
