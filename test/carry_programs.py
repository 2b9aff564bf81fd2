"""Programs with loops that reduce gradients in each iteration, with a schedule under which they do.

As in rotation_programs.py, batches and weights are split over one axis, and the machine has slow links.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from rotation_programs import IN, LAYERS, OUT, SIZE, Function, X, draw, layer, make_loss
from slow_links import make_machine

State = dict[str, Any]


def update(state: State, found: State) -> State:
    return jax.tree.map(lambda value, gradient: value - gradient, state, found)


def find_gradients(body: Function, state: State, x: Any) -> State:
    return jax.grad(lambda state: make_loss(body)(x, state["w_in"], state["w_out"]))(state)


def train(state: State, x: Any) -> State:
    return update(state, find_gradients(layer, state, x))


def remat(state: State, x: Any) -> State:
    return update(state, find_gradients(jax.checkpoint(layer), state, x))


def clipped(state: State, x: Any) -> State:
    """Nothing is updated before all gradients are there."""
    found = find_gradients(jax.checkpoint(layer), state, x)
    largest = jnp.max(jnp.stack([jnp.max(jnp.abs(each)) for each in found.values()]))
    return update(state, jax.tree.map(lambda each: jnp.where(largest > 1000, 0, each), found))


def two_layers(state: State, x: Any) -> State:
    """Without a loop of its own."""

    def loss(state: State) -> Any:
        rows = x
        for number in range(2):
            rows = layer(rows, (state["w_in"][number], state["w_out"][number]))
        return jnp.sum(rows)

    return update(state, jax.grad(loss)(state))


def bf16(state: State, x: Any) -> State:
    """Layers compute in 16 bits, and gradients are converted."""

    def narrow(rows: Any, weights: Any) -> Any:
        return layer(rows.astype(jnp.bfloat16), [each.astype(jnp.bfloat16) for each in weights]).astype(rows.dtype)

    return update(state, find_gradients(narrow, state, x))


def backwards(state: State, x: Any) -> State:
    """The stack of gradients is filled from the first layer on."""

    def loss(state: State) -> Any:
        weights = (state["w_in"], state["w_out"])
        return jnp.sum(lax.scan(lambda rows, w: (layer(rows, w), None), x, weights, reverse=True)[0])

    return update(state, jax.grad(loss)(state))


def counted(state: State, x: Any, trips: Any) -> State:
    """The number of trips is an argument. One gradient goes into a stack, one is added to what the caller gives."""

    def step(number: Any, carried: Any) -> Any:
        rows, stack, total = carried
        weights = tuple(lax.dynamic_index_in_dim(state[key], number, keepdims=False) for key in ("w_in", "w_out"))
        inner = layer(rows, weights)
        gradient = rows.T @ (rows @ weights[0])
        stack = lax.dynamic_update_slice(stack, gradient[None], (number, 0, 0))
        return inner, stack, total + (inner @ weights[0]).T @ rows

    zeros = jnp.zeros_like(state["w_in"])
    _, stack, total = lax.fori_loop(0, trips, step, (x, zeros, state["total"]))
    return {"w_in": state["w_in"] - stack, "w_out": state["w_out"], "total": total}


def branch(state: State, x: Any) -> State:
    """The loops are in a branch."""
    zeros = jax.tree.map(jnp.zeros_like, state)
    goes = jnp.sum(x) < 1e6
    return update(state, lax.cond(goes, lambda: find_gradients(layer, state, x), lambda: zeros))


def loop_over_layers(state: State, x: Any, sums: Any, add: Function) -> Any:
    """`add` gives the next sums: of the old ones, the layer's number, its rows and what it makes of them."""

    def step(number: Any, carried: Any) -> Any:
        rows, sums = carried
        weights = tuple(lax.dynamic_index_in_dim(state[key], number, keepdims=False) for key in ("w_in", "w_out"))
        inner = layer(rows, weights)
        return inner, add(sums, number, rows, inner @ weights[0])

    return lax.fori_loop(0, LAYERS, step, (x, sums))[1]


def narrow_sum(state: State, x: Any) -> State:
    """The sum is what a loop changes that is smallest, to which gathers are bound so that they stay in the loop."""

    def add(sums: Any, number: Any, rows: Any, inner: Any) -> Any:
        stack = lax.dynamic_update_slice(sums[0], (rows.T @ inner)[None], (number, 0, 0))
        # A conversion of whole numbers takes no partial sums.
        return stack, sums[1] + jnp.sum(inner > 0, dtype=jnp.int8).astype(jnp.int16)

    stack, total = loop_over_layers(state, x, (jnp.zeros_like(state["w_in"]), jnp.int16(0)), add)
    return {"w_in": state["w_in"] - stack, "w_out": state["w_out"] + total.astype(jnp.float32)}


def equal_stacks(state: State, x: Any) -> State:
    """One gradient, converted twice for two stacks."""

    def add(sums: Any, number: Any, rows: Any, inner: Any) -> Any:
        gradient = rows.T @ inner
        return tuple(lax.dynamic_update_slice(s, gradient.astype(s.dtype)[None], (number, 0, 0)) for s in sums)

    zeros = jnp.zeros(IN.shape, jnp.bfloat16)
    first, second = loop_over_layers(state, x, (zeros, zeros), add)
    return {"w_in": state["w_in"] - first.astype(jnp.float32) - second.astype(jnp.float32), "w_out": state["w_out"]}


STATE = {"w_in": IN, "w_out": OUT}
FUNCTIONS: list[Function] = [train, remat, clipped, bf16, backwards, branch, narrow_sum, equal_stacks]
CASES: dict[str, tuple[Function, list[Any]]] = {each.__name__: (each, [STATE, X]) for each in FUNCTIONS}
MICRO: dict[str, tuple[Function, list[Any]]] = {
    each.__name__: (each, [STATE, X]) for each in (train, remat, two_layers)
}
"""For loops over microbatches that Partita makes."""
CASES["counted"] = (counted, [STATE | {"total": draw(16, SIZE, seed=3)}, X, np.array(LAYERS, np.int32)])


def save(name: str, folder: Path, devices: int = 8) -> Path:
    """The program; its schedule and the machine stand beside it."""
    function, inputs = (CASES | MICRO)[name]
    program = folder / "program.mlir"
    program.write_text(str(jax.jit(function).lower(*inputs).as_text(debug_info=True)))
    tile = [[r"state\['w_.*", 1]] + ([[r"state\['total.*", 0]] if name == "counted" else [])
    tactics = [{"axis": "data", "tile": [["x", 0]]}, {"axis": "data", "tile": tile}]
    (folder / "schedule.json").write_text(json.dumps({"tactics": tactics}))
    (folder / "machine.json").write_text(json.dumps(make_machine(devices) | {"platform": "cuda"}))
    return program
