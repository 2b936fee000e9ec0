"""A standard library of a few modules: reading the whole of it takes seconds."""

import shutil
import sysconfig
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from graphedx.datasets import catalog
from graphedx.datasets.readers import embedded

MODULES = ("textwrap.py", "fractions.py", "queue.py", "bisect.py", "calendar.py", "reprlib.py")


@pytest.fixture(scope="module", autouse=True)
def small_library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    for module in MODULES:
        shutil.copy(Path(sysconfig.get_paths()["stdlib"]) / module, folder)
    with pytest.MonkeyPatch.context() as patch:
        small = replace(catalog.CATALOG["pyast"], generate=partial(embedded.pyast, folder))
        patch.setattr(catalog, "CATALOG", {**catalog.CATALOG, "pyast": small})
        yield
