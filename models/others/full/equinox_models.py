"""equinox: a GPT whose layers are stacked by filter_vmap and run by a scan of checkpoints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from models.others.full.program import Entry, Program, next_token_loss, tokens, train

WIDTH, HEADS, LENGTH, VOCABULARY = 1024, 16, 1024, 50304


class Block(eqx.Module):
    """Attention and a feed-forward network, each behind a norm, for one sequence."""

    attention: eqx.nn.MultiheadAttention
    norms: tuple[eqx.nn.LayerNorm, eqx.nn.LayerNorm]
    wide_in: eqx.nn.Linear
    wide_out: eqx.nn.Linear

    def __init__(self, key: jax.Array) -> None:
        keys = jax.random.split(key, 3)
        self.attention = eqx.nn.MultiheadAttention(HEADS, WIDTH, key=keys[0])
        self.norms = eqx.nn.LayerNorm(WIDTH), eqx.nn.LayerNorm(WIDTH)
        self.wide_in = eqx.nn.Linear(WIDTH, 4 * WIDTH, key=keys[1])
        self.wide_out = eqx.nn.Linear(4 * WIDTH, WIDTH, key=keys[2])

    def __call__(self, x: jax.Array, mask: jax.Array) -> jax.Array:
        y = jax.vmap(self.norms[0])(x)
        x = x + self.attention(y, y, y, mask)
        y = jax.vmap(self.wide_in)(jax.vmap(self.norms[1])(x))
        return x + jax.vmap(self.wide_out)(jax.nn.gelu(y))


class GPT(eqx.Module):
    embedding: eqx.nn.Embedding
    positions: jax.Array
    blocks: Block
    norm: eqx.nn.LayerNorm
    head: eqx.nn.Linear

    def __init__(self, layers: int, key: jax.Array) -> None:
        keys = jax.random.split(key, 4)
        self.embedding = eqx.nn.Embedding(VOCABULARY, WIDTH, key=keys[0])
        self.positions = 0.02 * jax.random.normal(keys[1], (LENGTH, WIDTH))
        self.blocks = eqx.filter_vmap(Block)(jax.random.split(keys[2], layers))
        self.norm = eqx.nn.LayerNorm(WIDTH)
        self.head = eqx.nn.Linear(WIDTH, VOCABULARY, use_bias=False, key=keys[3])

    def __call__(self, tokens: jax.Array) -> jax.Array:
        arrays, static = eqx.partition(self.blocks, eqx.is_array)
        mask = jnp.tril(jnp.ones((tokens.shape[0],) * 2, bool))

        @eqx.filter_checkpoint
        def layer(x: jax.Array, arrays: Any) -> tuple[jax.Array, None]:
            return eqx.combine(arrays, static)(x, mask), None

        x, _ = jax.lax.scan(layer, jax.vmap(self.embedding)(tokens) + self.positions, arrays)
        return jax.vmap(self.head)(jax.vmap(self.norm)(x))


def gpt(layers: int = 24, batch: int = 64) -> Program:
    """The weights are cast to bf16 as a whole; a sequence at a time is written, a batch is run by vmap."""
    shapes = eqx.filter_eval_shape(GPT, layers, jax.random.PRNGKey(0))
    params, static = eqx.partition(shapes, lambda leaf: isinstance(leaf, jax.ShapeDtypeStruct))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        model = eqx.combine(jax.tree.map(lambda leaf: leaf.astype(jnp.bfloat16), params), static)
        return next_token_loss(jax.vmap(model)(batch["tokens"]), batch["tokens"])

    return train(loss, params, {"tokens": tokens(batch, LENGTH)})


ENTRIES = [Entry("equinox_gpt_350m_scan_remat", "equinox", gpt)]
