"""A training step with Adam, and the state it carries.

The state holds f32 master parameters and both f32 moments, whatever the compute type: models cast parameters where
they use them. Arguments are named `state.params['layers'][0]['wq']`, `state.mu[...]`, `state.nu[...]`, `state.step`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

Loss = Callable[[Any, Any], jax.Array]


@functools.partial(jax.tree_util.register_dataclass, data_fields=["params", "mu", "nu", "step"], meta_fields=[])
@dataclass(frozen=True)
class TrainState:
    """Parameters, Adam's first and second moments, and the number of steps done."""

    params: Any
    mu: Any
    nu: Any
    step: jax.Array


def init_state(params: Any) -> TrainState:
    """A state at step 0."""
    zeros = functools.partial(jax.tree.map, jnp.zeros_like)
    return TrainState(params, zeros(params), zeros(params), jnp.zeros((), jnp.int32))


def adam(state: TrainState, grads: Any, rate: float = 1e-3, b1: float = 0.9, b2: float = 0.95) -> TrainState:
    """One Adam update with bias correction."""
    step = state.step + 1
    mu = jax.tree.map(lambda m, g: b1 * m + (1 - b1) * g, state.mu, grads)
    nu = jax.tree.map(lambda v, g: b2 * v + (1 - b2) * g * g, state.nu, grads)
    count = step.astype(jnp.float32)
    scale1, scale2 = 1 / (1 - b1**count), 1 / (1 - b2**count)

    def update(p: jax.Array, m: jax.Array, v: jax.Array) -> jax.Array:
        return p - rate * (m * scale1) / (jnp.sqrt(v * scale2) + 1e-8)

    with jax.named_scope("adam"):
        return TrainState(jax.tree.map(update, state.params, mu, nu), mu, nu, step)


def training(loss_of: Loss) -> Callable[[TrainState, Any], tuple[TrainState, jax.Array]]:
    """The step of a loss `loss_of(params, batch)`."""

    def train_step(state: TrainState, batch: Any) -> tuple[TrainState, jax.Array]:
        loss, grads = jax.value_and_grad(loss_of)(state.params, batch)
        return adam(state, grads), loss

    return train_step


def accumulated_training(loss_of: Loss, microbatches: int) -> Callable[[TrainState, Any], tuple[TrainState, jax.Array]]:
    """The step whose batch is stacked in microbatches on dim 0: gradients are summed in a loop, then applied once."""

    def train_step(state: TrainState, batch: Any) -> tuple[TrainState, jax.Array]:
        def accumulate(carry: tuple[jax.Array, Any], microbatch: Any) -> tuple[tuple[jax.Array, Any], None]:
            total = jax.tree.map(jnp.add, carry, jax.value_and_grad(loss_of)(state.params, microbatch))
            return total, None

        zero = (jnp.zeros(()), jax.tree.map(jnp.zeros_like, state.params))
        (loss, grads), _ = lax.scan(accumulate, zero, batch)
        grads = jax.tree.map(lambda g: g / microbatches, grads)
        return adam(state, grads), loss / microbatches

    return train_step
