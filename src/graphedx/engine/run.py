"""``run``: everything that is still open of some work goes to an engine, and its answers are kept as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from graphedx._files import AnyPath
from graphedx.engine import journal
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
    checkpoint: AnyPath | None = None,
    progress: bool | Report = True,
    arrived: Callable[[Block], None] = lambda _: None,
) -> None:
    """Fill in the open answers, in about this order; ``arrived`` is told of every block once it is kept.

    ``checkpoint`` names a journal: answers that it holds are not asked for again.
    """
    with _journal(checkpoint, work, answers) as keep, reporter(progress) as report:
        still_open = order[answers.is_open[order]]
        done, unproven = len(work) - len(still_open), answers.unproven

        def collect(block: Block) -> None:
            nonlocal done, unproven
            answers.put(block)
            keep(block)
            arrived(block)
            done += len(block)
            unproven += block.unproven
            report(Progress(done, len(work), unproven))

        report(Progress(done, len(work), unproven))
        engine.solve(work, still_open, collect)


@contextmanager
def _journal(path: AnyPath | None, work: Work, answers: Answers) -> Iterator[Callable[[Block], None]]:
    if path is None:
        yield lambda _: None
        return
    with journal.opened(path, work.fingerprint, answers) as opened:
        yield opened.append
