"""One row, in a process of its own: `python -m models.others.row MODULE NAME [--strategy preset|auto] > row.json`.

A row passes a strategy if the program is planned, at least 80% of the work of its dots and convolutions is split over
each axis of the mesh, the local program verifies, the plan's rules give its border back, and running it through XLA on
8 virtual CPU devices gives what one device gives, leaf by leaf (models/others/compare.py).
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("PJRT_NPROC", "32")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
if "xla_force_host_platform_device_count" not in os.environ.get("XLA_FLAGS", ""):
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=8".strip()

import jax
import numpy as np

import partita
from models.others import registry, widen
from models.others.case import MESH, Case
from models.others.compare import Comparison, compare
from models.others.small_search import BUDGET, MACHINE, MEMORY_SHARE
from partita._src.binary import find_binary

LEAST_SPLIT = 0.8
SEEDS = 3
FAST = {"xla_backend_optimization_level": 0}


class RowFailure(Exception):  # noqa: N818
    """The row does not pass; the text says why."""


def _to_host(tree: Any) -> Any:
    """Arrays as numpy arrays of their own, so that a donated argument is not the one the next run needs."""
    return jax.tree.map(lambda leaf: jax.random.clone(leaf) if _is_key(leaf) else np.array(leaf), tree)


def _is_key(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _widen(tree: Any) -> Any:
    """f64 for f32 and bf16; other arrays keep their types, also where 64 bits are the default."""

    def wide(leaf: Any) -> Any:
        array = leaf if _is_key(leaf) else np.asarray(leaf, jax.dtypes.canonicalize_dtype(np.asarray(leaf).dtype))
        return array.astype(np.float64) if _is_narrow(array.dtype) else array

    return jax.tree.map(wide, tree)


def _leaves(tree: Any) -> list[np.ndarray]:
    return [np.asarray(jax.random.key_data(leaf) if _is_key(leaf) else leaf) for leaf in jax.tree.leaves(tree)]


def run_steps(case: Case, function: Callable[..., Any]) -> list[np.ndarray]:
    """The flat result of the last step."""
    arguments = _to_host(case.make_arguments())
    result: Any = None
    for _ in range(case.steps):
        result = function(*arguments)
        arguments = (result[0], *arguments[1:]) if case.training else arguments
    return _leaves(result)


class Reference:
    """One device's results, in f32 and, when asked for, in f64."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.expected = run_steps(case, jax.jit(case.function, compiler_options=FAST))
        self._wide: Sequence[np.ndarray] | None = None

    def in_f64(self) -> Sequence[np.ndarray]:
        if self._wide is None:
            text = jax.jit(self.case.function, keep_unused=True).lower(*self.case.arguments).as_text()
            state = len(jax.tree.leaves(self.case.arguments[0])) if self.case.training else 0
            self._wide = widen.run_steps(widen.widen(text), _leaves(self.case.arguments), state, self.case.steps)
        return self._wide

    def compare(self, plan: partita.Plan) -> Comparison:
        """What one device gives beside what the plan gives."""
        planned = run_steps(self.case, plan.jit(compiler_options=FAST))

        def both() -> tuple[Sequence[np.ndarray], Sequence[np.ndarray]] | None:
            try:
                return run_planned_f64(self.case, plan), self.in_f64()
            except Exception as error:  # Whatever stops it, the row is decided in f32.
                print(f"no f64 run: {str(error)[:300]}", file=sys.stderr)
                return None

        return compare(plan.result_names, planned, self.expected, both)


def run_planned_f64(case: Case, plan: partita.Plan) -> list[np.ndarray]:
    """The local program, collectives and all, with f64 wherever f32 or bf16 stood."""
    outcome, program = plan._outcome, plan._outcome.program
    avals = {side: tuple(_widen_aval(aval) for aval in getattr(program, side)) for side in ("in_avals", "out_avals")}
    wide_outcome = outcome.with_files({"local.mlir": widen.widen(plan.local_text())})
    wide_case = dataclasses.replace(case, arguments=_widen(_to_host(case.arguments)), make_again=None)
    with jax.enable_x64(True):
        wide = partita.Plan(dataclasses.replace(wide_outcome, program=dataclasses.replace(program, **avals)))
        return run_steps(wide_case, wide.jit(compiler_options=FAST))


