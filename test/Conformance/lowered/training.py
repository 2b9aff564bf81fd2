"""Whole small programs: layers, losses, optimizer steps, decoding, written in plain JAX."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from .registry import Family, auto_mesh, bf16, f32, i32

training = Family("training")


def _layer_norm(x: Any, scale: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    return centred * lax.rsqrt((centred**2).mean(-1, keepdims=True) + 1e-6) * scale


def _attention(p: Any, x: Any) -> Any:
    q, k, v = (jnp.einsum("bsd,dhk->bshk", x, p[n]) for n in ("wq", "wk", "wv"))
    scores = jnp.einsum("bqhk,bshk->bhqs", q, k) / 2.0
    mask = jnp.tril(jnp.ones((x.shape[1], x.shape[1]), bool))
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e9))
    return jnp.einsum("bhqs,bshk,hkd->bqd", weights, v, p["wo"])


def _block(p: Any, x: Any) -> Any:
    x = x + _attention(p, _layer_norm(x, p["norm1"]))
    return x + jax.nn.gelu(_layer_norm(x, p["norm2"]) @ p["up"]) @ p["down"]


def _model(p: Any, tokens: Any) -> Any:
    x = p["embed"][tokens]
    x = lax.scan(lambda c, layer: (jax.checkpoint(_block)(layer, c), None), x, p["layers"])[0]
    return x @ p["embed"].T


def _loss(p: Any, tokens: Any, targets: Any) -> Any:
    logits = jax.nn.log_softmax(_model(p, tokens).astype(jnp.float32))
    return -jnp.take_along_axis(logits, targets[..., None], -1).mean()


def _parameters(make: Any) -> Any:
    layers = {
        "wq": (8, 2, 4),
        "wk": (8, 2, 4),
        "wv": (8, 2, 4),
        "wo": (2, 4, 8),
        "norm1": (8,),
        "norm2": (8,),
        "up": (8, 16),
        "down": (16, 8),
    }
    return {"embed": make(32, 8), "layers": {name: make(3, *shape) for name, shape in layers.items()}}


_TOKENS = (i32(2, 6), i32(2, 6))


def _sgd(p: Any, tokens: Any, targets: Any) -> Any:
    loss, g = jax.value_and_grad(_loss)(p, tokens, targets)
    return jax.tree.map(lambda a, b: a - 0.1 * b, p, g), loss


def _adam(state: Any, tokens: Any, targets: Any) -> Any:
    p, m, v, step = state
    loss, g = jax.value_and_grad(_loss)(p, tokens, targets)
    norm = jnp.sqrt(sum(jnp.vdot(x, x) for x in jax.tree.leaves(g)))
    g = jax.tree.map(lambda x: x * jnp.minimum(1.0, 1.0 / norm).astype(x.dtype), g)
    m = jax.tree.map(lambda a, b: 0.9 * a + 0.1 * b, m, g)
    v = jax.tree.map(lambda a, b: 0.99 * a + 0.01 * b * b, v, g)
    correction = jnp.sqrt(1 - 0.99 ** (step + 1)) / (1 - 0.9 ** (step + 1))
    p = jax.tree.map(lambda a, x, y: a - 1e-3 * (correction * x / (jnp.sqrt(y) + 1e-8)).astype(a.dtype), p, m, v)
    return (p, m, v, step + 1), loss


training.add("transformer", _model, _parameters(f32), _TOKENS[0])
training.add("transformer_sgd", _sgd, _parameters(f32), *_TOKENS, jit={"donate_argnums": (0,)})
training.add("transformer_adam", _adam, (*[_parameters(f32)] * 3, i32()), *_TOKENS, jit={"donate_argnums": (0,)})
training.add("transformer_sgd_bf16", _sgd, _parameters(bf16), *_TOKENS)
training.add(
    "transformer_sharded",
    lambda p, a, b: _sgd(
        jax.tree.map(lambda x: lax.with_sharding_constraint(x, jax.P(*[None] * (x.ndim - 1), "model")), p), a, b
    ),
    _parameters(f32),
    *_TOKENS,
    mesh=auto_mesh((2, 2), ("data", "model")),
)


@training.program(f32(2, 16, 16, 3), f32(3, 3, 3, 8), f32(8), f32(8 * 8 * 8, 10), i32(2))
def convolutional_step(x: Any, kernel: Any, scale: Any, head: Any, labels: Any) -> Any:
    def loss(kernel: Any, scale: Any, head: Any) -> Any:
        h = lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        h = (h - h.mean((0, 1, 2))) / jnp.sqrt(h.var((0, 1, 2)) + 1e-5) * scale
        h = lax.reduce_window(jax.nn.relu(h), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        logits = h.reshape(x.shape[0], -1) @ head
        return -(jax.nn.log_softmax(logits) * jax.nn.one_hot(labels, 10)).sum()

    return jax.value_and_grad(loss, argnums=(0, 1, 2))(kernel, scale, head)


@training.program(f32(2, 16, 2, 4), f32(2, 1, 2, 4), i32())
def cache_update(cache: Any, step: Any, position: Any) -> Any:
    return lax.dynamic_update_slice(cache, step, (0, position, 0, 0))


@training.program(_parameters(f32), i32(2, 6))
def greedy_decoding(p: Any, tokens: Any) -> Any:
    def step(i: Any, t: Any) -> Any:
        return t.at[:, i].set(jnp.argmax(_model(p, t)[:, i - 1], -1).astype(jnp.int32))

    return lax.fori_loop(3, 6, step, tokens)


@training.program(f32(4, 6, 8), f32(8, 4), f32(4, 8, 16))
def mixture_of_experts(x: Any, router: Any, experts: Any) -> Any:
    weights, chosen = lax.top_k(jax.nn.softmax(x @ router), 2)
    dispatch = jax.nn.one_hot(chosen, 4).sum(-2)
    return jnp.einsum("bse,bsd,edf->bsf", dispatch * weights.sum(-1, keepdims=True), x, experts)


@training.program(f32(5, 3), f32(4, 3 + 4), f32(4))
def recurrent_cell(xs: Any, w: Any, b: Any) -> Any:
    def step(h: Any, x: Any) -> Any:
        h = jnp.tanh(w @ jnp.concatenate([x, h]) + b)
        return h, h

    return jax.grad(lambda v: lax.scan(step, jnp.zeros(4), v)[1].sum())(xs)


@training.program(f32(9, 3), i32(12), i32(12))
def message_passing(nodes: Any, senders: Any, receivers: Any) -> Any:
    messages = jnp.tanh(nodes[senders] - nodes[receivers])
    return jax.ops.segment_sum(messages, receivers, num_segments=9)
