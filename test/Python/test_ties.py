"""What the tool is told of trees that come back, and what it finds itself."""

from __future__ import annotations

from typing import Any

from small_steps import MESH, tensor  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp

import partita
from partita._src import ties, tracing


def trace(function: Any, *arguments: Any) -> Any:
    return tracing.trace(function, arguments, {}, axes={})


def test_trees_that_come_back_once_are_tied() -> None:
    state = {"w": tensor(4, 6), "b": tensor(6)}

    def step(state: Any, x: jax.Array) -> Any:
        return x.sum(), {"new": jax.tree.map(lambda p: p + 1, state)}

    assert ties.to_flags(trace(step, state, tensor(8, 4))) == ["--tie=arg0=result1,arg1=result2"]
    # Two trees of one structure: what is computed from what decides, which the tool sees.
    assert ties.to_flags(trace(lambda a, b: (b, a), state, state)) == []
    # A single array that comes back need not be a state.
    assert ties.to_flags(trace(lambda x: x + 1, tensor(8, 4))) == []


def test_a_tree_with_other_names_has_one_sharding_in_and_out() -> None:
    """Nothing but the structure of the trees says that the result is the state: names and types are of no help."""

    def step(state: Any, x: jax.Array) -> Any:
        return {"renamed": (x.T @ x, x[0]), "value": x.sum()}

    pair = (tensor(16, 16), tensor(16))
    plan = partita.plan(step, pair, tensor(8, 16), mesh=MESH, schedule=[partita.tile("state/0", dim=1, axis="model")])
    assert plan.in_specs[0][0] == plan.out_specs["renamed"][0]


def test_swapped_results_of_one_name_are_told_apart() -> None:
    """Moments come before parameters: only flow says which is which."""

    def step(params: Any, moments: Any, x: jax.Array) -> Any:
        loss, gradients = jax.value_and_grad(lambda p: jnp.mean((x @ p["w"]) ** 2))(params)
        moments = jax.tree.map(lambda m, g: 0.9 * m + g, moments, gradients)
        return moments, jax.tree.map(lambda p, m: p - 0.1 * m, params, moments), loss

    tree = {"w": tensor(16, 32)}
    schedule = [partita.replicate("moments/w", axis="model"), partita.tile("params/w", dim=1, axis="model")]
    plan = partita.plan(step, tree, tree, tensor(8, 16), mesh=MESH, schedule=schedule)
    assert plan.out_specs[1]["w"] == plan.in_specs[0]["w"]
    assert plan.out_specs[0]["w"] == plan.in_specs[1]["w"]
