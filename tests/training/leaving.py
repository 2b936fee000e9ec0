"""Joins a group, trains in it and leaves; tells which threads of the group are left. Started by torchrun."""

import os
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from graphedx.training import fit
from graphedx.training.distributed import joined
from training.samples import COSTS, tiny_config, tiny_data, tiny_model


def threads() -> list[str]:
    return sorted((task / "comm").read_text().strip() for task in Path("/proc/self/task").iterdir())


def main() -> None:
    torch.set_num_threads(1)
    with joined():
        fit(tiny_model(), tiny_data(), tiny_data(4, 5), COSTS, tiny_config(max_epochs=1))
        inside = threads()
    assert any("gloo" in name for name in inside), inside
    left = [name for name in threads() if "gloo" in name]
    os.write(1, f"left: {left}\n".encode())  # in one piece: two processes write to the same pipe


if __name__ == "__main__":
    main()
