"""Imports go downwards only, every method has its page and its tests, and no file grows out of hand."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from graphedx import solvers
from graphedx.models import base
from graphedx.models.listing import IN_THE_PAPER

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "graphedx"

# From the ground up: a part may import what lies in a lower row, and its own modules.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors", "_quoting", "_starting"),
    ("_files", "_limits"),
    ("graph",),
    ("costs",),
    ("edits", "tolerance"),
    ("result",),
    ("_native",),
    ("convert",),
    ("io", "_brackets", "_checksums", "_encoder", "_kernels", "_set_terms", "drawing"),
    ("_collection",),
    ("solvers", "models"),
    ("neural",),
    ("training", "engine"),
    ("datasets",),
    ("evaluation",),
    ("matrix",),
    ("search",),
    ("api",),
    ("__init__",),
    ("demo", "experiments"),
    ("cli", "service"),
    ("__main__",),
)
RANK = {part: rank for rank, row in enumerate(LAYERS) for part in row}

# Downwards, and still not allowed: who is given a solver or a model does not fetch one; models stand alone.
FORBIDDEN = {
    ("training", "solvers"),
    ("training", "_kernels"),
    ("models", "_kernels"),
    ("datasets", "solvers"),
    ("datasets", "models"),
    ("evaluation", "solvers"),
    ("evaluation", "models"),
}
# Graph.from_networkx and the like are doors to what lies above; they open when called, not when imported.
DOORS = {("graph", "convert"), ("graph", "io")}
TORCH = ("torch", "torch_geometric")
OPTIONAL = (*TORCH, "highspy", "rdkit", "matplotlib", "ray", "faiss", "fastapi", "uvicorn", "hypothesis", "pytest")
MOST_LINES = 500


class Import(NamedTuple):
    part: str  # of graphedx, that imports
    module: str  # what it imports, in full
    lazy: bool  # inside a function
    where: str


def part_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_part(module: str) -> str:
    """The part of graphedx that a dotted name lies in; a name that is no module is one of the package's own."""
    name = module.split(".")[1] if "." in module else "__init__"
    known = any((PACKAGE / candidate).exists() for candidate in (name, f"{name}.py", f"{name}.pyi"))
    return name if known else "__init__"


def all_imports() -> Iterator[Import]:
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        inside = {id(child) for function in functions for child in ast.walk(function)}
        for node in ast.walk(tree):
            for module in imported_modules(node, path):
                yield Import(part_of(path), module, id(node) in inside, f"{path.relative_to(ROOT)}:{node.lineno}")


def imported_modules(node: ast.AST, path: Path) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, f"{path}: relative imports hide who imports whom"
        # "from graphedx import costs" imports the module, "from graphedx import Graph" a name of the package.
        return [
            f"{node.module}.{alias.name}" if node.module == "graphedx" else str(node.module) for alias in node.names
        ]
    return []


IMPORTS = tuple(all_imports())
OWN = tuple(one for one in IMPORTS if one.module.split(".")[0] == "graphedx")


def test_there_are_imports_to_look_at() -> None:
    assert len(OWN) > 50
    assert any(one.part == "solvers" and imported_part(one.module) == "_kernels" for one in OWN)


def test_every_part_has_a_layer() -> None:
    parts = {part_of(path) for path in PACKAGE.rglob("*.py")}
    assert parts <= RANK.keys(), f"give these a layer: {sorted(parts - RANK.keys())}"


def test_imports_go_downwards_only() -> None:
    upwards = [
        f"{one.where} imports {one.module}"
        for one in OWN
        if (part := imported_part(one.module)) != one.part
        and (one.part, part) not in DOORS
        and RANK.get(part, -1) >= RANK.get(one.part, -1)
    ]
    assert not upwards


def test_doors_open_only_when_called() -> None:
    doors = [one for one in OWN if (one.part, imported_part(one.module)) in DOORS]
    assert doors
    assert all(one.lazy for one in doors)


