"""Serving in other idioms: ring buffers, pages, drafts, beams, states of recurrences, vectors and their search.

`s` multiplies the sizes.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from models.roles.case import COUNTER, INPUT, PARAMETER, STATE, Case, Row, attention, rms_norm, shape, tokens
from models.roles.layouts import layer, layer_shapes, stack

LAYERS, HEADS = 2, 4


def _weights(width: int, hidden: int, vocabulary: int) -> dict[str, Any]:
    return {
        "embedding": shape(vocabulary, width),
        "layers": stack(layer_shapes(width, HEADS, HEADS, width // HEADS, hidden), LAYERS, 0),
        "norm": shape(width),
        "head": shape(width, vocabulary),
    }


def _feed(w: Any, x: jax.Array) -> jax.Array:
    y = rms_norm(x, w["norm_2"])
    return x + (jax.nn.silu(y @ w["w_gate"]) * (y @ w["w_up"])) @ w["w_down"]


def single_stream(s: int = 1) -> Case:
    """One sequence without a batch dim: a token, caches of [layers, length, heads, size], the next token."""
    width, length = 48 * s, 96 * s

    def run(params: Any, cache: Any, token: jax.Array, at: jax.Array) -> Any:
        x = params["embedding"][token]

        def body(x: jax.Array, given: Any) -> Any:
            w, k_cache, v_cache = given
            y = rms_norm(x, w["norm_1"])
            q, k, v = (jnp.einsum("d,dhk->hk", y, w[n]) for n in ("wq", "wk", "wv"))
            k_cache, v_cache = k_cache.at[at].set(k), v_cache.at[at].set(v)
            score = jnp.einsum("hk,lhk->hl", q, k_cache) / q.shape[-1] ** 0.5
            score = jnp.where(jnp.arange(length) <= at, score, -1e9)
            x = x + jnp.einsum("hl,lhk,hkd->d", jax.nn.softmax(score), v_cache, w["wo"])
            return _feed(w, x), (k_cache, v_cache)

        x, (k, v) = jax.lax.scan(body, x, (params["layers"], cache["k"], cache["v"]))
        return {"k": k, "v": v}, jnp.argmax(rms_norm(x, params["norm"]) @ params["head"])

    cache = shape(LAYERS, length, HEADS, width // HEADS)
    truth = ((r"params/.*", PARAMETER), (r"cache/.*", STATE), (r"token|at", INPUT))
    return Case(
        run, (_weights(width, 112 * s, 208 * s), {"k": cache, "v": cache}, tokens(), tokens()), truth, donated=(1,)
    )


def ring(s: int = 1) -> Case:
    """Caches of a window that wrap around; keys first, batch second; positions of each slot are kept with them."""
    width, window, batch = 40 * s, 32, 8 * s

    def run(params: Any, state: Any, ids: jax.Array) -> Any:
        at, x = state["step"], params["embedding"][ids]
        slot = at % window
        places = state["places"].at[slot].set(at)
        caches = []
        for i in range(LAYERS):
            w = jax.tree.map(lambda a, i=i: a[i], params["layers"])
            y = rms_norm(x, w["norm_1"])
            q, k, v = (jnp.einsum("bd,dhk->bhk", y, w[n]) for n in ("wq", "wk", "wv"))
            k, v = (
                jax.lax.dynamic_update_index_in_dim(c, a, slot, 0)
                for c, a in zip(state["caches"][i], (k, v), strict=True)
            )
            caches.append((k, v))
            score = jnp.einsum("bhk,lbhk->bhl", q, k) / q.shape[-1] ** 0.5 - 0.1 * (at - places)
            score = jnp.where((places >= 0) & (places > at - window), score, -1e9)
            x = _feed(w, x + jnp.einsum("bhl,lbhk,hkd->bd", jax.nn.softmax(score), v, w["wo"]))
        logits = rms_norm(x, params["norm"]) @ params["head"]
        return {"caches": caches, "places": places, "step": at + 1}, logits

    pair = (shape(window, batch, HEADS, width // HEADS),) * 2
    state = {"caches": [pair] * LAYERS, "places": tokens(window), "step": tokens()}
    truth = ((r"params/.*", PARAMETER), (r"state/(step|places)", COUNTER), (r"state/.*", STATE), (r"ids", INPUT))
    return Case(run, (_weights(width, 104 * s, 168 * s), state, tokens(batch)), truth, donated=(1,))


def draft(s: int = 1) -> Case:
    """Speculative decoding: a small model drafts four tokens in a loop, a large one checks them at once."""
    small, large = _weights(24 * s, 56 * s, 144 * s), _weights(56 * s, 136 * s, 144 * s)

    def forward(params: Any, ids: jax.Array) -> jax.Array:
        x, _ = jax.lax.scan(lambda x, w: (layer(w, x, HEADS), None), params["embedding"][ids], params["layers"])
        return rms_norm(x, params["norm"]) @ params["head"]

    def run(large: Any, small: Any, ids: jax.Array, length: jax.Array, key: jax.Array) -> Any:
        def propose(i: jax.Array, ids: jax.Array) -> jax.Array:
            logits = jax.lax.dynamic_index_in_dim(forward(small, ids), length + i - 1, 1, keepdims=False)
            return jax.lax.dynamic_update_slice(ids, logits.argmax(-1)[:, None].astype(ids.dtype), (0, length + i))

        drafted = jax.lax.fori_loop(0, 4, propose, ids)
        logs = jax.nn.log_softmax(jax.lax.dynamic_slice_in_dim(forward(large, drafted), length - 1, 5, 1))
        asked = jax.lax.dynamic_slice_in_dim(drafted, length, 4, 1)
        likely = jnp.take_along_axis(logs[:, :4], asked[..., None], -1)[..., 0]
        taken = jnp.cumprod(likely > jnp.log(jax.random.uniform(key, likely.shape)), -1).sum(-1)
        after = jnp.take_along_axis(logs, taken[:, None, None], 1)[:, 0].argmax(-1)
        return drafted, taken, after

    truth = ((r"(large|small)/.*", PARAMETER), (r"ids", STATE), (r"length", INPUT), (r"key", COUNTER))
    return Case(run, (large, small, tokens(8, 40), tokens(), shape(2, dtype=jnp.uint32)), truth)


def beams(s: int = 1) -> Case:
    """Beam search: scores and tokens of each beam, caches that are gathered to follow their parents."""
    width, length, batch, count = 48 * s, 40, 8, 4

    def run(params: Any, state: Any) -> Any:
        at = state["at"]
        last = jnp.take(state["tokens"], at, axis=2)
        x, caches = params["embedding"][last], []
        for i in range(LAYERS):
            w = jax.tree.map(lambda a, i=i: a[i], params["layers"])
            y = rms_norm(x, w["norm_1"])
            q, k, v = (jnp.einsum("bnd,dhk->bnhk", y, w[n]) for n in ("wq", "wk", "wv"))
            k, v = (
                jax.lax.dynamic_update_slice_in_dim(c, a[:, :, None], at, 2)
                for c, a in zip(state["caches"][i], (k, v), strict=True)
            )
            score = jnp.einsum("bnhk,bnlhk->bnhl", q, k) / q.shape[-1] ** 0.5
            score = jnp.where(jnp.arange(length) <= at, score, -1e9)
            x = _feed(w, x + jnp.einsum("bnhl,bnlhk,hkd->bnd", jax.nn.softmax(score), v, w["wo"]))
            caches.append((k, v))
        logs = jax.nn.log_softmax(rms_norm(x, params["norm"]) @ params["head"]) + state["scores"][..., None]
        scores, chosen = jax.lax.top_k(logs.reshape(batch, -1), count)
        parent, token = chosen // logs.shape[-1], chosen % logs.shape[-1]

        def follow(a: jax.Array) -> jax.Array:
            return jnp.take_along_axis(a, parent.reshape(parent.shape + (1,) * (a.ndim - 2)), 1)

        words = jax.lax.dynamic_update_slice_in_dim(
            follow(state["tokens"]), token[..., None].astype(jnp.int32), at + 1, 2
        )
        return {"tokens": words, "scores": scores, "caches": jax.tree.map(follow, caches), "at": at + 1}

    pair = (shape(batch, count, length, HEADS, width // HEADS),) * 2
    state = {
        "tokens": tokens(batch, count, length),
        "scores": shape(batch, count),
        "caches": [pair] * LAYERS,
        "at": tokens(),
    }
    truth = ((r"params/.*", PARAMETER), (r"state/at", COUNTER), (r"state/.*", STATE))
    return Case(run, (_weights(width, 120 * s, 184 * s), state), truth, donated=(1,))


def recurrent(s: int = 1) -> Case:
    """A state-space model decodes: states of convolutions and of the recurrence instead of caches; one token each."""
    width, inner, size, batch = 40 * s, 80 * s, 8, 16
    block = {
        "norm": shape(width),
        "in": shape(width, 2 * inner),
        "conv": shape(4, inner),
        "project": shape(inner, 2 * size),
        "dt": shape(inner),
        "a_log": shape(inner, size),
        "d": shape(inner),
        "out": shape(inner, width),
    }
    params = {"embedding": shape(176 * s, width), "layers": stack(block, LAYERS, 0), "norm": shape(width)}

    def run(params: Any, state: Any, ids: jax.Array) -> Any:
        def body(x: jax.Array, given: Any) -> Any:
            w, last, h = given
            u, gate = jnp.split(rms_norm(x, w["norm"]) @ w["in"], 2, -1)
            last = jnp.concatenate([last[:, 1:], u[:, None]], 1)
            u = jax.nn.silu(jnp.einsum("bki,ki->bi", last, w["conv"]))
            b, c = jnp.split(u @ w["project"], 2, -1)
            dt = jax.nn.softplus(u + w["dt"])
            h = h * jnp.exp(-jnp.exp(w["a_log"]) * dt[..., None]) + (dt * u)[..., None] * b[:, None]
            y = jnp.einsum("bin,bn->bi", h, c) + w["d"] * u
            return x + (y * jax.nn.silu(gate)) @ w["out"], (last, h)

        x, (conv, ssm) = jax.lax.scan(body, params["embedding"][ids], (params["layers"], state["conv"], state["ssm"]))
        return rms_norm(x, params["norm"]) @ params["embedding"].T, {"conv": conv, "ssm": ssm}

    state = {"conv": shape(LAYERS, batch, 4, inner), "ssm": shape(LAYERS, batch, inner, size)}
    truth = ((r"params/.*", PARAMETER), (r"state/.*", STATE), (r"ids", INPUT))
    return Case(run, (params, state, tokens(batch)), truth, donated=(1,))


def vectors(s: int = 1) -> Case:
    """Sentences to vectors, then the nearest of an index that is an argument: pooled, normalized, top ten."""
    width = 64 * s

    def run(params: Any, index: jax.Array, ids: jax.Array, mask: jax.Array) -> Any:
        x = params["embedding"][ids]
        for i in range(LAYERS):
            w = jax.tree.map(lambda a, i=i: a[i], params["layers"])
            y = rms_norm(x, w["norm_1"])
            q, k, v = (jnp.einsum("bsd,dhk->bshk", y, w[n]) for n in ("wq", "wk", "wv"))
            mixed = attention(q, k, v, mask[:, None, None] > 0)
            x = _feed(w, x + jnp.einsum("bshk,hkd->bsd", mixed, w["wo"]))
        pooled = jnp.einsum("bsd,bs->bd", rms_norm(x, params["norm"]), mask) / mask.sum(-1, keepdims=True)
        pooled = pooled / jnp.linalg.norm(pooled, axis=-1, keepdims=True)
        return pooled, jax.lax.top_k(pooled @ index.T, 10)

    params = _weights(width, 152 * s, 240 * s)
    del params["head"]
    truth = ((r"params/.*|index", PARAMETER), (r"ids|mask", INPUT))
    return Case(run, (params, shape(800 * s, width), tokens(24, 32), shape(24, 32)), truth)


def codes(s: int = 1) -> Case:
    """Weights of four bits in groups with scales and zero points; keys and values of eight bits with their scales."""
    width, hidden, batch, length, group = 64 * s, 128 * s, 8, 48, 32

    def pack(i: int, o: int) -> dict[str, Any]:
        return {"codes": shape(i, o, dtype=jnp.uint4), "scale": shape(i // group, o), "zero": shape(i // group, o)}

    block = {**{n: pack(width, width) for n in "qkvo"}, "up": pack(width, hidden), "down": pack(hidden, width)}
    params = {"embedding": shape(160 * s, width), "blocks": [block] * LAYERS, "head": shape(width, 160 * s)}

    def use(x: jax.Array, w: Any) -> jax.Array:
        codes = w["codes"].astype(jnp.float32).reshape(-1, group, w["codes"].shape[1])
        return x @ ((codes - w["zero"][:, None]) * w["scale"][:, None]).reshape(w["codes"].shape)

    def store(cache: Any, value: jax.Array, at: jax.Array) -> Any:
        scale = jnp.max(jnp.abs(value), -1, keepdims=True) / 127 + 1e-8
        rounded = jnp.round(value / scale).astype(jnp.int8)
        write = jax.lax.dynamic_update_slice_in_dim
        return {"codes": write(cache["codes"], rounded, at, 1), "scale": write(cache["scale"], scale, at, 1)}

    def run(params: Any, cache: Any, ids: jax.Array, at: jax.Array) -> Any:
        x, new = params["embedding"][ids], []
        for w, c in zip(params["blocks"], cache, strict=True):
            q, k, v = (use(x, w[n]).reshape(batch, 1, HEADS, -1) for n in "qkv")
            c = {"k": store(c["k"], k, at), "v": store(c["v"], v, at)}
            k, v = (c[n]["codes"].astype(jnp.float32) * c[n]["scale"] for n in "kv")
            mixed = attention(q, k, v, jnp.arange(length) <= at)
            x = x + use(mixed.reshape(batch, -1), w["o"])
            x = x + use(jax.nn.silu(use(x, w["up"])), w["down"])
            new.append(c)
        return new, x @ params["head"]

    one = {
        "codes": shape(batch, length, HEADS, width // HEADS, dtype=jnp.int8),
        "scale": shape(batch, length, HEADS, 1),
    }
    truth = ((r"params/.*", PARAMETER), (r"cache/.*", STATE), (r"ids|at", INPUT))
    return Case(run, (params, [{"k": one, "v": one}] * LAYERS, tokens(batch), tokens()), truth, donated=(1,))


def reverse_diffusion(s: int = 1) -> Case:
    """A sampler with guidance: images are denoised in a loop over given levels, with and without their class."""
    width = 48 * s
    params = {
        "in": shape(3, 3, 3, width),
        "mid": [shape(3, 3, width, width)] * 2,
        "class": shape(17, width),
        "level": shape(16, width),
        "out": shape(3, 3, width, 3),
    }

    def conv(x: jax.Array, w: jax.Array) -> jax.Array:
        return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))

    def run(params: Any, x: jax.Array, labels: jax.Array, levels: jax.Array) -> jax.Array:
        def denoise(x: jax.Array, level: jax.Array, labels: jax.Array) -> jax.Array:
            c = params["class"][labels] + jnp.sin(level * jnp.arange(16.0)) @ params["level"]
            h = jax.nn.silu(conv(x, params["in"]) + c[:, None, None])
            for w in params["mid"]:
                h = h + jax.nn.silu(conv(h, w))
            return conv(h, params["out"])

        def body(i: jax.Array, x: jax.Array) -> jax.Array:
            guided, free = denoise(x, levels[i], labels), denoise(x, levels[i], jnp.full_like(labels, 16))
            noise = free + 3.0 * (guided - free)
            return x + (levels[i + 1] - levels[i]) * noise

        return jax.lax.fori_loop(0, 10, body, x)

    truth = ((r"params/.*", PARAMETER), (r"x|labels|levels", INPUT))
    return Case(run, (params, shape(16, 16, 16, 3), tokens(16), shape(11)), truth)


ROWS = [
    Row("decode, one sequence", "serving", single_stream),
    Row("decode, ring buffer", "serving", ring),
    Row("draft and check", "serving", draft),
    Row("beam search", "serving", beams),
    Row("decode, recurrent states", "serving", recurrent),
    Row("vectors and index", "serving", vectors),
    Row("decode, codes of four bits", "serving", codes),
    Row("guided sampler", "serving", reverse_diffusion),
]
