"""Ctrl-C while the command line still imports what it needs: one line, exit code 130."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import graphedx

SOURCES = Path(graphedx.__file__).resolve().parents[1]
INTERRUPT = """
import os, signal, sys
def hook(event, arguments, sent=[]):
    if event == "import" and arguments[0] == {module!r} and not sent:
        sent.append(os.kill(os.getpid(), signal.SIGINT))
sys.addaudithook(hook)
"""
# Of the library itself, and of the command line alone.
every_moment = pytest.mark.parametrize("module", ["numpy", "graphedx.api", "typer", "graphedx.cli.label"])


def told(folder: Path, *command: str) -> tuple[int, str, str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), str(SOURCES)])}
    done = subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def script(folder: Path, name: str, content: str) -> str:
    (folder / "bin").mkdir()
    path = folder / "bin" / name
    path.write_text(content)
    return str(path)


@every_moment
def test_as_a_module(tmp_path, module):
    (tmp_path / "sitecustomize.py").write_text(INTERRUPT.format(module=module))
    assert told(tmp_path, "-m", "graphedx", "methods") == (130, "", "graphedx: interrupted\n")


@every_moment
def test_as_a_script(tmp_path, module):
    as_pip_writes_it = "from graphedx.cli import main\nsys.exit(main())\n"
    command = script(tmp_path, "graphedx", INTERRUPT.format(module=module) + as_pip_writes_it)
    assert told(tmp_path, command, "methods") == (130, "", "graphedx: interrupted\n")


def test_a_program_of_somebody_else_is_interrupted_as_ever(tmp_path):
    program = script(tmp_path, "program.py", INTERRUPT.format(module="numpy") + "import graphedx\n")
    _, _, error = told(tmp_path, program)
    assert "KeyboardInterrupt" in error


def test_an_interrupt_is_an_exception_again_once_it_has_started(tmp_path):
    check = "import graphedx, signal\nassert signal.getsignal(2) is signal.default_int_handler\n"
    assert told(tmp_path, script(tmp_path, "graphedx", check)) == (0, "", "")


def test_who_handles_interrupts_keeps_doing_so(tmp_path):
    handled = "import signal, sys\nsignal.signal(2, lambda *_: sys.exit(7))\n"
    program = script(tmp_path, "graphedx", handled + INTERRUPT.format(module="numpy") + "import graphedx\n")
    assert told(tmp_path, program)[0] == 7
