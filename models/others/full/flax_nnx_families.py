"""flax nnx: decoders in the shapes of Qwen2, Phi-2 and Mistral; their layers are in a scan, each rematerialised.

What they differ in is what their papers say: biases on queries, keys and values, layers whose two branches stand side
by side, rotary positions on a part of each head, attention within a window.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from models.others.full.flax_nnx import BF16, rotate
from models.others.full.program import Entry, Program, adamw, next_token_loss, tokens


@dataclass(frozen=True)
class Config:
    layers: int
    width: int
    heads: int
    key_heads: int
    hidden: int
    vocabulary: int
    length: int
    batch: int
    #: Of queries, keys and values; of everything.
    has_query_bias: bool = False
    has_bias: bool = False
    is_gated: bool = True
    is_parallel: bool = False
    #: The part of each head that has positions.
    rotated: float = 1.0
    window: int | None = None

    @property
    def head(self) -> int:
        return self.width // self.heads


QWEN2_7B = Config(28, 3584, 28, 4, 18944, 152064, 4096, 32, has_query_bias=True)
PHI_2 = Config(
    32, 2560, 32, 32, 10240, 51200, 2048, 64,
    has_query_bias=True, has_bias=True, is_gated=False, is_parallel=True, rotated=0.4,
)  # fmt: skip
MISTRAL_7B = Config(32, 4096, 32, 8, 14336, 32000, 8192, 16, window=4096)


def linear(inputs: int, outputs: int, rngs: nnx.Rngs, *, bias: bool) -> nnx.Linear:
    return nnx.Linear(inputs, outputs, use_bias=bias, dtype=BF16, rngs=rngs)


class Block(nnx.Module):
    def __init__(self, config: Config, rngs: nnx.Rngs) -> None:
        self.config = config
        width, keys = config.width, config.key_heads * config.head
        has_bias = config.has_bias
        self.query = linear(width, width, rngs, bias=config.has_query_bias)
        self.key, self.value = (linear(width, keys, rngs, bias=config.has_query_bias) for _ in range(2))
        self.out = linear(width, width, rngs, bias=has_bias)
        self.up, self.down = (
            linear(width, config.hidden, rngs, bias=has_bias),
            linear(config.hidden, width, rngs, bias=has_bias),
        )
        if config.is_gated:
            self.gate = linear(width, config.hidden, rngs, bias=has_bias)
        self.norm_1 = nnx.RMSNorm(width, dtype=BF16, rngs=rngs)
        if not config.is_parallel:
            self.norm_2 = nnx.RMSNorm(width, dtype=BF16, rngs=rngs)

    def place(self, x: jax.Array) -> jax.Array:
        """Rotary positions on the first part of each head."""
        size = int(self.config.head * self.config.rotated)
        if size == self.config.head:
            return rotate(x)
        return jnp.concatenate([rotate(x[..., :size]), x[..., size:]], axis=-1)

    def attend(self, x: jax.Array) -> jax.Array:
        config, rows = self.config, x.shape[:2]
        q = self.place(self.query(x).reshape(*rows, config.heads, config.head))
        k = self.place(self.key(x).reshape(*rows, config.key_heads, config.head))
        v = self.value(x).reshape(*rows, config.key_heads, config.head)
        window = None if config.window is None else (config.window - 1, 0)
        y = jax.nn.dot_product_attention(q, k, v, is_causal=True, local_window_size=window)
        return self.out(y.reshape(*rows, config.width))

    def feed(self, x: jax.Array) -> jax.Array:
        if self.config.is_gated:
            return self.down(nnx.silu(self.gate(x)) * self.up(x))
        return self.down(nnx.gelu(self.up(x)))

    def __call__(self, x: jax.Array) -> jax.Array:
        y = self.norm_1(x)
        if self.config.is_parallel:
            return x + self.attend(y) + self.feed(y)
        x = x + self.attend(y)
        return x + self.feed(self.norm_2(x))


class Decoder(nnx.Module):
    def __init__(self, config: Config, rngs: nnx.Rngs) -> None:
        self.embedding = nnx.Embed(config.vocabulary, config.width, dtype=BF16, rngs=rngs)
        self.layers = nnx.split_rngs(splits=config.layers)(nnx.vmap(partial(Block, config)))(rngs)
        self.norm = nnx.RMSNorm(config.width, dtype=BF16, rngs=rngs)
        self.head = linear(config.width, config.vocabulary, rngs, bias=config.has_bias)

    def __call__(self, tokens: jax.Array) -> jax.Array:
        @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)
        @nnx.remat
        def run(x: jax.Array, layer: Block) -> jax.Array:
            return layer(x)

        return self.head(self.norm(run(self.embedding(tokens), self.layers)))


def decoder(config: Config) -> Program:
    """The model and its optimizer are one state, split from their graph."""

    def make() -> tuple[Decoder, nnx.Optimizer]:
        model = Decoder(config, nnx.Rngs(0))
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

    batch = {"tokens": tokens(config.batch, config.length)}
    return Program(step, (state, batch), nnx.state(both[0], nnx.Param))


ENTRIES = [
    Entry("nnx_qwen2_7b_scan_remat", "flax nnx", partial(decoder, QWEN2_7B)),
    Entry("nnx_phi_2_scan_remat", "flax nnx", partial(decoder, PHI_2)),
    Entry("nnx_mistral_7b_scan_remat", "flax nnx", partial(decoder, MISTRAL_7B)),
]
