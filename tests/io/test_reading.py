"""Whatever is wrong with a file is one FormatError that names it, whoever wrote the file."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphedx import io
from graphedx.errors import FormatError
from graphedx.graph import Graph
from graphedx.io import _load, _xml

PAIR = Graph("ab", [("a", "b")], node_labels=["C", "O"], name="pair")
WRITABLE = sorted(name for name, each in io.formats().items() if each.serialize and name != "smiles")
EXTENSIONS = sorted({extension for each in io.formats().values() for extension in each.extensions})


def saved(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def written(folder: Path, format_name: str) -> Path:
    path = folder / f"pair{io.formats()[format_name].extensions[0]}"
    io.write(PAIR, path)
    return path


# -- which file is which ---------------------------------------------------------------------------------------------


def test_the_format_can_be_given_where_the_extension_does_not_tell(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.txt", '{"n": 2, "graph": [[0, 1]]}')
    with pytest.raises(FormatError, match=r"a\.txt.*extension '\.txt'.*\.graphml.*format="):
        io.read(path)
    assert io.read(path, format="json").num_edges == 1


def test_extensions_are_told_in_any_case(tmp_path: Path) -> None:
    assert io.read(saved(tmp_path, "A.JSON", '{"n": 2, "graph": []}')).num_nodes == 2


def test_an_unknown_format_is_told_which_there_are(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"no format 'dot'; there are graphml, .*tu"):
        io.read(saved(tmp_path, "a.gml", "graph []"), format="dot")
    with pytest.raises(FormatError, match=r"a\.gml: no format \[\]; there are"):
        io.read_all(tmp_path / "a.gml", format=[])  # type: ignore[arg-type]


def test_an_unknown_option_is_told_which_there_are(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"a\.gml.*no option 'label'; it has node_label, edge_label"):
        io.read(saved(tmp_path, "a.gml", "graph [ ]"), label="x")


def test_graphs_without_a_name_are_named_after_the_file(tmp_path: Path) -> None:
    assert io.read(saved(tmp_path, "mol.7.json", '{"n": 0, "graph": []}')).name == "mol.7"
    io.write([Graph(1), Graph(2)], tmp_path / "two.jsonl.gz")
    assert [graph.name for graph in io.read_all(tmp_path / "two.jsonl.gz")] == ["two-1", "two-2"]


@pytest.mark.parametrize(("content", "count"), [("[]", "no"), ('[{"n":1,"graph":[]},{"n":1,"graph":[]}]', "2")])
def test_read_wants_exactly_one_graph(tmp_path: Path, content: str, count: str) -> None:
    with pytest.raises(FormatError, match=rf"a\.json: holds {count} graphs.*read_all"):
        io.read(saved(tmp_path, "a.json", content))


def test_a_folder_is_read_file_by_file_in_order_of_names(tmp_path: Path) -> None:
    for name in ("b.json", "a.gml", "c.jsonl", "d.gxl.gz"):
        io.write(Graph(2, name=name), tmp_path / name)
    saved(tmp_path, "README.md", "not a graph")
    saved(tmp_path, ".hidden.json", "not a graph")
    assert [graph.name for graph in io.read_all(tmp_path)] == ["a.gml", "b.json", "c.jsonl", "d.gxl.gz"]
    assert [graph.name for graph in io.read_all(tmp_path, format="gml")] == ["a.gml"]


def test_a_folder_without_graphs_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="holds no TU set and no file of a known format"):
        io.read_all(tmp_path)
    with pytest.raises(FormatError, match="holds no gxl file"):
        io.read_all(tmp_path, format="gxl")


def test_a_bad_file_in_a_folder_is_named(tmp_path: Path) -> None:
    saved(tmp_path, "bad.json", "{")
    with pytest.raises(FormatError, match=r"bad\.json: is not JSON"):
        io.read_all(tmp_path)


def test_formats_tell_what_they_can_do() -> None:
    assert io.formats()["csv"].writable is False
    assert io.formats()["tu"].writable is True
    assert io.formats()["gxl"].options == ("node_label", "edge_label")


# -- what the system says --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["missing.gml", "nowhere/missing.gml", "null\x00.gml"])
def test_a_missing_file_is_a_format_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(FormatError, match="no such file"):
        io.read(tmp_path / name)


def test_no_path_at_all_is_not_the_current_folder() -> None:
    with pytest.raises(FormatError, match="no such file"):
        io.read_all("")


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.gml")
    with pytest.raises(FormatError, match="neither a file nor a folder"):
        io.read(tmp_path / "a.gml")


@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_a_format_error(tmp_path: Path) -> None:
    saved(tmp_path, "a.gml", "graph [ ]").chmod(0)
    with pytest.raises(FormatError, match="permission denied"):
        io.read(tmp_path / "a.gml")


def test_no_permission_is_a_format_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path, "a.gml", "graph [ ]")

    def refuse(*_: object, **__: object) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(FormatError, match=r"a\.gml: cannot be read: permission denied"):
        io.read(path)


# -- what is in the file ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("extension", [each for each in EXTENSIONS if each != ".py"])
@pytest.mark.parametrize("content", [b"", b" \n\n"])
def test_an_empty_file_is_called_empty(tmp_path: Path, extension: str, content: bytes) -> None:
    path = saved(tmp_path, f"a{extension}", content)
    with pytest.raises(FormatError, match=rf"a{extension}: .*empty"):
        io.read_all(path)


@pytest.mark.parametrize("format_name", WRITABLE)
def test_a_file_cut_short_is_never_read_as_a_whole_one(tmp_path: Path, format_name: str) -> None:
    content = written(tmp_path, format_name).read_bytes().rstrip()
    for length in range(1, len(content)):
        path = saved(tmp_path, f"cut{io.formats()[format_name].extensions[0]}", content[:length])
        with pytest.raises(FormatError, match="cut"):
            io.read(path)


@settings(
    deadline=None, derandomize=True, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from(EXTENSIONS), st.binary(max_size=60))
def test_garbage_is_a_format_error_or_a_graph(tmp_path: Path, extension: str, content: bytes) -> None:
    path = saved(tmp_path, f"garbage{extension}", content)
    try:
        graphs = io.read_all(path)
    except FormatError as error:
        assert str(path) in str(error)
    else:
        assert all(isinstance(graph, Graph) for graph in graphs)


@settings(
    deadline=None, derandomize=True, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.sampled_from(WRITABLE), st.data())
def test_a_damaged_file_is_a_format_error_or_a_graph(tmp_path: Path, format_name: str, data: st.DataObject) -> None:
    path = tmp_path / f"pair{io.formats()[format_name].extensions[0]}"
    io.write(PAIR, path, overwrite=True)
    content = bytearray(path.read_bytes())
    start = data.draw(st.integers(0, len(content)))
    content[start : start + data.draw(st.integers(0, 9))] = data.draw(
        st.binary(max_size=4) | st.sampled_from([b"null", b"[", b'"', b"<", b"&#0;", b"-1", b"1e999", b"{}"])
    )
    path.write_bytes(content)
    try:
        io.read_all(path)
    except FormatError as error:
        assert str(path) in str(error)


@pytest.mark.parametrize("extension", [".gml", ".json", ".jsonl", ".smi", ".csv"])
def test_a_wrong_encoding_is_named(tmp_path: Path, extension: str) -> None:
    with pytest.raises(FormatError, match="not UTF-8 text: byte 1 is 0xe9"):
        io.read(saved(tmp_path, f"a{extension}", b'"\xe9"'))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", "[" * 100_000),
        ("b.json", '{"nodes":[{"id":0,"label":' + "[" * 900 + "]" * 900 + '}],"edges":[]}'),
        ("a.jsonl", "[" * 100_000),
        ("a.gml", "graph [ " + "a [ " * 5000 + "]" * 5001),
        ("a.gxl", "<gxl>" + "<a>" * 5000 + "</a>" * 5000 + "</gxl>"),
        ("a.py", "def f():\n return " + "+".join("1" * 50_000)),
        ("b.py", "def f():\n return " + "-" * 50_000 + "1"),
        ("c.py", "def f():\n return " + "(" * 500 + ")" * 500),
    ],
)
def test_deep_nesting_is_a_format_error(tmp_path: Path, name: str, content: str) -> None:
    with pytest.raises(FormatError, match=rf"{name}: .*nested"):
        io.read_all(saved(tmp_path, name, content))


# -- files that mean harm --------------------------------------------------------------------------------------------

LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY b SYSTEM "file://{}">]>'


@pytest.mark.parametrize("root", ["graphml", "gexf", "gxl"])
def test_xml_entities_are_refused(tmp_path: Path, root: str) -> None:
    secret = saved(tmp_path, "secret.txt", "secret")
    for doctype in (LAUGHS, OUTSIDE.format(secret)):
        path = saved(tmp_path, f"a.{root}", f"{doctype}<{root}><graph id='&b;'><node id='n'/></graph></{root}>")
        with pytest.raises(FormatError, match=rf"a\.{root}: declares or uses XML entities"):
            io.read(path)


def test_a_doctype_alone_is_harmless_and_nothing_is_fetched(tmp_path: Path) -> None:
    doctype = '<!DOCTYPE gxl SYSTEM "http://www.gupro.de/GXL/gxl-1.0.dtd">'
    assert len(io.read(saved(tmp_path, "a.gxl", f"{doctype}<gxl><graph id='g'><node id='1'/></graph></gxl>"))) == 1


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_a_huge_file_is_refused_before_it_is_read(
    tmp_path: Path, extension: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"huge{extension}"
    with path.open("wb") as handle:
        handle.truncate(2**30)  # sparse: takes no room
    monkeypatch.setattr(Path, "open", lambda *_, **__: pytest.fail("it was opened"))
    with pytest.raises(FormatError, match="has 1024 MB, more than the limit of 256 MB"):
        io.read(path)


def test_what_unpacks_to_a_huge_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_load, "MAX_BYTES", 2**20)
    path = saved(tmp_path, "bomb.json.gz", gzip.compress(b" " * (2**20 + 1), mtime=0))
    with pytest.raises(FormatError, match="unpacks to more than the limit of 1 MB"):
        io.read(path)


def test_more_xml_elements_than_the_limit_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_xml, "MAX_ELEMENTS", 10)
    with pytest.raises(FormatError, match="more than the limit of 10 XML elements"):
        io.read(saved(tmp_path, "a.gxl", "<gxl>" + "<a/>" * 11 + "</gxl>"))


@pytest.mark.parametrize("content", [b"plain", gzip.compress(b'{"n": 1, "graph": []}' * 9, mtime=0)[:-12]])
def test_a_broken_gzip_file_is_called_so(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(FormatError, match=r"a\.json\.gz: is not a whole gzip file"):
        io.read(saved(tmp_path, "a.json.gz", content))


def test_python_source_is_not_run(tmp_path: Path) -> None:
    target = tmp_path / "ran"
    path = saved(tmp_path, "a.py", f"open({str(target)!r}, 'w')\ndef f(x=open({str(target)!r}, 'w')): pass\n")
    assert io.read(path).name == "f"
    assert not target.exists()
