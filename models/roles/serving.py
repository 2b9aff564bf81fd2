"""Programs without an update: prefill, decoding with caches, evaluation. Weights are arguments."""

from __future__ import annotations

from typing import Any

import flax.linen as nn
import jax
import jax.numpy as jnp

from models.roles.case import (
    COUNTER,
    INPUT,
    PARAMETER,
    STATE,
    Case,
    Row,
    attention,
    causal,
    cross_entropy,
    rms_norm,
    shape,
    tokens,
)
from models.roles.layouts import layer, layer_shapes, stack

WIDTH, HEADS, SIZE, LAYERS, VOCABULARY, LIMIT = 40, 4, 12, 3, 260, 64


def _weights() -> dict[str, Any]:
    shapes = layer_shapes(WIDTH, HEADS, HEADS, SIZE, 104)
    return {
        "embedding": shape(VOCABULARY, WIDTH), "positions": shape(LIMIT, WIDTH), "layers": stack(shapes, LAYERS, 0),
        "norm": shape(WIDTH), "head": shape(WIDTH, VOCABULARY),
    }  # fmt: skip


def _finish(w: Any, x: jax.Array, mixed: jax.Array) -> jax.Array:
    x = x + jnp.einsum("bshk,hkd->bsd", mixed, w["wo"])
    y = rms_norm(x, w["norm_2"])
    return x + (jax.nn.silu(y @ w["w_gate"]) * (y @ w["w_up"])) @ w["w_down"]


def _project(w: Any, x: jax.Array) -> Any:
    y = rms_norm(x, w["norm_1"])
    return (jnp.einsum("bsd,dhk->bshk", y, w[name]) for name in ("wq", "wk", "wv"))


def prefill() -> Case:
    """The prompt in, logits of its last token and new caches out."""

    def run(params: Any, ids: Any, lengths: Any) -> Any:
        x = params["embedding"][ids] + params["positions"][: ids.shape[1]]

        def body(x: jax.Array, w: Any) -> Any:
            q, k, v = _project(w, x)
            return _finish(w, x, attention(q, k, v, causal(x.shape[1]))), (k, v)

        x, caches = jax.lax.scan(body, x, params["layers"])
        last = jnp.take_along_axis(x, (lengths - 1)[:, None, None], 1)[:, 0]
        return rms_norm(last, params["norm"]) @ params["head"], caches

    truth = ((r"params/.*", PARAMETER), (r"ids|lengths", INPUT))
    return Case(run, (_weights(), tokens(5, 22), tokens(5)), truth)


def decode() -> Case:
    """One token for each sequence; caches of all layers are one array each, and sequences have their own positions."""

    def run(params: Any, cache: Any, ids: Any) -> Any:
        at = cache["position"]
        x = params["embedding"][ids][:, None] + params["positions"][at][:, None]

        def body(x: jax.Array, layer_of: Any) -> Any:
            w, k_cache, v_cache = layer_of
            q, k, v = _project(w, x)
            rows = jnp.arange(x.shape[0])
            k_cache, v_cache = k_cache.at[rows, at].set(k[:, 0]), v_cache.at[rows, at].set(v[:, 0])
            mask = (jnp.arange(LIMIT) <= at[:, None])[:, None, None]
            return _finish(w, x, attention(q, k_cache, v_cache, mask)), (k_cache, v_cache)

        x, (k, v) = jax.lax.scan(body, x, (params["layers"], cache["k"], cache["v"]))
        logits = rms_norm(x[:, 0], params["norm"]) @ params["head"]
        return {"k": k, "v": v, "position": at + 1}, logits

    caches = shape(LAYERS, 6, LIMIT, HEADS, SIZE)
    truth = ((r"cache/position", COUNTER), (r"cache/.*", STATE), (r"params/.*", PARAMETER), (r"ids", INPUT))
    cache = {"k": caches, "v": caches, "position": tokens(6)}
    return Case(run, (_weights(), cache, tokens(6)), truth, donated=(1,))


def decode_apart() -> Case:
    """Attention reads the old cache and the new key; the cache is written for the next call alone."""

    def run(state: Any, ids: Any, position: Any) -> Any:
        params, cache = state["params"], state["cache"]
        x, new = params["embedding"][ids][:, None], []
        for i in range(LAYERS):
            w, (k_cache, v_cache) = jax.tree.map(lambda a, i=i: a[i], params["layers"]), cache[i]
            q, k, v = _project(w, x)
            mask = (jnp.arange(LIMIT + 1) < position) | (jnp.arange(LIMIT + 1) == LIMIT)
            mixed = attention(q, jnp.concatenate([k_cache, k], 1), jnp.concatenate([v_cache, v], 1), mask)
            x = _finish(w, x, mixed)
            write = jax.lax.dynamic_update_slice_in_dim
            new.append((write(k_cache, k, position, 1), write(v_cache, v, position, 1)))
        logits = rms_norm(x[:, 0], params["norm"]) @ params["head"]
        return {"params": params, "cache": new}, logits.argmax(-1)

    pair = (shape(6, LIMIT, HEADS, SIZE),) * 2
    weights = _weights()
    del weights["positions"]
    state = {"params": weights, "cache": [pair] * LAYERS}
    truth = ((r"state/cache/.*", STATE), (r"state/params/.*", PARAMETER), (r"ids|position", INPUT))
    return Case(run, (state, tokens(6), tokens()), truth)


