"""Every sample path in turn, with its pictures drawn once."""

import pytest

from drawing.samples import SAMPLES
from graphedx.drawing import edit_path_html, edit_path_svg
from graphedx.drawing.panel import Panel
from graphedx.drawing.scene import LaidOut, edit_path_panels, lay_out
from graphedx.edits import EditPath


@pytest.fixture(scope="session", params=SAMPLES)
def path(request: pytest.FixtureRequest) -> EditPath:
    return SAMPLES[request.param]()


@pytest.fixture(scope="session")
def laid_out(path: EditPath) -> LaidOut:
    return lay_out(path)


@pytest.fixture(scope="session")
def panels(path: EditPath, laid_out: LaidOut) -> tuple[Panel, Panel]:
    return edit_path_panels(path, laid_out)


@pytest.fixture(scope="session")
def svg(path: EditPath) -> str:
    return edit_path_svg(path)


@pytest.fixture(scope="session")
def page(path: EditPath) -> str:
    return edit_path_html(path)
