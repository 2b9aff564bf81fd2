"""What a plan does and costs, for people: text in a terminal, a table in a notebook."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


def print_bytes(count: float) -> str:
    """In binary units.

    >>> print_bytes(3 * 1024 * 1024)
    '3.0 MiB'
    """
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(count) < 1024 or unit == "TiB":
            return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1024
    raise AssertionError


def print_time(picoseconds: float) -> str:
    """In a unit that reads well.

    >>> print_time(2_500_000_000)
    '2.50 ms'
    """
    for unit, size in (("s", 1e12), ("ms", 1e9), ("us", 1e6)):
        if picoseconds >= size:
            return f"{picoseconds / size:.2f} {unit}"
    return f"{picoseconds / 1e3:.2f} ns"


def name_axes(axes: Any) -> str:
    """The axes of a collective, which are a list or one name."""
    return axes if isinstance(axes, str) else ", ".join(axes)


@dataclass(frozen=True, repr=False)
class Report:
    """What a plan does and costs. `str(report)` is for a terminal; `figures` is report.json as a value."""

    plan: Mapping[str, Any]
    figures: Mapping[str, Any]
    tactics: Mapping[str, Any]

    @property
    def time_ps(self) -> int | None:
        """Predicted time of one step in picoseconds; None where no machine was given."""
        value = self.figures.get("time_ps")
        return None if value is None else int(value)

    @property
    def peak_bytes(self) -> int | None:
        """Predicted memory of one device; None where no machine was given."""
        value = self.figures.get("peak_bytes")
        return None if value is None else int(value)

    @property
    def fits(self) -> bool | None:
        """Whether that is within the limit."""
        value = self.figures.get("fits")
        return None if value is None else bool(value)

    @property
    def collectives(self) -> list[dict[str, Any]]:
        """By kind and axes: `{"kind", "axes", "count", "bytes", ...}`."""
        return list(self.figures.get("collectives") or [])

    def __str__(self) -> str:
        return "\n".join([self._head(), *self._costs(), *self._tactics(), *self._collectives(), *self._warnings()])

    __repr__ = __str__

    def _head(self) -> str:
        machine = f" on {self.plan['machine']}" if self.plan.get("machine") else ""
        return f"{self.plan['program']['name']}: mesh {self.plan['mesh']}{machine}"

    def _costs(self) -> list[str]:
        lines = []
        if self.time_ps is not None:
            compute, exposed = self.figures.get("compute_ps"), self.figures.get("exposed_communication_ps")
            parts = "" if compute is None else f" (compute {print_time(compute)}"
            parts += "" if compute is None or exposed is None else f", exposed communication {print_time(exposed)}"
            lines.append(f"  predicted time    {print_time(self.time_ps)}{parts + ')' if parts else ''}")
        if self.peak_bytes is not None:
            limit = self.figures.get("limit_bytes")
            against = "" if limit is None else f" of {print_bytes(limit)}: {'fits' if self.fits else 'does not fit'}"
            lines.append(f"  memory a device   {print_bytes(self.peak_bytes)}{against}")
        return lines

    def _tactics(self) -> list[str]:
        lines = []
        for tactic in self.tactics.get("tactics", []):
            split = f"splits {tactic['split_ops']} of {tactic['ops']} ops"
            lines.append(f"  tactic {_name(tactic)}: {split}")
            lines += [
                f"    {tile['name']}{_times(tile)}: {tile['type'].removeprefix('tensor')} as {tile['sharding']}"
                for tile in tactic.get("tiled", [])[:4]
            ]
            more = len(tactic.get("tiled", [])) - 4
            if more > 0:
                lines.append(f"    and {more} more")
            if refused := len(tactic.get("refused", [])):
                lines.append(f"    {refused} optional action{'s' * (refused > 1)} did not apply")
        return lines

    def _collectives(self) -> list[str]:
        return [
            f"  {entry['count']:5} x {entry['kind']} over {name_axes(entry['axes'])}, {print_bytes(entry['bytes'])}"
            + (f", {print_time(entry['time_ps'])}" if entry.get("time_ps") is not None else "")
            for entry in self.collectives
        ] or ["  no collectives"]

    def _warnings(self) -> list[str]:
        conflicts = sum(len(tactic.get("conflicts", [])) for tactic in self.tactics.get("tactics", []))
        lines = [f"  {conflicts} conflict{'s' * (conflicts > 1)} left undecided"] if conflicts else []
        replicated = self.figures.get("replicated") or []
        if replicated:
            largest = max(replicated, key=lambda entry: int(entry.get("bytes") or 0))
            size = print_bytes(int(largest.get("bytes") or 0))
            some = "1 value is" if len(replicated) == 1 else f"{len(replicated)} values are"
            lines.append(f"  {some} whole on every device, the largest {largest['value']}, {size}")
        return lines

    def _repr_html_(self) -> str:
        figures = [line.strip().split("  ", 1) for line in self._costs()]
        tactics = [
            (_name(t), f"{t['split_ops']} of {t['ops']} ops", _list_tiled(t.get("tiled", [])))
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
            f"<b>{html.escape(self._head())}</b>"
            + _to_table((), figures)
            + _to_table(("tactic", "splits", "arguments"), tactics)
            + _to_table(("collective", "axes", "count", "bytes", "time"), collectives)
            + "".join(f"<p>{html.escape(line.strip())}</p>" for line in self._warnings())
        )


def _name(tactic: Mapping[str, Any]) -> str:
    """A tactic and its axis, which those that were searched for have in their names; what stands in the program itself
    is over none in particular."""
    over = f" over {tactic['axis']}" if tactic["axis"] else ""
    return str(tactic["tactic"]).removesuffix(over) + over


def _list_tiled(tiled: Sequence[Mapping[str, Any]]) -> str:
    """The first arguments that a tactic split, and how many more."""
    shown = [f"{tile['name']}{_times(tile)} as {tile['sharding']}" for tile in tiled[:4]]
    return ", ".join(shown + ([f"and {len(tiled) - 4} more"] if len(tiled) > 4 else []))


def _to_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """An HTML table; nothing if there are no rows."""
    if not rows:
        return ""
    lines = [("th", head), *(("td", row) for row in rows)] if head else [("td", row) for row in rows]
    return (
        "<table>"
        + "".join(
            "<tr>" + "".join(f"<{tag}>{html.escape(str(cell).strip())}</{tag}>" for cell in row) + "</tr>"
            for tag, row in lines
        )
        + "</table>"
    )


def _times(entry: Mapping[str, Any]) -> str:
    return f" x{entry['count']}" if entry.get("count", 1) > 1 else ""


@dataclass(frozen=True, repr=False)
class Comparison:
    """Several strategies for one program, a row each: the baseline if there is one, the plan, the others. Instead of a
    report there may be why a strategy cannot be applied."""

    rows: Sequence[tuple[str, Report | str]]

    def __str__(self) -> str:
        return "\n".join([self._line("strategy", _COLUMNS), *(self._line(name, _cells(r)) for name, r in self.rows)])

    __repr__ = __str__

    @staticmethod
    def _line(name: str, cells: Sequence[str]) -> str:
        if len(cells) == 1:
            return f"{name:24} {cells[0]}"
        return " ".join([f"{name:24}", *(f"{cell:>{width}}" for cell, width in zip(cells, _WIDTHS, strict=True))])

    def _repr_html_(self) -> str:
        return _to_table(("strategy", *_COLUMNS), [(name, *_cells(report)) for name, report in self.rows])


_COLUMNS = ("time", "memory", "collectives", "bytes")
_WIDTHS = (10, 12, 12, 12)


def _cells(report: Report | str) -> tuple[str, ...]:
    """A strategy's figures, or why it has none."""
    if isinstance(report, str):
        return (report,)
    time = "-" if report.time_ps is None else print_time(report.time_ps)
    memory = "-" if report.peak_bytes is None else print_bytes(report.peak_bytes)
    count = sum(entry["count"] for entry in report.collectives)
    return time, memory, str(count), print_bytes(sum(entry["bytes"] for entry in report.collectives))
