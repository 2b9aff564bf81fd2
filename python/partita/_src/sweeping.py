"""`partita.sweep`: variants of a step that only tracing can make, planned side by side.

Shardings and microbatches are decided for one program. Sequence length, batch, checkpoint policy and the model's own
options make other programs. Each point of a grid is traced in this process and planned by the tool in one of its own.
"""

from __future__ import annotations

import contextlib
import dataclasses
import html
import itertools
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Any

from partita._src import planning
from partita._src.errors import PartitaError, UsageError
from partita._src.options import Options, check_names
from partita._src.plans import Plan
from partita._src.requests import Request
from partita._src.units import print_bytes, print_time

Point = Mapping[str, Any]
Grid = Mapping[str, Sequence[Any]] | Sequence[Point]
Samples = str | Sequence[str] | Callable[..., int] | None

_WIDTH = 24


@dataclass(frozen=True)
class SweepRow:
    """One point of a grid: its plan, or why there is none."""

    point: Point
    plan: Plan | None = None
    error: str = ""
    #: How many samples, or tokens, a step works through; None if that was not said.
    samples: int | None = None

    @property
    def time_ps(self) -> int | None:
        """Predicted time of a step, in picoseconds."""
        return None if self.plan is None else self.plan.report.time_ps

    @property
    def time_per_sample_ps(self) -> float | None:
        return None if self.time_ps is None or self.samples is None else self.time_ps / self.samples

    @property
    def peak_bytes(self) -> int | None:
        """Predicted memory of a device."""
        return None if self.plan is None else self.plan.report.peak_bytes

    @property
    def fits(self) -> bool | None:
        return None if self.plan is None else self.plan.report.fits

    @property
    def rank(self) -> tuple[bool, bool, float]:
        """Smaller is better: what fits comes first, then what is faster for each sample."""
        time = self.time_ps if self.time_per_sample_ps is None else self.time_per_sample_ps
        return self.plan is None, self.fits is False, float("inf") if time is None else float(time)


@dataclass(frozen=True, repr=False)
class Sweep:
    """The plans of a grid, in its order; prints as a table, in notebooks too."""

    rows: Sequence[SweepRow]

    def best(self, count: int = 3) -> list[Plan]:
        """The plans of the best points: those that fit, the fastest for each sample first."""
        return [row.plan for row in self.ranked()[:count] if row.plan is not None]

    def ranked(self) -> list[SweepRow]:
        """The rows, the best first; of equals, the first of the grid."""
        return sorted(self.rows, key=lambda row: row.rank)

    def __str__(self) -> str:
        table = [self._head(), *(self._cells(row) for row in self.rows)]
        widths = [max(len(cells[i]) for cells in table) for i in range(len(table[0]))]
        numbers = len(self._names())
        lines = []
        for cells in table:
            words = [f"{cell:{width}}" for cell, width in zip(cells[:numbers], widths[:numbers], strict=True)]
            words += [f"{cell:>{width}}" for cell, width in zip(cells[numbers:-1], widths[numbers:-1], strict=True)]
            lines.append("  ".join([*words, cells[-1]]).rstrip())
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        def line(tag: str, cells: Sequence[str]) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

        return f"<table>{line('th', self._head())}{''.join(line('td', self._cells(row)) for row in self.rows)}</table>"

    def _names(self) -> list[str]:
        """What points say, in the order of the first that says it."""
        return list(dict.fromkeys(name for row in self.rows for name in row.point))

    def _counts_samples(self) -> bool:
        return any(row.samples is not None for row in self.rows)

    def _head(self) -> list[str]:
        per_sample = ["per sample"] if self._counts_samples() else []
        return [*self._names(), "time", *per_sample, "peak memory", "microbatches", ""]

    def _cells(self, row: SweepRow) -> list[str]:
        point = [_print_value(row.point[name]) if name in row.point else "" for name in self._names()]
        per_sample = [_print_time(row.time_per_sample_ps)] if self._counts_samples() else []
        memory = "-" if row.peak_bytes is None else print_bytes(row.peak_bytes)
        parts = "-" if row.plan is None else str(row.plan.microbatches)
        is_best = row.plan is not None and row.fits is not False and row is self.ranked()[0]
        remark = row.error or ("does not fit" if row.fits is False else "best" if is_best else "")
        return [*point, _print_time(row.time_ps), *per_sample, memory, parts, remark]


