"""`--devices N` against meshes that somebody writes: `bench/meshes.py` at full size, this on a tiny program."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PARTITA = ROOT / "build" / "bin" / "partita"
DONE = 0


def plan(folder: Path, *options: str) -> dict[str, Any]:
    program = ROOT / "build" / "zoo" / "llama_scan_remat.tiny.mlir"
    command = [PARTITA, "plan", program, "--machine", "h100-sxm:2x4", "--memory-limit", "1.2MB", "--no-check"]
    done = subprocess.run([*command, *options, "-o", folder], capture_output=True, text=True)
    assert done.returncode == DONE, done.stderr
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return report


def test_no_mesh_of_two_axes_is_faster(tmp_path: Path) -> None:
    budget = "600"
    found = plan(tmp_path / "found", "--devices", "8", "--budget", budget)
    mesh = json.loads((tmp_path / "found" / "plan.json").read_text())["mesh"]
    tried = found["search"]["meshes"]
    assert tried[0]["mesh"] == mesh and len(tried) > 2
    for each in ("data=8", "data=2,model=4", "data=4,model=2"):
        assert found["time_ps"] <= plan(tmp_path / each, "--mesh", each, "--budget", budget)["time_ps"], each
