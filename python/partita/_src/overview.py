"""A plan at a glance: what `print(plan.report)` shows, line by line as the tool prints it.

The facts and their words are the tool's (`overview` in report.json); here they are put in columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from partita._src.columns import SCREEN_COLUMNS, cut, wrap
from partita._src.units import describe_bytes, name_axes, print_bytes, print_time, print_width, shorten


class PageSize(NamedTuple):
    """How many lines of each kind a page has."""

    parameters: int
    others: int
    collectives: int
    rows: int
    runners_up: int


#: The first one with which a page fits on a screen is taken, or else the last one.
PAGE_SIZES = (PageSize(6, 3, 4, 3, 2), PageSize(5, 3, 3, 3, 1), PageSize(4, 2, 3, 2, 1), PageSize(3, 1, 2, 1, 1))

_NAME_WIDTH, _LEAST_NAME_WIDTH, _ROW_WIDTH, _LEGEND_WIDTH = 64, 24, 72, 112

_SAME_IN_ANOTHER_ORDER = "the same in another order"

Entry = Mapping[str, Any]


def print_actions(actions: Sequence[str]) -> Iterator[str]:
    """What was done to the program."""
    for number, line in enumerate(actions):
        yield from wrap(f"{'program:' if number == 0 else '':10}", line)


def print_arguments(overview: Entry, size: PageSize | None) -> Iterator[str]:
    """Each group of arguments with its spec, and the bytes of it that a device has; all of them with their whole names
    if there is no size."""
    if not overview["arguments"]:
        return
    lines, widths = _build_table(overview["arguments"], size, _NAME_WIDTH)
    # Long specs leave less room for names.
    if size and (excess := sum(widths) + 6 - SCREEN_COLUMNS) > 0:
        lines, widths = _build_table(overview["arguments"], size, max(_LEAST_NAME_WIDTH, widths[0] - excess))
    yield ""
    for name, spec, count in lines:
        yield f"  {name:{widths[0] + 2}}{spec:{widths[1] + 2}}{count}"
    if parts := sorted({part for _, spec, _ in lines for part in spec.split("'") if ":(" in part}):
        yield from wrap("  ", "; ".join(map(_describe_part, parts)))


def _build_table(
    arguments: Sequence[Entry], size: PageSize | None, name_width: int
) -> tuple[list[tuple[str, str, str]], list[int]]:
    """Rows with the head, and the widths of the columns."""
    rows = [("argument", "sharding", "bytes per device"), *_list_arguments(arguments, size, name_width)]
    return rows, [max(map(len, column)) for column in zip(*rows, strict=True)]


def _describe_part(part: str) -> str:
    """What the name of a part of an axis means.

    >>> _describe_part("data:(1)2"), _describe_part("data:(2)4")
    ('data:(1)2: the major 2 of data', 'data:(2)4: the 4 of data behind its major 2')
    """
    axis, _, rest = part.partition(":(")
    before, _, size = rest.partition(")")
    return (
        f"{part}: the major {size} of {axis}"
        if before == "1"
        else f"{part}: the {size} of {axis} behind its major {before}"
    )


def _list_arguments(
    arguments: Sequence[Entry], size: PageSize | None, name_width: int
) -> Iterator[tuple[str, str, str]]:
    alike = [entry for entry in arguments if entry["as_parameter"] and size]
    rest = [entry for entry in arguments if entry not in alike]
    parameters = [entry for entry in rest if entry["kind"] == "parameter"]
    yield from _list_some(parameters, size and size.parameters, name_width)
    if alike:
        yield _sum_up(alike, "optimizer state", "as its parameters")
    inputs = [entry for entry in rest if entry["kind"] == "input"]
    others = [entry for entry in rest if entry not in parameters and entry not in inputs]
    for entries in (others, inputs):
        yield from _list_some(entries, size and size.others, name_width)


def _list_some(arguments: Sequence[Entry], most: int | None, name_width: int) -> Iterator[tuple[str, str, str]]:
    """Some of them, whose names are shortened; or all of them with whole names."""
    width = None if most is None else name_width
    if width is not None:
        arguments = _join_same(arguments, width)
    count = len(arguments) if most is None or len(arguments) <= most + 1 else most
    for entry in arguments[:count]:
        yield _name_argument(entry, width), entry["spec"], describe_bytes(entry["local_bytes"], entry["bytes"])
    if rest := arguments[count:]:
        yield _sum_up(rest, f"and {len(rest)} more, in the details", "")


def _name_argument(entry: Entry, width: int | None) -> str:
    times = f" x{entry['count']}" if entry["count"] > 1 else ""
    return (entry["name"] if width is None else shorten(entry["name"], max(0, width - len(times)))) + times


def _join_same(arguments: Sequence[Entry], name_width: int) -> list[Entry]:
    """One entry for arguments whose names differ only in what is left out of them, as the moments of one parameter
    may."""
    joined: dict[tuple[str, ...], Entry] = {}
    for entry in arguments:
        key = (_name_argument(entry, name_width), entry["type"], entry["spec"])
        known = joined.get(key)
        sums = {} if known is None else {name: known[name] + entry[name] for name in ("count", "bytes", "local_bytes")}
        joined[key] = {**(known or entry), **sums}
    return list(joined.values())


def _sum_up(arguments: Sequence[Entry], name: str, spec: str) -> tuple[str, str, str]:
    local, whole = (sum(entry[key] for entry in arguments) for key in ("local_bytes", "bytes"))
    return name, spec, describe_bytes(local, whole)


def print_costs(overview: Entry, figures: Entry, *, is_lower_limit: bool, pool: str) -> Iterator[str]:
    """Time and memory, and what they consist of."""
    at_least = "at least " if is_lower_limit else ""
    time, compute, exposed = (print_time(figures[key]) for key in ("time_ps", "compute_ps", "exposed_communication_ps"))
    yield ""
    mfu = f"; {100 * figures['mfu']:.1f}% of the peak flops (MFU)" if figures["mfu"] >= 0.001 else ""
    band = print_width(figures.get("time_width_ppm", 0))
    yield f"  time          {at_least}{time}{band}: compute {compute}, exposed communication {exposed}{mfu}"
    yield from print_memory(overview, figures, is_lower_limit=is_lower_limit, pool=pool)


def print_memory(overview: Entry, figures: Entry, *, is_lower_limit: bool, pool: str) -> Iterator[str]:
    """The peak, the limit, and what the memory is for."""
    at_least = "at least " if is_lower_limit else ""
    missing = figures["peak_bytes"] - figures["limit_bytes"]
    fits = "not known whether it fits" if is_lower_limit else "fits"
    verdict = f"does not fit, short by {print_bytes(missing)}" if missing > 0 else fits
    peak, limit = print_bytes(figures["peak_bytes"]), print_bytes(figures["limit_bytes"])
    around = print_width(figures.get("peak_width_ppm", 0))
    yield f"  peak memory   {at_least}{peak}{around} per device, of {limit}: {verdict}"
    least = {"inputs": figures["peak_bytes"] // 20, "other": figures["peak_bytes"] // 20}
    parts = [f"{word} {print_bytes(size)}" for word, size in overview["memory"].items() if size > least.get(word, 0)]
    if parts:
        yield from wrap(" " * 16, ", ".join(parts))
    if pool:
        yield from wrap("  memory pool   ", pool)
    if (near := figures.get("near_limit")) and not is_lower_limit:
        memory = f"it takes {print_bytes(near['overlap_bytes'])} of the peak; " if near["overlap_bytes"] > 0 else ""
        given_up = (
            f"may be given up near the limit: {memory}without it a step takes {print_time(near['synchronous_ps'])}"
        )
        yield from wrap("  overlap       ", given_up)


def print_collectives(collectives: Sequence[Entry], size: PageSize) -> Iterator[str]:
    """Those that take longest, or move most, in their order."""
    chosen = list(range(len(collectives)))
    if len(chosen) > size.collectives + 1:
        amounts = [entry["bytes"] if entry.get("time_ps") is None else entry["time_ps"] for entry in collectives]
        chosen = sorted(sorted(chosen, key=lambda number: -amounts[number])[: size.collectives])
    lines = [
        f"{entry['count']} x {entry['kind']} over {name_axes(entry['axes'])}, {print_bytes(entry['bytes'])}"
        + ("" if entry.get("time_ps") is None else f", {print_time(entry['time_ps'])}")
        for entry in (collectives[number] for number in chosen)
    ]
    if rest := [entry for number, entry in enumerate(collectives) if number not in chosen]:
        time = sum(entry.get("time_ps") or 0 for entry in rest)
        lines.append(f"and {len(rest)} more" + (f", {print_time(time)}" if time else ""))
    for number, line in enumerate(lines or ["none"]):
        yield from wrap(f"  {'collectives' if number == 0 else '':14}", line, 18)


def print_compared(overview: Entry, figures: Entry, mesh: str, size: PageSize) -> Iterator[str]:
    """Other plans, and how far this one may be from the best."""
    rows = [_name_expert(row, mesh) for row in _choose_rows(overview["compared"], figures, size)]
    if rows:
        own = {"kind": "", "name": "this plan", "time_ps": figures["time_ps"], "peak_bytes": figures["peak_bytes"]}
        yield from _print_rows([own, *rows], figures["limit_bytes"])
        used = {word.split("(")[0] for row in rows if row["kind"] == "expert" for word in row["name"].split("+")}
        meanings = [f"{word}: {meaning}" for word, meaning in overview["legend"].items() if word in used]
        yield from _print_legend(meanings)
    # The bound is of the program that is planned: with other microbatches, say, there may be a faster plan.
    is_rewritten = overview.get("memory_actions") or overview.get("padding")
    no_plan = "  no plan of the program so rewritten" if is_rewritten else "  no plan of this program"
    share = figures["lower_bound_ps"] / max(1, figures["time_ps"])
    if share >= 0.9995:
        yield f"{no_plan} is faster"
    elif share >= 0.01:
        yield (
            f"{no_plan} is faster than {print_time(figures['lower_bound_ps'])}: "
            f"this one is at most {100 * (1 - share):.1f}% from the best"
        )


def _name_expert(row: Entry, mesh: str) -> Entry:
    """`BP(all axes)` of a strategy over all axes of a mesh of three or more, which would leave no room for its other
    words."""
    axes = [axis.partition("=")[0] for axis in mesh.split(",")]
    if row["kind"] != "expert" or len(axes) < 3:
        return row
    return {**row, "name": row["name"].replace(f"({', '.join(axes)})", "(all axes)")}


def _choose_rows(rows: Sequence[Entry], figures: Entry, size: PageSize) -> Iterator[Entry]:
    """The best few of each kind. A runner-up that costs the same as the plan, differs in the order of its tactics
    alone, or reads as the one before it, says nothing."""

    def is_same(row: Entry) -> bool:
        is_equal = row["name"] == _SAME_IN_ANOTHER_ORDER or _print_figures(row) == _print_figures(figures)
        return row["kind"] == "runner-up" and is_equal

    for kind in ("rival", "variant", "mesh", "placement", "expert", "runner-up", "unsplit"):
        most = size.runners_up if kind == "runner-up" else size.rows
        chosen = [row for row in rows if row["kind"] == kind and not is_same(row)]
        looks = [(_name_row(row), *_print_figures(row)) for row in chosen]
        yield from [row for n, row in enumerate(chosen) if n == 0 or looks[n] != looks[n - 1]][:most]


def _print_figures(row: Entry) -> tuple[str, str]:
    return print_time(row["time_ps"]), print_bytes(row["peak_bytes"])


def _print_rows(rows: Sequence[Entry], limit: int) -> Iterator[str]:
    """This plan, and others."""
    width = max(13, *(len(_name_row(row)) for row in rows))
    yield ""
    yield f"  {'compared with':{width}}{'time':>12}{'peak memory':>14}"
    for row in rows:
        time, peak = _print_figures(row)
        note = "  does not fit" if row["peak_bytes"] > limit else "  too close to call" if row.get("too_close") else ""
        yield f"  {_name_row(row):{width}}{time:>12}{peak:>14}{note}"


def _print_legend(meanings: Sequence[str]) -> Iterator[str]:
    line = ""
    for meaning in meanings:
        if line and len(line) + 2 + len(meaning) > _LEGEND_WIDTH:
            yield f"  {line};"
            line = ""
        line += ("; " if line else "") + meaning
    if line:
        yield f"  {line}"


def _name_row(row: Entry) -> str:
    if row["kind"] not in ("mesh", "placement", "expert", "runner-up"):
        return cut(str(row["name"]), _ROW_WIDTH)
    kind = f"{row['kind']}: "
    shorten_name = _cut_changes if row["kind"] == "runner-up" else cut
    return kind + shorten_name(row["name"], _ROW_WIDTH - len(kind))


def _cut_changes(changes: str, width: int) -> str:
    """The first changes of a runner-up, and how many more there are. If there is no room for a change, its axes are
    left out.

    >>> _cut_changes("without batch over data; with hidden over model; with heads over model", 40)
    'without batch over data; 2 more changes'
    >>> _cut_changes("without vocabulary of params/embed over data; with heads over model", 52)
    'without vocabulary of params/embed; 1 more change'
    """
    if len(changes) <= width:
        return changes
    parts = changes.split("; ")
    for count in range(len(parts) - 1, 0, -1):
        text = "; ".join(parts[:count]) + _describe_more_changes(len(parts) - count)
        if len(text) <= width:
            return text
    first, rest = parts[0], _describe_more_changes(len(parts) - 1)
    if len(first) + len(rest) > width:
        first = first.rpartition(" over ")[0] or first
    return cut(first, width - len(rest)) + rest


def _describe_more_changes(count: int) -> str:
    return "" if count == 0 else f"; {count} more change{'' if count == 1 else 's'}"
