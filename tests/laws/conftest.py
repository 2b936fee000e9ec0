"""Every law runs over every method of the registry that is installed."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from graphedx import solvers

NEEDS = {"f2": "highspy", "fori": "highspy"}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "method" in metafunc.fixturenames:
        metafunc.parametrize("method", [_parameter(name) for name in sorted(solvers.methods())])
    if "native_method" in metafunc.fixturenames:
        native = [name for name in sorted(solvers.methods()) if solvers.get(name).native]
        metafunc.parametrize("native_method", native)
    if "exact_method" in metafunc.fixturenames:
        exact = [name for name, guarantee in sorted(solvers.methods().items()) if guarantee is solvers.Guarantee.EXACT]
        metafunc.parametrize("exact_method", [_parameter(name) for name in exact])


def _parameter(name: str) -> object:
    library = NEEDS.get(name)
    missing = library is not None and find_spec(library) is None
    return pytest.param(name, marks=pytest.mark.skipif(missing, reason=f"needs {library}"))
