"""A transformer's training step, partitioned tactic by tactic and executed: `make demo`.

Data parallelism (BP), then tensor parallelism as Megatron does it (MP), then parameters and optimizer state in pieces
(Z3), on 8 devices. After each tactic: what it split, and the collectives so far. Then both programs are run, by
Partita's evaluator on 8 virtual devices, and by XLA, through jaxlib, on 8 virtual CPUs, and compared.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from sources import BUILD, ROOT

sys.path[:0] = [str(ROOT), str(ROOT / "test")]

from models import exported  # noqa: E402

PARTITA = BUILD / "bin" / "partita"
PROGRAM = exported.ZOO / "llama.tiny.mlir"
SCHEDULE = ROOT / "models" / "schedules" / "llama.BP+MP+Z3.json"
MESH = "data=4,model=2"
OUT = BUILD / "demo"
TOLERANCE = 1e-3


def say(text: str) -> None:
    print(f"\n== {text}\n", flush=True)


def run(*arguments: str | Path) -> str:
    done = subprocess.run([PARTITA, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def run_in_xla() -> float:
    """The largest difference of a result to the original's, in parts of the largest number in it."""
    import numpy as np

    import xla_local
    import xla_runner

    inputs = xla_runner.make_inputs(PROGRAM.read_text())
    whole = xla_runner.run(PROGRAM.read_text(), inputs)
    local = xla_local.run_local((OUT / "local.mlir").read_text(), inputs, [np.shape(array) for array in whole])
    worst = 0.0
    for ours, theirs in zip(local, whole, strict=True):
        wide = theirs.astype(np.float64)
        scale = max(float(np.max(np.abs(wide), initial=0.0)), 1e-30)
        worst = max(worst, float(np.max(np.abs(ours.astype(np.float64) - wide), initial=0.0)) / scale)
    return worst


def main() -> int:
    start = time.perf_counter()
    exported.find("llama.tiny")
    lines = PROGRAM.read_text().count("\n")
    say(f"A training step of a small llama, forward, backward and Adam, as JAX lowers it: {lines:,} lines of StableHLO")
    print(f"{PROGRAM.relative_to(ROOT)} on the mesh {MESH}, 8 devices, by the tactics of {SCHEDULE.relative_to(ROOT)}:")
    print(SCHEDULE.read_text())
    say("What each tactic does, and the collectives so far")
    flags: list[str | Path] = [PROGRAM, "--mesh", MESH, "--schedule", SCHEDULE]
    print(run("plan", *flags, "-o", OUT), end="")
    checked = json.loads((OUT / "report.json").read_text())["checked"]["relation"]
    files = ", ".join(sorted(path.name for path in OUT.iterdir()))
    say(f"The plan is in {OUT.relative_to(ROOT)}: {files}")
    print(f"the static check says that the local program is the original in pieces: {'yes' if checked else 'no'}")
    say("Executed on 8 virtual devices by Partita's evaluator: ring arithmetic to the bit, then floats")
    print(run("verify", PROGRAM, "--local", OUT / "local.mlir"), end="")
    say("Executed by XLA: the original on one CPU device, the local program on 8")
    worst = run_in_xla()
    print(f"the largest difference of a result is {worst:.1e} of its largest number")
    print(f"\ndone in {time.perf_counter() - start:.0f} s")
    return 0 if checked and worst <= TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
