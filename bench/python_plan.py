"""What `partita.plan` takes beside JAX's own trace and lower of the same step: at most twice that is the goal.

python bench/python_plan.py [--search]

Steps of 8B parameters, unrolled and as a loop over layers, on the mesh data=8,model=4, by an expert's schedule and,
with `--search`, searched for. Only shapes: nothing is allocated.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]

import jax  # noqa: E402

import partita  # noqa: E402
from models.registry import ZOO  # noqa: E402

MESH = {"data": 8, "model": 4}
MACHINE = "h100-sxm:4x8"
GOAL = 2.0
STEPS = [("llama", "8b", "llama.BP+MP+Z3"), ("llama_scan", "8b", "llama_scan.BP+MP+Z3")]


def measure_jax(program: Any) -> float:
    """Trace, lower and print, without anything cached."""
    jax.clear_caches()
    start = time.perf_counter()
    jax.jit(program.fn, keep_unused=True).lower(*program.shapes()).as_text(debug_info=True)
    return time.perf_counter() - start


def measure_plan(program: Any, **options: Any) -> float:
    jax.clear_caches()
    start = time.perf_counter()
    partita.plan(program.fn, *program.shapes(), mesh=MESH, platform="cpu", **options)
    return time.perf_counter() - start


def main() -> int:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--search", action="store_true", help="without the schedule, too")
    options = parser.parse_args()
    slow = 0
    for name, size, schedule in STEPS:
        program = ZOO[name].program(size)
        own = min(measure_jax(program) for _ in range(2))
        ways: dict[str, dict[str, Any]] = {"schedule": {"schedule": ROOT / "models" / "schedules" / f"{schedule}.json"}}
        if options.search:
            ways["search"] = {"machine": MACHINE}
        for way, given in ways.items():
            seconds = measure_plan(program, **given)
            slow += seconds > GOAL * own
            times = f"JAX {own:6.2f} s  partita.plan in all {seconds:6.2f} s  ratio {seconds / own:.2f}"
            print(f"{name}.{size} {way:8} {times}", flush=True)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
