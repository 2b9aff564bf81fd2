"""flax nnx: a Llama-like transformer, changed in place by `nnx.Optimizer`, in a list of layers or in a scan."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from models.others.full.program import Entry, Program, adamw, next_token_loss, tokens

LAYERS, WIDTH, HEADS, KEY_HEADS, HIDDEN, VOCABULARY, LENGTH, BATCH = 16, 2048, 32, 8, 8192, 32000, 2048, 32
HEAD = WIDTH // HEADS
BF16 = jnp.bfloat16
Linear = partial(nnx.Linear, use_bias=False, dtype=BF16)
RMSNorm = partial(nnx.RMSNorm, dtype=BF16)


def rotate(x: jax.Array) -> jax.Array:
    """Rotary positions of (batch, length, heads, size), the halves of a head being the two coordinates."""
    half = x.shape[-1] // 2
    angles = jnp.arange(x.shape[1])[:, None] / 10_000 ** (jnp.arange(half) / half)
    sine, cosine = jnp.sin(angles)[:, None].astype(x.dtype), jnp.cos(angles)[:, None].astype(x.dtype)
    a, b = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([a * cosine - b * sine, b * cosine + a * sine], axis=-1)


class Attention(nnx.Module):
    """Four heads of queries share one of keys and values."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.query, self.out = Linear(WIDTH, HEADS * HEAD, rngs=rngs), Linear(HEADS * HEAD, WIDTH, rngs=rngs)
        self.key, self.value = (Linear(WIDTH, KEY_HEADS * HEAD, rngs=rngs) for _ in range(2))

    def __call__(self, x: jax.Array) -> jax.Array:
        q = rotate(self.query(x).reshape(*x.shape[:2], HEADS, HEAD))
        k = rotate(self.key(x).reshape(*x.shape[:2], KEY_HEADS, HEAD))
        v = self.value(x).reshape(*x.shape[:2], KEY_HEADS, HEAD)
        return self.out(jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(*x.shape[:2], -1))


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.attention = Attention(rngs)
        self.norm_1, self.norm_2 = RMSNorm(WIDTH, rngs=rngs), RMSNorm(WIDTH, rngs=rngs)
        self.gate, self.up = Linear(WIDTH, HIDDEN, rngs=rngs), Linear(WIDTH, HIDDEN, rngs=rngs)
        self.down = Linear(HIDDEN, WIDTH, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        x = x + self.attention(self.norm_1(x))
        y = self.norm_2(x)
        return x + self.down(nnx.silu(self.gate(y)) * self.up(y))


class Ends(nnx.Module):
    """What stands before and after the layers."""

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.embedding = nnx.Embed(VOCABULARY, WIDTH, dtype=BF16, rngs=rngs)
        self.norm, self.head = RMSNorm(WIDTH, rngs=rngs), Linear(WIDTH, VOCABULARY, rngs=rngs)


class Listed(Ends):
    """Each layer is rematerialised, and stands for itself."""

    def __init__(self, layers: int, rngs: nnx.Rngs) -> None:
        super().__init__(rngs)
        self.layers = nnx.List([Block(rngs) for _ in range(layers)])

    def __call__(self, tokens: jax.Array) -> jax.Array:
        x = self.embedding(tokens)
        for layer in self.layers:
            x = nnx.remat(Block.__call__)(layer, x)
        return self.head(self.norm(x))


class Scanned(Ends):
    """Layers are made by vmap and run by scan, each rematerialised."""

    def __init__(self, layers: int, rngs: nnx.Rngs) -> None:
        super().__init__(rngs)
        self.layers = nnx.split_rngs(splits=layers)(nnx.vmap(Block))(rngs)

    def __call__(self, tokens: jax.Array) -> jax.Array:
        @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)
        @nnx.remat
        def run(x: jax.Array, layer: Block) -> jax.Array:
            return layer(x)

        return self.head(self.norm(run(self.embedding(tokens), self.layers)))


def transformer(kind: type[Listed | Scanned], layers: int = LAYERS) -> Program:
    """The model and its optimizer are one state, split from their graph."""

    def make() -> tuple[Any, nnx.Optimizer]:
        model = kind(layers, nnx.Rngs(0))
        return model, nnx.Optimizer(model, adamw(), wrt=nnx.Param)

    both = nnx.eval_shape(make)
    graph, state = nnx.split(both)

    def step(state: Any, batch: Any) -> tuple[Any, jax.Array]:
        model, rule = nnx.merge(graph, state)

        def loss(model: Any) -> jax.Array:
            return next_token_loss(model(batch["tokens"]), batch["tokens"])

        value, gradients = nnx.value_and_grad(loss)(model)
        rule.update(model, gradients)
        return nnx.state((model, rule)), value

    return Program(step, (state, {"tokens": tokens(BATCH, LENGTH)}), nnx.state(both[0], nnx.Param))


ENTRIES = [
    Entry("nnx_llama_1b_remat", "flax nnx", partial(transformer, Listed)),
    Entry("nnx_llama_1b_scan_remat", "flax nnx", partial(transformer, Scanned)),
]
