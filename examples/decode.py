"""Generating sixteen tokens with a cache, on eight virtual devices: sequences over data, heads over model."""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["PJRT_NPROC"] = "32"

import jax
import jax.numpy as jnp
import numpy as np
from jax.random import normal, split

import partita
from partita import presets

LAYERS, WIDTH, HEADS, HEAD, VOCAB = 2, 64, 8, 8, 128
BATCH, LENGTH, TOKENS = 8, 32, 16


def init(key):
    wide = {"wq": (WIDTH, HEADS, HEAD), "wk": (WIDTH, HEADS, HEAD), "wv": (WIDTH, HEADS, HEAD)}
    shapes = wide | {"wo": (HEADS, HEAD, WIDTH), "up": (WIDTH, 4 * WIDTH), "down": (4 * WIDTH, WIDTH)}
    keys = dict(zip(shapes, split(key, len(shapes)), strict=True))
    layers = {name: normal(keys[name], (LAYERS, *shape)) / 8 for name, shape in shapes.items()}
    return {"layers": layers, "embed": normal(key, (VOCAB, WIDTH))}


def attend(p, x, cache, place):
    """One token of each sequence: its key and value go into the cache, which is [batch, length, heads, head]."""
    q, k, v = (jnp.einsum("bd,dhk->bhk", x, p[name]) for name in ("wq", "wk", "wv"))
    cache = {name: cache[name].at[:, place].set(value) for name, value in (("k", k), ("v", v))}
    scores = jnp.einsum("bhk,bshk->bhs", q, cache["k"]) / HEAD**0.5
    weights = jax.nn.softmax(jnp.where(jnp.arange(LENGTH) <= place, scores, -1e9))
    return jnp.einsum("bhs,bshk,hkd->bd", weights, cache["v"], p["wo"]), cache


def generate(params, cache, token):
    def one_token(carry, place):
        token, cache = carry

        def layer(x, p_and_cache):
            p, cache = p_and_cache
            y, cache = attend(p, x, cache, place)
            x = x + y
            return x + jax.nn.gelu(x @ p["up"]) @ p["down"], cache

        x, cache = jax.lax.scan(layer, params["embed"][token], (params["layers"], cache))
        token = jnp.argmax(x @ params["embed"].T, axis=-1)
        return (token, cache), token

    (_, cache), tokens = jax.lax.scan(one_token, (token, cache), jnp.arange(TOKENS))
    return cache, tokens.T


params = init(jax.random.key(0))
cache = {name: jnp.zeros((LAYERS, BATCH, LENGTH, HEADS, HEAD)) for name in ("k", "v")}
token = jnp.arange(BATCH)
plan = partita.plan(
    generate, params, cache, token, mesh={"data": 4, "model": 2}, donate_argnums=1,
    schedule=[
        partita.tile("token", dim=0, axis="data") + partita.tile("cache/.*", dim=1, axis="data"),
        presets.megatron("model"),
    ],
)  # fmt: skip
print(plan.report)
_, expected = jax.jit(generate)(params, cache, token)
cache, tokens = plan.jit()(*plan.put(params, cache, token))
np.testing.assert_array_equal(tokens, expected)
print("cache on a device:", cache["k"].addressable_shards[0].data.shape, "of", cache["k"].shape)
print("the same tokens as on one device")
