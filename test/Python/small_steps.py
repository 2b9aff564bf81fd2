"""Functions of a few lines that the tests of the package plan, and how what comes out is compared with one device."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import xla_runner  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import numpy as np

import partita

MESH = {"data": 4, "model": 2}
FAST = {"xla_backend_optimization_level": 0}
assert xla_runner.MAX_DEVICES >= 8


def tensor(*shape: int, seed: int = 0) -> jax.Array:
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape), jnp.float32)


def mlp(params: dict[str, jax.Array], x: jax.Array) -> jax.Array:
    return jnp.tanh(x @ params["w1"]) @ params["w2"]


def make_params() -> dict[str, jax.Array]:
    return {"w1": tensor(16, 32, seed=1) / 4, "w2": tensor(32, 16, seed=2) / 4}


def step(params: dict[str, jax.Array], batch: dict[str, jax.Array]) -> tuple[dict[str, jax.Array], jax.Array]:
    def loss_of(p: dict[str, jax.Array]) -> jax.Array:
        return jnp.mean((mlp(p, batch["x"]) - batch["y"]) ** 2)

    loss, grads = jax.value_and_grad(loss_of)(params)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss


BATCH = {"x": tensor(8, 16, seed=3), "y": tensor(8, 16, seed=4)}
BP = partita.tile(r"batch\[.*", dim=0, axis="data")
MP = partita.tile(r"params\['w1'\]", dim=1, axis="model")
X_ROWS = partita.tile("x", dim=0, axis="data")
DEVICES = jax.sharding.Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))


def close(got: Any, want: Any) -> None:
    assert jax.tree.structure(got) == jax.tree.structure(want)
    jax.tree.map(functools.partial(np.testing.assert_allclose, rtol=2e-5, atol=1e-6), got, want)


def check(
    function: Callable[..., Any], *arguments: Any, schedule: Any, mesh: Any = None, **options: Any
) -> partita.Plan:
    """Plans, runs, and compares with `jax.jit` on one device; something must be split."""
    plan = partita.plan(function, *arguments, mesh=mesh or MESH, schedule=schedule, **options)
    got = plan.jit(compiler_options=FAST)(*arguments)
    static = {name: options[name] for name in ("static_argnums", "static_argnames") if name in options}
    want = jax.jit(function, **static)(*arguments)
    close(jax.tree.map(plain, got), jax.tree.map(plain, want))
    assert any(axes for entry in plan.to_json()["arguments"] for axes in entry["sharding"]) == bool(schedule)
    return plan


def plain(leaf: Any) -> Any:
    return np.asarray(jax.random.key_data(leaf) if jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key) else leaf)
