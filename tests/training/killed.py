"""Training runs that kill themselves, each at another file: ``killed.py FOLDER RUNS KIND`` makes FOLDER/1, ..."""

import os
import signal
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from training.samples import trained


def run(folder: Path, writes: int, kind: str) -> None:
    """Die at the file of this number: odd ones before it is moved to its place, even ones just after."""
    done, replace = 0, Path.replace

    def counted(self: Path, target: Path) -> Path:
        nonlocal done
        done += 1
        if done == writes and writes % 2:
            os.kill(os.getpid(), signal.SIGKILL)
        moved = replace(self, target)
        if done == writes:
            os.kill(os.getpid(), signal.SIGKILL)
        return moved

    Path.replace = counted
    trained(kind, folder)


def main(folder: Path, runs: int, kind: str) -> None:
    torch.set_num_threads(1)
    torch.optim.Adam([torch.nn.Parameter(torch.zeros(()))]).step()  # its first step imports a lot
    for writes in range(1, runs + 1):
        child = os.fork()  # so that torch is imported once
        if not child:
            run(folder / str(writes), writes, kind)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert os.WIFSIGNALED(status), f"run {writes} ended by itself"
        assert os.WTERMSIG(status) == signal.SIGKILL


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