def sweep(
    make_step: Callable[..., Any],
    grid: Grid,
    *,
    samples: Samples = None,
    jobs: int | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Sweep:
    """Plans a step for every point of a grid, and says which is best.

    `make_step(**point)` gives the function to plan and a tuple of its arguments, which may be `jax.ShapeDtypeStruct`s;
    a third entry may be a dict of options of `partita.plan` for this point. A point that cannot be traced or planned is
    a row that says why; an error is raised only if none can be traced. Ctrl-C ends the sweep with the points that are
    planned by then.

    Args:
      make_step: called with each point's values as keywords.
      grid: the values of each keyword, `{"batch": [16, 32], "remat": [False, True]}`, all combinations of which are
        planned in this order; or a list of points.
      samples: what a step works through, so that points with different batches can be compared: the name of a keyword
        that says it, several names to multiply (`("batch", "sequence")`), or a function of the keywords.
      jobs: how many points are planned at a time; as many as there are processors if not given.
      progress: shows how many are planned; by default in terminals.
      options: those of `partita.plan`: `mesh`, `machine`, `schedule`, `memory_limit`, ...
    """
    check_names(options, "partita.sweep", ("kwargs",), "what the step itself takes is a part of the grid")
    if options.pop("cache", None) is not None:
        raise UsageError(
            "partita.sweep keeps no plans in a cache", remedy="leave cache= out; found.best() has the plans"
        )
    points = _list_points(grid)
    rows = [SweepRow(point, samples=_count_samples(samples, point)) for point in points]
    numbers: dict[Future[Plan], int] = {}
    failures: list[Exception] = []
    with ThreadPoolExecutor(max(1, jobs or os.cpu_count() or 1)) as pool, _show(len(points), progress) as advance:
        try:
            for number, point in enumerate(points):
                try:
                    request = _trace(make_step, point, options)
                except Exception as error:  # of the user's own code, too
                    failures.append(error)
                    rows[number] = dataclasses.replace(rows[number], error=_describe(error))
                    advance()
                else:
                    numbers[pool.submit(request.run, False, warns=False)] = number
            for _ in as_completed(numbers):
                advance()
        except KeyboardInterrupt:
            pool.shutdown(wait=True, cancel_futures=True)
    if failures and len(failures) == len(rows):
        raise failures[0]
    for done, number in numbers.items():
        rows[number] = _finish(rows[number], done)
    return Sweep(tuple(row if row.plan or row.error else _interrupt(row) for row in rows))


def _list_points(grid: Grid) -> list[dict[str, Any]]:
    if isinstance(grid, Mapping):
        for name, values in grid.items():
            if isinstance(values, str) or not isinstance(values, Sequence):
                raise UsageError(f"the values of {name!r} are not a list", remedy=f"write {{{name!r}: [...]}}")
        return [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    if isinstance(grid, Sequence) and all(isinstance(point, Mapping) for point in grid):
        return [dict(point) for point in grid]
    raise UsageError(f"{grid!r} is not a grid", remedy="give a dict of lists, or a list of dicts")


def _count_samples(samples: Samples, point: Point) -> int | None:
    if samples is None:
        return None
    if callable(samples):
        return int(samples(**point))
    total = 1
    for name in [samples] if isinstance(samples, str) else samples:
        if name not in point:
            raise UsageError(f"samples= names {name!r}, which is not in the grid", remedy=f"it has {', '.join(point)}")
        total *= int(point[name])
    return total


def _trace(make_step: Callable[..., Any], point: Point, options: Mapping[str, Any]) -> Request:
    made = make_step(**point)
    if not isinstance(made, tuple) or len(made) not in (2, 3) or not isinstance(made[1], (tuple, list)):
        raise UsageError("make_step gave something other than a step", remedy="return function, (argument, ...)")
    asked = {**options, **(made[2] if len(made) == 3 else {})}
    keywords = dict(asked.pop("kwargs", None) or {})
    check_names(asked, "partita.plan")
    if "mesh" not in asked:
        raise UsageError("partita.sweep needs a mesh", remedy="give mesh=, or an option 'mesh' with each step")
    return planning.make_request(made[0], made[1], keywords, Options(**asked))


def _finish(row: SweepRow, done: Future[Plan]) -> SweepRow:
    if done.cancelled():
        return _interrupt(row)
    if (error := done.exception()) is not None:
        return dataclasses.replace(row, error=_describe(error))
    return dataclasses.replace(row, plan=done.result())


def _interrupt(row: SweepRow) -> SweepRow:
    return dataclasses.replace(row, error="not planned: interrupted")


def _describe(error: BaseException) -> str:
    """The first line of what went wrong."""
    text = error.reason if isinstance(error, PartitaError) else str(error)
    return f"{type(error).__name__}: {text.strip().splitlines()[0] if text.strip() else ''}"


@contextlib.contextmanager
def _show(count: int, wanted: bool | None) -> Iterator[Callable[[], None]]:
    """What to call for each point that is done."""
    is_shown = wanted or (wanted is None and sys.stderr is not None and sys.stderr.isatty())
    done = 0

    def draw() -> None:
        filled = _WIDTH * done // max(1, count)
        bar = f"\rpartita |{'#' * filled}{'-' * (_WIDTH - filled)}| {done} of {count} points"
        if is_shown:
            with contextlib.suppress(OSError, ValueError):
                print(bar, end="", file=sys.stderr, flush=True)

    def advance() -> None:
        nonlocal done
        done += 1
        draw()

    draw()
    try:
        yield advance
    finally:
        if is_shown:
            print(file=sys.stderr)


def _print_value(value: Any) -> str:
    name = getattr(value, "__name__", None)
    return name if isinstance(name, str) else str(value)


def _print_time(time_ps: float | None) -> str:
    return "-" if time_ps is None else print_time(round(time_ps))
