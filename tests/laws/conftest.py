"""Every law runs over every method of the registry that is installed."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from graphedx import neural, solvers

NEEDS = {"f2": "highspy", "fori": "highspy", "neural": "torch"}


@pytest.fixture(scope="session", autouse=True)
def untrained() -> Iterator[None]:
    """The laws hold whatever a network says: this one has learned nothing."""
    with pytest.MonkeyPatch.context() as patch:
        if find_spec("torch") is not None:
            from models.bracket_samples import estimator

            patch.setattr(neural, "_shipped", estimator)
        yield


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