def generate() -> Case:
    """A loop that samples sixteen tokens: the buffer of tokens, caches and key are carried, and all comes back."""

    def run(params: Any, state: Any) -> Any:
        def body(_: Any, state: Any) -> Any:
            key, own = jax.random.split(state["key"])
            at = state["position"]
            ids = jax.lax.dynamic_slice_in_dim(state["tokens"], at, 1, 1)
            x, caches = params["embedding"][ids], []
            for i in range(LAYERS):
                w = jax.tree.map(lambda a, i=i: a[i], params["layers"])
                q, k, v = _project(w, x)
                write = jax.lax.dynamic_update_slice_in_dim
                k, v = (write(c, a, at, 1) for c, a in zip(state["caches"][i], (k, v), strict=True))
                caches.append((k, v))
                x = _finish(w, x, attention(q, k, v, jnp.arange(LIMIT) <= at))
            chosen = jax.random.categorical(own, rms_norm(x[:, 0], params["norm"]) @ params["head"])
            buffer = jax.lax.dynamic_update_slice(state["tokens"], chosen[:, None].astype(jnp.int32), (0, at + 1))
            return {"tokens": buffer, "caches": caches, "position": at + 1, "key": key}

        return jax.lax.fori_loop(0, 16, body, state)

    pair = (shape(6, LIMIT, HEADS, SIZE),) * 2
    weights = _weights()
    del weights["positions"]
    state = {"tokens": tokens(6, LIMIT), "caches": [pair] * LAYERS, "position": tokens()}
    state["key"] = shape(2, dtype=jnp.uint32)
    truth = ((r"state/(position|key)", COUNTER), (r"state/.*", STATE), (r"params/.*", PARAMETER))
    return Case(run, (weights, state), truth, donated=(1,))


def linen_cache() -> Case:
    """flax linen's own decoding: the collection `cache` of attention modules."""

    class Decoder(nn.Module):
        @nn.compact
        def __call__(self, ids: jax.Array) -> jax.Array:
            x = nn.Embed(VOCABULARY, 48)(ids)
            for _ in range(2):
                x = x + nn.MultiHeadDotProductAttention(4, decode=True)(nn.LayerNorm()(x))
                x = x + nn.Dense(48)(nn.gelu(nn.Dense(136)(nn.LayerNorm()(x))))
            return nn.Dense(VOCABULARY)(nn.LayerNorm()(x))

    model = Decoder()
    made = jax.eval_shape(model.init, jax.random.key(0), tokens(6, 32))

    def run(variables: Any, ids: Any) -> Any:
        logits, new = model.apply(variables, ids, mutable=["cache"])
        return logits, new

    truth = ((r".*cache_index", COUNTER), (r"variables/cache/.*", STATE), (r"variables/.*", PARAMETER), (r"ids", INPUT))
    return Case(run, (dict(made), tokens(6, 1)), truth)


def quantized() -> Case:
    """Weights of 8 bits with scales, for tokens' logits."""
    sizes = [(WIDTH, 104), (104, WIDTH)] * 2
    params = {"embedding": shape(VOCABULARY, WIDTH), "norm": shape(WIDTH), "head": shape(WIDTH, VOCABULARY)}
    params["layers"] = [{"w": shape(*size, dtype=jnp.int8), "scale": shape(size[1])} for size in sizes]

    def run(params: Any, ids: Any) -> Any:
        x = params["embedding"][ids]
        for i in range(0, 4, 2):
            y = rms_norm(x, params["norm"])
            for w, f in zip(params["layers"][i : i + 2], (jax.nn.silu, lambda a: a), strict=True):
                y = f((y @ w["w"].astype(jnp.float32)) * w["scale"])
            x = x + y
        return x @ params["head"]

    return Case(run, (params, tokens(5, 22)), ((r"params/.*", PARAMETER), (r"ids", INPUT)))


def evaluation() -> Case:
    """The loss of a batch and nothing else, with a weight for each token."""
    width = 44
    params = {"embedding": shape(210, width), "layers": [layer_shapes(width, 4, 2, 11, 90) for _ in range(2)]}
    params = {**params, "norm": shape(width), "head": shape(width, 210)}

    def run(params: Any, batch: Any) -> Any:
        x = params["embedding"][batch["tokens"]]
        for w in params["layers"]:
            x = layer(w, x, 4)
        logits = rms_norm(x, params["norm"]) @ params["head"]
        return {"loss": jnp.sum(cross_entropy(logits, batch["tokens"]) * batch["weights"])}

    truth = ((r"params/.*", PARAMETER), (r"batch/.*", INPUT))
    return Case(run, (params, {"tokens": tokens(6, 19), "weights": shape(6, 19)}), truth)


def regression() -> Case:
    """A residual network on floats alone: the error of a batch, with no integers to tell what is fed."""
    params = [{"w": shape(36, 100), "b": shape(100), "v": shape(100, 36), "scale": shape(36)} for _ in range(3)]

    def run(params: Any, x: Any) -> Any:
        for p in params:
            x = x + jnp.tanh(x @ p["w"] + p["b"]) @ p["v"] * p["scale"]
        return x

    return Case(run, (params, shape(17, 36)), ((r"params/.*", PARAMETER), (r"x", INPUT)))


ROWS = [
    Row("prefill", "serving", prefill),
    Row("decode, stacked caches", "serving", decode),
    Row("decode, cache written apart", "serving", decode_apart),
    Row("generate in a loop", "serving", generate),
    Row("decode, cache collection", "flax linen", linen_cache),
    Row("weights of 8 bits", "serving", quantized),
    Row("evaluation", "serving", evaluation),
    Row("residual network, floats", "serving", regression),
]
