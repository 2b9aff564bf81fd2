"""Fields on grids that are split: rolls and borders move rows at the ends of pieces, and nothing is gathered.

Each function is planned with rows or columns split over devices, held against the original in exact mode, and run by
XLA on virtual devices.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from test_exchanges import run, whole_numbers
from test_windows_of_models import count_gathered

Field = Any


def shift(x: jax.Array, by: int, axis: int) -> jax.Array:
    return jnp.roll(x, by, axis)


def shallow_water(fields: dict[str, jax.Array]) -> dict[str, jax.Array]:
    """A step on a staggered grid, periodic in both dims: height, and velocities at the edges of cells."""
    h, u, v = fields["h"], fields["u"], fields["v"]
    wide, deep = (h + shift(h, -1, 1)) * 0.5, (h + shift(h, -1, 0)) * 0.5
    flow, fall = u * wide, v * deep
    h = h - 0.25 * (flow - shift(flow, 1, 1) + fall - shift(fall, 1, 0))
    across = 0.25 * (v + shift(v, 1, 0) + shift(v, -1, 1) + shift(shift(v, 1, 0), -1, 1))
    u_next = u + 0.125 * across - 0.5 * (shift(h, -1, 1) - h)
    back = 0.25 * (u + shift(u, 1, 1) + shift(u, -1, 0) + shift(shift(u, 1, 1), -1, 0))
    v_next = v - 0.125 * back - 0.5 * (shift(h, -1, 0) - h)
    return {"h": h, "u": u_next, "v": v_next}


def wave(fields: dict[str, jax.Array]) -> dict[str, jax.Array]:
    """The wave equation with differences of the fourth order."""
    now, before = fields["now"], fields["before"]
    around = sum(
        weight * (shift(now, by, axis) + shift(now, -by, axis))
        for axis in (0, 1)
        for by, weight in ((1, 1.25), (2, -0.0625))
    )
    return {"now": 2 * now - before + 0.25 * (around - 5 * now), "before": now}


DIRECTIONS = [(0, 0), (0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)]
SHARES = np.array([16, 4, 4, 4, 4, 1, 1, 1, 1], np.float32) / 36


def lattice(fields: dict[str, jax.Array]) -> dict[str, jax.Array]:
    """A lattice-Boltzmann step of nine directions: collide, then stream."""
    f = fields["f"]
    steps = jnp.asarray(DIRECTIONS, jnp.float32)
    mass = f.sum(0)
    velocity = jnp.einsum("dyx,dk->kyx", f, steps) / mass
    along = jnp.einsum("dk,kyx->dyx", steps, velocity)
    rest = SHARES[:, None, None] * mass * (1 + 3 * along + 4.5 * along**2 - 1.5 * (velocity**2).sum(0))
    f = f + 0.5 * (rest - f)
    return {"f": jnp.stack([jnp.roll(each, by, (0, 1)) for each, by in zip(f, DIRECTIONS, strict=True)])}


def several(step: Callable[[Field], Field], count: int = 3) -> Callable[[Field], Field]:
    return lambda fields: lax.fori_loop(0, count, lambda _, fields: step(fields), fields)


def gradient(step: Callable[[Field], Field]) -> Callable[[Field], Field]:
    return jax.grad(lambda fields: sum((leaf**2).sum() for leaf in jax.tree.leaves(step(fields))))


def make_fields(names: str, *shape: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    return {name: rng.uniform(0.5, 1.5, shape).astype(np.float32) for name in names.split()}


MODELS: dict[str, tuple[Callable[[Field], Field], dict[str, np.ndarray], int]] = {
    "shallow water": (shallow_water, make_fields("h u v", 32, 24), 0),
    "wave": (wave, make_fields("before now", 32, 24), 0),
    "lattice Boltzmann": (lattice, make_fields("f", 9, 32, 24), 1),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("change", [lambda step: step, several, gradient], ids=["step", "loop", "gradient"])
@pytest.mark.parametrize(("mesh", "axes"), [("y=8", {"y": 0}), ("y=4,x=2", {"y": 0, "x": 1}), ("x=8", {"x": 1})])
def test_grids_are_split(name: str, change: Any, mesh: str, axes: dict[str, int], tmp_path: Path) -> None:
    step, fields, first = MODELS[name]
    names = sorted(fields)

    def function(*values: jax.Array) -> Any:
        return change(step)(dict(zip(names, values, strict=True)))

    tiles = {axis: [[f"values\\[{n}\\]", first + dim] for n in range(len(names))] for axis, dim in axes.items()}
    local = run(function, [fields[name] for name in names], mesh, tiles, tmp_path, exact=False)
    assert "collective_permute" in local
    assert count_gathered(local) == 0
    assert "all_to_all" not in local and "all_reduce" not in local


BORDERS: dict[str, Callable[[jax.Array], jax.Array]] = {
    "roll": lambda x: jnp.roll(x, 1, 0),
    "roll far": lambda x: jnp.roll(x, 13, 0),
    "roll back": lambda x: jnp.roll(x, -5, 0),
    "roll both": lambda x: jnp.roll(x, (3, -1), (0, 1)),
    "mirrored": lambda x: jnp.concatenate([x[1:2], x[:-1]]) + jnp.concatenate([x[1:], x[-2:-1]]),
    "both ends": lambda x: jnp.concatenate([x[1:2], x[1:-1], x[-2:-1]]),
    "constant": lambda x: jnp.concatenate([jnp.ones((1, x.shape[1])), x[:-1]]),
    "cut off": lambda x: jnp.pad(x[1:], ((1, 0), (0, 0)), constant_values=3),
    "cut off and back": lambda x: jnp.pad(x[2:-1], ((2, 1), (0, 0)), constant_values=-2),
}


@pytest.mark.parametrize("name", BORDERS)
@pytest.mark.parametrize("rows", [32, 30])
@pytest.mark.parametrize("change", [lambda step: step, gradient], ids=["itself", "gradient"])
def test_borders(name: str, rows: int, change: Any, tmp_path: Path) -> None:
    """Rows that devices do not divide are padded."""
    x = whole_numbers(rows, 12)
    x[0, 0] = -0.0
    local = run(lambda x: change(BORDERS[name])(x) * 2, [x], "y=8", {"y": [["x", 0]]}, tmp_path)
    assert count_gathered(local) <= (0 if rows == 32 else x.size + 24)


def test_halves_that_change_places_stay(tmp_path: Path) -> None:
    """As rotary embeddings turn them: these are parts of a dim, and devices divide them."""
    x = whole_numbers(4, 32)
    local = run(lambda x: jnp.roll(x, 16, 1), [x], "y=2", {"y": [["x", 0]]}, tmp_path)
    assert re.search(r"stablehlo\.concatenate", local)
    assert "stablehlo.pad" not in local


def around(p: jax.Array) -> jax.Array:
    """The five-point stencil of what has a border."""
    return p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * p[1:-1, 1:-1]


STENCILS: dict[str, Callable[[jax.Array], jax.Array]] = {
    "inner rows are set": lambda u: u.at[1:-1, 1:-1].set(u[1:-1, 1:-1] + 2 * around(u)),
    "inner rows are added to": lambda u: u.at[1:-1, 1:-1].add(2 * around(u)),
    "updated at a constant place": lambda u: lax.dynamic_update_slice(u, 2 * around(u), (1, 1)),
    "zeros around": lambda u: u + around(jnp.pad(u, 1)),
    "periodic": lambda u: u + around(jnp.pad(u, 1, mode="wrap")),
    "border repeated": lambda u: u + around(jnp.pad(u, 1, mode="edge")),
    "border mirrored": lambda u: u + around(jnp.pad(u, 1, mode="reflect")),
    "flows between cells": lambda u: u.at[1:-1].add((u[1:] + u[:-1])[1:] - (u[1:] + u[:-1])[:-1]),
    "causal": lambda u: u + jnp.pad(u, ((3, 0), (0, 0)))[:-3],
}
BORDERED = {"periodic", "border repeated", "border mirrored"}


@pytest.mark.parametrize("name", STENCILS)
@pytest.mark.parametrize("change", [lambda step: step, gradient], ids=["itself", "gradient"])
@pytest.mark.parametrize(("mesh", "tiles"), [
    ("y=8", {"y": [["u", 0]]}),
    ("y=2,x=4", {"y": [["u", 0]], "x": [["u", 1]]}),
])  # fmt: skip
def test_stencils(name: str, change: Any, mesh: str, tiles: Any, tmp_path: Path) -> None:
    u = whole_numbers(32, 24)
    local = run(lambda u: change(STENCILS[name])(u), [u], mesh, tiles, tmp_path)
    assert "collective_permute" in local
    # The gradients of borders are rows of what is longer than the field.
    if change is not gradient or name not in BORDERED:
        assert count_gathered(local) == 0
        assert "all_to_all" not in local


def test_large_windows_alone_become_selections(tmp_path: Path) -> None:
    """A row that is set is written where it belongs; a window at a place that is not known stays a scatter."""
    u, at = whole_numbers(32, 24), np.int32(1)
    local = run(lambda u: u.at[3].set(7), [u], "y=8", {"y": [["u", 0]]}, tmp_path)
    assert "stablehlo.scatter" in local
    local = run(lambda u, at: lax.dynamic_update_slice(u, u[2:] * 2, (at, 0)), [u, at], "y=8", {}, tmp_path)
    assert "stablehlo.dynamic_update_slice" in local
