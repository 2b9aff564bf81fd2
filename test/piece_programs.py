"""Programs whose products may run in pieces beside their gathers and scatters, with schedules under which they do.

Blocks of two products under tensor and sequence parallelism gather their rows and scatter their sums over one axis,
and their gradients do the reverse. The machine has slow links, so that the tiny programs gain.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from slow_links import make_machine

Function = Callable[..., Any]


def whole_numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(-2, 3, shape).astype(np.float32)


def block(x: Any, w_in: Any, w_out: Any) -> Any:
    """The rows of `x` are split; inside, the columns of `w_in` and the rows of `w_out` are."""
    inner = x @ w_in
    return x + jnp.where(inner > 0, inner, -inner) @ w_out


def one_block(x: Any, w_in: Any, w_out: Any) -> Any:
    return block(x * 2.0, w_in, w_out)


def gated(x: Any, w_in: Any, w_gate: Any, w_out: Any) -> Any:
    """Two products share the gathered rows."""
    rows = x * 2.0
    return rows + ((rows @ w_in) * (rows @ w_gate)) @ w_out


def gradients(x: Any, w_in: Any, w_out: Any) -> Any:
    return jax.grad(lambda *args: jnp.sum(one_block(*args) ** 2), argnums=(0, 1, 2))(x, w_in, w_out)


def looped(x: Any, w_in: Any, w_out: Any) -> Any:
    """Layers in a loop, forwards and backwards."""

    def loss(x: Any, w_in: Any, w_out: Any) -> Any:
        layers = lax.scan(lambda rows, w: (block(rows, *w), None), x * 2.0, (w_in, w_out))
        return jnp.sum(layers[0] ** 2)

    return jax.grad(loss, argnums=(0, 1, 2))(x, w_in, w_out)


def weights(*shape: int) -> np.ndarray:
    """Few of them are not zero: whole numbers stay small enough to be exact through several products."""
    drawn = np.random.default_rng(1)
    return (drawn.integers(-1, 2, shape) * (drawn.random(shape) < 0.2)).astype(np.float32)


X, IN, OUT = whole_numbers(2, 16, 8), weights(8, 16), weights(16, 8)
STACKED = (weights(3, 8, 16), weights(3, 16, 8))
CASES: dict[str, tuple[Function, list[np.ndarray]]] = {
    "block": (one_block, [X, IN, OUT]),
    "gated": (gated, [X, IN, weights(8, 16), OUT]),
    "gradients": (gradients, [X, IN, OUT]),
    "loop": (looped, [X, *STACKED]),
}
MESHES = ["model=2", "model=4", "data=2,model=4", "model=4,data=2", "model=8"]


def make_schedule(name: str, mesh: str) -> dict[str, Any]:
    """Batches over `data`; columns, then rows of weights over `model`, and rows of all else."""
    inner = 2 if name == "loop" else 1
    tiles: list[tuple[str, list[list[Any]]]] = [("data", [["x", 0]])] if "data" in mesh else []
    columns = [["w_in", inner]] + ([["w_gate", inner]] if name == "gated" else [])
    tiles += [("model", [*columns, ["w_out", inner - 1]]), ("model", [["x", 1]])]
    return {"tactics": [{"axis": axis, "tile": tile} for axis, tile in tiles]}


def save(name: str, mesh: str, folder: Path) -> Path:
    """The program; its schedule and the machine stand beside it."""
    function, inputs = CASES[name]
    program = folder / "program.mlir"
    program.write_text(str(jax.jit(function).lower(*inputs).as_text(debug_info=True)))
    (folder / "schedule.json").write_text(json.dumps(make_schedule(name, mesh)))
    devices = math.prod(int(size) for size in re.findall(r"\d", mesh))
    (folder / "machine.json").write_text(json.dumps(make_machine(devices)))
    return program
