"""Import keeps the meaning: XLA gives bit-equal results for a program and for its normal form."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import xla_runner

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "Conformance"))
import corpus  # noqa: E402

PARTITA = ROOT / "build" / "bin" / "partita"
UNSUPPORTED = 69
PARTS, LEAST_COMPARED = 10, 10
"""Fewer lowered programs than this in each part, and the test says little."""
AS_USERS = {"xla_backend_optimization_level": 3, "xla_cpu_use_fusion_emitters": True}
"""How XLA compiles if it is not told to be quick."""
CHANGED = re.compile(r"\bcall @|stablehlo\.composite|get_tuple_element|sdy\.|mhlo\.sharding")

UNSAFE = re.compile(
    r"custom_call|manual_computation|stablehlo\.(?:all_|collective|reduce_scatter|partition_id|replica_id|send|recv|async)"
    r"|token|infeed|outfeed"
)
"""Host callbacks hold addresses of the process that lowered them, and collectives wait for other devices."""


def import_text(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PARTITA, "import", "-"], input=text, capture_output=True, text=True, check=False)


def find_differences(text: str, imported: str, **options: Any) -> list[int]:
    """The numbers of the results that are not bit-equal."""
    inputs = xla_runner.make_inputs(text)
    expected = xla_runner.run(text, inputs, **options)
    actual = xla_runner.run(imported, inputs, **options)
    assert len(actual) == len(expected)
    pairs = zip(actual, expected, strict=True)
    return [number for number, (ours, theirs) in enumerate(pairs) if not xla_runner.identical(ours, theirs)]


def compare(text: str, imported: subprocess.CompletedProcess[str]) -> None:
    """Runs both; raises RejectedError where XLA cannot. In what order XLA adds follows from how it fuses: if quickly
    compiled programs differ, those that are compiled as for users must not."""
    assert imported.returncode == 0, imported.stderr
    if find_differences(text, imported.stdout):
        assert find_differences(text, imported.stdout, **AS_USERS) == [], "these results differ"
    again = import_text(imported.stdout)
    assert again.stdout == imported.stdout, "import of the normal form changes it"


@pytest.mark.parametrize("program", sorted((ROOT / "build" / "zoo").glob("*.tiny.mlir")), ids=lambda p: p.stem)
def test_zoo(program: Path) -> None:
    text = program.read_text()
    compare(text, import_text(text))


@pytest.mark.parametrize("part", range(PARTS))
def test_lowered(part: int) -> None:
    """Of the lowered programs, those that import has something to do on and that XLA can run."""
    compared, skipped = 0, 0
    for source in corpus.lowered()[part::PARTS]:
        if not CHANGED.search(source.text) or UNSAFE.search(source.text):
            continue
        imported = import_text(source.text)
        if imported.returncode == UNSUPPORTED:
            continue
        try:
            compare(source.text, imported)
            compared += 1
        except xla_runner.RejectedError:
            skipped += 1
    print(f"import: {compared} lowered programs bit-equal under XLA, {skipped} that XLA on CPU cannot run")
    assert compared >= LEAST_COMPARED
