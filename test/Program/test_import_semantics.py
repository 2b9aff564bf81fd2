"""Import keeps the meaning: XLA gives bit-equal results for a program and for its normal form."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import xla_runner

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "Judge"))
import corpus  # noqa: E402

PARTITA = ROOT / "build" / "bin" / "partita"
LEAST_COMPARED = 100
"""Fewer lowered programs than this, and the test says little."""
CHANGED = re.compile(r"\bcall @|chlo\.mulhi|stablehlo\.composite|get_tuple_element|sdy\.|mhlo\.sharding")

UNSAFE = re.compile(
    r"custom_call|manual_computation|stablehlo\.(?:all_|collective|reduce_scatter|partition_id|replica_id|send|recv|async)"
    r"|token|infeed|outfeed"
)
"""Host callbacks hold addresses of the process that lowered them, and collectives wait for other devices."""


def import_text(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PARTITA, "import", "-"], input=text, capture_output=True, text=True, check=False)


def compare(text: str) -> None:
    """Runs both; raises RejectedError where XLA cannot."""
    imported = import_text(text)
    assert imported.returncode == 0, imported.stderr
    inputs = xla_runner.make_inputs(text)
    expected = xla_runner.run(text, inputs)
    actual = xla_runner.run(imported.stdout, inputs)
    assert len(actual) == len(expected)
    for number, (ours, theirs) in enumerate(zip(actual, expected, strict=True)):
        assert xla_runner.identical(ours, theirs), f"result {number} differs"
    again = import_text(imported.stdout)
    assert again.stdout == imported.stdout, "import of the normal form changes it"


@pytest.mark.parametrize("program", sorted((ROOT / "build" / "zoo").glob("*.tiny.mlir")), ids=lambda p: p.stem)
def test_zoo(program: Path) -> None:
    compare(program.read_text())


def test_lowered() -> None:
    """Of the lowered programs, those that import has something to do on and that XLA can run."""
    compared, skipped = 0, 0
    for source in corpus.lowered():
        if not CHANGED.search(source.text) or UNSAFE.search(source.text) or import_text(source.text).returncode == 69:
            continue
        try:
            compare(source.text)
            compared += 1
        except xla_runner.RejectedError:
            skipped += 1
    print(f"import: {compared} lowered programs bit-equal under XLA, {skipped} that XLA on CPU cannot run")
    assert compared >= LEAST_COMPARED
