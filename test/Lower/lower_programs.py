"""Small programs of all kinds, as JAX writes them: what the tests of lowering partition."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

Shape = tuple[tuple[int, ...], Any]
F32, I32, U32, BF16, I8 = jnp.float32, jnp.int32, jnp.uint32, jnp.bfloat16, jnp.int8

PROGRAMS: dict[str, tuple[Callable[..., Any], list[Shape]]] = {}


def program(*shapes: Shape) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Adds a function to the programs, under its own name."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[function.__name__] = (function, list(shapes))
        return function

    return add


@functools.cache
def lower(name: str) -> str:
    """The program as StableHLO text."""
    function, shapes = PROGRAMS[name]
    arguments = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in shapes]
    return jax.jit(function, keep_unused=True).lower(*arguments).as_text(debug_info=True)


# ----------------------------------------------------------------------------------------------------------------------
# Straight code
# ----------------------------------------------------------------------------------------------------------------------


@program(((8, 4), F32), ((4, 16), F32), ((16, 4), F32))
def mlp(x, w1, w2):
    return jax.nn.relu(x @ w1) @ w2


@program(((8, 12), F32))
def softmax(x):
    return jax.nn.softmax(x, axis=-1)


@program(((16, 8), F32), ((4, 6), I32))
def embedding(table, ids):
    return table[ids] * 2


@program(((16, 8), F32), ((4, 6), I32), ((4, 6, 8), F32))
def embedding_gradient(table, ids, gradient):
    return jax.vjp(lambda t: t[ids], table)[1](gradient)[0]


@program(((2, 8, 4, 8), F32), ((2, 8, 4, 8), F32), ((2, 8, 4, 8), F32))
def attention(q, k, v):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 8
    mask = jnp.arange(8)[:, None] >= jnp.arange(8)[None, :]
    weights = jax.nn.softmax(jnp.where(mask, scores, -1e9), axis=-1)
    return jnp.einsum("bhqk,bkhd->bqhd", weights, v)


@program(((2, 8, 32), F32), ((32, 64), F32), ((64, 32), F32))
def heads_in_one_dim(x, w, o):
    split = (x @ w).reshape(2, 8, 4, 16)
    scores = jnp.einsum("bqhd,bkhd->bhqk", split, split)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", scores, split)
    return mixed.reshape(2, 8, 64) @ o


@program(((4, 8, 8, 4), F32), ((3, 3, 4, 8), F32))
def convolution(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


@program(((4, 8, 8, 4), F32))
def pooling(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


@program(((8, 12), F32))
def sorting(x):
    return jnp.sort(x, axis=1), jnp.argsort(x, axis=1)


@program(((8, 12), F32))
def top(x):
    return lax.top_k(x, 4)


@program(((8, 12), F32))
def extremes(x):
    return jnp.argmax(x, axis=1), jnp.max(x, axis=0), jnp.min(x), jnp.any(x > 0, axis=0), jnp.prod(x, axis=1)


@program(((8, 4), F32), ((8, 6), F32))
def joined(x, y):
    both = jnp.concatenate([x, y], axis=1)
    return both[:, 2:8], jnp.pad(both, ((0, 0), (1, 2))), both[::-1]


@program(((4, 6, 8), F32))
def shapes(x):
    return x.reshape(24, 8).T, x.transpose(2, 0, 1).reshape(8, 24), x.reshape(4, 6, 2, 4).sum(axis=2)


@program(((2,), U32), ((8, 12), F32))
def dropout(key, x):
    keep = jax.random.bernoulli(jax.random.wrap_key_data(key), 0.5, x.shape)
    return jnp.where(keep, x, 0)


@program(((8, 8), F32), ((8, 8), F32))
def same_twice(x, y):
    return x @ x.T + y, x * x + x.T


@program(((8, 4), BF16), ((4, 8), BF16), ((8, 8), I8))
def narrow(x, w, i):
    return (x @ w).astype(F32), jnp.sum(i.astype(I32), axis=0), i + i


@program(((4, 16, 8), F32), ((4, 1, 8), F32), ((), I32))
def cache(kept, new, at):
    kept = lax.dynamic_update_slice(kept, new, (0, at, 0))
    return kept, jnp.einsum("bsd,bd->bs", kept, new[:, 0])


@program(((12, 8), F32), ((), I32))
def window(x, at):
    return lax.dynamic_slice(x, (at, 0), (4, 8)), lax.dynamic_slice(x, (0, at), (12, 2))


@program(((8, 4), F32), ((8,), I32), ((8, 4), F32))
def segments(x, ids, y):
    return jax.ops.segment_sum(x, ids % 4, 4), jnp.zeros((8, 4)).at[ids % 8].max(y)


@program(((4, 8), F32), ((4, 8), F32), ((8,), F32))
def one_result_untouched(x, y, z):
    return x + y, z


@program(((4, 8), F32))
def constants(x):
    table = jnp.asarray([[float(i * 8 + j) for j in range(8)] for i in range(4)])
    return x * table + jnp.arange(8.0)[None, :] - jnp.arange(4.0)[:, None], jnp.full((4, 8), 2.0)


@program(((8, 16), F32))
def mask(x):
    # More than 100 booleans are written in hexadecimal.
    return jnp.where(np.arange(128).reshape(8, 16) % 3 == 0, x, 0.0)


# ----------------------------------------------------------------------------------------------------------------------
# Loops and branches
# ----------------------------------------------------------------------------------------------------------------------


@program(((3, 8, 8), F32), ((4, 8), F32))
def scan_layers(weights, x):
    return lax.scan(lambda h, w: (jnp.tanh(h @ w), h.sum()), x, weights)


@program(((3, 8, 16), F32), ((3, 16, 8), F32), ((4, 8), F32))
def scan_training(up, down, x):
    def loss(parameters):
        def layer(h, w):
            return jax.nn.relu(h @ w[0]) @ w[1] + h, None

        return lax.scan(jax.checkpoint(layer), x, parameters)[0].sum()

    value, gradient = jax.value_and_grad(loss)((up, down))
    return value, up - gradient[0], down - gradient[1]


@program(((8, 8), F32), ((4, 2, 8), F32))
def accumulated_gradient(w, batches):
    def step(total, x):
        return total + jax.grad(lambda p: jnp.sin(x @ p).sum())(w), None

    return w - lax.scan(step, jnp.zeros_like(w), batches)[0]


@program(((4, 8), F32), ((8, 8), F32))
def until_large(x, w):
    def goes_on(state):
        return (state[1] < 5) & (state[0].sum() < 1e6)

    return lax.while_loop(goes_on, lambda s: (s[0] @ w, s[1] + 1), (x, 0))


@program(((4, 8), F32), ((4, 8), F32), ((), I32))
def swapped(x, y, n):
    return lax.fori_loop(0, n % 4, lambda i, s: (s[1], s[0] + i), (x, y))


@program(((4, 8), F32), ((8, 8), F32), ((), I32))
def either(x, w, which):
    return lax.switch(which % 3, [lambda a: a @ w, lambda a: a * 2, lambda a: jnp.zeros_like(a)], x)


@program(((4, 8), F32), ((8, 8), F32))
def chosen_by_sum(x, w):
    return lax.cond(x.sum() > 0, lambda a: a @ w, lambda a: (a @ w.T).sum(axis=1, keepdims=True) + a, x)


@program(((3, 8, 8), F32), ((4, 8), F32), ((4, 8), F32))
def branch_in_loop(weights, x, y):
    def layer(h, w):
        return lax.cond(h[0, 0] > 0, lambda a: a @ w, lambda a: a + y, h), h

    return lax.scan(layer, x, weights)


@program(((4, 8), F32), ((2, 3, 8, 8), F32))
def loop_in_loop(x, weights):
    def outer(h, ws):
        return lax.scan(lambda g, w: (jnp.tanh(g @ w), None), h, ws)[0] + x, None

    return lax.scan(outer, x, weights)[0]
