"""Programs with loops that gather the weights of a layer in each iteration, with a schedule under which they do.

Batches and weights are split over one axis (FSDP). The machine has slow links, so that tiny programs gain.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from slow_links import make_machine

Function = Callable[..., Any]
LAYERS, SIZE = 3, 8


def draw(*shape: int, seed: int = 0) -> np.ndarray:
    """Few whole numbers are not zero, so that products of several stay exact."""
    drawn = np.random.default_rng(seed)
    return (drawn.integers(-1, 2, shape) * (drawn.random(shape) < 0.3)).astype(np.float32)


def layer(rows: Any, weights: Any) -> Any:
    inner = rows @ weights[0]
    return rows + jnp.where(inner > 0, inner, -inner) @ weights[1]


def forward(x: Any, w_in: Any, w_out: Any) -> Any:
    return lax.scan(lambda rows, w: (layer(rows, w), None), x, (w_in, w_out))[0]


def make_loss(body: Function) -> Function:
    def loss(x: Any, w_in: Any, w_out: Any) -> Any:
        return jnp.sum(lax.scan(lambda rows, w: (body(rows, w), None), x, (w_in, w_out))[0])

    return loss


def backward(x: Any, w_in: Any, w_out: Any) -> Any:
    return jax.grad(make_loss(layer), argnums=(1, 2))(x, w_in, w_out)


def remat(x: Any, w_in: Any, w_out: Any) -> Any:
    return jax.grad(make_loss(jax.checkpoint(layer)), argnums=(1, 2))(x, w_in, w_out)


def accumulate(x: Any, w_in: Any, w_out: Any) -> Any:
    """A loop over microbatches around loops over layers."""

    def add(sums: Any, rows: Any) -> Any:
        found = jax.grad(make_loss(layer), argnums=(1, 2))(rows, w_in, w_out)
        return jax.tree.map(jnp.add, sums, found), None

    zeros = (jnp.zeros_like(w_in), jnp.zeros_like(w_out))
    rows = jnp.swapaxes(x.reshape(-1, 2, SIZE), 0, 1)
    return lax.scan(add, zeros, rows)[0]


def decode(x: Any, w_in: Any, w_out: Any) -> Any:
    """Steps that each run all layers, and write into a cache."""

    def step(number: Any, state: Any) -> Any:
        rows, cache = state
        rows = jnp.clip(forward(rows, w_in, w_out), -2.0, 2.0)
        return rows, lax.dynamic_update_slice(cache, rows[None], (number, 0, 0))

    return lax.fori_loop(0, 4, step, (x, jnp.zeros((4, *x.shape), x.dtype)))


def graph(x: Any, w_in: Any, w_out: Any) -> Any:
    """Two rounds of messages to neighbors in each iteration, as a graph network has them, backwards too."""

    def loss(w_in: Any, w_out: Any) -> Any:
        def step(number: Any, nodes: Any) -> Any:
            both = (lax.dynamic_index_in_dim(each, number, keepdims=False) for each in (w_in, w_out))
            return jnp.roll(layer(nodes, tuple(both)), 1, axis=1)

        return jnp.sum(lax.fori_loop(0, LAYERS, step, x))

    return jax.grad(loss, argnums=(0, 1))(w_in, w_out)


def reverse(x: Any, w_in: Any, w_out: Any) -> Any:
    return lax.scan(lambda rows, w: (layer(rows, w), None), x, (w_in, w_out), reverse=True)[0]


def counted(x: Any, w_in: Any, w_out: Any, trips: Any) -> Any:
    """The number of trips is an argument."""

    def step(number: Any, rows: Any) -> Any:
        return layer(rows, tuple(lax.dynamic_index_in_dim(each, number, keepdims=False) for each in (w_in, w_out)))

    return lax.fori_loop(0, trips, step, x)


X, IN, OUT = draw(16, SIZE), draw(LAYERS, SIZE, 16, seed=1), draw(LAYERS, 16, SIZE, seed=2)
FUNCTIONS: list[Function] = [forward, reverse, backward, remat, accumulate, decode, graph]
CASES: dict[str, tuple[Function, list[np.ndarray]]] = {each.__name__: (each, [X, IN, OUT]) for each in FUNCTIONS}
CASES["counted"] = (counted, [X, IN, OUT, np.array(LAYERS, np.int32)])


def save(name: str, folder: Path, devices: int = 8) -> Path:
    """The program; its schedule and the machine stand beside it."""
    function, inputs = CASES[name]
    program = folder / "program.mlir"
    program.write_text(str(jax.jit(function).lower(*inputs).as_text(debug_info=True)))
    tile = [["w_in", 1], ["w_out", 1]]
    tactics = [{"axis": "data", "tile": [["x", 0]]}, {"axis": "data", "tile": tile}]
    (folder / "schedule.json").write_text(json.dumps({"tactics": tactics}))
    (folder / "machine.json").write_text(json.dumps(make_machine(devices) | {"platform": "cuda"}))
    return program
