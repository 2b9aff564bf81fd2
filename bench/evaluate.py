"""Speed of the evaluator on the tiny zoo, against XLA on one thread: `python bench/evaluate.py [--only REGEX]`.

Ours is the stage `evaluate` of `partita eval --timing`; XLA's is one execution of the compiled program, in a process
that may use a single core. Both are time of the processor, so that other work on the machine counts on neither side,
and the best of several repetitions. Goal: at most 50 times for each.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(os.environ.get("PARTITA_BIN_DIR", ROOT / "build" / "bin"))
GOAL = 50.0
REPETITIONS = 3
XLA_REPETITIONS = 10


@dataclass(frozen=True)
class Row:
    name: str
    ours_ms: float
    xla_ms: float

    @property
    def ratio(self) -> float:
        return self.ours_ms / self.xla_ms

    def __str__(self) -> str:
        verdict = "met" if self.ratio <= GOAL else "MISSED"
        return f"{self.name:28} {self.ours_ms:9.1f} ms {self.xla_ms:9.2f} ms {self.ratio:7.1f} x  {verdict}"


def stay_on_one_core() -> None:
    """Before XLA starts its threads."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def time_ours(program: Path, inputs: Path, results: Path) -> float:
    """Milliseconds of the processor that the stage `evaluate` took."""
    command: list[str | Path] = [BIN / "partita", "eval", program, "--inputs", inputs, "-o", results, "--timing"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    records = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("{")]
    return next(float(record["cpu_ms"]) for record in records if record.get("stage") == "evaluate")


def measure(program: Path) -> Row:
    # Imported here: XLA's threads must be born on the one core.
    sys.path.insert(0, str(ROOT / "test"))
    import jax
    import numpy as np

    import xla_runner

    jax.config.update("jax_enable_x64", True)
    text = program.read_text()
    arrays = xla_runner.make_inputs(text)
    executable = xla_runner.compile_text(text, 1, ())
    device = jax.local_devices()[0]

    def execute() -> float:
        # Donated arguments are gone after each execution.
        arguments = [jax.device_put(array, device) for array in arrays]
        jax.block_until_ready(arguments)
        start = time.process_time()
        jax.block_until_ready(executable.execute(arguments))
        return (time.process_time() - start) * 1e3

    execute()
    xla_ms = min(execute() for _ in range(XLA_REPETITIONS))
    with tempfile.TemporaryDirectory(prefix="partita-bench-") as folder:
        inputs = Path(folder) / "inputs.npz"
        np.savez(inputs, **{f"arg{i}": array for i, array in enumerate(arrays)})
        ours_ms = min(time_ours(program, inputs, Path(folder) / "results.npz") for _ in range(REPETITIONS))
    return Row(program.stem.removesuffix(".tiny"), ours_ms, xla_ms)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="programs whose name this expression matches")
    parser.add_argument("--strict", action="store_true", help="exit with 1 if a goal is missed")
    options = parser.parse_args()
    programs = [
        path for path in sorted((ROOT / "build" / "zoo").glob("*.tiny.mlir")) if re.search(options.only, path.stem)
    ]
    if not programs:
        print("no program in build/zoo: run `make zoo` first")
        return 1
    stay_on_one_core()
    print(f"{'program':28} {'evaluator':>12} {'XLA':>12} {'ratio':>9}  (goal: at most {GOAL:.0f} x)")
    rows = []
    for program in programs:
        rows.append(measure(program))
        print(rows[-1], flush=True)
    worst = max(rows, key=lambda row: row.ratio)
    met = sum(row.ratio <= GOAL for row in rows)
    print(f"worst: {worst.name}, {worst.ratio:.1f} x; {met} of {len(rows)} meet the goal")
    return 1 if options.strict and worst.ratio > GOAL else 0


if __name__ == "__main__":
    sys.exit(main())
