"""Messages quote a bounded part of what they complain about."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphedx import io
from graphedx._quoting import MOST_QUOTED, quoted, shortened
from graphedx.convert import from_smiles
from graphedx.errors import FormatError, GraphError
from graphedx.graph import Graph

LONG = "x" * 5_000


class Shy:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


def test_short_values_are_quoted_whole() -> None:
    assert quoted("a'b") == repr("a'b")
    assert quoted(("C", 1)) == "('C', 1)"
    assert shortened("abc", 3) == "abc"


@pytest.mark.parametrize("value", [LONG, (LONG, LONG), list(range(5_000)), 10**4_000, "\x00" * 5_000, b"b" * 5_000])
def test_long_values_are_cut(value: object) -> None:
    assert len(quoted(value)) <= MOST_QUOTED
    assert "..." in quoted(value)


def test_values_without_a_repr_are_named_by_their_type() -> None:
    assert quoted(Shy()) == "a value of type Shy"
    assert quoted(10**5_000) == "a value of type int"
    nested: object = ()
    for _ in range(100_000):
        nested = (nested,)
    assert quoted(nested) == "a value of type tuple"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", f'{{"nodes":[{{"id":"{LONG}"}},{{"id":"{LONG}"}}]}}'),
        ("a.json", f'{{"nodes":[],"edges":[{{"source":"{LONG}","target":"{LONG}"}}],"graph":{{"name":"{LONG}"}}}}'),
        ("a.json", f'{{"n":"{LONG}"}}'),
        ("a.graphml", f'<graphml><graph><node id="{LONG}"/><node id="{LONG}"/></graph></graphml>'),
        ("a.graphml", f"<{LONG}/>"),
        ("a.graphml", f'<graphml><graph><node id="a"><data key="{LONG}"/></node></graph></graphml>'),
        ("a.gexf", f'<gexf><graph><nodes><node id="{LONG}"/><node id="{LONG}"/></nodes></graph></gexf>'),
        ("a.gxl", f'<gxl><graph><node id="{LONG}"><attr name="{LONG}"/></node></graph></gxl>'),
        ("a.gml", f"graph [ {LONG}@ ]"),
        ("a.gml", f'graph [ node [ id 0 label "{LONG}" ] node [ id 1 label "{LONG}" ] ]'),
        ("a.smi", f"{LONG}\n"),
        ("a.csv", f"{LONG},{LONG}\n"),
        ("a.sdf", f"{LONG}\n\n\n{LONG}\n"),
        ("a.py", f"def f(): {LONG} = = 1"),
    ],
)
def test_errors_about_files_are_short(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(FormatError) as caught:
        io.read_all(tmp_path / name)
    assert len(str(caught.value).removeprefix(str(tmp_path))) < 400


def test_errors_about_graphs_are_short() -> None:
    for make in (
        lambda: Graph([LONG, LONG]),
        lambda: Graph([LONG], [(LONG, LONG)]),
        lambda: Graph([0], [(0, LONG)]),
        lambda: Graph([LONG], node_labels=[[LONG]]),  # type: ignore[list-item]
        lambda: Graph([LONG], node_labels={"y" * 5_000: 1}),
        lambda: from_smiles(LONG),
    ):
        with pytest.raises(GraphError) as caught:
            make()
        assert len(str(caught.value)) < 400
