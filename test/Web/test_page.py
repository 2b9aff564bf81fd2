"""report.html in a browser: every chart and table has the figures of report.json, and filters, links and keys work.

The browser is Debian's Chromium, driven by Playwright. Pictures of the pages are left in build/test-results/pages.
"""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Locator, Page, sync_playwright

from models import exported
from partita._src import pages

ROOT = Path(__file__).resolve().parents[2]
PARTITA = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin")) / "partita"
PICTURES = ROOT / "build" / "test-results" / "pages"
CHROMIUM = "/usr/bin/chromium"
MACHINE = ["--mesh", "data=2,model=4", "--machine", "h100-sxm:1x8"]
MOST_BYTES = 1_500_000


@dataclass(frozen=True)
class Planned:
    """A plan's files."""

    program: Path
    folder: Path

    @property
    def report(self) -> dict[str, Any]:
        return self.read("report.json")

    def read(self, name: str) -> dict[str, Any]:
        return dict(json.loads((self.folder / name).read_text()))


def run(*words: str | Path) -> None:
    done = subprocess.run([PARTITA, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def plan(name: str, folder: Path, *options: str) -> Planned:
    program = exported.find(name)
    run("plan", program, *MACHINE, "--budget", "300", *options, "-o", folder)
    return Planned(program, folder)


@pytest.fixture(scope="module")
def transformer(tmp_path_factory: pytest.TempPathFactory) -> Planned:
    """Layers in a loop, forward and backward."""
    return plan(
        "gpt_scan_remat.t32", tmp_path_factory.mktemp("transformer"), "--forbid", "accumulate,recompute,pipeline"
    )


@pytest.fixture(scope="module")
def resnet(tmp_path_factory: pytest.TempPathFactory) -> Planned:
    return plan("resnet.resnet50", tmp_path_factory.mktemp("resnet"))


@pytest.fixture(scope="module")
def difference(transformer: Planned, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of two plans."""
    folder = tmp_path_factory.mktemp("difference")
    tactics = [{"name": f"batch over {axis}", "axis": axis, "tile": [["batch/.*", 0]]} for axis in ("data", "model")]
    (folder / "batch.json").write_text(json.dumps({"tactics": tactics}))
    plans = folder / "batch.json", transformer.folder / "plan.json"
    run("diff", transformer.program, *plans, *MACHINE, "--html", folder / "page.html", "-o", folder / "text")
    return folder / "page.html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Any]:
    """Opens a file; afterwards there must have been no error, and no request but for it."""
    complaints: list[str] = []
    pages: list[Page] = []

    def open_file(path: Path, **options: Any) -> Page:
        page = browser.new_page(viewport={"width": 1280, "height": 900}, **options)
        page.set_default_timeout(5000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.append(request.url) if request.url != path.as_uri() else None)
        page.goto(path.as_uri())
        pages.append(page)
        return page

    yield open_file
    for page in pages:
        page.close()
    assert not complaints


def values(rows: Locator, column: int) -> list[str]:
    """What the cells of a column stand for."""
    return [str(cell) for cell in rows.evaluate_all(f"rows => rows.map(row => row.cells[{column}].dataset.value)")]


def rows_of(page: Page, table: str) -> Locator:
    """All rows of a table, also those that are not shown at first."""
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
    more = page.locator(f"#{table} .more")
    if more.is_visible():
        more.click()
    return page.locator(f"#{table} tbody tr")


def keep_picture(page: Page, name: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=PICTURES / f"{name}.png", full_page=True, timeout=60_000)


def test_the_headline_has_the_figures_of_the_report(transformer: Planned, open_page: Any) -> None:
    page, report = open_page(transformer.folder / "report.html"), transformer.report
    shown = page.locator("[data-figure]").evaluate_all("all => all.map(e => [e.dataset.figure, e.dataset.value])")
    assert {"time_ps", "compute_ps", "exposed_communication_ps", "peak_bytes", "limit_bytes"} <= {
        key for key, _ in shown
    }
    assert all(float(value) == report[key] for key, value in shown)
    assert page.locator(".strategy").inner_text().lower() == report["overview"]["strategy"].lower()
    assert page.locator(".verdict").inner_text() == "fits"
    assert page.title() == "Partita: jit_train_step"
    keep_picture(page, "transformer")


def test_memory_by_class_adds_up_to_the_peak(resnet: Planned, open_page: Any) -> None:
    page, report = open_page(resnet.folder / "report.html"), resnet.report
    keep_picture(page, "resnet")
    titles = {
        "arguments": "inputs",
        "gathered_parameters": "buffers: gathered parameters",
        "reshard_buffers": "buffers: resharding",
    }
    expected = Counter[str]()
    for entry in report["memory"]["at_peak"]:
        expected[titles.get(entry["category"], entry["category"].replace("_", " "))] += entry["bytes"]
    rows = rows_of(page, "classes")
    found = dict(zip(values(rows, 0), map(int, values(rows, 1)), strict=True))
    assert found == expected and sum(found.values()) == report["peak_bytes"]
    # The bars are as long as the classes are large.
    bars = page.locator("#memory .classes rect").evaluate_all(
        "all => all.map(e => [e.getAttribute('aria-label'), e.getBoundingClientRect().width])"
    )
    lengths = {re.sub(r"^[^:]*: | \S+ \S+$", "", label): width for label, width in bars}
    scale = sum(lengths.values()) / report["peak_bytes"]
    assert lengths == {name: pytest.approx(size * scale, abs=1.5) for name, size in expected.items()}


def test_memory_over_time_reaches_the_peak(transformer: Planned, resnet: Planned, open_page: Any) -> None:
    for planned in (transformer, resnet):
        page, report = open_page(planned.folder / "report.html"), planned.report
        data = json.loads(page.locator("#partita-data").inner_text())["plans"][0]
        curve = data["memory"]["curve"]
        assert max(size for _, size in curve) == report["peak_bytes"]
        assert len(curve) <= 800 and all(0 <= time <= report["simulated_ps"] for time, _ in curve)
        # The highest point of the line, in the scale of the axis, which begins with 0.
        box = page.locator("#memory .memory-line path").bounding_box()
        ticks = page.locator("#memory figure:nth-of-type(2) [aria-label='y-axis tick label'] text")
        places = {float(tick.text_content()): tick.bounding_box() for tick in ticks.all()}
        (low, high) = min(places), max(places)
        middle = {value: place["y"] + place["height"] / 2 for value, place in places.items()}
        unit = 10 ** (3 * ((len(str(report["peak_bytes"])) - 1) // 3))
        drawn = low + (middle[low] - box["y"]) / (middle[low] - middle[high]) * (high - low)
        assert drawn == pytest.approx(report["peak_bytes"] / unit, rel=0.03)


def test_loops_of_the_timeline_open_by_keys(transformer: Planned, open_page: Any) -> None:
    page, report = open_page(transformer.folder / "report.html"), transformer.report
    timeline = json.loads(page.locator("#partita-data").inner_text())["plans"][0]["timeline"]
    assert timeline["total_ps"] == report["simulated_ps"] and timeline["lanes"][0] == "compute"
    busy = timeline["blocks"][0]["busy_ps"][0]
    assert busy == pytest.approx(report["simulated_ps"] - report["simulated_exposed_ps"], rel=1e-6)
    chart, details = page.locator("#timeline-0"), page.locator(".timeline .details")
    lanes = chart.locator("[aria-label='y-axis tick label'] text").all_text_contents()
    assert lanes == timeline["lanes"]
    loops = [block for block in timeline["blocks"][1:] if block["parent"] == 0]
    assert chart.locator(".loops rect").count() == sum(sum(busy > 0 for busy in loop["busy_ps"]) for loop in loops)
    chart.focus()
    for _ in range(30):
        page.keyboard.press("ArrowRight")
        if "loop, 32 iterations" in details.inner_text():
            break
    page.keyboard.press("Enter")
    assert page.locator(".path strong").inner_text() == "loop, iteration 1 of 32"
    assert chart.locator(".loops rect").count() == 0
    assert chart.locator(".events rect").count() == len(loops[0]["events"]) / 6
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert re.search(r"models/\w+\.py:\d+", details.inner_text())
    assert chart.locator("rect.selected").count() == 1
    before = chart.inner_html()
    page.keyboard.press("+")
    assert chart.inner_html() != before
    page.keyboard.press("Escape")
    assert page.locator(".path strong").inner_text() == "whole step"


def test_an_event_leads_to_its_source_line(transformer: Planned, open_page: Any) -> None:
    page = open_page(transformer.folder / "report.html")
    page.locator("#timeline-0 .loops rect").first.click()
    page.locator(".open-loop").click()
    page.locator("#timeline-0").focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    page.locator(".to-line").click()
    focused = page.evaluate("document.activeElement.id")
    assert focused.startswith("line-0-") and page.locator(".timeline .line").inner_text().split()[-1] in focused


def test_strategies_are_those_of_the_search(transformer: Planned, open_page: Any) -> None:
    page, report = open_page(transformer.folder / "report.html"), transformer.report
    found = rows_of(page, "rivals")
    listed = set(zip(values(found, 0), values(found, 1), map(int, values(found, 2)), strict=True))
    compared = [row for row in report["overview"]["compared"] if row["kind"] == "expert"]
    experts = {(row["name"], "what experts would write", row["time_ps"]) for row in compared}
    words = [f"{word}: {meaning}" for word, meaning in report["overview"]["legend"].items()]
    assert page.locator("#expert-words").inner_text() == "; ".join(words)
    assert experts <= listed and any(row[1:] == ("this plan", report["time_ps"]) for row in listed)
    assert page.locator(".strategy-plan path").count() == 1
    near = page.locator(".strategy-evaluated circle").count()
    page.locator("#strategies-all").check()
    data = json.loads(page.locator("#partita-data").inner_text())["plans"][0]["strategies"]
    assert near < page.locator(".strategy-evaluated circle").count() == len(data["evaluated"])
    assert data["num_evaluated"] == report["search"]["evaluations"]
    assert page.locator(".strategy-expert path").count() == len(experts)


UNITS = {"s": 1e12, "ms": 1e9, "us": 1e6, "TB": 1e12, "GB": 1e9, "MB": 1e6, "kB": 1e3, "B": 1.0}


def read_axis(page: Page, axis: Literal["x", "y"]) -> Callable[[float], float]:
    """Where the chart of strategies puts a value, by the ticks of an axis: evenly, or by logarithms."""
    title = page.locator(f"#strategies figure [aria-label='{axis}-axis label']").text_content() or ""
    unit = UNITS[re.findall(r"\((\w+)\)", title)[0]]
    ticks = page.locator(f"#strategies figure [aria-label='{axis}-axis tick label'] text").all()
    places = {
        float((tick.text_content() or "").replace(",", "")) * unit: box[axis]
        + box["width" if axis == "x" else "height"] / 2
        for tick in ticks
        if (box := tick.bounding_box())
    }
    assert len(places) >= 3
    low, middle, high = min(places), sorted(places)[len(places) // 2], max(places)

    def place(value: float, scale: Callable[[float], float]) -> float:
        share = (scale(value) - scale(low)) / (scale(high) - scale(low))
        return places[low] + share * (places[high] - places[low])

    scales = [lambda value: value] + ([math.log] if low > 0 else [])
    best = min(scales, key=lambda scale: abs(place(middle, scale) - places[middle]))
    assert abs(place(middle, best) - places[middle]) < 2
    return lambda value: place(value, best)


@pytest.mark.parametrize("shown", ["near", "all"])
def test_strategies_stand_where_their_time_and_memory_are(transformer: Planned, open_page: Any, shown: str) -> None:
    page, report = open_page(transformer.folder / "report.html"), transformer.report
    if shown == "all":
        page.locator("#strategies-all").check()
    to_x, to_y = read_axis(page, "x"), read_axis(page, "y")
    compared = {row["name"]: row for row in report["overview"]["compared"] if row["kind"] == "expert"}
    dots = page.locator(".strategy-expert path").all()
    own = page.locator(".strategy-plan path")
    assert dots and own.count() == 1
    known = [
        (dot, compared[(dot.get_attribute("aria-label") or "").split(": ", 1)[1].rsplit(", ", 2)[0]]) for dot in dots
    ]
    for dot, row in [*known, (own, report)]:
        box = dot.bounding_box()
        assert box["x"] + box["width"] / 2 == pytest.approx(to_x(row["time_ps"]), abs=2.5)
        # The middle of a star or a triangle is not that of its box.
        assert box["y"] + box["height"] / 2 == pytest.approx(to_y(row["peak_bytes"]), abs=3)


def to_spec(sharding: list[list[str]]) -> str:
    """A sharding of plan.json as people write it in Python."""
    dims = ["None" if not dim else f"'{dim[0]}'" if len(dim) == 1 else str(tuple(dim)) for dim in sharding]
    while dims and dims[-1] == "None":
        dims.pop()
    return f"P({', '.join(dims)})"


def test_specs_are_those_of_the_plan_and_can_be_filtered(transformer: Planned, open_page: Any) -> None:
    page, arguments = open_page(transformer.folder / "report.html"), transformer.read("plan.json")["arguments"]
    rows = rows_of(page, "specs-table")
    found = dict(zip(values(rows, 0), values(rows, 3), strict=True))
    assert found | {e["name"]: to_spec(e["sharding"]) for e in arguments} == found
    sizes = list(map(int, values(rows, 4)))
    assert sizes == sorted(sizes, reverse=True)
    page.locator("#specs-table-filter").fill("W_IN parameter")
    assert values(rows, 0) == ["state.params['layers']['w_in']"]
    assert page.locator("#specs-table .count").inner_text().startswith("1 of ")
    page.locator("#specs-table-filter").fill("")
    header = page.get_by_role("button", name="name", exact=True)
    header.focus()
    page.keyboard.press("Enter")
    names = values(rows, 0)
    assert names[:2] == ["batch['targets']", "batch['tokens']"] and len(names) == len(found)
    assert page.locator("#specs-table th").first.get_attribute("aria-sort") == "ascending"


def test_rows_of_many_layers_are_one_and_are_found_by_any_number(resnet: Planned, open_page: Any) -> None:
    page, arguments = open_page(resnet.folder / "report.html"), resnet.read("plan.json")["arguments"]
    data = json.loads(page.locator("#partita-data").inner_text())["plans"][0]
    kinds = Counter[bool]()
    for entry in data["specs"]:
        kinds[entry["kind"] == "result"] += entry["count"]
    assert kinds[False] == len(arguments) > len(data["specs"])
    name = next(e["name"] for e in arguments if "stages" in e["name"] and "[2]" in e["name"])
    page.locator("#specs-table-filter").fill(name)
    assert page.locator("#specs-table tbody tr").count() > 0


def test_links_and_collectives_have_the_bytes_of_the_report(transformer: Planned, open_page: Any) -> None:
    page, report = open_page(transformer.folder / "report.html"), transformer.report
    links = rows_of(page, "links-0")
    assert list(zip(values(links, 0), map(int, values(links, 5)), map(int, values(links, 6)), strict=True)) == [
        (level["name"], level["bytes"], level["busy_ps"]) for level in report["levels"]
    ]
    rows = rows_of(page, "by-axis")
    shown = zip(
        values(rows, 0), values(rows, 1), *(map(int, values(rows, column)) for column in (2, 3, 5)), strict=True
    )
    entries = report["collectives"]
    assert sorted(shown) == sorted(
        (e["kind"], " + ".join(e["axes"]), e["count"], e["bytes"], e["time_ps"]) for e in entries
    )
    lines = rows_of(page, "by-line")
    moved = [entry for entry in report["reshards"] if entry["bytes"]]
    assert sum(map(int, values(lines, 5))) == sum(entry["time_ps"] for entry in moved)
    assert sum(map(int, values(lines, 6))) == sum(entry["exposed_ps"] for entry in moved)
    assert page.locator(".device").all_inner_texts() == [f"{data},{model}" for data in range(2) for model in range(4)]
    assert "all links of one level carry the same" in page.locator("#machine figcaption").inner_text()
    # Bars begin at zero, and are as long as what they stand for.
    expect_link_bars(page, report)
    drawn = measure_bars(page, "#collectives figure")
    times = {f"{' + '.join(e['axes'])}: {e['kind'].replace('_', ' ')}": e["time_ps"] for e in entries}
    assert {label.rsplit(" ", 2)[0] for label in drawn} == set(times)
    expect_lengths({label: times[label.rsplit(" ", 2)[0]] for label in drawn}, drawn)


def test_bars_of_links_are_as_long_as_their_bytes(transformer: Planned, tmp_path: Path, open_page: Any) -> None:
    """Tensor parallelism inside of nodes and data parallelism between them send different numbers of bytes."""
    presets = [{"preset": "data_parallel", "axis": "data"}, {"preset": "megatron", "axis": "model"}]
    (tmp_path / "schedule.json").write_text(json.dumps({"tactics": presets}))
    options = "--mesh", "data=2,model=8", "--machine", "h100-sxm:2x8", "--schedule", tmp_path / "schedule.json"
    run("plan", transformer.program, *options, "-o", tmp_path / "out")
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    page = open_page(tmp_path / "out" / "report.html")
    assert len({level["bytes"] for level in report["levels"] if level["bytes"]}) > 1
    expect_link_bars(page, report)
    keep_picture(page, "levels")


def expect_link_bars(page: Page, report: dict[str, Any]) -> None:
    """Of all levels that carry something."""
    used = {level["name"]: level["bytes"] for level in report["levels"]}
    drawn = measure_bars(page, "#machine figure")
    names = {label: label.rsplit(" ", 2)[0] for label in drawn}
    assert {name for name, size in used.items() if size} <= set(names.values())
    expect_lengths({label: used[name] for label, name in names.items()}, drawn)


def measure_bars(page: Page, chart: str) -> dict[str, float]:
    """The lengths of the bars of a chart, by their labels."""
    bars = page.locator(f"{chart} rect[aria-label]").evaluate_all(
        "all => all.map(e => [e.getAttribute('aria-label'), e.getBoundingClientRect().width])"
    )
    assert len(dict(bars)) == len(bars) > 0
    return dict(bars)


def expect_lengths(amounts: dict[str, int], lengths: dict[str, float]) -> None:
    """Lengths are proportional to amounts, within the pixel to which edges are rounded."""
    scale = max(lengths.values()) / max(amounts.values())
    assert lengths == {label: pytest.approx(amount * scale, abs=1.5) for label, amount in amounts.items()}


def test_two_plans_stand_side_by_side(difference: Path, transformer: Planned, open_page: Any) -> None:
    page = open_page(difference)
    keep_picture(page, "difference")
    assert page.locator(".plan-name").all_inner_texts() == ["batch.json", "plan.json"]
    left, right = (card.bounding_box() for card in page.locator("#headline article").all())
    assert left["y"] == right["y"] and left["x"] + left["width"] <= right["x"]
    times = page.locator("[data-figure=time_ps]").evaluate_all("all => all.map(e => Number(e.dataset.value))")
    assert times[1] == transformer.report["time_ps"] and times[0] != times[1]
    assert page.locator("#memory .memory-line path").count() == 2 and page.locator(".timeline").count() == 2
    # The links of both are drawn in one scale.
    data = json.loads(page.locator("#partita-data").inner_text())["plans"]
    sent = [max(level["bytes"] for level in each["topology"]["levels"]) for each in data]
    bars = [chart.locator("rect[aria-label]") for chart in page.locator("#machine figure").all()]
    lengths = [max(bar.bounding_box()["width"] for bar in each.all()) for each in bars]
    assert sent[0] != sent[1] and lengths[0] / lengths[1] == pytest.approx(sent[0] / sent[1], rel=0.02)
    all_rows = rows_of(page, "specs-table").count()
    page.locator("#specs-differ").check()
    different = rows_of(page, "specs-table")
    assert 0 < different.count() < all_rows
    assert all(first != second for first, second in zip(values(different, 3), values(different, 4), strict=True))
    assert rows_of(page, "differences-table").count() > 10


def brightness(page: Page) -> float:
    """Of the background, from 0 to 255."""
    color = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(map(float, re.findall(r"[\d.]+", color)[:3])) / 3


def test_it_is_light_or_dark_as_the_system_is(transformer: Planned, open_page: Any) -> None:
    page = open_page(transformer.folder / "report.html", color_scheme="dark")
    keep_picture(page, "dark")
    assert brightness(page) < 50
    page.locator("#theme").click()
    assert brightness(page) > 200
    page.locator("#theme").click()
    assert brightness(page) < 50
    assert brightness(open_page(transformer.folder / "report.html", color_scheme="light")) > 200


def test_it_can_be_printed(transformer: Planned, open_page: Any) -> None:
    page = open_page(transformer.folder / "report.html", color_scheme="dark")
    page.emulate_media(media="print")
    assert brightness(page) > 200
    assert not page.locator("#theme").is_visible() and not page.locator("#specs-table-filter").is_visible()
    assert page.locator("#memory svg").first.is_visible() and page.locator("#expert-words").is_visible()
    # One word is one piece.
    assert page.locator("#specs-table td.kind").first.evaluate("e => getComputedStyle(e).whiteSpace") == "nowrap"
    paper = page.pdf(format="A4")
    assert paper.startswith(b"%PDF") and len(re.findall(rb"/Type\s*/Page\b", paper)) > 2
    # All rows are on paper, also those that a button shows.
    assert page.locator("#specs-table tbody tr").count() > 25


def test_a_narrow_screen_needs_no_scrolling_to_the_side(transformer: Planned, open_page: Any) -> None:
    page = open_page(transformer.folder / "report.html")
    page.set_viewport_size({"width": 390, "height": 800})
    cell = rows_of(page, "specs-table").first.locator("td").nth(3)
    for table in page.locator(".scroll").all():
        assert table.evaluate("e => e.scrollWidth - e.clientWidth") <= 0, table.get_attribute("aria-label")
    assert cell.evaluate("e => getComputedStyle(e, '::before').content") == '"PartitionSpec"'
    keep_picture(page, "narrow")


def test_letters_of_charts_are_no_smaller_on_a_narrow_screen(transformer: Planned, open_page: Any) -> None:
    page = open_page(transformer.folder / "report.html")
    page.set_viewport_size({"width": 390, "height": 800})
    page.reload()
    for chart in page.locator("figure svg, .timeline-chart svg").all():
        drawn = chart.evaluate("e => e.getBoundingClientRect().width / e.viewBox.baseVal.width")
        assert drawn > 0.95, chart.get_attribute("aria-label")


def test_several_plans_have_room_on_wide_and_narrow_screens(difference: Path, open_page: Any) -> None:
    page = open_page(difference)
    rows_of(page, "specs-table"), rows_of(page, "by-line")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        for table in page.locator(".scroll").all():
            assert table.evaluate("e => e.scrollWidth - e.clientWidth") <= 0, table.get_attribute("aria-label")
    # The title of a cell stands beside it, and is no longer than the cell is high.
    cells = page.locator("#specs-table td").evaluate_all("all => all.map(e => e.scrollHeight - e.clientHeight)")
    assert cells and max(cells) <= 1
    keep_picture(page, "difference_narrow")
    named = page.locator("#memory .legend").nth(1).locator("li").all_inner_texts()
    assert [text.partition(":")[0] for text in named] == ["batch.json", "plan.json"]


def test_every_part_is_reached_by_keys_and_has_a_name(transformer: Planned, open_page: Any) -> None:
    page = open_page(transformer.folder / "report.html")
    reached = []
    for _ in range(80):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
    assert {"theme", "timeline-0", "specs-table-filter", "by-line-filter", "strategies-all"} <= set(reached)
    unnamed = page.locator("figure svg:not([aria-label]), input:not([aria-label]):not(label input)")
    assert unnamed.count() == 0
    assert page.locator("section").count() == page.locator("section[aria-labelledby]").count() == 7


def test_pages_are_small_and_hold_their_licenses(transformer: Planned, resnet: Planned, difference: Path) -> None:
    for path in (transformer.folder / "report.html", resnet.folder / "report.html", difference):
        assert path.stat().st_size < MOST_BYTES
        text = path.read_text()
        assert "@observablehq/plot" in text and "Permission to use, copy, modify" in text


def test_names_are_shown_and_never_run(tmp_path: Path, open_page: Any) -> None:
    name = "</script><script>hacked = 1</script><img src=x onerror='hacked = 1'>"
    program = tmp_path / "program.mlir"
    program.write_text(
        f'module @"{name}" {{ func.func @main(%x: tensor<8x4xf32> loc("{name}")) -> tensor<8x4xf32> {{\n'
        f'  %0 = stablehlo.tanh %x : tensor<8x4xf32> loc("{name}")\n  return %0 : tensor<8x4xf32>\n}} }}\n'
    )
    run("plan", program, *MACHINE, "--budget", "20", "-o", tmp_path / "out")
    page = open_page(tmp_path / "out" / "report.html")
    assert page.evaluate("typeof hacked") == "undefined"
    assert name in page.locator("#specs-table").inner_text() and page.locator("h1").inner_text() == name


def test_without_a_machine_it_shows_what_is_known(transformer: Planned, tmp_path: Path, open_page: Any) -> None:
    schedule = tmp_path / "schedule.json"
    schedule.write_text(json.dumps({"tactics": [{"name": "batch", "axis": "data", "tile": [["batch/.*", 0]]}]}))
    run("plan", transformer.program, "--mesh", "data=8", "--schedule", schedule, "-o", tmp_path / "out")
    page = open_page(tmp_path / "out" / "report.html")
    assert page.locator("section").evaluate_all("all => all.map(e => e.id)") == ["headline", "specs", "collectives"]
    assert "not known" in page.locator("#headline").inner_text()
    told = json.loads((tmp_path / "out" / "report.json").read_text())["overview"]["strategy"]
    assert page.locator(".strategy").inner_text().lower() == told.lower() and told.startswith("batch over data")


def test_a_notebook_shows_it_in_a_frame(transformer: Planned, browser: Browser) -> None:
    """The frame may run the page's program and nothing else; links inside of it stay there."""
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.set_content(f"<h1>Notebook</h1>{pages.to_frame((transformer.folder / 'report.html').read_text())}")
    frame = page.frame_locator("iframe")
    assert " s ± " in frame.locator("#headline .value").first.inner_text()
    frame.locator("header nav a", has_text="Collectives").click()
    assert abs(frame.locator("#collectives").evaluate("e => e.getBoundingClientRect().y")) < 720
    assert page.locator("h1").inner_text() == "Notebook"
    page.close()
    assert not complaints


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everyone_can_read_it(
    scheme: Literal["light", "dark"], transformer: Planned, difference: Path, browser: Browser
) -> None:
    """By the rules of axe-core: contrast, names, roles, order."""
    page = browser.new_page(color_scheme=scheme, bypass_csp=True)
    page.goto((transformer.folder / "report.html" if scheme == "dark" else difference).as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(each => (each.open = true))")
    page.add_script_tag(path=ROOT / "build" / "web" / "node_modules" / "axe-core" / "axe.min.js")
    found = page.evaluate("axe.run()")
    page.close()
    assert found["passes"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []


def test_a_program_that_does_nothing_has_a_page(tmp_path: Path, open_page: Any) -> None:
    program = tmp_path / "program.mlir"
    program.write_text(
        "func.func @main() -> tensor<f32> {\n  %0 = stablehlo.constant dense<1.0> : tensor<f32>\n"
        "  return %0 : tensor<f32>\n}\n"
    )
    run("plan", program, *MACHINE, "-o", tmp_path / "out")
    page = open_page(tmp_path / "out" / "report.html")
    assert {"headline", "specs", "machine", "collectives"} <= set(
        page.locator("section").evaluate_all("all => all.map(e => e.id)")
    )
    assert page.locator("h1").inner_text() == "A program without a name"


@pytest.fixture(scope="module")
def many(resnet: Planned, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A page of one plan, and one of as many as no page can hold whole."""
    folder = tmp_path_factory.mktemp("many")
    program, made = resnet.program, resnet.folder / "plan.json"
    run("score", program, made, *MACHINE, "--no-bound", "--html", folder / "one.html", "-o", folder / "text")
    run("score", program, *[made] * 24, *MACHINE, "--no-bound", "--html", folder / "many.html", "-o", folder / "text")
    return folder / "one.html", folder / "many.html"


def test_a_large_page_leaves_out_details_and_says_so(many: tuple[Path, Path], open_page: Any) -> None:
    one, page = (json.loads(pages.read_data(path.read_text())) for path in many)
    assert many[1].stat().st_size <= MOST_BYTES < many[0].stat().st_size + 23 * len(json.dumps(one["plans"]))
    assert "timeline" in page["plans"][0] and "timeline" not in page["plans"][-1]
    shown = open_page(many[1])
    assert shown.locator("article.plan").count() == 24
    last = shown.locator("article.plan").last.locator(".remark")
    assert last.inner_text().startswith("left out, to keep this page small: the timeline")
    assert shown.locator(".timeline-chart").count() == sum("timeline" in plan for plan in page["plans"])
    keep_picture(shown, "many")


def test_python_leaves_out_what_the_tool_does(many: tuple[Path, Path]) -> None:
    one, large = (path.read_text() for path in many)
    count = len(json.loads(pages.read_data(large))["plans"])
    data = json.loads(pages.read_data(one))
    plans = [json.loads(json.dumps(data["plans"][0])) for _ in range(count)]
    room = pages.MOST_BYTES - len(
        pages.with_data(one, json.dumps({**data, "plans": []}, separators=(",", ":"))).encode()
    )
    remarks = [plan["remarks"] for plan in pages.limit_plans(plans, room)]
    assert remarks == [plan["remarks"] for plan in json.loads(pages.read_data(large))["plans"]]


@pytest.fixture(scope="module")
def too_large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two plans that need far more memory than a device has, beside each other."""
    folder = tmp_path_factory.mktemp("too_large")
    for preset in ("data_parallel", "fsdp"):
        (folder / f"{preset}.json").write_text(json.dumps({"tactics": [{"preset": preset, "axis": "data"}]}))
    plans = [folder / "data_parallel.json", folder / "fsdp.json"]
    run(
        "score",
        exported.find("llama_scan.tiny"),
        *plans,
        *MACHINE,
        "--memory-limit",
        "60KB",
        "--html",
        folder / "page.html",
    )
    return folder / "page.html"


def test_labels_stay_inside(too_large: Path, transformer: Planned, open_page: Any) -> None:
    page = open_page(too_large)
    keep_picture(page, "too_large")
    for text in page.locator("#memory svg text, #strategies svg text").all():
        box, chart = text.bounding_box(), text.evaluate("e => e.closest('svg').getBoundingClientRect().toJSON()")
        assert box is not None and chart["left"] - 1 <= box["x"] and box["x"] + box["width"] <= chart["right"] + 1
    # The names of bars are no longer than the bars, also on a narrow screen.
    page = open_page(transformer.folder / "report.html")
    page.set_viewport_size({"width": 390, "height": 800})
    page.reload()
    bars = [bar.bounding_box() for bar in page.locator("#timeline rect").all()]
    names = [text.bounding_box() for text in page.locator("#timeline .bar-names text").all()]
    for name in filter(None, names):
        inside = [
            b for b in bars if b and b["x"] - 2 <= name["x"] and name["x"] + name["width"] <= b["x"] + b["width"] + 2
        ]
        assert inside, name


def test_a_legend_has_what_is_drawn(too_large: Path, transformer: Planned, open_page: Any) -> None:
    page = open_page(too_large)
    # Two plans are named in the chart; ticks of memory are plain numbers, not `600m`.
    assert page.locator("#strategies .legend li").count() == 0
    ticks = page.locator("#strategies [aria-label='y-axis tick label'] text").all_text_contents()
    assert ticks and all(re.fullmatch(r"[0-9.]*", tick) for tick in ticks)
    page = open_page(transformer.folder / "report.html")
    drawn = page.locator("#strategies svg g[class^=strategy-]").evaluate_all(
        "all => all.filter(g => g.children.length).length"
    )
    assert page.locator("#strategies .legend li").count() == drawn