def test_who_is_given_a_solver_does_not_fetch_one() -> None:
    assert not [one.where for one in OWN if (one.part, imported_part(one.module)) in FORBIDDEN]


def test_few_modules_import_the_native_core() -> None:
    # One for graphs, costs and solvers; three for models, which know arrays only; one for search, one for its files.
    for_models = {"_brackets", "_encoder", "_set_terms"}
    assert {one.part for one in OWN if imported_part(one.module) == "_native"} == {
        "_kernels",
        "_checksums",
        "_collection",
        *for_models,
    }
    assert {one.part for one in OWN if imported_part(one.module) in for_models} == {"models"}


def test_torch_stays_where_it_belongs() -> None:
    users = {one for one in IMPORTS if one.module.split(".")[0] in TORCH}
    pairs = {one for one in users if Path(one.where.split(":")[0]) == Path("src/graphedx/datasets/pyg.py")}
    assert {one.part for one in users - pairs} <= {"models", "training", "convert"}
    assert not [one for one in IMPORTS if one.part == "convert" and one.module.split(".")[0] in TORCH and not one.lazy]


def test_importing_graphedx_loads_no_optional_library() -> None:
    code = f"import sys, graphedx.datasets; print(*[m for m in {OPTIONAL!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize("method", sorted(solvers.methods()))
def test_every_method_has_a_page_and_a_test_of_its_name(method: str) -> None:
    page = ROOT / "docs" / "methods" / f"{method}.md"
    assert page.exists()
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# `{method}`")
    assert all(f"**{word}" in text for word in ("Computes", "Guarantee", "Complexity", "Use it"))
    assert list((ROOT / "tests").rglob(f"test_{method}.py"))


@pytest.mark.parametrize("model", base.IN_THE_BOX)
def test_every_model_has_a_page_and_a_test_of_its_name(model: str) -> None:
    text = read(f"docs/methods/{model}.md")
    assert text.startswith(f"# `{model}`")
    assert all(f"**{word}" in text for word in ("Computes", "Guarantee", "Complexity", "Use it"))
    assert "the extra `neural`" in text.replace("\n", " ")
    if model in IN_THE_PAPER:
        assert {f"{base.weights_of(model, {}):,}", f"{IN_THE_PAPER[model]:,}"} <= set(re.findall(r"\d,\d{3}", text))
    assert (ROOT / "tests" / "models" / f"test_{model}.py").exists()


@pytest.mark.parametrize("page", sorted(path.stem for path in (ROOT / "docs" / "methods").glob("*.md")))
def test_every_page_of_a_method_can_be_found(page: str) -> None:
    assert page == "index" or f"| [`{page}`]({page}.md) |" in read("docs/methods/index.md")
    assert f": methods/{page}.md\n" in read("mkdocs.yml")


@pytest.mark.parametrize("model", base.IN_THE_BOX)
def test_every_model_is_in_the_tables_of_the_documentation(model: str) -> None:
    kind = base.kind_of(model)
    lines = read("docs/methods/index.md").splitlines()
    [row] = [line for line in lines if line.startswith(f"| [`{model}`]({model}.md) |")]
    assert [cell.strip() for cell in row.split("|")][3:5] == [kind.interaction, kind.output]
    assert f"- {model}: methods/{model}.md" in read("mkdocs.yml")


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def source_files() -> list[Path]:
    folders = [(name, ROOT / name) for name in ("src", "tests", "benchmarks", "native")]
    return [
        path
        for _, folder in folders
        for path in sorted(folder.rglob("*"))
        if path.suffix in (".py", ".pyi", ".cpp", ".hpp", ".js", ".css")
    ]


def test_no_file_grows_out_of_hand() -> None:
    long = {str(path.relative_to(ROOT)): len(path.read_text(encoding="utf-8").splitlines()) for path in source_files()}
    assert len(long) > 50
    assert {name: lines for name, lines in long.items() if lines >= MOST_LINES} == {}
