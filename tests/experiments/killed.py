"""``killed.py FOLDER``: a run of all small jobs, to be killed and begun again."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from experiments.samples import EPOCHS, SOME
from graphedx.experiments import run

if __name__ == "__main__":
    run(SOME, sys.argv[1], epochs=EPOCHS, workers=2)
