"""The peak that `partita score` reports is what a second implementation of its rules finds in the program's text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import pipeline_programs
import recount_memory
import recount_plan
from models import exported
from test_recount import LATE, MACHINE, MESH, ROOT, WINDOW, run

WHOLE = ("decode_sample", "gns_scan", "gpt_fused", "gpt_scan", "llama_remat", "llama_scan_accum", "rnn_lstm", "unet")
PLANS = [
    ("llama", "llama.BP+MP"),
    ("llama", "llama.BP+MP+Z3"),
    ("llama_scan", "llama_scan.BP+MP+Z3"),
    ("llama_scan_remat", "llama_scan.BP+MP+SEQ"),
    ("gpt_scan_remat", "gpt_scan.BP+MP+VOCAB"),
    ("gns", "gns.ES+Z2"),
    ("decode_scan", "decode_scan.BP+MP"),
]


def score(*arguments: str | Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("score", *arguments, "--json"))
    return found


@pytest.mark.parametrize("model", WHOLE)
def test_peak_of_a_whole_program(model: str, tmp_path: Path) -> None:
    program, schedule, normal = exported.find(f"{model}.tiny"), tmp_path / "none.json", tmp_path / "normal.mlir"
    schedule.write_text('{"tactics": []}')
    run("plan", program, "--schedule", schedule, "--stop-after=accumulate", "-o", normal)
    found = score(program, "--schedule", schedule, "--mesh", "device=1", "--machine", "h100-sxm:1x1")
    assert recount_memory.count_text(normal.read_text(), LATE) == found["peak_bytes"]


@pytest.mark.parametrize(("model", "schedule"), PLANS)
def test_peak_of_a_plan(model: str, schedule: str, tmp_path: Path) -> None:
    """The plan's own peak, and that of the local program priced by itself; `make check-peaks` does all of the zoo."""
    program, out, normal = exported.find(f"{model}.tiny"), tmp_path / "out", tmp_path / "normal.mlir"
    path = ROOT / "models" / "schedules" / f"{schedule}.json"
    run("plan", program, "--mesh", MESH, "--schedule", path, "--machine", MACHINE, "-o", out)
    run("plan", program, "--schedule", path, "--stop-after=accumulate", "-o", normal)
    text = (out / "local.mlir").read_text()
    planned = json.loads((out / "report.json").read_text())["peak_bytes"]
    assert recount_plan.count_plan(normal.read_text(), text, WINDOW, LATE) == planned
    local = score(program, "--local", out / "local.mlir", "--machine", MACHINE)
    assert recount_memory.count_text(text, LATE) == local["peak_bytes"]


@pytest.mark.parametrize("options", [{}, {"repeats": 2}, {"repeats": 2, "store": True}])
@pytest.mark.parametrize("others", [[], [{"preset": "fsdp", "axis": "data"}]])
def test_peak_of_a_pipeline(options: dict[str, Any], others: list[Any], tmp_path: Path) -> None:
    """Stacks, stashes and activations of a stage; in circular pipelines also the stacks in another order."""
    program, out, normal = tmp_path / "program.mlir", tmp_path / "out", tmp_path / "normal.mlir"
    program.write_text(pipeline_programs.build("remat", 4, 16))
    schedule = tmp_path / "schedule.json"
    stages = {"name": "PP", "axis": "pipe", "pipeline": [], "microbatches": 4, **options}
    schedule.write_text(json.dumps({"tactics": [stages, *others]}))
    mesh = "data=4,pipe=2"
    run("plan", program, "--mesh", mesh, "--schedule", schedule, "--machine", MACHINE, "-o", out)
    stop = ["--stop-after=accumulate", "--locations"]
    run("plan", program, "--mesh", mesh, "--schedule", schedule, *stop, "-o", normal)
    planned = json.loads((out / "report.json").read_text())["peak_bytes"]
    assert recount_plan.count_plan(normal.read_text(), (out / "local.mlir").read_text(), WINDOW, LATE) == planned
