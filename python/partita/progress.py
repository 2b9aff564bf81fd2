"""A line in the terminal, or in a notebook, that shows a search at work."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

from partita.engine import Progress
from partita.report import print_bytes, print_time


@contextlib.contextmanager
def show_progress(wanted: bool) -> Iterator[Progress | None]:
    """What to call with each event; None if nobody would see it."""
    if not wanted or not (sys.stderr.isatty() or "ipykernel" in sys.modules):
        yield None
        return
    yield lambda event: print(f"\r{describe(event):<78}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


def describe(event: dict[str, Any]) -> str:
    """One event in words.

    >>> describe({"evaluations": 1200, "time_ps": 2_500_000_000})
    'partita: 1200 strategies, 2.50 ms'
    """
    words = [f"{event.get('evaluations', 0)} strategies"]
    if event.get("time_ps") is not None:
        words.append(print_time(event["time_ps"]))
    if event.get("peak_bytes") is not None:
        words.append(print_bytes(event["peak_bytes"]))
    return "partita: " + ", ".join(words)
