"""``run``: everything that is still open of some work goes to an engine, and its answers are kept as they come."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from graphedx.engine.answers import Answers, Block, Ids
from graphedx.engine.progress import Progress, Report, reporter
from graphedx.engine.work import Work

if TYPE_CHECKING:
    from graphedx.engine import Engine


def run(
    work: Work,
    answers: Answers,
    engine: Engine,
    *,
    order: Ids,
    arrived: Callable[[Block], None],
    progress: bool | Report = True,
) -> None:
    """Fill in the open answers, in about this order; ``arrived`` is told of every block once it is among them."""
    still_open = order[answers.is_open[order]]
    done, unproven = len(work) - len(still_open), answers.unproven
    with reporter(progress) as report:

        def collect(block: Block) -> None:
            nonlocal done, unproven
            answers.put(block)
            arrived(block)
            done += len(block)
            unproven += block.unproven
            report(Progress(done, len(work), unproven))

        report(Progress(done, len(work), unproven))
        engine.solve(work, still_open, collect)
