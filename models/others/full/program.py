"""What a full-size program is: a function, the shapes of its arguments, and which of them it may overwrite."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

from models.others.case import Loss, make_step
from partita._src import tracing


@dataclass(frozen=True)
class Program:
    """`parameters` are the weights alone, to be counted."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    parameters: Any
    donate: tuple[int, ...] = (0,)

    def count_parameters(self) -> int:
        return sum(int(np.prod(leaf.shape)) for leaf in jax.tree.leaves(self.parameters))

    def to_text(self) -> str:
        """StableHLO for GPUs, with the names of arguments and results. It does not depend on a mesh."""
        return tracing.trace(
            self.function, self.arguments, {}, axes={}, donate_argnums=self.donate, platform="cuda"
        ).text


@dataclass(frozen=True)
class Entry:
    """A named program of a package; `make` builds it where the package is installed."""

    name: str
    package: str
    make: Callable[[], Program]


def tokens(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.int32)


def floats(*shape: int, dtype: Any = jnp.float32) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype)


def key() -> jax.ShapeDtypeStruct:
    """A random key, as an array of raw bits."""
    return jax.ShapeDtypeStruct((2,), jnp.uint32)


def adamw() -> optax.GradientTransformation:
    """As large models are trained: clipped gradients, and a rate that rises and falls."""
    rate = optax.warmup_cosine_decay_schedule(0.0, 3e-4, 2_000, 100_000)
    return optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(rate, b2=0.95, weight_decay=0.1))


def train(
    loss: Loss, params: Any, batch: Mapping[str, Any], *, optimizer: optax.GradientTransformation | None = None
) -> Program:
    """A training step of `loss(params, batch)`, by `adamw` if no optimizer is given; its state is donated."""
    rule = optimizer if optimizer is not None else adamw()
    state = {"params": params, "optimizer": jax.eval_shape(rule.init, params)}
    return Program(make_step(loss, rule), (state, dict(batch)), params)


def cross_entropy(logits: jax.Array, labels: jax.Array) -> jax.Array:
    """In f32, whatever the logits are."""
    return optax.softmax_cross_entropy_with_integer_labels(logits.astype(jnp.float32), labels).mean()


def next_token_loss(logits: jax.Array, tokens: jax.Array) -> jax.Array:
    return cross_entropy(logits[:, :-1], tokens[:, 1:])
