"""equinox modules as arguments: arrays are arguments of the program, all else is part of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from small_steps import BATCH, FAST, MESH, close  # isort: skip  (sets up the virtual devices before JAX starts)
import equinox as eqx
import jax
import jax.numpy as jnp
import optax
import pytest
from jax.sharding import PartitionSpec as P

import partita
from partita import presets

SCHEDULE = [presets.data_parallel("data"), presets.megatron("model"), presets.zero3("data")]
RULE = optax.adam(1e-3)


class Network(eqx.Module):
    """With a function, a number and a mode among its leaves."""

    first: eqx.nn.Linear
    second: eqx.nn.Linear
    activation: Callable[[jax.Array], jax.Array]
    rate: float
    inference: bool

    def __call__(self, x: jax.Array) -> jax.Array:
        hidden = self.activation(self.first(x))
        return self.second(hidden if self.inference else hidden * (1 - self.rate))


def make(**changes: Any) -> tuple[Network, Any]:
    keys = jax.random.split(jax.random.key(0))
    first, second = eqx.nn.Linear(16, 32, key=keys[0]), eqx.nn.Linear(32, 16, key=keys[1])
    model = Network(first, second, **{"activation": jnp.tanh, "rate": 0.1, "inference": False, **changes})
    return model, RULE.init(eqx.filter(model, eqx.is_inexact_array))


def step(model: Network, state: Any, batch: Any) -> tuple[Network, Any, jax.Array]:
    def loss_of(m: Network) -> jax.Array:
        return jnp.mean((jax.vmap(m)(batch["x"]) - batch["y"]) ** 2)

    loss, grads = eqx.filter_value_and_grad(loss_of)(model)
    updates, state = RULE.update(grads, state)
    return eqx.apply_updates(model, updates), state, loss


@pytest.mark.parametrize("function", [step, eqx.filter_jit(step)], ids=["function", "filter_jit"])
def test_modules_come_and_go(function: Any) -> None:
    shapes = eqx.filter_eval_shape(make)
    plan = partita.plan(function, *shapes, BATCH, mesh=MESH, schedule=SCHEDULE)
    assert plan.argument_names[:2] == ["model.first.weight", "model.first.bias"] and plan.verify().equal
    assert plan.in_specs[0].first.weight == P(("model", "data")) and plan.in_specs[0].activation is None
    model, state = plan.put(*make())
    assert model.first.weight.sharding.spec == P(("model", "data")) and model.activation is jnp.tanh
    run, (other, other_state) = plan.jit(compiler_options=FAST), make()
    for _ in range(2):
        model, state, loss = run(model, state, BATCH)
        other, other_state, expected = eqx.filter_jit(step)(other, other_state, BATCH)
    close(loss, expected)
    close(eqx.filter(model, eqx.is_array), eqx.filter(other, eqx.is_array))
    assert model.activation is jnp.tanh and model.rate == 0.1


def test_another_rest_is_another_program() -> None:
    plan = partita.plan(step, *make(), BATCH, mesh=MESH, schedule=SCHEDULE)
    for changes in ({"activation": jax.nn.relu}, {"rate": 0.2}, {"inference": True}):
        with pytest.raises(partita.UsageError, match="what is no array in argument 0 is not as planned"):
            plan.jit()(*make(**changes), BATCH)
    planned = partita.jit(step, mesh=MESH, schedule=SCHEDULE)
    first, second = planned.plan(*make(), BATCH), planned.plan(*make(rate=0.2), BATCH)
    assert first is not second and first is planned.plan(*make(), BATCH)
    with pytest.raises(partita.UnsupportedError, match="donates is not read"):
        partita.plan(eqx.filter_jit(step, donate="all"), *make(), BATCH, mesh=MESH, schedule=SCHEDULE)
