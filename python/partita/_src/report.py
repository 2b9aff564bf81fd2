"""What a plan does and costs, for people: text in a terminal, a table in a notebook."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from partita._src import overview, pages
from partita._src.columns import SCREEN_LINES, wrap
from partita._src.errors import UsageError
from partita._src.units import (
    drop_folder,
    name_axes,
    print_bytes,
    print_fraction,
    print_spec,
    print_time,
    print_width,
    shorten,
)


@dataclass(frozen=True, repr=False)
class Report:
    """What a plan does and costs. `str(report)` is for a terminal; `figures` is report.json as a value."""

    plan: Mapping[str, Any]
    figures: Mapping[str, Any]
    tactics: Mapping[str, Any]
    #: report.html; None where the report was not made by the tool.
    page: str | None = None

    def save(self, path: str | Path) -> None:
        """Writes a page with charts, one file for any browser: `plan.report.save("plan.html")`."""
        if self.page is None:
            raise UsageError("this report has no page", remedy="take the report of a plan: plan.report")
        pages.write(path, self.page)

    @property
    def time_ps(self) -> int | None:
        """Predicted time of one step in picoseconds; None where no machine was given."""
        value = self.figures.get("time_ps")
        return None if value is None else int(value)

    @property
    def simulated_ps(self) -> int | None:
        """Time of one step on the simulated timeline, beside `time_ps`; None where no machine was given."""
        value = self.figures.get("simulated_ps")
        return None if value is None else int(value)

    @property
    def peak_bytes(self) -> int | None:
        """Predicted memory of one device; None where no machine was given."""
        value = self.figures.get("peak_bytes")
        return None if value is None else int(value)

    @property
    def fits(self) -> bool | None:
        """Whether that is within the limit; None where that is not known."""
        value = self.figures.get("fits")
        return None if value is None else bool(value)

    @property
    def memory_fraction(self) -> float | None:
        """The `XLA_PYTHON_CLIENT_MEM_FRACTION` that the plan needs on GPUs; None where JAX's default is enough, where
        no pool is large enough, and where that is not known."""
        value = self.figures.get("memory_fraction")
        return None if value is None else float(value)

    @property
    def near_limit(self) -> dict[str, int] | None:
        """Of a plan whose memory is within a tenth of the limit: `{"overlap_bytes", "synchronous_ps"}`, what of the
        peak is due to communication beside compute, and the time of a step if XLA gives that up; None otherwise."""
        value = self.figures.get("near_limit")
        return None if value is None else dict(value)

    @property
    def microbatches(self) -> int:
        """How many parts of the batch run one after the other."""
        return int(self.figures.get("accumulate", {}).get("microbatches", 1))

    @property
    def recomputed(self) -> list[str]:
        """Names of values that the backward pass recomputes because a tactic says so."""
        return list(self.figures.get("remat", {}).get("recomputed", []))

    @property
    def kept(self) -> list[str]:
        """Names of values that the backward pass keeps because a tactic says so, where the program recomputes them."""
        return list(self.figures.get("remat", {}).get("kept", []))

    @property
    def memory_actions(self) -> list[str]:
        """What was done to the program, apart from padding: microbatches, a pipeline, values that are recomputed or
        kept; a line or two for each, empty if nothing was. `strategy` has it in a few words."""
        return list(self.figures["overview"].get("memory_actions", []))

    @property
    def padding(self) -> str:
        """Dims that are longer inside of the step, so that axes divide them: `dim 0 of params/wte, 50257 -> 50264
        (0.01%); ...`; empty if there are none."""
        return str(self.figures["overview"].get("padding", ""))

    def _padding(self) -> list[str]:
        return [f"padding:  {self.padding}"] if self.padding else []

    def describe_pool(self) -> str:
        """`does not fit in JAX's default pool; fits with XLA_PYTHON_CLIENT_MEM_FRACTION=.92`; empty if no such setting
        is needed."""
        if self.memory_fraction is None:
            return ""
        return f"does not fit in JAX's default pool; fits with {print_fraction(self.memory_fraction)}"

    def describe_memory(self) -> str:
        """The lines of the peak memory, as the report prints them; empty without a machine."""
        if self.peak_bytes is None:
            return ""
        limit, facts = self.is_lower_limit, self.figures["overview"]
        lines = overview.print_memory(facts, self.figures, is_lower_limit=limit, pool=self.describe_pool())
        return "\n".join(lines)

    @property
    def collectives(self) -> list[dict[str, Any]]:
        """By kind and axes: `{"kind", "axes", "count", "bytes", ...}`."""
        return list(self.figures.get("collectives") or [])

    @property
    def unpriced(self) -> list[dict[str, Any]]:
        """Ops whose work is not known: `{"op", "target", "count", "runs", "places"}`."""
        return list(self.figures.get("unpriced") or [])

    @property
    def is_lower_limit(self) -> bool:
        """Whether time and memory are known, but only as lower limits: some op has no price."""
        return self.time_ps is not None and bool(self.unpriced)

    def describe_unpriced(self) -> str:
        """`3 custom calls have no price (flash): time and fit are not known`."""
        count = sum(entry["count"] for entry in self.unpriced)
        kind = "custom call" if all(entry["target"] for entry in self.unpriced) else "op"
        names = ", ".join(dict.fromkeys(entry["target"] or entry["op"] for entry in self.unpriced))
        have = "has" if count == 1 else "have"
        return f"{count} {kind}{'s' * (count > 1)} {have} no price ({names}): time and fit are not known"

    @property
    def strategy(self) -> str:
        """The strategy in one sentence: `batch over data and model; parameters and optimizer state over both (ZeRO-3);
        4 microbatches; 3 activations recomputed`."""
        return str(self.figures["overview"]["strategy"])

    def __str__(self) -> str:
        warnings = self._wrap_warnings()
        lines: list[str] = []
        for size in overview.PAGE_SIZES:
            lines = [*self._page(size), *warnings]
            if len(lines) <= SCREEN_LINES:
                break
        return drop_folder("\n".join(lines))

    def details(self) -> str:
        """The same with all arguments, and what each tactic did."""
        return drop_folder("\n".join([*self._page(None), "", *self._tactics(), *self._wrap_warnings()]))

    def _page(self, size: overview.PageSize | None) -> list[str]:
        """The strategy, the arguments, time, memory, what it was compared with; with all arguments if there is no
        size."""
        facts = self.figures["overview"]
        lines = wrap("", self.describe_unpriced(), 2) if self.is_lower_limit else []
        lines += [self._head(), *wrap("strategy: ", self.strategy)]
        lines += overview.print_actions(self.memory_actions)
        lines += wrap("padding:  ", self.padding) if self.padding else []
        lines += [line.strip() for line in self._assumed()]
        lines += overview.print_arguments(facts, size)
        size = size or overview.PAGE_SIZES[0]
        if self.time_ps is None:
            return [*lines, "", *overview.print_collectives(self.collectives, size)]
        limit = self.is_lower_limit
        lines += overview.print_costs(facts, self.figures, is_lower_limit=limit, pool=self.describe_pool())
        lines += overview.print_collectives(self.collectives, size)
        return [*lines, *overview.print_compared(facts, self.figures, self.plan["mesh"], size)]

    __repr__ = __str__

    def _head(self) -> str:
        machine = f" of {self.plan['machine']}" if self.plan.get("machine") else ""
        return f"{self.plan['program']['name']} on {self.plan['mesh']}{machine}"

    def _assumed(self) -> list[str]:
        """Loops of which it is not known how often they run."""
        assumed = self.figures.get("assumed_trips")
        if not assumed:
            return []
        loops, trips = assumed["loops"], assumed["trips"]
        which = "a loop runs" if loops == 1 else f"{loops} loops run"
        counted = f"{trips} trip{'s' * (trips != 1)} of {'it' if loops == 1 else 'each'}"
        return [f"  {which} an unknown number of times: times count {counted} (assume_trips=N says how many)"]

    def _costs(self) -> list[str]:
        lines = []
        least = "at least " if self.is_lower_limit else ""
        if self.time_ps is not None:
            compute, exposed = self.figures.get("compute_ps"), self.figures.get("exposed_communication_ps")
            band = print_width(self.figures.get("time_width_ppm", 0))
            parts = "" if compute is None else f" (compute {print_time(compute)}"
            parts += "" if compute is None or exposed is None else f", exposed communication {print_time(exposed)}"
            lines.append(f"  predicted time    {least}{print_time(self.time_ps)}{band}{parts + ')' if parts else ''}")
            bound, utilisation = self.figures.get("lower_bound_ps"), self.figures.get("mfu")
            if bound and utilisation:
                lines.append(f"  lower bound       {print_time(bound)}, MFU of the plan {utilisation:.1%}")
        if self.peak_bytes is not None:
            limit = self.figures.get("limit_bytes")
            verdict = {True: "fits", False: "does not fit", None: "not known whether it fits"}[self.fits]
            against = "" if limit is None else f" per device, of {print_bytes(limit)}: {verdict}"
            band = print_width(self.figures.get("peak_width_ppm", 0))
            lines.append(f"  peak memory       {least}{print_bytes(self.peak_bytes)}{band}{against}")
        if pool := self.describe_pool():
            lines.append(f"  memory pool       {pool}")
        return lines

    def _tactics(self) -> list[str]:
        lines = []
        for tactic in self.tactics.get("tactics", []):
            split = f"splits {tactic['split_ops']} of {tactic['ops']} ops"
            lines.append(f"  tactic {_name(tactic)}: {split}")
            lines += [f"    {line}" for line in _list_tiled(tactic.get("tiled", []), _describe_tile)]
            if refused := len(tactic.get("refused", [])):
                lines.append(f"    {refused} optional action{'s' * (refused > 1)} did not apply")
        return lines

    def _warnings(self) -> list[str]:
        unpriced = [f"  no price: {e['count']} x {_place(e)}" for e in self.unpriced if self.is_lower_limit]
        return [*unpriced, *self._remarks()]

    def _wrap_warnings(self) -> list[str]:
        rows = []
        for line in self._warnings():
            text = line.lstrip(" ")
            indent = len(line) - len(text)
            rows += wrap(" " * indent, text, indent + 2)
        return rows

    def _remarks(self) -> list[str]:
        # A search decides conflicts itself; what it leaves is not worth more.
        given = [] if self.figures.get("search") else self.tactics.get("tactics", [])
        conflicts = [c for tactic in given for c in tactic.get("conflicts", [])]
        lines = [f"  {line}" for conflict in conflicts[:3] for line in _describe_conflict(conflict)]
        lines += [f"  and {len(conflicts) - 3} more conflicts"] if len(conflicts) > 3 else []
        return [*lines, *(f"  {note}" for note in self.figures["overview"]["notes"])]

    def _repr_html_(self) -> str:
        figures = [line.strip().split("  ", 1) for line in self._costs()]
        tactics = [
            (_name(t), f"{t['split_ops']} of {t['ops']} ops", _list_tiled(t.get("tiled", []), _name_tile))
            for t in self.tactics.get("tactics", [])
        ]
        collectives = [
            (
                entry["kind"],
                name_axes(entry["axes"]),
                f"{entry['count']:,}",
                print_bytes(entry["bytes"]),
                "-" if entry.get("time_ps") is None else print_time(entry["time_ps"]),
            )
            for entry in self.collectives
        ]
        return (
            # Notebooks put the cells of tables to the right, which is for numbers.
            '<div class="partita"><style>.partita table td, .partita table th {text-align: left}</style>'
            + (f"<p><b>{html.escape(self.describe_unpriced())}</b></p>" if self.is_lower_limit else "")
            + f"<b>{html.escape(self._head())}</b>"
            + f"<p>{html.escape(self.strategy)}</p>"
            + "".join(f"<p>{html.escape(line)}</p>" for line in (*self.memory_actions, *self._padding()))
            + "".join(f"<p>{html.escape(line.strip())}</p>" for line in self._assumed())
            + _to_table((), figures)
            + _to_table(("tactic", "splits", "arguments"), tactics)
            + _to_table(("collective", "axes", "count", "bytes", "time"), collectives)
            + "".join(f"<p>{html.escape(line.strip())}</p>" for line in self._warnings())
            + "</div>"
            + (pages.to_frame(self.page) if self.page else "")
        )


def _name(tactic: Mapping[str, Any]) -> str:
    """A tactic and its axis, which those that were searched for have in their names; what stands in the program itself
    is over none in particular."""
    name, over = str(tactic["tactic"]), f" over {tactic['axis']}" if tactic["axis"] else ""
    return name if over in name else name + over


def _list_tiled(tiled: Sequence[Mapping[str, Any]], describe: Callable[[Mapping[str, Any]], str]) -> list[str]:
    """The first arguments that a tactic split, and how many more."""
    return [*map(describe, tiled[:4]), *([f"and {len(tiled) - 4} more"] if len(tiled) > 4 else [])]


def _describe_tile(tile: Mapping[str, Any]) -> str:
    name = f"{shorten(tile['name'])}{_times(tile)}"
    return f"{name}: {tile['type'].removeprefix('tensor')} as {print_spec(tile['sharding'])}"


def _name_tile(tile: Mapping[str, Any]) -> str:
    return f"{tile['name']}{_times(tile)} as {print_spec(tile['sharding'])}"


def _describe_conflict(conflict: Mapping[str, Any]) -> list[str]:
    """What was left undecided, where it stands, and what would decide it, to be copied into the tactic."""
    ops, first = conflict["ops"], conflict["places"][0].rpartition("/")[2] if conflict["places"] else "no line"
    what = f"conflict{_times(conflict)} over {conflict['axis']}: {ops} op{'s' * (ops > 1)} ({first}, ...) are not split"
    sides = [f'partita.side(r"{pattern}", dim={dim}, axis="{conflict["axis"]}")' for pattern, dim in conflict["sides"]]
    return [f"{what}; to split them, + one of" if sides else what, *(f"  {side}" for side in sides)]


def _to_table(head: Sequence[str], rows: Sequence[Sequence[str | Sequence[str]]]) -> str:
    """An HTML table; nothing if there are no rows. A cell may have several lines; the last one of a row that is too
    short takes what is left."""
    if not rows:
        return ""
    width = max(len(head), *map(len, rows))
    return (
        "<table>"
        + (_to_row("th", head, width) if head else "")
        + "".join(_to_row("td", row, width) for row in rows)
        + "</table>"
    )


def _to_row(tag: str, cells: Sequence[str | Sequence[str]], width: int) -> str:
    texts = []
    for number, cell in enumerate(cells, 1):
        lines = [cell] if isinstance(cell, str) else cell
        missing = width - len(cells) if number == len(cells) else 0
        span = f' colspan="{missing + 1}"' if missing else ""
        texts.append(f"<{tag}{span}>{'<br>'.join(html.escape(line.strip()) for line in lines)}</{tag}>")
    return f"<tr>{''.join(texts)}</tr>"


def _place(entry: Mapping[str, Any]) -> str:
    """An op without a price, how often it runs and where it stands."""
    runs = "" if entry["runs"] == entry["count"] else f", {entry['runs']} runs"
    places = f" ({', '.join(entry['places'])})" if entry["places"] else ""
    return f"{entry['target'] or entry['op']}{runs}{places}"


def _times(entry: Mapping[str, Any]) -> str:
    return f" x{entry['count']}" if entry.get("count", 1) > 1 else ""


@dataclass(frozen=True, repr=False)
class Comparison:
    """Several strategies for one program, a row each: the baseline if there is one, the plan, the others. Instead of a
    report there may be why a strategy cannot be applied."""

    rows: Sequence[tuple[str, Report | str]]

    def __str__(self) -> str:
        width = max(24, *(len(name) for name, _ in self.rows))
        lines = [("strategy", _COLUMNS), *((name, _cells(report)) for name, report in self.rows)]
        return "\n".join(f"{name:{width}} {_align(cells)}" for name, cells in lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        table = _to_table(("strategy", *_COLUMNS), [(name, *_cells(report)) for name, report in self.rows])
        return table + (pages.to_frame(page) if (page := self.page) else "")

    @property
    def page(self) -> str | None:
        """A page with charts of the strategies beside each other; None where none can be applied."""
        found = {name: r.page for name, r in self.rows if isinstance(r, Report) and r.page}
        return pages.join(found) if found else None

    def save(self, path: str | Path) -> None:
        """Writes a page with charts of the strategies beside each other, one file for any browser."""
        if (page := self.page) is None:
            raise UsageError("no strategy can be applied: there is nothing to draw")
        pages.write(path, page)


_COLUMNS = ("time", "peak memory", "collectives", "bytes")
_WIDTHS = (10, 12, 12, 12)


def _cells(report: Report | str) -> tuple[str, ...]:
    """A strategy's figures, and whether it does not fit; or why it has none."""
    if isinstance(report, str):
        return (report,)
    time = "-" if report.time_ps is None else print_time(report.time_ps)
    memory = "-" if report.peak_bytes is None else print_bytes(report.peak_bytes)
    count = sum(entry["count"] for entry in report.collectives)
    figures = time, memory, str(count), print_bytes(sum(entry["bytes"] for entry in report.collectives))
    if report.fits is False:
        return (*figures, "does not fit")
    return (*figures, "at least") if report.is_lower_limit else figures


def _align(cells: Sequence[str]) -> str:
    """Figures in columns; a text alone, or behind them, as it is."""
    if len(cells) == 1:
        return cells[0]
    figures = [f"{cell:>{width}}" for cell, width in zip(cells, _WIDTHS, strict=False)]
    return "  ".join([" ".join(figures), *cells[len(_WIDTHS) :]])
