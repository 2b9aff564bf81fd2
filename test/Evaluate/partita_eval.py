"""Runs `partita eval` as a user does, with arrays in and arrays out.

    evaluate(text, [x, y])                             one device; gives the list of results
    evaluate(text, [[x0, y0], [x1, y1]], devices=2)    one list of inputs, and of results, for each device

NumPy's files do not say which of ml_dtypes' types an array has: such results come back as raw bytes, and `same_bits`
compares them with an array that has the type.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

REPOSITORY = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("PARTITA_BIN_DIR", REPOSITORY / "build" / "bin"))
TIMEOUT_SECONDS = 120.0


class EvaluationError(Exception):
    """partita answered with an error: its exit code and what it said."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"exit code {code}: {message}")
        self.code = code
        self.message = message


def call(*arguments: str | Path, folder: str | Path | None = None) -> str:
    """What `partita ARGUMENTS...` prints."""
    done = subprocess.run(
        [BIN / "partita", *arguments],
        capture_output=True,
        text=True,
        errors="replace",
        timeout=TIMEOUT_SECONDS,
        check=False,
        cwd=folder,
    )
    if done.returncode != 0:
        raise EvaluationError(done.returncode, done.stderr)
    return done.stdout


def _named(inputs: Sequence[Any], devices: int) -> dict[str, np.ndarray]:
    if devices == 1:
        return {f"arg{i}": np.asarray(array) for i, array in enumerate(inputs)}
    return {f"device{d}.arg{i}": np.asarray(a) for d, arrays in enumerate(inputs) for i, a in enumerate(arrays)}


def _sorted(results: Any, prefix: str) -> list[np.ndarray]:
    count = sum(name.startswith(prefix) for name in results)
    return [results[f"{prefix}{i}"] for i in range(count)]


def evaluate(text: str, inputs: Sequence[Any], *flags: str, devices: int = 1) -> list[Any]:
    """The results of @main on `inputs`."""
    with tempfile.TemporaryDirectory(prefix="partita-eval-") as name:
        folder = Path(name)
        program, source, target = folder / "program.mlir", folder / "inputs.npz", folder / "results.npz"
        program.write_text(text)
        np.savez(source, **_named(inputs, devices))
        options = ["--inputs", source, "--devices", str(devices), "-o", target, *flags]
        call("eval", program, *options, folder=folder)
        with np.load(target) as results:
            if devices == 1:
                return _sorted(results, "result")
            return [_sorted(results, f"device{d}.result") for d in range(devices)]


def same_bits(ours: np.ndarray, judged: np.ndarray) -> bool:
    """Equal shapes, element sizes and bits; `ours` may be raw bytes."""
    return (
        ours.shape == judged.shape
        and ours.dtype.itemsize == judged.dtype.itemsize
        and ours.tobytes() == np.ascontiguousarray(judged).tobytes()
    )
