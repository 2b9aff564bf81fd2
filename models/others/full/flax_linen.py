"""flax linen: GPTs, a vision transformer and a mixture of experts, as their users write them; `TrainState` is donated.

Layers compute in bf16 from f32 weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from flax import linen as nn
from flax.training.train_state import TrainState

from models.others.full.program import Entry, Program, adamw, cross_entropy, floats, next_token_loss, tokens

BF16 = jnp.bfloat16
Dense = partial(nn.Dense, dtype=BF16)
LayerNorm = partial(nn.LayerNorm, dtype=BF16)


@dataclass(frozen=True)
class Config:
    layers: int
    width: int
    heads: int
    length: int
    batch: int
    vocabulary: int = 50304
    scan: bool = False
    experts: int = 0


GPT_1B3 = Config(layers=24, width=2048, heads=16, length=2048, batch=32, scan=True)
GPT_350M = Config(layers=24, width=1024, heads=16, length=1024, batch=64)
MOE = Config(layers=12, width=1024, heads=16, length=1024, batch=64, experts=16)
VIT_LARGE = Config(layers=24, width=1024, heads=16, length=197, batch=512, vocabulary=1000)


class CachedAttention(nn.Module):
    """Causal attention that keeps its keys and values in the collection `cache`, if that may be changed."""

    config: Config

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        config = self.config
        shape = (*x.shape[:2], config.heads, config.width // config.heads)
        q, k, v = (Dense(config.width, name=name)(x).reshape(shape) for name in ("query", "key", "value"))
        for name, value in (("cached_key", k), ("cached_value", v)):
            if self.is_mutable_collection("cache"):
                held = self.variable("cache", name, jnp.zeros, shape, BF16)
                held.value = jax.lax.dynamic_update_slice(held.value, value, (0, 0, 0, 0))
        mask = nn.make_causal_mask(jnp.ones(x.shape[:2], bool), dtype=bool)
        y = nn.dot_product_attention(q, k, v, mask=mask, dtype=BF16)
        return Dense(config.width, name="out")(y.reshape(x.shape))


class Experts(nn.Module):
    """The two best of many feed-forward networks for each token, within a capacity for each sequence."""

    config: Config

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        config = self.config
        capacity = 2 * x.shape[1] * 5 // (4 * config.experts)
        gates = jax.nn.softmax(nn.Dense(config.experts, dtype=jnp.float32, name="router")(x))
        best, chosen = jax.lax.top_k(gates, 2)
        best = best / best.sum(axis=-1, keepdims=True)
        picks = jax.nn.one_hot(chosen, config.experts)
        # First choices take their places in an expert before second ones.
        ranked = picks.swapaxes(1, 2).reshape(x.shape[0], -1, config.experts)
        place = ((jnp.cumsum(ranked, axis=1) - 1) * ranked).reshape(x.shape[0], 2, -1, config.experts).swapaxes(1, 2)
        slots = jax.nn.one_hot(jnp.where(picks > 0, place, -1).astype(jnp.int32), capacity, dtype=BF16)
        combine = jnp.einsum("btk,btkec->btec", best.astype(BF16), slots)
        inner = nn.initializers.lecun_normal(batch_axis=0)
        wide_in = self.param("wide_in", inner, (config.experts, config.width, 4 * config.width)).astype(BF16)
        wide_out = self.param("wide_out", inner, (config.experts, 4 * config.width, config.width)).astype(BF16)
        y = jnp.einsum("btec,btd->ebcd", (combine > 0).astype(BF16), x)
        y = nn.gelu(jnp.einsum("ebcd,edf->ebcf", y, wide_in))
        y = jnp.einsum("ebcf,efd->ebcd", y, wide_out)
        return jnp.einsum("btec,ebcd->btd", combine, y)


class Block(nn.Module):
    """A layer behind norms; in the form that `nn.scan` wants, with nothing for each layer."""

    config: Config
    causal: bool = True
    sparse: bool = False

    @nn.compact
    def __call__(self, x: jax.Array, _: Any = None) -> tuple[jax.Array, None]:
        config, y = self.config, LayerNorm(name="norm_1")(x)
        if self.causal:
            x = x + CachedAttention(config, name="attention")(y)
        else:
            x = x + nn.MultiHeadDotProductAttention(config.heads, dtype=BF16, name="attention")(y)
        y = LayerNorm(name="norm_2")(x)
        if self.sparse:
            return x + Experts(config, name="experts")(y), None
        y = nn.gelu(Dense(4 * config.width, name="wide_in")(y))
        return x + Dense(config.width, name="wide_out")(y), None


class GPT(nn.Module):
    """Layers in a scan, each rematerialised, or one by one; every second has experts if there are any."""

    config: Config

    @nn.compact
    def __call__(self, tokens: jax.Array) -> jax.Array:
        config = self.config
        embedding = nn.Embed(config.vocabulary, config.width, dtype=BF16, name="embedding")
        positions = self.param("positions", nn.initializers.normal(0.02), (config.length, config.width))
        x = embedding(tokens) + positions[: tokens.shape[1]].astype(BF16)
        if config.scan:
            stack = nn.scan(
                nn.remat(Block, prevent_cse=False),
                variable_axes={"params": 0, "cache": 0},
                split_rngs={"params": True},
                length=config.layers,
            )
            x, _ = stack(config, name="layers")(x, None)
        else:
            for number in range(config.layers):
                sparse = config.experts > 0 and number % 2 == 1
                x, _ = Block(config, sparse=sparse, name=f"layer_{number}")(x)
        return embedding.attend(LayerNorm(name="norm")(x))


class ViT(nn.Module):
    """A class token, learned positions, layers that see all patches."""

    config: Config

    @nn.compact
    def __call__(self, images: jax.Array) -> jax.Array:
        config = self.config
        x = nn.Conv(config.width, (16, 16), strides=(16, 16), padding="VALID", dtype=BF16, name="patches")(images)
        x = x.reshape(x.shape[0], -1, config.width)
        first = self.param("class", nn.initializers.zeros, (1, 1, config.width)).astype(BF16)
        x = jnp.concatenate([jnp.broadcast_to(first, (x.shape[0], 1, config.width)), x], axis=1)
        positions = self.param("positions", nn.initializers.normal(0.02), (1, config.length, config.width))
        x = x + positions.astype(BF16)
        for number in range(config.layers):
            x, _ = Block(config, causal=False, name=f"layer_{number}")(x)
        return nn.Dense(config.vocabulary, name="head")(LayerNorm(name="norm")(x)[:, 0])


def train(model: nn.Module, example: Any, batch: Mapping[str, Any], loss: Callable[..., jax.Array]) -> Program:
    """A step with `TrainState` on `loss(apply, batch)`, where `apply` is the model with its parameters; `example` is
    the shape of what the model takes, or of each of several."""

    def make_state(key: jax.Array) -> TrainState:
        shapes = example if isinstance(example, tuple) else (example,)
        params = model.init(key, *(jnp.zeros(each.shape, each.dtype) for each in shapes))["params"]
        return TrainState.create(apply_fn=model.apply, params=params, tx=adamw())

    def step(state: TrainState, batch: Mapping[str, jax.Array]) -> tuple[TrainState, jax.Array]:
        def of_params(params: Any) -> jax.Array:
            return loss(lambda *inputs: state.apply_fn({"params": params}, *inputs), batch)

        value, gradients = jax.value_and_grad(of_params)(state.params)
        return state.apply_gradients(grads=gradients), value

    state = jax.eval_shape(make_state, jax.random.PRNGKey(0))
    return Program(step, (state, dict(batch)), state.params)


def gpt(config: Config) -> Program:
    def loss(apply: Callable[..., jax.Array], batch: Mapping[str, jax.Array]) -> jax.Array:
        return next_token_loss(apply(batch["tokens"]), batch["tokens"])

    rows = tokens(config.batch, config.length)
    return train(GPT(config), tokens(1, config.length), {"tokens": rows}, loss)


def vit(config: Config) -> Program:
    def loss(apply: Callable[..., jax.Array], batch: Mapping[str, jax.Array]) -> jax.Array:
        return cross_entropy(apply(batch["images"]), batch["labels"])

    batch = {"images": floats(config.batch, 224, 224, 3), "labels": tokens(config.batch)}
    return train(ViT(config), floats(1, 224, 224, 3), batch, loss)


def prefill(config: Config) -> Program:
    """The keys and values of prompts, and the first token of each answer; weights are bf16."""
    model = GPT(config)
    shapes = jax.eval_shape(model.init, jax.random.PRNGKey(0), tokens(1, config.length))["params"]
    params = jax.tree.map(lambda leaf: floats(*leaf.shape, dtype=BF16), shapes)

    def start(params: Any, prompts: jax.Array) -> tuple[Any, jax.Array]:
        logits, made = model.apply({"params": params}, prompts, mutable=["cache"])
        return made["cache"], jnp.argmax(logits[:, -1], axis=-1)

    return Program(start, (params, tokens(config.batch, config.length)), params, donate=())


ENTRIES = [
    Entry("linen_gpt_1b3_scan_remat", "flax linen", partial(gpt, GPT_1B3)),
    Entry("linen_gpt_350m", "flax linen", partial(gpt, GPT_350M)),
    Entry("linen_vit_l16", "flax linen", partial(vit, VIT_LARGE)),
    Entry("linen_moe_16x", "flax linen", partial(gpt, MOE)),
    Entry("linen_gpt_1b3_prefill", "flax linen", partial(prefill, GPT_1B3)),
]
