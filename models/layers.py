"""The pieces that several models share. Norms, softmax and losses compute in f32 and give back the type they got."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax


def matrix(key: jax.Array, *shape: int, fan_in: int | None = None) -> jax.Array:
    """A random f32 parameter of the given shape, of variance one over its fan-in (dim -2 unless told)."""
    return jax.random.uniform(key, shape, minval=-1.0) * math.sqrt(3 / (fan_in or shape[-2]))


def cast(params: Any, dtype: Any) -> Any:
    """Parameters in the compute type."""
    return jax.tree.map(lambda p: p.astype(dtype), params)


def layer_norm(x: jax.Array, scale: jax.Array, bias: jax.Array) -> jax.Array:
    y = x.astype(jnp.float32)
    mean = jnp.mean(y, axis=-1, keepdims=True)
    variance = jnp.mean(jnp.square(y - mean), axis=-1, keepdims=True)
    y = (y - mean) * lax.rsqrt(variance + 1e-5)
    return (y * scale + bias).astype(x.dtype)


def rms_norm(x: jax.Array, scale: jax.Array) -> jax.Array:
    y = x.astype(jnp.float32)
    y = y * lax.rsqrt(jnp.mean(jnp.square(y), axis=-1, keepdims=True) + 1e-5)
    return (y * scale).astype(x.dtype)


def rotary(x: jax.Array, positions: jax.Array, base: float = 500_000.0) -> jax.Array:
    """Rotates the two halves of each head, `x: [batch, sequence, heads, head_dim]`, by its position's angle."""
    half = x.shape[-1] // 2
    frequencies = base ** (-jnp.arange(half, dtype=jnp.float32) / half)
    angles = positions[:, None, None].astype(jnp.float32) * frequencies
    cos, sin = jnp.cos(angles), jnp.sin(angles)
    left, right = jnp.split(x.astype(jnp.float32), 2, axis=-1)
    return jnp.concatenate([left * cos - right * sin, right * cos + left * sin], axis=-1).astype(x.dtype)


def softmax(scores: jax.Array, mask: jax.Array | None = None) -> jax.Array:
    """Softmax over the last dim in f32; places where `mask` is false get no weight."""
    wide = scores.astype(jnp.float32)
    if mask is not None:
        wide = jnp.where(mask, wide, -1e30)
    return jax.nn.softmax(wide, axis=-1).astype(scores.dtype)


def causal_mask(sequence: int) -> jax.Array:
    """`[sequence, sequence]`, true where a query may see a key."""
    return jnp.arange(sequence)[:, None] >= jnp.arange(sequence)[None, :]


def cross_entropy(logits: jax.Array, targets: jax.Array) -> jax.Array:
    """Mean negative log-likelihood of `targets` under `logits: [..., vocab]`."""
    wide = logits.astype(jnp.float32)
    chosen = jnp.take_along_axis(wide, targets[..., None], axis=-1)[..., 0]
    return jnp.mean(jax.nn.logsumexp(wide, axis=-1) - chosen)


def apply_layers(layer: Callable[[Any, jax.Array], jax.Array], layers: Any, x: jax.Array, remat: bool) -> jax.Array:
    """Runs `x` through the layers: a list is unrolled, a tree of arrays stacked on dim 0 is scanned.

    With `remat`, each layer's activations are computed again in the backward pass.
    """
    block = jax.checkpoint(layer) if remat else layer
    if isinstance(layers, list):
        for params in layers:
            x = block(params, x)
        return x
    return lax.scan(lambda carry, params: (block(params, carry), None), x, layers)[0]


def init_layers(init_layer: Callable[[jax.Array], Any], key: jax.Array, count: int, scan: bool) -> Any:
    """Parameters of `count` layers, as a list or stacked on dim 0."""
    keys = jax.random.split(key, count)
    return jax.vmap(init_layer)(keys) if scan else [init_layer(k) for k in keys]


def token_batch(key: jax.Array, vocab: int, *shape: int) -> dict[str, jax.Array]:
    """Random tokens and the targets that follow them."""
    text = jax.random.randint(key, (*shape[:-1], shape[-1] + 1), 0, vocab)
    return {"tokens": text[..., :-1], "targets": text[..., 1:]}
