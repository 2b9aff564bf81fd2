"""Decoding with a key-value cache: a loop of steps, each of which runs all layers for one token of every sequence.

The transformer is that of `gpt`, with as few key-value heads as wanted (1: multi-query attention). Sizes: IT32 is T32
with one key-value head, 1,536 steps, bf16 parameters and cache: a layer holds 2·3584² (wq, wo) + 2·3584·112 (wk, wv)
+ 8·3584² (w_in, w_out) parameters, so 32 layers hold 4.14e9 and the model 4.26e9.

Arrays of one layer: P = 16, Q = 6 as in `gpt`; outside: embed, pos, ln_scale, ln_bias (O = 4). There is no gradient:
BP needs no collective, MP 2·L all-reduces a step (after wo and w_out), 2·L·steps in all. MQ splits the cache over the
model axis by batch: the reshapes in the scopes `mq_query`, `mq_key`, `mq_value` and `mq_output` are where heads turn
into batch and back.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from models.layers import cast, init_layers, layer_norm, matrix, softmax
from models.program import Model, Params, Program


@dataclass(frozen=True)
class Config:
    vocab: int
    layers: int
    width: int
    heads: int
    kv_heads: int
    batch: int
    steps: int
    dtype: Any
    scan: bool = False
    sample: bool = False

    @property
    def head_dim(self) -> int:
        return self.width // self.heads


def tiny(**flags: Any) -> Config:
    shape = {"vocab": 128, "layers": 2, "width": 64, "heads": 8, "kv_heads": 1, "batch": 8, "steps": 16}
    return Config(**(shape | {"dtype": jnp.float32} | flags))


def it32(**flags: Any) -> Config:
    return Config(32768, 32, 3584, heads=32, kv_heads=1, batch=64, steps=1536, dtype=jnp.bfloat16, **flags)


def init_layer(config: Config, key: jax.Array) -> Params:
    q, k, v, o, up, down = jax.random.split(key, 6)
    width, keys, hidden = config.width, config.kv_heads * config.head_dim, 4 * config.width
    return {
        "wq": matrix(q, width, width),
        "wk": matrix(k, width, keys),
        "wv": matrix(v, width, keys),
        "wo": matrix(o, width, width),
        "w_in": matrix(up, width, hidden),
        "w_out": matrix(down, hidden, width),
        "bq": jnp.zeros(width),
        "bk": jnp.zeros(keys),
        "bv": jnp.zeros(keys),
        "bo": jnp.zeros(width),
        "b_in": jnp.zeros(hidden),
        "b_out": jnp.zeros(width),
        "ln1_scale": jnp.ones(width),
        "ln1_bias": jnp.zeros(width),
        "ln2_scale": jnp.ones(width),
        "ln2_bias": jnp.zeros(width),
    }


def init_params(config: Config, key: jax.Array) -> Any:
    embed, pos, layers = jax.random.split(key, 3)
    params = {
        "embed": matrix(embed, config.vocab, config.width, fan_in=config.width),
        "pos": matrix(pos, config.steps, config.width, fan_in=config.width),
        "layers": init_layers(functools.partial(init_layer, config), layers, config.layers, config.scan),
        "ln_scale": jnp.ones(config.width),
        "ln_bias": jnp.zeros(config.width),
    }
    return cast(params, config.dtype)


def init_cache(config: Config) -> Any:
    """Keys and values of every layer, `[batch, steps, kv_heads, head_dim]` each; stacked on dim 0 for a scan."""
    shape = (config.batch, config.steps, config.kv_heads, config.head_dim)
    if config.scan:
        return {name: jnp.zeros((config.layers, *shape), config.dtype) for name in ("k", "v")}
    return [{name: jnp.zeros(shape, config.dtype) for name in ("k", "v")} for _ in range(config.layers)]


def attention(config: Config, params: Params, cache: Params, x: jax.Array, step: jax.Array) -> tuple[Params, jax.Array]:
    """Attends from one token to all before it, after putting its own key and value at `step`; `x: [batch, width]`."""
    groups, head_dim = config.kv_heads, config.head_dim
    batch = x.shape[0]
    with jax.named_scope("mq_query"):
        q = (x @ params["wq"] + params["bq"]).reshape(batch, groups, -1, head_dim)
    with jax.named_scope("mq_key"):
        k = (x @ params["wk"] + params["bk"]).reshape(batch, 1, groups, head_dim)
    with jax.named_scope("mq_value"):
        v = (x @ params["wv"] + params["bv"]).reshape(batch, 1, groups, head_dim)
    cache = {
        "k": lax.dynamic_update_slice_in_dim(cache["k"], k, step, axis=1),
        "v": lax.dynamic_update_slice_in_dim(cache["v"], v, step, axis=1),
    }
    scores = jnp.einsum("bgrk,bsgk->bgrs", q, cache["k"]) / math.sqrt(head_dim)
    weights = softmax(scores, jnp.arange(config.steps) <= step)
    out = jnp.einsum("bgrs,bsgk->bgrk", weights, cache["v"])
    with jax.named_scope("mq_output"):
        out = out.reshape(batch, -1)
    return cache, out @ params["wo"] + params["bo"]


def layer(config: Config, params: Params, cache: Params, x: jax.Array, step: jax.Array) -> tuple[Params, jax.Array]:
    cache, branch = attention(config, params, cache, layer_norm(x, params["ln1_scale"], params["ln1_bias"]), step)
    x = x + branch
    hidden = layer_norm(x, params["ln2_scale"], params["ln2_bias"]) @ params["w_in"] + params["b_in"]
    return cache, x + jax.nn.gelu(hidden, approximate=False) @ params["w_out"] + params["b_out"]


def next_logits(config: Config, params: Params, cache: Any, token: jax.Array, step: jax.Array) -> tuple[Any, jax.Array]:
    """The cache after `token: [batch]` at position `step`, and the logits of what follows it."""
    x = params["embed"][token] + params["pos"][step]
    if config.scan:

        def body(x: jax.Array, slices: tuple[Params, Params]) -> tuple[jax.Array, Params]:
            new, x = layer(config, *slices, x, step)
            return x, new

        x, cache = lax.scan(body, x, (params["layers"], cache))
    else:
        old, cache = cache, []
        for weights, slot in zip(params["layers"], old, strict=True):
            slot, x = layer(config, weights, slot, x, step)
            cache.append(slot)
    x = layer_norm(x, params["ln_scale"], params["ln_bias"])
    return cache, x @ params["embed"].T


def greedy(config: Config) -> Program:
    """Takes the likeliest token, a fixed number of times."""

    def decode(params: Params, cache: Any, first: jax.Array) -> tuple[Any, jax.Array]:
        def body(step: jax.Array, carry: tuple[Any, jax.Array, jax.Array]) -> tuple[Any, jax.Array, jax.Array]:
            cache, token, text = carry
            cache, logits = next_logits(config, params, cache, token, step)
            token = jnp.argmax(logits, axis=-1).astype(jnp.int32)
            return cache, token, lax.dynamic_update_slice_in_dim(text, token[:, None], step, axis=1)

        text = jnp.zeros((config.batch, config.steps), jnp.int32)
        cache, _, text = lax.fori_loop(0, config.steps, body, (cache, first, text))
        return cache, text

    return Program(decode, functools.partial(init_greedy, config), donate_argnums=(1,))


def init_greedy(config: Config, key: jax.Array) -> tuple[Any, ...]:
    first = jax.random.randint(key, (config.batch,), 0, config.vocab)
    return init_params(config, key), init_cache(config), first


def sampled(config: Config) -> Program:
    """Draws tokens at random until every sequence has ended with token 0: the trip count depends on the data."""

    def decode(params: Params, cache: Any, first: jax.Array, key: jax.Array) -> tuple[Any, jax.Array]:
        def running(carry: Params) -> jax.Array:
            return (carry["step"] < config.steps) & ~jnp.all(carry["ended"])

        def body(carry: Params) -> Params:
            step = carry["step"]
            cache, logits = next_logits(config, params, carry["cache"], carry["token"], step)
            draw = jax.random.categorical(jax.random.fold_in(key, step), logits.astype(jnp.float32))
            token = jnp.where(carry["ended"], 0, draw.astype(jnp.int32))
            text = lax.dynamic_update_slice_in_dim(carry["text"], token[:, None], step, axis=1)
            ended = carry["ended"] | (token == 0)
            return {"step": step + 1, "cache": cache, "token": token, "text": text, "ended": ended}

        text = jnp.zeros((config.batch, config.steps), jnp.int32)
        start = {"step": jnp.int32(0), "cache": cache, "token": first, "text": text}
        end = lax.while_loop(running, body, start | {"ended": jnp.zeros(config.batch, bool)})
        return end["cache"], end["text"]

    def init(key: jax.Array) -> tuple[Any, ...]:
        return *init_greedy(config, key), jax.random.key(0)

    return Program(decode, init, donate_argnums=(1,))


def build(config: Config) -> Program:
    return sampled(config) if config.sample else greedy(config)


def variant(name: str, layout: str, sizes: dict[str, Config], notes: str) -> Model:
    pattern = "params/layers/.*" if sizes["tiny"].scan else "params/layers/0/.*"
    strategies = ("BP", "MP", "BP+MP", "BP+MQ+MP")
    return Model(name, sizes, build, 16, 6, 4, pattern, layout, strategies, notes)


MODELS = [
    variant("decode", "decode", {"tiny": tiny(), "it32": it32()}, "greedy, multi-query, layers unrolled in the loop"),
    variant(
        "decode_scan",
        "decode_scan",
        {"tiny": tiny(scan=True), "it32": it32(scan=True)},
        "greedy, multi-query, a scan over layers in the loop",
    ),
    variant("decode_kv8", "decode", {"tiny": tiny(kv_heads=8)}, "greedy, a key-value head per query head"),
    variant("decode_sample", "decode", {"tiny": tiny(sample=True)}, "sampled, stops when every sequence has ended"),
    variant("decode_bf16", "decode", {"tiny": tiny(dtype=jnp.bfloat16)}, "greedy, bf16 parameters and cache"),
]
