"""Files are written whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from graphedx import _files
from graphedx._files import atomic_folder, atomic_path, atomic_write, locked_folder, sweep
from graphedx.errors import OutputError

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def write(path: Path, text: str = "new", *, overwrite: bool = False) -> None:
    with atomic_write(path, overwrite=overwrite, mode="w") as handle:
        handle.write(text)


def test_the_content_arrives_and_nothing_else_is_left(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "žluťoučký")
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "žluťoučký"
    assert names(tmp_path) == ["a.txt"]


def test_bytes_are_the_default(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "a.bin") as handle:
        handle.write(b"\x00\n")
    assert (tmp_path / "a.bin").read_bytes() == b"\x00\n"


def test_the_file_does_not_show_before_it_is_whole(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "a.txt") as handle:
        handle.write(b"half")
        handle.flush()
        assert not (tmp_path / "a.txt").exists()
    assert (tmp_path / "a.txt").exists()


def test_an_existing_file_is_kept_unless_overwrite_is_asked_for(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "old")
    with pytest.raises(OutputError, match=r"a\.txt.*overwrite=True"):
        write(tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text() == "old"
    write(tmp_path / "a.txt", overwrite=True)
    assert (tmp_path / "a.txt").read_text() == "new"


def test_a_failing_writer_changes_nothing_and_its_own_error_escapes(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "old")
    with pytest.raises(ZeroDivisionError), atomic_write(tmp_path / "a.txt", overwrite=True) as handle:
        handle.write(b"half")
        1 / 0  # noqa: B018
    assert (tmp_path / "a.txt").read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_a_file_that_another_process_made_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="exists already"), atomic_write(tmp_path / "a.txt") as handle:
        handle.write(b"ours")
        (tmp_path / "a.txt").write_text("theirs")
    assert (tmp_path / "a.txt").read_text() == "theirs"
    assert names(tmp_path) == ["a.txt"]


def test_file_systems_without_hard_links_work_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    write(tmp_path / "a.txt")
    assert (tmp_path / "a.txt").read_text() == "new"
    with pytest.raises(OutputError, match="exists already"), atomic_write(tmp_path / "b.txt"):
        (tmp_path / "b.txt").write_text("theirs")
    assert names(tmp_path) == ["a.txt", "b.txt"]


def test_a_full_disk_is_an_output_error_that_names_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match=r"a\.txt: cannot be written: no space left"):
        write(tmp_path / "a.txt")
    assert names(tmp_path) == []


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"folder .*nowhere does not exist"):
        write(tmp_path / "nowhere" / "a.txt")


@pytest.mark.skipif(AS_ROOT, reason="root may write everywhere")
def test_a_folder_without_permission_is_an_output_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="permission denied"):
        write(tmp_path / "a.txt")


def test_no_permission_is_an_output_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, **_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "touch", refuse)
    with pytest.raises(OutputError, match=r"a\.txt: cannot be written: permission denied"):
        write(tmp_path / "a.txt")


def test_folders_and_devices_are_not_replaced_by_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError, match="not a file"):
        write(tmp_path / "folder", overwrite=True)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OutputError, match="not a file"):
        write(tmp_path / "pipe", overwrite=True)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_nonsense_path_is_an_output_error() -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        write(Path("a\x00b"))


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    write(tmp_path / "link.txt", overwrite=True)
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text() == "new"


def test_permissions_follow_the_umask_or_the_file_that_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "plain.txt").touch()
    write(tmp_path / "a.txt")
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "plain.txt").stat().st_mode
    (tmp_path / "a.txt").chmod(0o640)
    write(tmp_path / "a.txt", overwrite=True)
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o640


def test_writers_that_want_a_path_get_one_with_the_same_suffix(tmp_path: Path) -> None:
    with atomic_path(tmp_path / "picture.svg") as temporary:
        assert temporary.suffix == ".svg"
        assert temporary.parent == tmp_path
        temporary.write_text("<svg/>")
    assert (tmp_path / "picture.svg").read_text() == "<svg/>"
    assert names(tmp_path) == ["picture.svg"]


def test_a_folder_appears_whole(tmp_path: Path) -> None:
    with atomic_folder(tmp_path / "set") as folder:
        (folder / "one.txt").write_text("1")
        assert not (tmp_path / "set").exists()
    assert names(tmp_path) == ["set"]
    assert (tmp_path / "set" / "one.txt").read_text() == "1"


def test_a_folder_is_replaced_only_when_asked(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "old.txt").touch()
    with pytest.raises(OutputError, match="overwrite=True"), atomic_folder(tmp_path / "set"):
        pytest.fail("the block must not run")
    with atomic_folder(tmp_path / "set", overwrite=True) as folder:
        (folder / "new.txt").touch()
    assert names(tmp_path / "set") == ["new.txt"]
    assert names(tmp_path) == ["set"]


def test_a_folder_that_fails_leaves_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "old.txt").touch()
    with pytest.raises(ZeroDivisionError), atomic_folder(tmp_path / "set", overwrite=True) as folder:
        (folder / "new.txt").touch()
        1 / 0  # noqa: B018
    assert names(tmp_path / "set") == ["old.txt"]
    assert names(tmp_path) == ["set"]


def test_a_file_is_not_replaced_by_a_folder(tmp_path: Path) -> None:
    (tmp_path / "set").touch()
    with pytest.raises(OutputError, match="not a folder"), atomic_folder(tmp_path / "set", overwrite=True):
        pytest.fail("the block must not run")


def test_only_whole_file_modes_are_taken(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'ab'"), atomic_write(tmp_path / "a", mode="ab"):
        pytest.fail("the block must not run")


@pytest.mark.skipif(_files.fcntl is None, reason="no locks on this system")
def test_a_folder_is_locked_once_and_left_as_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    with locked_folder(folder, "is taken"):
        with pytest.raises(OutputError, match="b: is taken"), locked_folder(folder, "is taken"):
            pytest.fail("the block must not run")
        assert names(folder) == []
    with locked_folder(folder, "is taken"):
        pass


@pytest.mark.skipif(_files.fcntl is None, reason="no locks on this system")
def test_a_file_system_without_locks_is_not_another_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def flock(*_: object) -> None:
        raise OSError(errno.EBADF, "Bad file descriptor")  # what NFS says of a folder

    monkeypatch.setattr("graphedx._files.fcntl.flock", flock)
    with locked_folder(tmp_path, "is taken"):
        write(tmp_path / "a.txt")


def test_what_is_no_folder_cannot_be_locked(tmp_path: Path) -> None:
    write(tmp_path / "a.txt")
    for path in (tmp_path / "a.txt", tmp_path / "a.txt" / "b", Path("a\0b")):
        with pytest.raises(OutputError, match="cannot be used as a folder"), locked_folder(path, "is taken"):
            pytest.fail("the block must not run")


class Killed(BaseException):
    """What a writer does not live to see."""


def test_what_killed_writers_left_is_swept_away_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    targets = [tmp_path / name for name in ("a.json", "data", "x" * 150 + ".csv", ".hidden")]
    monkeypatch.setattr(_files, "_remove", lambda _: None)  # a killed writer does not tidy up
    for target in targets:
        with pytest.raises(Killed), (atomic_write if target.suffix else atomic_folder)(target):
            raise Killed
    monkeypatch.undo()
    kept = ["a.json", ".b.0123456789ab.json", ".a.0123456789ab.csv", ".a.json", ".a.012345.json", ".data"]
    for name in kept:
        (tmp_path / name).write_text("mine")
    assert len(names(tmp_path)) == len(kept) + len(targets)
    sweep([*targets, tmp_path / "nowhere" / "a.json"])
    assert names(tmp_path) == sorted(kept)


# -- temporary files of killed writers -------------------------------------------------------------------------------

KILLED_WRITER = """
import os, signal, sys
from pathlib import Path
from graphedx._files import atomic_folder, atomic_write
write = atomic_folder if sys.argv[2] == "folder" else atomic_write
with write(sys.argv[1], overwrite=True) as made:
    if sys.argv[2] == "folder":
        (made / "half.txt").write_text("half")
    else:
        made.write(b"half")
        made.flush()
    print("writing", flush=True)
    if sys.argv[3] == "wait":
        sys.stdin.read()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def writer(target: Path, kind: str, then: str) -> subprocess.Popen[str]:
    """A process that is in the middle of a write, and is killed there or waits."""
    source = {**os.environ, "PYTHONPATH": str(Path(_files.__file__).parents[1])}
    command = [sys.executable, "-c", KILLED_WRITER, str(target), kind, then]
    process = subprocess.Popen(command, env=source, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout and process.stdout.readline() == "writing\n"
    return process


def put(target: Path, kind: str) -> None:
    if kind == "folder":
        with atomic_folder(target, overwrite=True) as folder:
            (folder / "new.txt").write_text("new")
    else:
        write(target, overwrite=True)


@pytest.mark.skipif(_files.fcntl is None, reason="no locks on this system")
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_the_next_write_removes_what_killed_writers_left(tmp_path: Path, kind: str) -> None:
    target = tmp_path / ("set" if kind == "folder" else "a.txt")
    put(target, kind)
    together = [writer(target, kind, "wait") for _ in range(2)]
    for process in together:
        process.kill()
        process.communicate()
    writer(target, kind, "die").communicate()
    assert len(names(tmp_path)) > 1
    (tmp_path / ".b.000000000000.txt").write_text("of another target")
    put(target, kind)
    assert names(tmp_path) == sorted([".b.000000000000.txt", target.name])
    if kind == "folder":
        assert names(target) == ["new.txt"]


@pytest.mark.skipif(_files.fcntl is None, reason="no locks on this system")
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_what_a_live_writer_has_begun_is_left_alone(tmp_path: Path, kind: str) -> None:
    target = tmp_path / ("set" if kind == "folder" else "a.txt")
    other = writer(target, kind, "wait")
    before = names(tmp_path)
    for _ in range(3):
        put(target, kind)
    assert names(tmp_path) == sorted([*before, target.name])
    other.kill()
    other.communicate()
    put(target, kind)
    assert names(tmp_path) == [target.name]


@pytest.mark.skipif(_files.fcntl is None, reason="no locks on this system")
def test_writers_in_one_process_do_not_take_each_other_for_dead(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "a.txt", overwrite=True) as first:
        first.write(b"first")
        write(tmp_path / "a.txt", "second", overwrite=True)
        assert (tmp_path / "a.txt").read_text() == "second"
    assert (tmp_path / "a.txt").read_text() == "first"
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.skipif(_files.fcntl is None, reason="no locks on this system")
def test_a_finished_writer_does_not_remove_what_another_has_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name of a temporary file is free once the file has moved to its target."""
    begun: list[Path] = []
    flush = _files._flush

    def flush_and_begin(path: Path) -> None:
        flush(path)
        if path == tmp_path and not begun:  # the last thing that a writer does
            begun.append(_files._beside(tmp_path / "a.txt", 0))
            begun[0].write_text("another's")

    monkeypatch.setattr(_files, "_flush", flush_and_begin)
    write(tmp_path / "a.txt", overwrite=True)
    assert begun[0].read_text() == "another's"


@pytest.mark.skipif(_files.fcntl is None, reason="no locks on this system")
@pytest.mark.parametrize("kind", ["file", "folder"])
def test_without_locks_nothing_is_taken_for_abandoned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    def flock(*_: object) -> None:
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")

    target = tmp_path / ("set" if kind == "folder" else "a.txt")
    left = _files._beside(target)
    left.write_text("a live writer's, perhaps")
    monkeypatch.setattr("graphedx._files.fcntl.flock", flock)
    for _ in range(2):
        put(target, kind)
    assert names(tmp_path) == sorted([left.name, target.name])


def test_links_and_pipes_in_the_place_of_a_temporary_file_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("precious")
    first, second = (_files._beside(tmp_path / "a.txt", slot) for slot in range(2))
    first.symlink_to(tmp_path / "precious.txt")
    os.mkfifo(second)
    write(tmp_path / "a.txt")
    assert (tmp_path / "precious.txt").read_text() == "precious"
    assert names(tmp_path) == sorted([first.name, second.name, "a.txt", "precious.txt"])


@pytest.mark.parametrize("exchange", [True, False])
def test_folders_are_swapped_with_and_without_the_system_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchange: bool
) -> None:
    if not exchange:
        monkeypatch.setattr(_files, "_exchanged", lambda *_: False)
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "old.txt").touch()
    put(tmp_path / "set", "folder")
    assert names(tmp_path) == ["set"] and names(tmp_path / "set") == ["new.txt"]
