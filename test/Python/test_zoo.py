"""Models of the zoo, planned by presets and by expert schedules, run by XLA on eight virtual devices for three steps
and compared with `jax.jit` on one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import xla_runner  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import pytest

import partita
from models.compare import BOUND, run_both
from models.registry import ZOO
from partita import presets

SCHEDULES = Path(__file__).resolve().parents[2] / "models" / "schedules"
MESH = {"data": 4, "model": 2}
FAST = {"xla_backend_optimization_level": 0}
FSDP_AND_MEGATRON = [presets.data_parallel("data"), presets.megatron("model"), presets.zero3("data")]
ROWS: dict[str, tuple[str, Any]] = {
    "llama_scan, presets": ("llama_scan", FSDP_AND_MEGATRON),
    "moe_einsum, EP+BP+MP": ("moe_einsum", SCHEDULES / "moe.EP+BP+MP.json"),
    "decode_scan, presets": ("decode_scan", FSDP_AND_MEGATRON),
}
assert xla_runner.MAX_DEVICES >= 8


@pytest.mark.parametrize("row", ROWS)
def test_three_steps_equal_those_of_one_device(row: str) -> None:
    name, schedule = ROWS[row]
    program = ZOO[name].program("tiny")
    arguments = program.arguments()
    plan = partita.plan(program.fn, *arguments, mesh=MESH, schedule=schedule)
    trains = plan.argument_names[0].startswith("state")
    original = jax.jit(program.fn, compiler_options=FAST)
    planned = plan.jit(compiler_options=FAST)
    compared = run_both(original, planned, arguments, steps=3 if trains else 1, feeds_back=trains)
    assert compared.worst <= BOUND, compared
    # Biases of keys, whose gradient is zero: bk, and its two moments.
    assert len(compared.unstable) <= compared.leaves / 10, compared
