"""XLA as second judge: random local programs, compiled for as many virtual devices as they have, give what the original
gives on one; so do the annotated programs, which Shardy partitions.

PARTITA_FUZZ_SEED and PARTITA_FUZZ_XLA choose other cases, and more of them.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import xla_runner

BIN = Path(os.environ.get("PARTITA_BIN_DIR", Path(__file__).resolve().parents[2] / "build" / "bin"))
COUNT = int(os.environ.get("PARTITA_FUZZ_XLA", "24"))
SEED = int(os.environ.get("PARTITA_FUZZ_SEED", "1"))


def small_integers(text: str, seed: int) -> list[np.ndarray]:
    """Exact in every order of summation, and good indices."""
    random = np.random.default_rng(seed)
    return [
        random.integers(*((0, 2) if dtype == np.bool_ else (0 if dtype.kind == "u" else -3, 5)), shape).astype(dtype)
        for shape, dtype in xla_runner.input_types(text)
    ]


def with_indices_in_range(inputs: list[np.ndarray]) -> list[np.ndarray]:
    """XLA's own partitioner drops an update that is out of range along a dim that it splits, where the specification
    moves it into range: so annotated programs get zeros for what can be an index. Local ones get any number.
    """
    return [np.zeros_like(array) if array.ndim == 0 and array.dtype.kind in "iu" else array for array in inputs]


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("fuzz")
    subprocess.run(
        [BIN / "partita", "fuzz", "--emit", str(COUNT), "--seed", str(SEED), "--folder", str(folder)], check=True
    )
    return sorted(folder.iterdir())


def test_local_programs_equal_the_originals(cases: list[Path]) -> None:
    wrong, refused = [], []
    for case in cases:
        note = json.loads((case / "case.json").read_text())
        devices = int(np.prod([int(axis.split("=")[1]) for axis in note["mesh"].split(",")]))
        program, local, annotated = ((case / f"{form}.mlir").read_text() for form in ("program", "local", "annotated"))
        inputs = small_integers(program, note["seed"])
        try:
            in_range = with_indices_in_range(inputs)
            got = [
                (form, xla_runner.run(program, given), xla_runner.run_partitioned(text, given, devices))
                for form, text, given in (("local", local, inputs), ("annotated", annotated, in_range))
            ]
        except xla_runner.RejectedError as error:
            refused.append(f"{case.name}: {str(error)[:200]}")
            continue
        for form, expected, results in got:
            for number, (a, b) in enumerate(zip(expected, results, strict=True)):
                if a.shape != b.shape or not np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"):
                    wrong.append(f"{case.name}: result {number} of the {form} program")
    assert len(cases) == COUNT
    assert not wrong
    assert len(refused) <= COUNT // 8, refused
