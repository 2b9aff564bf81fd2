"""`partita score` says of a plan what is found in the local program that lowering emits for it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

import recount
from models import exported
from models.registry import ZOO

ROOT = Path(__file__).resolve().parents[2]
PARTITA = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin")) / "partita"
AXES = {"data": 2, "model": 4}
MESH = ",".join(f"{name}={size}" for name, size in AXES.items())
MACHINE = "h100-sxm:1x8"
WINDOW, LATE = 2, 8
"""The issue window and the late window of that machine (docs/machines.md)."""

CASES = [(model.name, model.layout, strategy) for model in ZOO.values() for strategy in model.strategies]


def digits_of(axis: str) -> list[int]:
    """Device numbers that differ from 0 along the axis alone; `model:(1)2` is the major 2 of it."""
    name, _, part = axis.partition(":")
    names = list(AXES)
    stride = 1
    for later in names[names.index(name) + 1 :]:
        stride *= AXES[later]
    size = AXES[name]
    if part:
        before, size_text = part.removeprefix("(").split(")")
        stride *= size // (int(before) * int(size_text))
        size = int(size_text)
    return [stride * position for position in range(size)]


def group_of(entry: dict[str, Any]) -> recount.Group:
    if entry["kind"] == "collective_permute":
        return ()
    devices = [0]
    for axis in entry["axes"]:
        devices = [device + digit for device in devices for digit in digits_of(axis)]
    return tuple(sorted(devices))


def run(*arguments: str | Path) -> str:
    done = subprocess.run([PARTITA, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("model", "layout", "strategy"), CASES)
def test_collectives_are_those_of_the_local_program(model: str, layout: str, strategy: str, tmp_path: Path) -> None:
    program = exported.find(f"{model}.tiny")
    schedule = ROOT / "models" / "schedules" / f"{layout}.{strategy}.json"
    run("plan", program, "--mesh", MESH, "--schedule", schedule, "--machine", MACHINE, "-o", tmp_path / "out")
    reported = json.loads((tmp_path / "out" / "report.json").read_text())
    expected: dict[tuple[str, recount.Group], tuple[int, int]] = {}
    for entry in reported["collectives"]:
        key = entry["kind"], group_of(entry)
        count, moved = expected.get(key, (0, 0))
        expected[key] = (count + entry["count"], moved + entry["bytes"])
    found = recount.count_collectives((tmp_path / "out" / "local.mlir").read_text())
    assert {key: (moved.count, moved.bytes) for key, moved in found.items()} == expected