def _widen_aval(aval: Any) -> Any:
    return aval.update(dtype=np.dtype(np.float64)) if _is_narrow(aval.dtype) else aval


def _is_narrow(dtype: Any) -> bool:
    return dtype in (np.float32, widen.BFLOAT16)


def split_work(plan: partita.Plan, text: str) -> tuple[dict[str, float], int]:
    """For each axis that splits anything, its share of the FLOPs of dots and convolutions; the number of ops."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "program.mlir").write_text(text, encoding="utf-8")
        (folder / "plan.json").write_text(json.dumps(plan.to_json()), encoding="utf-8")
        # What is planned: a search may have rewritten the program, as recomputation does.
        (folder / "planned.mlir").write_text(_print_stage(folder, "program.mlir", "accumulate", "--plan=plan.json"))
        graph = _stage(folder, "planned.mlir", "flatten")
        assignment = _stage(folder, "program.mlir", "propagate", "--plan=plan.json")
    total = 0
    split: collections.Counter[str] = collections.Counter()
    for op, assigned in zip(graph["ops"], assignment["ops"], strict=True):
        if op["kind"] not in ("stablehlo.dot_general", "stablehlo.dot", "stablehlo.convolution"):
            continue
        work = op["flops"] * _trips(graph, op["region"])
        total += work
        split.update({axis: work for axis in MESH if _covers(assigned["splits"], axis)})
    used = {part.split(":")[0] for assigned in assignment["ops"] for part in assigned["splits"]}
    return {axis: split[axis] / total if total else 1.0 for axis in MESH if axis in used}, len(graph["ops"])


def _covers(splits: dict[str, str], axis: str) -> bool:
    """Whether the whole axis is used: by its name, or by parts `axis:(1)2` whose sizes make it up."""
    size = 1
    for part in splits:
        if part == axis:
            return True
        if part.startswith(f"{axis}:("):
            size *= int(part.rsplit(")", 1)[1])
    return size == MESH[axis]


def _trips(graph: dict[str, Any], region: int | None) -> int:
    product = 1
    while region is not None:
        product *= max(graph["regions"][region]["trips"], 1)
        region = graph["regions"][region].get("parent")
    return product


def _print_stage(folder: Path, program: str, stage: str, *flags: str) -> str:
    words = [str(find_binary()), "plan", program, f"--stop-after={stage}", *flags]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RowFailure(f"--stop-after={stage}: {done.stderr.strip()[:300]}")
    return done.stdout


def _stage(folder: Path, program: str, stage: str, *flags: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(_print_stage(folder, program, stage, *flags))
    return value


def make_plan(case: Case, strategy: str) -> partita.Plan:
    """The plan of the presets, or the one that is found under a memory limit of 40% of what one device needs."""
    options: dict[str, Any] = {"mesh": MESH, "donate_argnums": (0,) if case.training else (), "progress": False}
    if case.follows is not None:
        leader = make_plan(case.follows, strategy)
        plan = partita.plan(case.function, *case.arguments, pins=leader, schedule=[], **options)
        check_followed(plan, leader)
        return plan
    if strategy == "preset":
        return partita.plan(case.function, *case.arguments, schedule=case.schedule(), **options)
    options |= {"machine": str(MACHINE), "platform": "cpu"}
    peak = partita.plan(case.function, *case.arguments, schedule=[], **options).report.peak_bytes
    if not peak:
        raise RowFailure("no price of the whole program")
    limit = int(peak * MEMORY_SHARE)
    with warnings.catch_warnings():
        warnings.simplefilter("error", partita.DoesNotFitWarning)
        return partita.plan(case.function, *case.arguments, budget=BUDGET, seed=0, memory_limit=limit, **options)


def check_followed(plan: partita.Plan, leader: partita.Plan) -> None:
    """What both have, an argument by its name or the state as a result, lies alike."""
    wanted, found = leader.specs_by_name(), plan.specs_by_name()
    pairs = [(name, found[name], wanted[name]) for name in found if name in wanted]
    state, result = (jax.tree_util.tree_flatten_with_path(tree)[0] for tree in (leader.in_specs[0], plan.out_specs))
    if [path for path, _ in state] == [path for path, _ in result]:
        pairs += [
            (name, given, led) for name, (_, given), (_, led) in zip(plan.result_names, result, state, strict=True)
        ]
    other = [f"{name} as {given}, not {led}" for name, given, led in pairs if given != led]
    if other or not pairs:
        raise RowFailure(f"does not follow: {'; '.join(other[:4]) or 'nothing is shared'}")


def check_strategy(case: Case, reference: Reference, strategy: str, found: dict[str, Any]) -> None:
    """Fills `found`; raises RowFailure where the row ends."""
    start = time.monotonic()
    plan = make_plan(case, strategy)
    found["plan_s"] = round(time.monotonic() - start, 2)
    found["collectives"] = sum(entry["count"] for entry in plan.report.collectives)
    found["split_flops"], found["ops"] = split_work(plan, plan._program.text)
    found["verified"] = verify(plan)
    check_rules(plan)
    check_split(found["split_flops"])
    comparison = reference.compare(plan)
    found["worst"] = comparison.worst
    found["by_f64"] = list(comparison.by_f64)
    if comparison.differences:
        count = len(comparison.differences)
        raise RowFailure(f"{count} of {len(reference.expected)} leaves differ: {'; '.join(comparison.differences[:4])}")


def check_rules(plan: partita.Plan) -> None:
    """The rules of a plan, given back, are its shardings at the border."""
    again = plan.replan(plan.rules())
    for side in ("arguments", "results"):
        for one, other in zip(plan.to_json()[side], again.to_json()[side], strict=True):
            if one["sharding"] != other["sharding"]:
                raise RowFailure(
                    f"{one['name']} lies as {other['sharding']} by the plan's rules, {one['sharding']} in it"
                )


def verify(plan: partita.Plan) -> str:
    """How the plan was verified.

    A kink (a maximum, a comparison) that lies within rounding of a value makes a difference in floats alone; another
    seed has its values elsewhere. What differs without rounding is never excused.
    """
    for seed in range(SEEDS):
        try:
            verification = plan.verify(seed=seed)
        except partita.DifferenceError as error:
            if seed + 1 == SEEDS or "'mode': 'ring'" in str(error):
                raise
        else:
            if verification.vacuous:
                raise RowFailure("nothing is split")
            return verification.mode if seed == 0 else f"{verification.mode}, seed {seed}"
    raise AssertionError("there is a last seed")


def check_split(split: dict[str, float]) -> None:
    low = [f"{axis} {share:.0%}" for axis, share in split.items() if share < LEAST_SPLIT]
    if low:
        raise RowFailure(f"dot and convolution FLOPs split only: {', '.join(low)}")


def check_row(make: Callable[[], Case], strategies: Sequence[str]) -> dict[str, Any]:
    """What is known of a row; the reason is in `failure` of each strategy that does not pass."""
    result: dict[str, Any] = {"strategies": {}}
    case = make()
    result["parameters"] = case.count_parameters()
    reference = Reference(case)
    for strategy in strategies:
        found: dict[str, Any] = {}
        result["strategies"][strategy] = found
        try:
            check_strategy(case, reference, strategy, found)
        except Exception as error:
            if not isinstance(error, (RowFailure, partita.PartitaError)):
                traceback.print_exc()
            found["failure"] = f"{type(error).__name__}: {error}"[:600]
    return result


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m models.others.row")
    parser.add_argument("module", choices=registry.MODULES)
    parser.add_argument("name")
    parser.add_argument("--strategy", action="append", choices=("preset", "auto"))
    options = parser.parse_args()
    jax.config.update("jax_default_matmul_precision", "highest")
    (row,) = (row for row in registry.load(options.module) if row.name == options.name)
    json.dump(check_row(row.make, options.strategy or ["preset"]), sys.stdout)


if __name__ == "__main__":
    main()
