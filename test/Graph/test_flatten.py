"""The flat program of every zoo program reads back equal, and little of it is at ops that nothing can split."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import split_coverage  # noqa: E402

PARTITA = ROOT / "build" / "bin" / "partita"
PROGRAMS = sorted((ROOT / "build" / "zoo").glob("*.tiny.mlir"))


def flatten(program: Path) -> str:
    command = [PARTITA, "plan", program, "--stop-after=flatten"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_there_are_programs() -> None:
    assert len(PROGRAMS) >= 30


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_graph(program: Path) -> None:
    text = flatten(program)
    again = subprocess.run([PARTITA, "graph", "-"], input=text, check=True, capture_output=True, text=True).stdout
    assert again == text
    coverage = split_coverage.measure(json.loads(text))
    assert coverage.flops_whole <= 0.01, coverage
    assert coverage.bytes_whole <= 0.05, coverage
