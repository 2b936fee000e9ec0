"""A process that does jobs: requests come in and answers go out as JSON lines; it ends with who started it."""

from __future__ import annotations

import json
import os
import sys
import threading
from queue import SimpleQueue

from graphedx.experiments.work import answered


def main() -> None:
    """Until standard input ends, which is also what happens when the process at its other end is killed."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what libraries print must not get between the answers
    requests: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    while True:
        answer = answered(json.loads(requests.get()))
        print(json.dumps(answer), file=answers, flush=True)


def _listen(requests: SimpleQueue[str]) -> None:
    for line in sys.stdin:
        requests.put(line)
    os._exit(0)  # in the middle of a job, too: nobody waits for it, and another run may begin the same one


if __name__ == "__main__":
    main()
