"""`--devices N` against meshes that somebody writes: `bench/meshes.py` at full size, this on a tiny program."""

from __future__ import annotations

import json
import math
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARTITA = ROOT / "build" / "bin" / "partita"
DONE, USAGE = 0, 2


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


def call(*options: str | Path) -> subprocess.CompletedProcess[str]:
    program = ROOT / "build" / "zoo" / "llama_scan_remat.tiny.mlir"
    return subprocess.run([PARTITA, "plan", program, "--no-check", *options], capture_output=True, text=True)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--devices", "0"), "--devices expects a whole number from 1 to 1048576, not '0'"),
        (("--devices", "12"), "mesh data=12 has 12 devices, but machine h100-sxm:2x4 has 8"),
        (("--devices", "16", "--mesh", "data=8"), "--devices is 16, but mesh data=8 has 8 devices"),
        (("--devices", "8", "--placement", "data=node+nvlink"), "--placement needs a mesh"),
        (("--devices", "8", "--search", "none"), "a schedule without automatic tactics needs a mesh"),
        (("--devices", "1"), "there is no mesh"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_a_number_of_devices_does_not_go_with(options: tuple[str, ...], words: str) -> None:
    done = call("--machine", "h100-sxm:2x4", *options)
    assert done.returncode == USAGE and words in done.stderr, done.stderr


def test_schedules_and_baselines_that_name_axes_need_a_mesh(tmp_path: Path) -> None:
    machine = ("--machine", "h100-sxm:2x4", "--memory-limit", "1.2MB", "--budget", "60")
    schedule, rest = tmp_path / "schedule.json", {"name": "rest", "auto": {"goals": ["fit", "time"]}}
    for tactics, axis in (
        ([{"axis": "model", "tile": [[".*", 0]]}, rest], "model"),
        ([rest | {"axes": ["data", "expert"]}], "expert"),
    ):
        schedule.write_text(json.dumps({"tactics": tactics}))
        done = call(*machine, "--devices", "8", "--schedule", schedule)
        assert done.returncode == USAGE and f"names the axis '{axis}' needs a mesh" in done.stderr, done.stderr
    # The axis with which the search begins is known, also a part of it.
    schedule.write_text(json.dumps({"tactics": [{"axis": "data:(1)2", "tile": [["batch/.*", 0]]}, rest]}))
    done = call(*machine, "--devices", "8", "--schedule", schedule, "-o", tmp_path / "out")
    assert done.returncode == DONE, done.stderr
    assert json.loads((tmp_path / "out" / "plan.json").read_text())["mesh"].startswith("data=")
    done = call(*machine, "--devices", "8", "--baseline", schedule)
    assert done.returncode == USAGE and "--baseline needs a mesh" in done.stderr, done.stderr


@pytest.mark.parametrize("machine", ["h100-sxm:1x1", "h100-sxm:1x7", "h100-sxm:2x3", "h100-sxm:3x1", "tpu-v5e:2*2x2"])
def test_any_number_of_devices_has_a_mesh(machine: str, tmp_path: Path) -> None:
    """One, primes, and numbers that the program's sizes do not have."""
    devices = math.prod(map(int, re.findall(r"\d+", machine.partition(":")[2])))
    done = call("--machine", machine, "--devices", str(devices), "--budget", "40", "-o", tmp_path)
    assert done.returncode == DONE, done.stderr
    sizes = [int(axis.split("=")[1]) for axis in json.loads((tmp_path / "plan.json").read_text())["mesh"].split(",")]
    assert math.prod(sizes) == devices and (devices == 1 or min(sizes) > 1)
