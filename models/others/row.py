"""What a row of the table is: a training step of somebody's model, with random weights and small shapes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

Loss = Callable[[Any, Any], jax.Array]


@dataclass(frozen=True)
class Built:
    """`step(state, batch)` gives the next state and the loss."""

    step: Callable[[Any, Any], tuple[Any, jax.Array]]
    state: Any
    batch: Any


@dataclass(frozen=True)
class Row:
    """A model: where it is from, and how to build it (the packages are imported only then)."""

    name: str
    package: str
    optimizer: str
    build: Callable[[], Built]


ROWS: dict[str, Row] = {}
OPTIMIZERS: dict[str, Callable[[], optax.GradientTransformation]] = {
    "adamw": lambda: optax.adamw(1e-3),
    "adafactor": lambda: optax.adafactor(1e-3, min_dim_size_to_factor=16),
    "lion": lambda: optax.lion(1e-4),
    "momentum": lambda: optax.sgd(1e-2, momentum=0.9),
    "sgd": lambda: optax.sgd(1e-2),
}
#: Parameters, batch, and the loss of both.
Model = tuple[Any, Any, Loss]


def row(package: str, optimizer: str = "adamw", name: str = "") -> Callable[[Callable[[], Model]], Callable[[], Model]]:
    """Adds a model to the table: the function gives parameters, batch and loss."""

    def add(make: Callable[[], Model]) -> Callable[[], Model]:
        key = name or make.__name__
        ROWS[key] = Row(key, package, optimizer, lambda: train(*make(), OPTIMIZERS[optimizer]()))
        return make

    return add


def train(params: Any, batch: Any, loss_of: Loss, optimizer: optax.GradientTransformation) -> Built:
    """The step of a loss."""

    def step(state: Any, batch: Any) -> tuple[Any, jax.Array]:
        loss, grads = jax.value_and_grad(loss_of)(state["params"], batch)
        updates, opt_state = optimizer.update(grads, state["opt_state"], state["params"])
        return {"params": optax.apply_updates(state["params"], updates), "opt_state": opt_state}, loss

    params = jax.tree.map(jnp.asarray, params)
    return Built(step, {"params": params, "opt_state": optimizer.init(params)}, batch)


def tokens(*shape: int, vocabulary: int = 64, seed: int = 0) -> jax.Array:
    return jnp.asarray(np.random.default_rng(seed).integers(0, vocabulary, shape), jnp.int32)


def normal(*shape: int, seed: int = 0) -> jax.Array:
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape), jnp.float32)


def cross_entropy(logits: jax.Array, labels: jax.Array) -> jax.Array:
    return optax.softmax_cross_entropy_with_integer_labels(logits.astype(jnp.float32), labels).mean()
