"""Plans, runs and compares one model; prints a JSON object. `python -m models.others.one NAME STRATEGY`

Strategies: `preset` is data parallelism and ZeRO-3 over the first axis with tensor parallelism over the second; `auto`
is searched for, with the memory limited to 40% of what the whole program needs on one device.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from typing import Any

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("PJRT_NPROC", "32")
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=8"

import jax

import partita
from models.compare import BOUND, Compared, run_both
from models.others import hugging_face, libraries
from models.others.row import ROWS, Built
from partita import presets

MESH = {"data": 2, "model": 4}
MACHINE = "cpu-host:1x8"
FAST = {"xla_backend_optimization_level": 0}
STEPS = 3
LIMIT = 0.4
LEAST_SPLIT = 0.8
MOST_UNSTABLE = 0.15
assert hugging_face.BATCH == libraries.BATCH


def make_plan(built: Built, strategy: str) -> partita.Plan:
    options: dict[str, Any] = {"mesh": MESH, "machine": MACHINE}
    if strategy == "preset":
        schedule = [presets.data_parallel("data"), presets.megatron("model"), presets.zero3("data")]
        return partita.plan(built.step, built.state, built.batch, schedule=schedule, **options)
    whole = partita.plan(built.step, built.state, built.batch, schedule=[], **options).report.peak_bytes
    assert whole is not None
    return partita.plan(built.step, built.state, built.batch, memory_limit=int(LIMIT * whole), **options)


def judge(plan: partita.Plan, compared: Compared) -> str:
    """Empty if the row passes, or why it does not."""
    if not compared.worst <= BOUND:
        return f"{compared.where} differs by {compared.worst:.1e}"
    if len(compared.unstable) > MOST_UNSTABLE * compared.leaves:
        return f"{len(compared.unstable)} of {compared.leaves} results have no digits to compare"
    if plan.report.fits is False:
        return "does not fit"
    split = plan.report.figures.get("split_flops") or {}
    low = [axis for axis, fraction in split.items() if 0 < fraction < LEAST_SPLIT]
    return f"{split[low[0]]:.0%} of the FLOPs are split over {low[0]}" if low else ""


def run(name: str, strategy: str) -> dict[str, Any]:
    built = ROWS[name].build()
    start = time.perf_counter()
    plan = make_plan(built, strategy)
    seconds = time.perf_counter() - start
    collectives = {}
    for entry in plan.report.collectives:
        collectives[entry["kind"]] = collectives.get(entry["kind"], 0) + entry["count"]
    result: dict[str, Any] = {
        "ops": max((tactic["ops"] for tactic in plan.report.tactics.get("tactics", [])), default=0),
        "parameters": sum(leaf.size for leaf in jax.tree.leaves(built.state["params"])),
        "plan_seconds": round(seconds, 2),
        "collectives": collectives,
        "split_flops": plan.report.figures.get("split_flops"),
    }
    original = jax.jit(built.step, compiler_options=FAST)
    planned = plan.jit(compiler_options=FAST)
    compared = run_both(original, planned, (built.state, built.batch), steps=STEPS, feeds_back=True)
    result |= {"worst": compared.worst, "unstable": list(compared.unstable), "leaves": compared.leaves}
    return result | {"reason": judge(plan, compared)}


def main() -> int:
    warnings.simplefilter("ignore")
    name, strategy = sys.argv[1:]
    try:
        result = run(name, strategy)
    except Exception as error:  # every failure is a row of the table
        lines = str(error).strip().splitlines() or [""]
        result = {"reason": f"{type(error).__name__}: {lines[0][:200]}"}
    print("\n" + json.dumps(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
