"""What a row of docs/roles.md is made of: a function with arguments, and what each of them is.

The truth is written down from the tree of the arguments, as its author would say it, never from what the program
computes. Programs are traced from shapes; nothing is run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import optax

#: Patterns over paths (`state/params/.*`) and roles; the first that matches an argument says what it is.
Truth = Sequence[tuple[str, str]]

PARAMETER, OPTIMIZER, STATE, COUNTER, INPUT = "parameter", "optimizer_state", "state", "counter", "input"

#: Of most trainers: their steps and counts, then `params`, `opt_state` and what is fed.
TRAINING: Truth = (
    (r".*(^|/)(count|step|mini_step|gradient_step|inner_steps?|notfinite_count|total_notfinite)", COUNTER),
    (r".*/opt_state/.*", OPTIMIZER),
    (r".*/params/.*", PARAMETER),
    (r"batch.*", INPUT),
)


@dataclass(frozen=True)
class Case:
    """A function, its arguments (arrays or shapes), what they are, and which of them are donated."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    truth: Truth
    donated: tuple[int, ...] = ()


@dataclass(frozen=True)
class Row:
    """A program by its name; `make` builds it, in a process that has the package."""

    name: str
    package: str
    make: Callable[[], Case]


def shape(*sizes: int, dtype: Any = jnp.float32) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(sizes, dtype)


def tokens(*sizes: int) -> jax.ShapeDtypeStruct:
    return shape(*sizes, dtype=jnp.int32)


def cross_entropy(logits: jax.Array, labels: jax.Array) -> jax.Array:
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def norms(metrics: Mapping[str, Any]) -> dict[str, jax.Array]:
    """What trainers log beside the loss: the global norm of each tree."""
    return {name: optax.global_norm(tree) for name, tree in metrics.items()}


def rms_norm(x: jax.Array, scale: jax.Array) -> jax.Array:
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale


def attention(q: jax.Array, k: jax.Array, v: jax.Array, mask: jax.Array | None = None) -> jax.Array:
    """Of [batch, length, heads, size]."""
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
    if mask is not None:
        scores = jnp.where(mask, scores, -1e9)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)


def causal(length: int) -> jax.Array:
    return jnp.tril(jnp.ones((length, length), bool))
