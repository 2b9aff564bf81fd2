"""A bar in the terminal, or in a notebook, that shows a search at work."""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Callable, Iterator
from typing import IO, Any

from partita._src.engine import Progress
from partita._src.units import print_bytes, print_time

_WIDTH = 24


@contextlib.contextmanager
def show_progress(wanted: bool) -> Iterator[Progress | None]:
    """What to call with each event of `--progress jsonl`; None if nobody would see it."""
    if not wanted or sys.stderr is None or not (sys.stderr.isatty() or "ipykernel" in sys.modules):
        yield None
        return
    bar = Bar(sys.stderr)
    try:
        yield bar
    finally:
        bar.close()


@contextlib.contextmanager
def show_count(wanted: bool, what: str) -> Iterator[Callable[[int, int], None]]:
    """What to call with how much is done, and of how much."""
    is_seen = wanted and sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)
    drawn = False

    def draw(done: int, total: int) -> None:
        nonlocal drawn
        if is_seen:
            drawn = True
            filled = _WIDTH * done // max(1, total)
            with contextlib.suppress(OSError, ValueError):
                sys.stderr.write(f"\r{what} |{'#' * filled}{'-' * (_WIDTH - filled)}| {done} of {total}")
                sys.stderr.flush()

    try:
        yield draw
    finally:
        if drawn:
            with contextlib.suppress(OSError, ValueError):
                sys.stderr.write("\n")


class Bar:
    """`partita |########----------------| 2000 of 6000 strategies, best 2.50 ms`, drawn over itself."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._best: dict[str, Any] = {}
        self._drawn = 0

    def __call__(self, event: dict[str, Any]) -> None:
        if event.get("best"):
            self._best = dict(event.get("goals") or {})
        text = describe(int(event["evaluation"]), int(event.get("budget") or 0), self._best)
        # A line that wraps cannot be drawn over.
        columns = shutil.get_terminal_size((0, 0)).columns
        text = text[: columns - 1] if columns else text
        self._write("\r" + text.ljust(self._drawn))
        self._drawn = len(text)

    def close(self) -> None:
        """Leaves the last state of the bar on its line."""
        if self._drawn:
            self._write("\n")

    def _write(self, text: str) -> None:
        # A terminal that is gone must not end the search: this runs while the tool's output is read.
        with contextlib.suppress(OSError, ValueError):
            self._stream.write(text)
            self._stream.flush()


def describe(evaluation: int, budget: int, best: dict[str, Any]) -> str:
    """The bar as text; `best` are the goals of the best strategy so far, in picoseconds and bytes.

    >>> describe(2000, 6000, {"fit": 0, "time": 2_500_000_000})
    'partita |########----------------| 2000 of 6000 strategies, best 2.50 ms'
    >>> describe(100, 6000, {"fit": 3 << 20, "time": 1})
    'partita |------------------------| 100 of 6000 strategies, short by 3.15 MB'
    """
    done = min(_WIDTH, _WIDTH * evaluation // budget) if budget else 0
    words = f"partita |{'#' * done}{'-' * (_WIDTH - done)}| {evaluation} of {budget} strategies"
    if best.get("fit"):
        return f"{words}, short by {print_bytes(best['fit'])}"
    if best.get("time") is not None:
        return f"{words}, best {print_time(best['time'])}"
    return words
