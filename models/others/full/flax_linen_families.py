"""flax linen: a diffusion transformer (DiT-XL/2) and a selective state-space model (Mamba, 1.4B)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from flax import linen as nn

from models.others.full.flax_linen import BF16, Dense, train
from models.others.full.program import Entry, Program, floats, next_token_loss, tokens

RMSNorm = partial(nn.RMSNorm, dtype=BF16)


class Conditioned(nn.Module):
    """A layer whose norms are scaled and shifted, and whose branches are gated, by what conditions it."""

    heads: int

    @nn.compact
    def __call__(self, x: jax.Array, given: jax.Array) -> tuple[jax.Array, None]:
        width = x.shape[-1]
        six = Dense(6 * width, kernel_init=nn.initializers.zeros, name="modulation")(nn.silu(given))
        shift_1, scale_1, gate_1, shift_2, scale_2, gate_2 = jnp.split(six[:, None], 6, axis=-1)
        norm = partial(nn.LayerNorm, use_bias=False, use_scale=False, dtype=BF16)
        y = norm(name="norm_1")(x) * (1 + scale_1) + shift_1
        x = x + gate_1 * nn.MultiHeadDotProductAttention(self.heads, dtype=BF16, name="attention")(y)
        y = norm(name="norm_2")(x) * (1 + scale_2) + shift_2
        y = nn.gelu(Dense(4 * width, name="wide_in")(y))
        return x + gate_2 * Dense(width, name="wide_out")(y), None


class DiT(nn.Module):
    """Noise predicted from patches of 2 by 2 of a latent, a time and a class."""

    layers: int = 28
    width: int = 1152
    heads: int = 16

    @nn.compact
    def __call__(self, latents: jax.Array, times: jax.Array, labels: jax.Array) -> jax.Array:
        rows, side, _, channels = latents.shape
        x = nn.Conv(self.width, (2, 2), strides=(2, 2), dtype=BF16, name="patches")(latents)
        x = x.reshape(rows, -1, self.width)
        x = x + self.param("positions", nn.initializers.normal(0.02), (1, x.shape[1], self.width)).astype(BF16)
        angles = times[:, None] * jnp.exp(-jnp.log(10_000.0) * jnp.arange(128) / 128)
        given = jnp.concatenate([jnp.cos(angles), jnp.sin(angles)], axis=-1).astype(BF16)
        given = Dense(self.width, name="time_out")(nn.silu(Dense(self.width, name="time_in")(given)))
        given = given + nn.Embed(1001, self.width, dtype=BF16, name="classes")(labels)
        stack = nn.scan(
            nn.remat(Conditioned, prevent_cse=False),
            variable_axes={"params": 0}, split_rngs={"params": True}, in_axes=nn.broadcast, length=self.layers,
        )  # fmt: skip
        x, _ = stack(self.heads, name="layers")(x, given)
        x = Dense(4 * channels, name="head")(nn.LayerNorm(dtype=BF16, name="norm")(x))
        x = x.reshape(rows, side // 2, side // 2, 2, 2, channels).swapaxes(2, 3)
        return x.reshape(latents.shape)


class Selective(nn.Module):
    """Mamba's layer: a short convolution in time, then a diagonal recurrence whose rates depend on the input."""

    states: int = 16

    @nn.compact
    def __call__(self, x: jax.Array, _: Any = None) -> tuple[jax.Array, None]:
        width = x.shape[-1]
        inner, rank = 2 * width, width // 16
        y, gate = jnp.split(Dense(2 * inner, use_bias=False, name="wide_in")(RMSNorm(name="norm")(x)), 2, axis=-1)
        y = nn.silu(nn.Conv(inner, (4,), padding=((3, 0),), feature_group_count=inner, dtype=BF16, name="short")(y))
        low = Dense(rank + 2 * self.states, use_bias=False, name="low")(y)
        step, into, outof = jnp.split(low.astype(jnp.float32), (rank, rank + self.states), axis=-1)
        step = nn.softplus(nn.Dense(inner, name="step")(step))
        rates = -jnp.exp(self.param("rates", nn.initializers.ones, (inner, self.states)))
        skip = self.param("skip", nn.initializers.ones, (inner,))
        decay = jnp.exp(step[..., None] * rates)
        given = (step * y.astype(jnp.float32))[..., None] * into[:, :, None]

        def join(a: tuple[jax.Array, jax.Array], b: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
            return a[0] * b[0], a[1] * b[0] + b[1]

        _, held = jax.lax.associative_scan(join, (decay, given), axis=1)
        y = jnp.einsum("btds,bts->btd", held, outof) + skip * y.astype(jnp.float32)
        return x + Dense(width, use_bias=False, name="out")(y.astype(BF16) * nn.silu(gate)), None


class Mamba(nn.Module):
    layers: int = 48
    width: int = 2048
    vocabulary: int = 50280

    @nn.compact
    def __call__(self, tokens: jax.Array) -> jax.Array:
        embedding = nn.Embed(self.vocabulary, self.width, dtype=BF16, name="embedding")
        stack = nn.scan(
            nn.remat(Selective, prevent_cse=False),
            variable_axes={"params": 0}, split_rngs={"params": True}, length=self.layers,
        )  # fmt: skip
        x, _ = stack(name="layers")(embedding(tokens), None)
        return embedding.attend(RMSNorm(name="norm")(x))


def dit(batch: int = 256) -> Program:
    """Noise is added to latents by the time's share of it, which the step is given, and predicted."""
    model = DiT()

    def loss(apply: Callable[..., jax.Array], batch: Mapping[str, jax.Array]) -> jax.Array:
        kept = batch["kept"][batch["times"]][:, None, None, None]
        noisy = jnp.sqrt(kept) * batch["latents"] + jnp.sqrt(1 - kept) * batch["noise"]
        predicted = apply(noisy, batch["times"].astype(jnp.float32), batch["labels"])
        return jnp.mean((predicted - batch["noise"]) ** 2)

    latents = floats(batch, 32, 32, 4)
    arguments = {
        "latents": latents, "noise": latents, "times": tokens(batch), "labels": tokens(batch), "kept": floats(1000)
    }  # fmt: skip
    example = (floats(1, 32, 32, 4), floats(1), tokens(1))
    return train(model, example, arguments, loss)


def mamba(batch: int = 32, length: int = 2048) -> Program:
    def loss(apply: Callable[..., jax.Array], batch: Mapping[str, jax.Array]) -> jax.Array:
        return next_token_loss(apply(batch["tokens"]), batch["tokens"])

    return train(Mamba(), tokens(1, 16), {"tokens": tokens(batch, length)}, loss)


ENTRIES = [
    Entry("linen_dit_xl_scan_remat", "flax linen", dit),
    Entry("linen_mamba_1b4_scan_remat", "flax linen", mamba),
]
