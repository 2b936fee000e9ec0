"""The PNG figure: of the right size, the same each time, and honest about a missing library."""

import struct
import sys
from io import BytesIO

import pytest

from drawing.samples import SAMPLES, hostile_labels, relabelled_edges, relabelled_ring
from graphedx.drawing import edit_path_png
from graphedx.drawing.scene import edit_path_scene
from graphedx.errors import MissingExtraError, OutputError

pytest.importorskip("matplotlib")


def png(path, **keywords) -> bytes:
    buffer = BytesIO()
    edit_path_png(path, buffer, **keywords)
    return buffer.getvalue()


def pixels(data: bytes) -> tuple[int, int]:
    assert data.startswith(b"\x89PNG")
    return struct.unpack(">II", data[16:24])


@pytest.mark.parametrize("name", ["syntax_trees", "components", "nothing"])
def test_size_follows_scene_and_resolution(name):
    path = SAMPLES[name]()
    scene = edit_path_scene(path)
    for dpi in (40, 80):
        assert pixels(png(path, dpi=dpi)) == pytest.approx((scene.width * dpi / 100, scene.height * dpi / 100), abs=1.5)


def test_labels_are_not_mathematics():
    assert pixels(png(hostile_labels(), dpi=40))  # "$\\frac{1}{2}$" would be typeset, "$\\" would fail


def test_same_path_same_bytes():
    assert png(relabelled_edges(), dpi=50) == png(relabelled_edges(), dpi=50)


def test_dark_pictures_are_dark():
    image = pytest.importorskip("matplotlib.image")
    for dark, corner in ((False, 1.0), (True, 0.1)):
        picture = image.imread(BytesIO(png(relabelled_ring(), dpi=40, dark=dark)))
        assert picture[0, 0, 0] == pytest.approx(corner, abs=0.1)


def test_matched_colours_are_on_the_picture():
    image = pytest.importorskip("matplotlib.image")
    picture = (image.imread(BytesIO(png(relabelled_ring(), dpi=60))) * 255).round()
    half = picture.shape[1] // 2
    for side in (picture[:, :half], picture[:, half:]):
        assert (side[..., :3] == (0x77, 0xAA, 0xDD)).all(axis=-1).any()


def test_writes_to_a_path_and_says_when_it_cannot(tmp_path):
    file = tmp_path / "picture.png"
    edit_path_png(relabelled_ring(), file, dpi=30)
    assert pixels(file.read_bytes())
    with pytest.raises(OutputError, match="cannot write"):
        edit_path_png(relabelled_ring(), tmp_path / "no" / "folder.png", dpi=30)


def test_missing_matplotlib_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"graphedx\[plot\]"):
        png(relabelled_ring())
