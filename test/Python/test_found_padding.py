"""Heads that devices do not divide, padded by a search: where it pays, and where it does not."""

from __future__ import annotations

import functools
import math
from typing import Any

from small_steps import FAST, close  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import pytest
from jax import lax

import partita

WIDTH_OF_HEAD, LAYERS, TOKENS = 64, 2, 4
EIGHT = {"mesh": "model=8", "machine": "h100-sxm:1x8", "platform": "cpu"}


def make_weights(heads: int) -> list[dict[str, jax.Array]]:
    width = heads * WIDTH_OF_HEAD
    shapes = {"q": (width, width), "k": (width, width), "v": (width, width), "o": (width, width), "up": (width, width)}
    keys = iter(jax.random.split(jax.random.key(0), LAYERS * len(shapes)))
    return [
        {name: jax.random.normal(next(keys), shape) / math.sqrt(width) for name, shape in shapes.items()}
        for _ in range(LAYERS)
    ]


def make_cache(heads: int, length: int) -> list[dict[str, jax.Array]]:
    return [
        {name: 0.1 * jax.random.normal(jax.random.key(seed), (heads, length, WIDTH_OF_HEAD)) for name, seed in keys}
        for keys in ((("k", 1), ("v", 2)), (("k", 3), ("v", 4)))
    ]


def attend(layer: dict[str, jax.Array], cache: dict[str, jax.Array], x: jax.Array, at: jax.Array) -> Any:
    """One token beside what the cache has of those before it."""
    heads, length, width = cache["k"].shape
    q, k, v = ((x @ layer[name]).reshape(heads, width) for name in "qkv")
    keys = lax.dynamic_update_slice_in_dim(cache["k"], k[:, None], at, axis=1)
    values = lax.dynamic_update_slice_in_dim(cache["v"], v[:, None], at, axis=1)
    scores = jnp.einsum("hd,hsd->hs", q, keys) / math.sqrt(width)
    scores = jnp.where(jnp.arange(length) <= at, scores, -jnp.inf)
    out = jnp.einsum("hs,hsd->hd", jax.nn.softmax(scores), values).reshape(x.shape)
    x = x + out @ layer["o"]
    return {"k": keys, "v": values}, x + jax.nn.gelu(x @ layer["up"])


def decode(cache: list[Any], weights: list[Any], x: jax.Array, first: jax.Array) -> tuple[list[Any], jax.Array]:
    """A few tokens of one sequence, each computed from the one before."""

    def turn(step: jax.Array, carry: tuple[list[Any], jax.Array]) -> tuple[list[Any], jax.Array]:
        old, x = carry
        new = []
        for layer, slots in zip(weights, old, strict=True):
            slots, x = attend(layer, slots, x, first + step)
            new.append(slots)
        return new, x / jnp.linalg.norm(x)

    return lax.fori_loop(0, TOKENS, turn, (cache, x))


def arguments(heads: int, length: int) -> tuple[Any, ...]:
    x = jax.random.normal(jax.random.key(9), (heads * WIDTH_OF_HEAD,))
    return make_cache(heads, length), make_weights(heads), x, jnp.int32(length - TOKENS - 3)


@functools.cache
def search(heads: int, length: int, **options: Any) -> partita.Plan:
    shapes = jax.eval_shape(lambda: arguments(heads, length))
    return partita.plan(decode, *shapes, **EIGHT, donate_argnums=(0,), progress=False, **options)


@pytest.mark.parametrize(("heads", "padded"), [(12, "12 -> 16 (33%)"), (25, "25 -> 32 (28%)")])
def test_heads_are_padded_where_that_pays(heads: int, padded: str) -> None:
    plan, unpadded = search(heads, 8192), search(heads, 8192, forbid="pad")
    assert f"heads over model, padded {padded}" in plan.report.padding
    assert plan.report.figures["time_ps"] < 0.9 * unpadded.report.figures["time_ps"]


if __name__ == "__main__":
    for heads in (12, 25):
        for length in (1024, 8192, 65536):
            for store in (None, "+store"):
                a, b = search(heads, length, allow=store), search(heads, length, forbid="pad")
                print(heads, length, store, a.report.figures["time_ps"] / 1e6, b.report.figures["time_ps"] / 1e6)
                print(a.report.padding, "|", a.report.strategy, "|", b.report.strategy)
