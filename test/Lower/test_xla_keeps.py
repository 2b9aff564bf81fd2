"""Where a reshard stands is a decision of the plan: XLA must not undo it behind our back."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp

import xla_local
from test_partition import partition


def compile_to_hlo(local: str) -> str:
    """What XLA makes of a local program, after all its passes."""
    return xla_local.compile_local(local).hlo_modules()[0].to_string()


def entry_of(hlo: str) -> str:
    return hlo[hlo.index("\nENTRY ") :]


def test_gather_stays_in_its_loop() -> None:
    """A weight that every iteration gathers is not gathered once and kept whole."""
    text = (Path(__file__).parent / "gather-in-loop.mlir").read_text()
    hlo = compile_to_hlo(partition(text, "data=2", ["arg0:0:data", "arg1:0:data"]))
    assert hlo.count(" all-gather(") == 1
    assert " all-gather(" not in entry_of(hlo)


def test_parameters_are_gathered_for_each_pass() -> None:
    """ZeRO-3: one gather for the forward and one for the backward pass, and the whole is dropped in between."""

    def step(state: dict[str, jax.Array], x: jax.Array) -> tuple[dict[str, jax.Array], jax.Array]:
        def loss(w: jax.Array) -> jax.Array:
            return jnp.sin(jnp.sin(x @ w) @ w).sum()

        value, gradient = jax.value_and_grad(loss)(state["w"])
        return {"w": state["w"] - gradient}, value

    state = {"w": jax.ShapeDtypeStruct((8, 8), jnp.float32)}
    lowered = jax.jit(step, keep_unused=True).lower(state, jax.ShapeDtypeStruct((4, 8), jnp.float32))
    local = partition(lowered.as_text(debug_info=True), "data=2", ["arg1:0:data", "arg0:0:data"])
    assert local.count('"stablehlo.all_gather"') == 2
    assert compile_to_hlo(local).count(" all-gather(") == 2


def test_reductions_of_gradients_stay_in_their_iteration() -> None:
    """XLA's pipeliner takes reductions that feed a stack to the next iteration, but nothing past a barrier."""

    def step(state: dict[str, jax.Array], x: jax.Array) -> tuple[dict[str, jax.Array], jax.Array]:
        def loss(stack: jax.Array) -> jax.Array:
            return jax.lax.scan(lambda h, w: (jnp.sin(h @ w), None), x, stack)[0].sum()

        value, gradient = jax.value_and_grad(loss)(state["w"])
        return {"w": state["w"] - gradient}, value

    state = {"w": jax.ShapeDtypeStruct((3, 8, 8), jnp.float32)}
    lowered = jax.jit(step, keep_unused=True).lower(state, jax.ShapeDtypeStruct((4, 8), jnp.float32))
    local = partition(lowered.as_text(debug_info=True), "data=2", ["arg1:0:data", "arg0:1:data"])
    lines = [line.strip() for line in local.splitlines()]
    begin = next(number for number, line in enumerate(lines) if '"stablehlo.reduce_scatter"' in line)
    end = next(number for number in range(begin, len(lines)) if lines[number].startswith("})"))
    assert "stablehlo.optimization_barrier" in lines[end + 1]
