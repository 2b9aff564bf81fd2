"""Pages with charts: of a plan with its baseline, of strategies beside each other, and inside of notebooks."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

import jax
import pytest

import partita
from models.registry import ZOO
from partita import presets
from partita._src import pages
from partita._src.report import Report

PROGRAM = ZOO["rnn_gru"].program("tiny")
OPTIONS: dict[str, Any] = {"mesh": {"data": 4, "model": 2}, "machine": "h100-sxm:1x8", "budget": 100, "progress": False}


@pytest.fixture(scope="module")
def planned() -> partita.Plan:
    return partita.plan(PROGRAM.fn, *PROGRAM.shapes(), **OPTIONS, baseline=presets.data_parallel("data"))


def read(path: Path) -> dict[str, Any]:
    return dict(json.loads(pages.read_data(path.read_text())))


def test_a_report_is_saved_with_the_baseline(planned: partita.Plan, tmp_path: Path) -> None:
    planned.report.save(tmp_path / "plan.html")
    (data,) = read(tmp_path / "plan.html")["plans"]
    figures = planned.report.figures
    assert data["figures"] == {key: figures[key] for key in data["figures"]}
    assert data["figures"]["time_ps"] == planned.report.time_ps
    baseline = planned.replan(presets.data_parallel("data")).report
    assert data["baseline"] == {"name": "yours", "time_ps": baseline.time_ps, "peak_bytes": baseline.peak_bytes}
    assert len(data["strategies"]["evaluated"]) > 10
    assert {entry["name"] for entry in data["specs"] if entry["kind"] != "result"} <= set(planned.argument_names) | {
        entry["name"] for entry in data["specs"] if entry["count"] > 1
    }


def test_strategies_are_saved_beside_each_other(planned: partita.Plan, tmp_path: Path) -> None:
    compared = planned.compare(zero=presets.zero3("data"), wrong={"nothing": jax.sharding.PartitionSpec("data")})
    compared.save(tmp_path / "compare.html")
    data = read(tmp_path / "compare.html")
    assert [plan["name"] for plan in data["plans"]] == ["baseline", "plan", "zero"]
    assert data["plans"][1]["figures"]["time_ps"] == planned.report.time_ps
    assert "<" not in pages.read_data((tmp_path / "compare.html").read_text())


def test_notebooks_show_the_page_in_a_frame(planned: partita.Plan) -> None:
    shown = planned._repr_html_()
    frame = shown.partition('srcdoc="')[2].partition('"')[0]
    assert html.unescape(frame) == planned.report.page
    assert planned.compare()._repr_html_().count("<iframe") == 1


def test_what_cannot_be_saved_is_said(planned: partita.Plan, tmp_path: Path) -> None:
    with pytest.raises(partita.FileError, match="cannot write the page"):
        planned.report.save(tmp_path / "missing" / "plan.html")
    with pytest.raises(partita.UsageError, match="no page"):
        Report({}, {}, {}).save(tmp_path / "plan.html")


def test_pages_of_many_strategies_are_limited(planned: partita.Plan) -> None:
    page = planned.report.page
    assert page is not None
    joined = pages.join({f"plan {number}": page for number in range(200)})
    assert len(joined.encode()) <= pages.MOST_BYTES
    plans = json.loads(pages.read_data(joined))["plans"]
    (remark,) = plans[0]["remarks"]
    assert remark.startswith("left out, to keep this page small: ")
    assert len(plans) == 200 or remark.endswith(f"{200 - len(plans)} more plans")
    assert pages.join({"a": page, "b": page}).count('"timeline":') == 2
