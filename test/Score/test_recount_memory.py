"""The peak that `partita score` reports is what a second implementation of its rules finds in the program's text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import recount_memory
from test_recount import MACHINE, MESH, ROOT, find_program, run

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
LOCAL_TOLERANCE = 0.10


def score(*arguments: str | Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("score", *arguments, "--json"))
    return found


@pytest.mark.parametrize("model", WHOLE)
def test_peak_of_a_whole_program(model: str, tmp_path: Path) -> None:
    program, schedule, normal = find_program(model), tmp_path / "none.json", tmp_path / "normal.mlir"
    schedule.write_text('{"tactics": []}')
    run("import", program, "-o", normal)
    found = score(program, "--schedule", schedule, "--mesh", "device=1", "--machine", "h100-sxm:1x1")
    assert recount_memory.count_text(normal.read_text()) == found["peak_bytes"]


@pytest.mark.parametrize(("model", "schedule"), PLANS)
def test_peak_of_a_local_program(model: str, schedule: str, tmp_path: Path) -> None:
    """To the byte of the local program; its plan differs by the buffers that reshards are made in."""
    program, out = find_program(model), tmp_path / "out"
    path = ROOT / "models" / "schedules" / f"{schedule}.json"
    run("plan", program, "--mesh", MESH, "--schedule", path, "--machine", MACHINE, "-o", out)
    local = score(program, "--local", out / "local.mlir", "--machine", MACHINE)
    assert recount_memory.count_text((out / "local.mlir").read_text()) == local["peak_bytes"]
    planned = json.loads((out / "report.json").read_text())["peak_bytes"]
    assert abs(planned / local["peak_bytes"] - 1) < LOCAL_TOLERANCE
