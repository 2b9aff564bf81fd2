"""Whole programs: the zoo's tiny models and random programs, evaluated by us and by XLA on the CPU.

Integers and random programs must be equal. The floats of a training step are sums in another order than XLA's, and an
update divides by the root of a small number: they must agree within a part of the largest element of their tensor.
"""

from __future__ import annotations

import os
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import xla_runner
from partita_eval import REPOSITORY, evaluate, same_bits
from random_programs import make_program

ZOO = sorted((REPOSITORY / "build" / "zoo").glob("*.tiny.mlir"))
RANDOM_PROGRAMS = int(os.environ.get("N", "60"))
RELATIVE = 2e-5
"""Allowed distance, relative to the tensor's largest element; the largest that is seen is 6e-6."""
RELATIVE_BF16 = 2.0**-10
"""Where numbers of 8 significant bits take part. Products are summed in f32 here and there, so what differs is how sums
that lie between two of these numbers are rounded, 2^-8 apart, in some elements of what results are sums of: seen is
1.8e-4. A sum in bf16, or one rounding too many, would show in every element, as 2^-9 or more."""
RELATIVE_OF = {"gns.tiny": 1e-4}
"""Normalised sums over edges of which some have almost no variance: 3.3e-5 is seen in one gradient."""


def distance(ours: np.ndarray, judged: np.ndarray) -> float:
    """The largest difference over the largest element; infinite where one is not finite and the other is."""
    mine, theirs = ours.astype(np.float64), judged.astype(np.float64)
    if not np.array_equal(np.isfinite(mine), np.isfinite(theirs)):
        return float("inf")
    finite = np.isfinite(theirs)
    scale = np.abs(theirs[finite]).max(initial=0.0)
    return float(np.abs(mine[finite] - theirs[finite]).max(initial=0.0) / max(scale, 1e-30))


def is_float(dtype: np.dtype) -> bool:
    return dtype.kind == "f" or dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize("program", ZOO, ids=lambda path: path.stem)
def test_zoo(program: Path) -> None:
    text = program.read_text()
    inputs = xla_runner.make_inputs(text)
    judged = xla_runner.run_cached(text, inputs)
    ours = evaluate(text, inputs)
    assert len(ours) == len(judged)
    allowed = RELATIVE_OF.get(program.stem, RELATIVE_BF16 if "bf16" in text else RELATIVE)
    for number, (mine, theirs) in enumerate(zip(ours, judged, strict=True)):
        if is_float(theirs.dtype):
            typed = np.ascontiguousarray(mine).view(theirs.dtype).reshape(theirs.shape)
            assert distance(typed, theirs) <= allowed, f"result {number}, {theirs.dtype}{theirs.shape}"
        else:
            assert same_bits(mine, theirs), f"result {number}, {theirs.dtype}{theirs.shape}"


def test_there_is_a_zoo() -> None:
    assert len(ZOO) >= 30, "run `make zoo` first"


@pytest.mark.parametrize("seed", range(RANDOM_PROGRAMS))
def test_random(seed: int) -> None:
    text, inputs = make_program(np.random.default_rng(seed))
    judged = xla_runner.run_cached(text, inputs)
    for number, (mine, theirs) in enumerate(zip(evaluate(text, inputs), judged, strict=True)):
        # A remainder of a negative number may be -0; XLA folds some of these away.
        assert np.array_equal(mine, theirs), f"result {number} of\n{text}"
