"""Fields on grids: a search splits their space, though rolls and stencils cut rows off, and gathers nothing.

What is found for fields of a real size is run with fields that virtual devices can hold.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from small_steps import FAST, close  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import pytest

import partita

Fields = dict[str, jax.Array]


def shallow_water(fields: Fields) -> Fields:
    """A periodic grid: what flows out of a cell flows into the next one."""
    h, u, v = fields["h"], fields["u"], fields["v"]
    flow, fall = u * (h + jnp.roll(h, -1, 1)) / 2, v * (h + jnp.roll(h, -1, 0)) / 2
    h = h - 0.1 * (flow - jnp.roll(flow, 1, 1) + fall - jnp.roll(fall, 1, 0))
    u_next = u + 0.05 * jnp.roll(v, 1, 0) - 0.1 * (jnp.roll(h, -1, 1) - h)
    v_next = v - 0.05 * jnp.roll(u, 1, 1) - 0.1 * (jnp.roll(h, -1, 0) - h)
    return {"h": h, "u": u_next, "v": v_next}


def wave(fields: Fields) -> Fields:
    now = fields["now"]
    around = sum(jnp.roll(now, by, axis) for by in (1, -1) for axis in (0, 1))
    return {"now": 2 * now - fields["before"] + 0.1 * (around - 4 * now), "before": now}


DIRECTIONS = [(0, 0), (0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, -1), (-1, 1)]


def lattice(fields: Fields) -> Fields:
    f = fields["f"]
    mass = f.sum(0)
    f = f + 0.3 * (mass / 9 * (1 + 0.1 * (f - f.mean(0))) - f)
    return {"f": jnp.stack([jnp.roll(each, by, (0, 1)) for each, by in zip(f, DIRECTIONS, strict=True)])}


def heat(fields: Fields) -> Fields:
    """Borders keep their temperature."""
    u = fields["u"]
    inner = u[1:-1, 1:-1]
    around = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2]
    return {"u": u.at[1:-1, 1:-1].set(inner + 0.1 * (around - 4 * inner))}


Step = Callable[[Fields], Fields]
STEPS: dict[str, tuple[Step, list[str], tuple[int, ...], float]] = {
    "shallow water": (shallow_water, ["h", "u", "v"], (), 0.6),
    "wave": (wave, ["before", "now"], (), 0.6),
    "lattice Boltzmann": (lattice, ["f"], (9,), 0.4),
    "heat": (heat, ["u"], (), 0.8),
}
"""The fields, dims before those of space, and how long a step on eight devices takes at most, one on one being 1."""


def make_shapes(name: str, size: int) -> dict[str, jax.ShapeDtypeStruct]:
    _, fields, before, _ = STEPS[name]
    return {field: jax.ShapeDtypeStruct((*before, size, size), jnp.float32) for field in fields}


@functools.cache
def search(name: str, size: int, **options: Any) -> partita.Plan:
    machine = {"mesh": "space=8", "machine": "h100-sxm:1x8", "platform": "cpu", "progress": False}
    return partita.plan(STEPS[name][0], make_shapes(name, size), donate_argnums=(0,), **machine, **options)


@pytest.mark.parametrize("name", STEPS)
def test_space_is_split(name: str) -> None:
    plan, whole = search(name, 8192), partita.plan(
        STEPS[name][0], make_shapes(name, 8192), mesh="space=8", machine="h100-sxm:1x8", platform="cpu",
        schedule={"tactics": []}, progress=False, donate_argnums=(0,),
    )  # fmt: skip
    assert "over space" in plan.report.strategy
    assert plan.report.figures["time_ps"] < STEPS[name][3] * whole.report.figures["time_ps"]
    collectives = set(re.findall(r"stablehlo\.(all_\w+|reduce_scatter|collective_\w+)", plan.local_text()))
    assert collectives == {"collective_permute"}


@pytest.mark.parametrize("name", STEPS)
def test_what_was_found_is_right(name: str) -> None:
    step, fields, before, _ = STEPS[name]
    shapes, schedule = make_shapes(name, 64), search(name, 8192).to_json()["schedule"]
    plan = partita.plan(step, shapes, mesh="space=8", platform="cpu", schedule=schedule, progress=False)
    assert "collective_permute" in plan.local_text()
    assert plan.verify().equal
    keys = jax.random.split(jax.random.key(3), len(fields))
    given = {field: jax.random.uniform(key, (*before, 64, 64)) for field, key in zip(fields, keys, strict=True)}
    found, expected = given, given
    for _ in range(3):
        found, expected = plan.jit(compiler_options=FAST)(found), jax.jit(step)(expected)
    close(found, expected)


@pytest.mark.parametrize("name", ["wave", "heat"])
def test_small_fields_stay_whole(name: str) -> None:
    assert search(name, 256).report.strategy.startswith("nothing is split")
