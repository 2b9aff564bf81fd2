"""report.html, the page with charts that the tool writes: the data that stand in it, and pages with other data.

A page is the same for all plans but for one element, which holds the data as JSON.
"""

from __future__ import annotations

import heapq
import html
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from partita._src.errors import FileError, UsageError
from partita._src.files import write_whole

MOST_BYTES = 1_500_000
_FEW_LINES, _FEW_SPECS = 30, 60
_BEGIN, _END = '<script type="application/json" id="partita-data">', "</script>"


def read_data(page: str) -> str:
    """The data in a page, as JSON.

    >>> read_data(f'<p>{_BEGIN}{{"plans":[]}}{_END}</p>')
    '{"plans":[]}'
    """
    return page.partition(_BEGIN)[2].partition(_END)[0]


def with_data(page: str, data: str) -> str:
    """The page with other data.

    >>> with_data(f"<p>{_BEGIN}1{_END}</p>", "[2]").removeprefix(f"<p>{_BEGIN}")
    '[2]</script></p>'
    """
    before, begin, rest = page.partition(_BEGIN)
    return f"{before}{begin}{data}{_END}{rest.partition(_END)[2]}"


def mark_baseline(page: str, time_ps: int | None, peak_bytes: int | None) -> str:
    """The page with the user's own strategy among those that the plan is compared with."""
    data = json.loads(read_data(page))
    data["plans"][0]["baseline"] = {"name": "yours", "time_ps": time_ps, "peak_bytes": peak_bytes}
    return with_data(page, _print(data))


def join(pages: Mapping[str, str]) -> str:
    """One page for several plans, by their names."""
    each = {name: json.loads(read_data(page)) for name, page in pages.items()}
    first = next(iter(each.values()))
    plans = [{**data["plans"][0], "name": name} for name, data in each.items()]
    page = next(iter(pages.values()))
    empty = with_data(page, _print({**first, "plans": []}))
    limited = limit_plans(plans, MOST_BYTES - len(empty.encode()))
    return with_data(page, _print({**first, "plans": limited}))


def limit_plans(plans: list[dict[str, Any]], most_bytes: int) -> list[dict[str, Any]]:
    """The plans of a page, with so much detail that they take so many bytes at most, or one is left.

    What is left out, and in which order, is what the tool leaves out of its pages (Report/PageLimit.h): each detail of
    the last plan first, and then whole plans. Remarks say so.
    """
    sizes = [_measure(plan) for plan in plans]
    for name, leave_out in _DETAILS.items():
        for number in reversed(range(len(plans))):
            if sum(sizes) > most_bytes and leave_out(plans[number]):
                _remark(plans[number], name)
                sizes[number] = _measure(plans[number])
    count = len(plans)
    while sum(sizes[:count]) > most_bytes and count > 1:
        count -= 1
    if count < len(plans):
        _remark(plans[0], f"{len(plans) - count} more plans")
    return plans[:count]


def _measure(plan: Mapping[str, Any]) -> int:
    return len(_print(plan).encode()) + 1


def _remark(plan: dict[str, Any], what: str) -> None:
    begin = "left out, to keep this page small: "
    remarks = plan["remarks"]
    for number, remark in enumerate(remarks):
        if remark.startswith(begin):
            remarks[number] = f"{remark}, {what}"
            return
    remarks.append(begin + what)


def _leave_out_timeline(plan: dict[str, Any]) -> bool:
    return plan.pop("timeline", None) is not None


def _leave_out_evaluated(plan: dict[str, Any]) -> bool:
    return _shorten(plan.get("strategies", {}), "evaluated", [])


def _leave_out_curve(plan: dict[str, Any]) -> bool:
    return _shorten(plan.get("memory", {}), "curve", [])


def _leave_out_lines(plan: dict[str, Any]) -> bool:
    return _shorten(plan, "lines", plan["lines"][:_FEW_LINES])


def _leave_out_specs(plan: dict[str, Any]) -> bool:
    least = min(heapq.nlargest(_FEW_SPECS, (spec["whole_bytes"] for spec in plan["specs"])), default=0)
    return _shorten(plan, "specs", [spec for spec in plan["specs"] if spec["whole_bytes"] >= least][:_FEW_SPECS])


def _leave_out_rest(plan: dict[str, Any]) -> bool:
    is_there = [_shorten(plan, key, []) for key in ("specs", "lines", "words")]
    for entry in plan.get("memory", {}).get("classes", ()):
        entry["values"] = []
    return any(is_there)


def _shorten(holder: dict[str, Any], key: str, kept: list[Any]) -> bool:
    is_longer = len(holder.get(key, ())) > len(kept)
    if is_longer:
        holder[key] = kept
    return is_longer


_DETAILS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "the timeline": _leave_out_timeline,
    "evaluated strategies": _leave_out_evaluated,
    "memory over time": _leave_out_curve,
    "source lines but the most expensive": _leave_out_lines,
    "arguments but the largest": _leave_out_specs,
    "all arguments and source lines": _leave_out_rest,
}


def _print(data: Any) -> str:
    """As the tool prints it: compact, and without what would end the element."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def write(path: str | Path, page: str) -> None:
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise UsageError(
            f"the page is HTML, and {str(path)!r} does not end so",
            remedy="name it plan.html; a browser prints it to PDF",
        )
    try:
        write_whole(Path(path), page)
    except OSError as error:
        raise FileError(f"cannot write the page: {error.strerror}", place=str(path)) from None


def to_frame(page: str) -> str:
    """The page inside of a notebook's cell, apart from what else the notebook shows."""
    style = "width:100%;height:720px;border:1px solid #8888;border-radius:8px"
    return (
        f'<iframe title="Charts of the plan" style="{style}" sandbox="allow-scripts" loading="lazy" '
        f'srcdoc="{html.escape(page)}"></iframe>'
    )
