"""A recurrent language model in plain JAX: RWKV."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from models.others.case import Case, Row, cross_entropy, random_floats, random_tokens, train

BATCH, LAYERS, WIDTH, VOCABULARY = 8, 2, 32, 64


def _norm(x: jax.Array, scale: jax.Array) -> jax.Array:
    return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * scale


def _matrices(sizes: Mapping[str, tuple[int, ...]]) -> dict[str, Any]:
    """Weights of all layers, stacked; vectors are near 0."""
    return {
        name: random_floats((LAYERS, *size), seed) * (size[0] ** -0.5 if len(size) > 1 else 0.3)
        for seed, (name, size) in enumerate(sizes.items())
    }


def rwkv() -> Case:
    """A scan over tokens with a running maximum, inside a scan over rematerialised layers."""
    square, inner = (WIDTH, WIDTH), 4 * WIDTH
    layers = _matrices({
        "decay": (WIDTH,), "first": (WIDTH,), "mix": (WIDTH,), "key": square, "value": square, "gate": square,
        "out": square, "up": (WIDTH, inner), "down": (inner, WIDTH),
    })  # fmt: skip
    params = {
        "table": random_floats((VOCABULARY, WIDTH), 20) / 2,
        "head": random_floats((WIDTH, VOCABULARY), 21) / 6,
        "layers": layers,
    }

    def layer(x: jax.Array, weights: Any) -> tuple[jax.Array, None]:
        h = _norm(x, jnp.ones(WIDTH))
        before = jnp.pad(h, ((0, 0), (1, 0), (0, 0)))[:, :-1]
        share = jax.nn.sigmoid(weights["mix"])
        mixed = h * share + before * (1 - share)
        keys, values = mixed @ weights["key"], mixed @ weights["value"]
        decay, first = -jnp.exp(weights["decay"]), weights["first"]

        def tick(carry: Any, now: Any) -> Any:
            (above, below, most), (key, value) = carry, now
            top = jnp.maximum(most, first + key)
            old, new = jnp.exp(most - top), jnp.exp(first + key - top)
            out = (old * above + new * value) / (old * below + new)
            top = jnp.maximum(most + decay, key)
            old, new = jnp.exp(most + decay - top), jnp.exp(key - top)
            return (old * above + new * value, old * below + new, top), out

        start = jnp.zeros((BATCH, WIDTH))
        _, out = jax.lax.scan(tick, (start, start, start - 1e30), (keys.swapaxes(0, 1), values.swapaxes(0, 1)))
        x = x + (jax.nn.sigmoid(mixed @ weights["gate"]) * out.swapaxes(0, 1)) @ weights["out"]
        return x + jnp.square(jax.nn.relu(_norm(x, jnp.ones(WIDTH)) @ weights["up"])) @ weights["down"], None

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        x, _ = jax.lax.scan(jax.checkpoint(layer), params["table"][batch["tokens"]], params["layers"])
        return cross_entropy(x @ params["head"], batch["labels"])

    return train(loss, params, _language(12))


def _language(length: int) -> dict[str, np.ndarray]:
    return {
        "tokens": random_tokens((BATCH, length), VOCABULARY),
        "labels": random_tokens((BATCH, length), VOCABULARY, 1),
    }


ROWS = [Row("RWKV", "plain JAX", rwkv)]
