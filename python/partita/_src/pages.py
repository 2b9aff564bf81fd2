"""report.html, the page with charts that the tool writes: the data that stand in it, and pages with other data.

A page is the same for all plans but for one element, which holds the data as JSON.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from partita._src.errors import FileError
from partita._src.files import write_whole

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
    data["plans"][0]["baseline"] = {"name": "baseline", "time_ps": time_ps, "peak_bytes": peak_bytes}
    return with_data(page, _print(data))


def join(pages: Mapping[str, str]) -> str:
    """One page for several plans, by their names."""
    each = {name: json.loads(read_data(page)) for name, page in pages.items()}
    first = next(iter(each.values()))
    plans = [{**data["plans"][0], "name": name} for name, data in each.items()]
    return with_data(next(iter(pages.values())), _print({**first, "plans": plans}))


def _print(data: Any) -> str:
    """As the tool prints it: compact, and without what would end the element."""
    return json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")


def write(path: str | Path, page: str) -> None:
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
