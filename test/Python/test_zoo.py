"""Models of the zoo, planned by presets and by expert schedules, run by XLA on eight virtual devices for three steps
and compared with `jax.jit` on one. `make check-zoo` runs all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import xla_runner  # isort: skip  (sets up the virtual devices before JAX starts)
import pytest
from jax.sharding import PartitionSpec as P

import partita
from models.others.row import Reference
from models.others.zoo import make_case
from partita import presets

SCHEDULES = Path(__file__).resolve().parents[2] / "models" / "schedules"
MESH = {"data": 4, "model": 2}
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
    case = make_case(name)
    plan = partita.plan(case.function, *case.arguments, mesh=MESH, schedule=schedule)
    found = Reference(case).compare(plan)
    assert found.differences == ()
    # Biases of keys, whose gradient is zero: bk, and its two moments.
    assert len(found.by_f64) <= len(plan.result_names) / 10


@pytest.mark.parametrize("machine", ["h100-sxm:1x8", None])
def test_experts_of_ragged_products_are_split(machine: str | None) -> None:
    """Each device has its experts' weights, states and gradients. On GPUs the products are `chlo.ragged_dot`, on CPUs
    a masked product over all experts."""
    case = make_case("moe_ragged")
    experts = partita.tile("state/.*/experts/.*", dim=0, axis="model")
    schedule = [presets.data_parallel("data"), experts]
    plan = partita.plan(case.function, *case.arguments, mesh=MESH, machine=machine, schedule=schedule)
    products = [line for line in plan.local_text().splitlines() if "chlo.ragged_dot" in line]
    assert bool(products) == (machine is not None)
    assert all("tensor<4xi32>) -> " in line for line in products)  # of 8 experts
    specs = {spec for name, spec in plan.specs_by_name().items() if name.startswith("state") and "experts" in name}
    assert specs == {P("model")}
    found = plan.verify()
    assert found.equal and found.executed
