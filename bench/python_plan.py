"""What `partita.plan` takes beside JAX's own trace and lower of the same step: at most twice that is the goal.

python bench/python_plan.py [--search]

Steps of 8B parameters, unrolled and as a loop over layers, on the mesh data=8,model=4, by an expert's schedule, by
presets, which look into the program, and, with `--search`, searched for. Only shapes: nothing is allocated. Processor
time is that of all threads, the tool's too: on a loaded machine it says more than time on the clock. Of two runs each,
the faster one counts, JAX's too. Under each figure stands what it is made of, on the clock: JAX's trace and lower, the
tool's stages, and the rest, which is Python's.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "python")]

import jax  # noqa: E402

import partita  # noqa: E402
from models.registry import ZOO  # noqa: E402
from partita._src import engine, tracing  # noqa: E402

MESH = {"data": 8, "model": 4}
MACHINE = "h100-sxm:4x8"
GOAL = 2.0
STEPS = [("llama", "8b", "llama.BP+MP+Z3"), ("llama_scan", "8b", "llama_scan.BP+MP+Z3")]


@dataclass(frozen=True)
class Seconds:
    clock: float
    processor: float


def measure(action: Callable[[], Any]) -> Seconds:
    """Without anything cached."""
    jax.clear_caches()
    start, used = time.perf_counter(), _processor_seconds()
    action()
    return Seconds(time.perf_counter() - start, _processor_seconds() - used)


def _processor_seconds() -> float:
    """Of this process, and of those that it has started and waited for."""
    return sum(os.times()[:4])


def measure_jax(function: Any, shapes: Any) -> Seconds:
    """Trace, lower and print."""
    return measure(lambda: jax.jit(function, keep_unused=True).lower(*shapes).as_text(debug_info=True))


def measure_plan(function: Any, shapes: Any, **options: Any) -> tuple[Seconds, str]:
    """What planning takes, and a line on what it is made of."""
    parts: dict[str, float] = {}

    def timed(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any, **keywords: Any) -> Any:
            start = time.perf_counter()
            result = function(*arguments, **keywords)
            parts[name] = parts.get(name, 0.0) + time.perf_counter() - start
            return result

        return run

    def run_tool(command: Any, *arguments: Any, **keywords: Any) -> Any:
        done = run_engine([*command, "--timing"], *arguments, **keywords)
        for stage, milliseconds in re.findall(r'"stage": "(\w+)", "ms": ([0-9.]+)', done.stderr):
            parts[stage] = float(milliseconds) / 1e3
        return done

    run_engine = engine.run
    with (
        mock.patch.object(tracing, "trace", timed("trace and lower", tracing.trace)),
        mock.patch.object(engine, "run", timed("tool", run_tool)),
    ):
        seconds = measure(lambda: partita.plan(function, *shapes, mesh=MESH, platform="cpu", **options))
    top = {name: parts.pop(name) for name in ("trace and lower", "tool")}
    top["rest"] = seconds.clock - sum(top.values())
    text = ", ".join(f"{name} {value:.2f}" for name, value in top.items())
    stages = ", ".join(f"{name} {value:.2f}" for name, value in parts.items() if value >= 0.005)
    return seconds, f"{text}; in the tool: {stages}"


def main() -> int:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--search", action="store_true", help="without the schedule, too")
    options = parser.parse_args()
    slow = 0
    for name, size, schedule in STEPS:
        program = ZOO[name].program(size)
        step = program.fn, program.shapes()
        own = min((measure_jax(*step) for _ in range(2)), key=lambda seconds: seconds.clock)
        ways: dict[str, dict[str, Any]] = {"schedule": {"schedule": ROOT / "models" / "schedules" / f"{schedule}.json"}}
        ways["presets"] = {"schedule": [partita.presets.fsdp("data"), partita.presets.megatron("model")]}
        if options.search:
            ways["search"] = {"machine": MACHINE}
        for way, given in ways.items():
            seconds, parts = min((measure_plan(*step, **given) for _ in range(2)), key=lambda made: made[0].clock)
            slow += seconds.clock > GOAL * own.clock
            clock, used = seconds.clock / own.clock, seconds.processor / own.processor
            times = f"JAX {own.clock:6.2f} s  partita.plan in all {seconds.clock:6.2f} s  {clock:.2f} x"
            times += f"    processor {own.processor:6.2f} s  {seconds.processor:6.2f} s  {used:.2f} x"
            print(f"{name}.{size} {way:8} {times}\n    {parts}", flush=True)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
