"""equinox: modules are pytrees, so a model is its own parameters; functions in them are static."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from models.others.case import Case, Row, cross_entropy, random_floats, random_tokens, random_weights, train

BATCH, LENGTH, VOCABULARY, HIDDEN = 8, 16, 96, 64


def _initialise(make: Callable[..., Any], *arguments: Any, **keywords: Any) -> tuple[Any, Any]:
    """Random parameters and the rest of the module that `make` builds."""
    shapes, static = eqx.partition(
        eqx.filter_eval_shape(make, *arguments, **keywords), lambda leaf: isinstance(leaf, jax.ShapeDtypeStruct)
    )
    return random_weights(shapes), static


def mlp() -> Case:
    params, static = _initialise(eqx.nn.MLP, 32, 8, 128, 3, key=jax.random.PRNGKey(0))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        predicted = jax.vmap(eqx.combine(params, static))(batch["x"])
        return jnp.mean((predicted - batch["y"]) ** 2)

    batch = {"x": random_floats((BATCH, 32)), "y": random_floats((BATCH, 8), 1)}
    return train(loss, params, batch)


class Block(eqx.Module):
    """Attention and a feed-forward network, each behind a norm, for one sequence."""

    attention: eqx.nn.MultiheadAttention
    norm_1: eqx.nn.LayerNorm
    norm_2: eqx.nn.LayerNorm
    wide_in: eqx.nn.Linear
    wide_out: eqx.nn.Linear

    def __init__(self, key: jax.Array) -> None:
        keys = jax.random.split(key, 3)
        self.attention = eqx.nn.MultiheadAttention(4, HIDDEN, key=keys[0])
        self.norm_1, self.norm_2 = eqx.nn.LayerNorm(HIDDEN), eqx.nn.LayerNorm(HIDDEN)
        self.wide_in = eqx.nn.Linear(HIDDEN, 4 * HIDDEN, key=keys[1])
        self.wide_out = eqx.nn.Linear(4 * HIDDEN, HIDDEN, key=keys[2])

    def __call__(self, x: jax.Array) -> jax.Array:
        mask = jnp.tril(jnp.ones((x.shape[0], x.shape[0]), bool))
        y = jax.vmap(self.norm_1)(x)
        x = x + self.attention(y, y, y, mask)
        y = jax.vmap(self.wide_in)(jax.vmap(self.norm_2)(x))
        return x + jax.vmap(self.wide_out)(jax.nn.gelu(y))


class GPT(eqx.Module):
    """Layers stacked by filter_vmap and run by scan, as equinox's documentation does it."""

    embedding: eqx.nn.Embedding
    blocks: Block
    head: eqx.nn.Linear

    def __init__(self, layers: int, key: jax.Array) -> None:
        keys = jax.random.split(key, 3)
        self.embedding = eqx.nn.Embedding(VOCABULARY, HIDDEN, key=keys[0])
        self.blocks = eqx.filter_vmap(Block)(jax.random.split(keys[1], layers))
        self.head = eqx.nn.Linear(HIDDEN, VOCABULARY, key=keys[2])

    def __call__(self, tokens: jax.Array) -> jax.Array:
        arrays, static = eqx.partition(self.blocks, eqx.is_array)

        def layer(x: jax.Array, arrays: Any) -> tuple[jax.Array, None]:
            return eqx.combine(arrays, static)(x), None

        x, _ = jax.lax.scan(layer, jax.vmap(self.embedding)(tokens), arrays)
        return jax.vmap(self.head)(x)


def gpt() -> Case:
    params, static = _initialise(GPT, 3, jax.random.PRNGKey(0))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        logits = jax.vmap(eqx.combine(params, static))(batch["tokens"])
        return cross_entropy(logits[:, :-1], batch["tokens"][:, 1:])

    return train(loss, params, {"tokens": random_tokens((BATCH, LENGTH), VOCABULARY)})


def cnn() -> Case:
    """A small convolutional network in channels-first layout, with pooling; 10 classes."""

    def make(key: jax.Array) -> list[Any]:
        keys = jax.random.split(key, 3)
        return [
            eqx.nn.Conv2d(3, 32, 3, padding=1, key=keys[0]),
            eqx.nn.Conv2d(32, 64, 3, padding=1, key=keys[1]),
            eqx.nn.Linear(64 * 4 * 4, 10, key=keys[2]),
        ]

    pool = eqx.nn.MaxPool2d(2, 2)
    params, static = _initialise(make, jax.random.PRNGKey(0))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        first, second, head = eqx.combine(params, static)

        def forward(image: jax.Array) -> jax.Array:
            x = pool(jax.nn.relu(first(image)))
            return head(pool(jax.nn.relu(second(x))).ravel())

        return cross_entropy(jax.vmap(forward)(batch["images"]), batch["labels"])

    batch = {"images": random_floats((BATCH, 3, 16, 16)), "labels": random_tokens((BATCH,), 10)}
    return train(loss, params, batch)


ROWS = [Row("MLP", "equinox", mlp), Row("GPT (scan)", "equinox", gpt), Row("CNN", "equinox", cnn)]
