"""Heads that devices do not divide, padded by a search: where it pays, and where it does not."""

from __future__ import annotations

import functools
import json
import math
import re
import tempfile
from pathlib import Path
from typing import Any

from small_steps import FAST, close  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import pytest
from jax import lax

import partita

WIDTH_OF_HEAD, LAYERS, TOKENS = 16, 2, 32
ROOT = Path(__file__).parents[2]


@functools.cache
def slow_links() -> str:
    """A machine on which each collective takes as long as 200,000 bytes: what needs fewer of them is faster."""
    machine = json.loads((ROOT / "models/others/machine.json").read_text())
    machine["levels"][0]["protocols"][0]["launch_ps"] = 20_000_000
    path = Path(tempfile.mkdtemp()) / "machine.json"
    path.write_text(json.dumps(machine))
    return str(path)


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


def plan_on_eight(function: Any, *arguments: Any, **options: Any) -> partita.Plan:
    shapes = jax.eval_shape(lambda: arguments)
    given = {"mesh": "model=8", "machine": slow_links(), "platform": "cpu", "progress": False}
    return partita.plan(function, *shapes, **given, **options)


@functools.cache
def search(heads: int, length: int, **options: Any) -> partita.Plan:
    return plan_on_eight(decode, *arguments(heads, length), donate_argnums=(0,), **options)


@pytest.mark.parametrize(("heads", "padded"), [(12, "12 -> 16 (33%)"), (25, "25 -> 32 (28%)")])
@pytest.mark.parametrize("allow", [None, "+store"])
def test_heads_are_padded_where_that_pays(heads: int, padded: str, allow: str | None) -> None:
    plan, unpadded = search(heads, 256, allow=allow), search(heads, 256, forbid="pad")
    # Those of both layers, which nothing connects. The word is no part of it: without a batch, heads are called that.
    assert f"over model, padded {padded}, dim 0 of cache[0]['k'] and 1 more" in plan.report.padding
    assert plan.report.figures["time_ps"] < 0.99 * unpadded.report.figures["time_ps"]
    assert plan.verify().equal
    given, other = arguments(heads, 256), arguments(heads, 256)
    cache = plan.put(*given)[0] if allow else given[0]
    assert cache[0]["k"].shape[0] == (int(padded.split()[2]) if allow else heads)
    cache, x = plan.jit(compiler_options=FAST)(cache, *given[1:])
    expected = jax.jit(decode)(*other)
    close(x, expected[1])
    close(plan.unput(cache) if allow else cache, expected[0])


def test_found_padding_of_heads_is_replayed() -> None:
    plan = search(25, 256, allow="+store")
    again = plan_on_eight(decode, *arguments(25, 256), donate_argnums=(0,), schedule=plan.to_json()["schedule"])
    assert again.report.padding == plan.report.padding
    assert again.local_text() == plan.local_text()


def answer(weights: list[dict[str, jax.Array]], memory: jax.Array, x: jax.Array) -> jax.Array:
    """A few tokens that attend to what was read; no argument has a dim of the heads."""
    heads = x.shape[0] // WIDTH_OF_HEAD

    def project(layer: dict[str, jax.Array], name: str, x: jax.Array) -> jax.Array:
        return (x @ layer[name]).reshape(*x.shape[:-1], heads, WIDTH_OF_HEAD)

    read = [(project(layer, "k", memory), project(layer, "v", memory)) for layer in weights]

    def turn(_: jax.Array, x: jax.Array) -> jax.Array:
        for layer, (k, v) in zip(weights, read, strict=True):
            scores = jnp.einsum("hd,shd->hs", project(layer, "q", x), k) / math.sqrt(WIDTH_OF_HEAD)
            x = x + jnp.einsum("hs,shd->hd", jax.nn.softmax(scores), v).reshape(x.shape) @ layer["o"]
            x = x + jax.nn.gelu(x @ layer["up"])
        return x / jnp.linalg.norm(x)

    return lax.fori_loop(0, 4 * TOKENS, turn, x)


def test_heads_behind_a_reshape_are_padded() -> None:
    _, weights, x, _ = arguments(12, 256)
    given = weights, jax.random.normal(jax.random.key(7), (256, *x.shape)), x
    plan, unpadded = plan_on_eight(answer, *given), plan_on_eight(answer, *given, forbid="pad")
    assert re.search(r"over model, padded 12 -> 16 \(33%\), dim 1 of jit\(answer\)/reshape#0", plan.report.padding)
    assert plan.report.figures["time_ps"] < 0.99 * unpadded.report.figures["time_ps"]
    assert plan.verify().equal
    close(plan.jit(compiler_options=FAST)(*given), jax.jit(answer)(*given))


def test_many_sequences_are_split_and_not_their_heads() -> None:
    def decode_all(caches: Any, weights: Any, xs: jax.Array, first: jax.Array) -> Any:
        return jax.vmap(decode, in_axes=(0, None, 0, None))(caches, weights, xs, first)

    cache, weights, x, first = arguments(12, 256)
    caches = jax.tree.map(lambda leaf: jnp.stack([leaf] * 8), cache)
    plan = plan_on_eight(decode_all, caches, weights, jnp.stack([x] * 8), first, donate_argnums=(0,))
    assert plan.report.strategy.startswith("batch over model")
    assert not plan.report.padding
    assert "variants" not in plan.report.figures["search"]
