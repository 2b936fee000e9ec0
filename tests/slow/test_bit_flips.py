"""Ten thousand flipped bits in files of every kind: each is refused in one line, or changes no answer.

Not part of ``make test``. Run it with ``python -m pytest tests/slow/test_bit_flips.py -s``: about 10 minutes.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from damage import outcome_of_flip, samples

FLIPS = 10_000


def test_ten_thousand_flipped_bits_change_no_answer(tmp_path: Path) -> None:
    every = samples(tmp_path)
    wrong, outcomes = [], Counter[tuple[str, str]]()
    for k, sample in enumerate(every):
        expected = sample.answers()
        count = FLIPS // len(every) + (k < FLIPS % len(every))
        for file, bit in sample.flips(count, seed=1):
            outcome = outcome_of_flip(sample, file, bit, expected)
            if outcome not in ("refused", "harmless"):
                wrong.append((file.name, bit, outcome))
            outcomes[sample.name, outcome] += 1
    for (name, outcome), count in sorted(outcomes.items()):
        print(f"{name:16} {outcome:10} {count:6}")
    assert not wrong
    assert outcomes.total() == FLIPS
