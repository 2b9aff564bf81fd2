"""Small transformers for `scripts/check_pipeline.py`: steps with what pipelines must respect.

Layers are scanned, or unrolled where the variant is called so. `build(variant, layers, batch)` gives the StableHLO text
of a step `(state, batch) -> (state, loss)`, or for `forward` of an evaluation. `REFUSED` are programs that no pipeline
can run, with a word of the reason.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

WIDTH, HEADS, HIDDEN, VOCABULARY, LENGTH, EXPERTS, RANK = 8, 2, 16, 16, 4, 4, 2
Params = dict[str, Any]

SCANNED = ("forward", "prefill", "plain", "remat", "dropout", "tied", "shared", "experts", "bf16", "clipped", "seq2seq")
#: Biases, norms with weights and learned positions; an encoder and a decoder that add one bias of positions to the
#: scores of all layers; experts that run again for the gradient; frozen weights beside those that learn.
OTHERS = ("gpt", "t5", "experts remat", "lora")
#: They add up gradients over microbatches of their own, in a loop.
ACCUMULATED = ("accumulated", "accumulated remat", "accumulated dropout", "unrolled accumulated")
UNROLLED = "unrolled "
VARIANTS = (*SCANNED, *OTHERS, *(UNROLLED + variant for variant in SCANNED if variant != "seq2seq"), *ACCUMULATED)
REFUSED = {
    "batch_norm": "whole batch",
    "rbg": "rng_bit_generator",
    "capacity": "rows of the batch",
    "decode": "from one turn to the next",
}


def normal(generator: np.random.Generator, *shape: int) -> jax.Array:
    """Made by NumPy: XLA would compile a program for each shape. Not larger: gradients grow from layer to layer, and
    what is rounded otherwise with them."""
    return jnp.asarray(generator.standard_normal(shape, np.float32) / 2)


def init_layers(variant: str, generator: np.random.Generator, *layers: int) -> Params:
    """Of one layer, or stacks of so many."""
    shapes: dict[str, tuple[int, ...]] = {
        "qkv": (WIDTH, 3 * WIDTH),
        "out": (WIDTH, WIDTH),
        "up": (WIDTH, HIDDEN),
        "down": (HIDDEN, WIDTH),
    }
    if variant in ("experts", "experts remat", "capacity"):
        shapes |= {"gate": (WIDTH, EXPERTS), "up": (EXPERTS, WIDTH, HIDDEN), "down": (EXPERTS, HIDDEN, WIDTH)}
    if variant == "gpt":
        shapes |= {"qkv_bias": (3 * WIDTH,), "up_bias": (HIDDEN,), "scale": (2, WIDTH), "shift": (2, WIDTH)}
    if variant == "lora":
        shapes = {"qkv_a": (WIDTH, RANK), "qkv_b": (RANK, 3 * WIDTH), "up_a": (WIDTH, RANK), "up_b": (RANK, HIDDEN)}
    if variant in ("seq2seq", "t5"):  # what the decoder's layers have, beside the encoder's
        shapes |= {
            "qkv_2": (WIDTH, 3 * WIDTH),
            "out_2": (WIDTH, WIDTH),
            "up_2": (WIDTH, HIDDEN),
            "down_2": (HIDDEN, WIDTH),
        }
        shapes |= {"cross_q": (WIDTH, WIDTH), "cross_kv": (WIDTH, 2 * WIDTH), "cross_out": (WIDTH, WIDTH)}
    return {name: normal(generator, *layers, *shape) for name, shape in shapes.items()}


def init(variant: str, layers: int, generator: np.random.Generator) -> Params:
    is_unrolled, variant = variant.startswith(UNROLLED), variant.removeprefix(UNROLLED)
    unrolled = [init_layers(variant, generator) for _ in range(layers)] if is_unrolled else None
    params: Params = {
        "embed": normal(generator, VOCABULARY, WIDTH),
        "layers": unrolled or init_layers(variant, generator, layers),
    }
    if variant == "shared":
        params["shared"] = normal(generator, WIDTH, WIDTH)
    if variant == "gpt":
        params["positions"] = normal(generator, LENGTH, WIDTH)
    if variant == "t5":
        params["bias"] = normal(generator, HEADS, LENGTH, LENGTH)
    return params if variant == "tied" else params | {"head": normal(generator, WIDTH, VOCABULARY)}


def norm(x: jax.Array) -> jax.Array:
    return x * lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6)


def scale(params: Params, x: jax.Array, number: int) -> jax.Array:
    """A norm; with a weight and a bias, where the layer has them."""
    if "scale" not in params:
        return norm(x)
    return norm(x - jnp.mean(x, axis=-1, keepdims=True)) * params["scale"][number] + params["shift"][number]


def attend(params: Params, x: jax.Array, mask: jax.Array, bias: jax.Array | None = None) -> jax.Array:
    batch, length, _ = x.shape
    qkv = scale(params, x, 0) @ params["qkv"]
    if "qkv_bias" in params:
        qkv = qkv + params["qkv_bias"]
    qkv = qkv.reshape(batch, length, 3, HEADS, -1)
    q, k, v = (qkv[:, :, i] for i in range(3))
    scores = jnp.einsum("bthd,bshd->bhts", q, k) / jnp.sqrt(q.shape[-1]).astype(x.dtype)
    if bias is not None:
        scores = scores + bias
    scores = jnp.where(mask[:, None] & jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
    out = jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores, axis=-1), v)
    return out.reshape(batch, length, -1) @ params["out"]


def route(variant: str, params: Params, x: jax.Array) -> jax.Array:
    weights = jax.nn.softmax(x @ params["gate"], axis=-1)
    if variant == "capacity":  # the first tokens of the whole batch, expert by expert
        order = jnp.argsort(-weights.reshape(-1, EXPERTS), axis=0)
        weights = jnp.where(order.reshape(weights.shape) < x.shape[0], weights, 0)
    hidden = jax.nn.gelu(jnp.einsum("btd,edf->betf", x, params["up"]))
    return jnp.einsum("betf,efd,bte->btd", hidden, params["down"], weights)


def feed(variant: str, params: Params, x: jax.Array, key: jax.Array) -> jax.Array:
    x = scale(params, x, 1)
    if variant == "batch_norm":
        x = x - jnp.mean(x, axis=0, keepdims=True)
    if variant in ("experts", "experts remat", "capacity"):
        return route(variant, params, x)
    hidden = x @ params["up"]
    if "up_bias" in params:
        hidden = hidden + params["up_bias"]
    hidden = jax.nn.gelu(hidden)
    if variant in ("dropout", "rbg"):
        hidden = jnp.where(jax.random.bernoulli(key, 0.5, hidden.shape), hidden * 2, 0)
    return hidden @ params["down"]


def add_adapter(weights: Params, name: str) -> jax.Array:
    """A frozen weight, and what was learned beside it."""
    frozen: jax.Array = weights[name]
    return frozen + weights[name + "_a"] @ weights[name + "_b"] if name + "_a" in weights else frozen


def run_layers(variant: str, params: Params, x: jax.Array, mask: jax.Array, key: jax.Array) -> jax.Array:
    def layer(carry: tuple[jax.Array, jax.Array], weights: Params) -> tuple[tuple[jax.Array, jax.Array], None]:
        x, key = carry
        key, own = jax.random.split(key) if variant in ("dropout", "rbg") else (key, key)
        weights = jax.tree.map(lambda w: w.astype(x.dtype), weights)
        if variant == "lora":
            weights = {name: add_adapter(weights, name) for name in ("qkv", "out", "up", "down")}
        x = x + attend(weights, x, mask, params.get("bias"))
        if variant == "shared":
            x = x @ params["shared"]
        return (x + feed(variant, weights, x, own), key), None

    is_unrolled = isinstance(params["layers"], list)
    is_checkpointed = variant in ("remat", "bf16", "gpt", "experts remat")
    body = jax.checkpoint(layer, prevent_cse=is_unrolled) if is_checkpointed else layer
    if not is_unrolled:
        encoder = {name: w for name, w in params["layers"].items() if not name.endswith("_2") and "cross" not in name}
        return lax.scan(body, (x, key), encoder)[0][0]
    carry = (x, key)
    for weights in params["layers"]:
        carry, _ = body(carry, weights)
    return carry[0]


def cross(params: Params, x: jax.Array, memory: jax.Array) -> jax.Array:
    batch, length, _ = x.shape
    q = (norm(x) @ params["cross_q"]).reshape(batch, length, HEADS, -1)
    k, v = ((memory @ params["cross_kv"]).reshape(batch, length, 2, HEADS, -1)[:, :, i] for i in range(2))
    scores = jnp.einsum("bthd,bshd->bhts", q, k)
    out = jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(scores, axis=-1), v)
    return out.reshape(batch, length, -1) @ params["cross_out"]


def run_decoder(params: Params, x: jax.Array, memory: jax.Array, mask: jax.Array) -> jax.Array:
    """Layers that all read what the encoder gave."""

    def layer(x: jax.Array, weights: Params) -> tuple[jax.Array, None]:
        own = {name.removesuffix("_2"): w for name, w in weights.items()}
        x = x + attend(own, x, mask, params.get("bias"))
        x = x + cross(own, x, memory)
        return x + feed("plain", own, x, jnp.zeros(())), None

    names = [name for name in params["layers"] if name.endswith("_2") or name.startswith("cross")]
    return lax.scan(layer, x, {name: params["layers"][name] for name in names})[0]


def loss(variant: str, params: Params, batch: Params) -> jax.Array:
    variant = variant.removeprefix(UNROLLED.strip()).strip()
    dtype = jnp.bfloat16 if variant == "bf16" else jnp.float32
    key = jax.random.key(0, impl="rbg" if variant == "rbg" else "threefry2x32")
    x = params["embed"][batch["tokens"]].astype(dtype)
    if variant == "gpt":
        x = x + params["positions"]
    mask = jnp.broadcast_to((batch["tokens"] > 0)[:, None, :], (*batch["tokens"].shape, LENGTH))
    x = norm(run_layers(variant, params, x, mask, key)).astype(jnp.float32)
    if variant in ("seq2seq", "t5"):
        x = norm(run_decoder(params, params["embed"][batch["targets"]], x, mask))
    logits = x @ (params["embed"].T if variant == "tied" else params["head"])
    picked = jnp.take_along_axis(jax.nn.log_softmax(logits), batch["targets"][..., None], axis=-1)
    return -jnp.sum(picked) / jnp.sum(batch["targets"] >= 0)


def accumulate(variant: str, params: Params, batch: Params) -> tuple[jax.Array, Params]:
    """Loss and gradients of two halves of the batch, one after the other."""
    halves = jax.tree.map(lambda rows: rows.reshape(2, -1, *rows.shape[1:]), batch)

    def add(sums: Any, half: Params) -> tuple[Any, None]:
        return jax.tree.map(jnp.add, sums, jax.value_and_grad(functools.partial(loss, variant))(params, half)), None

    sums: tuple[jax.Array, Params] = lax.scan(add, (jnp.zeros(()), jax.tree.map(jnp.zeros_like, params)), halves)[0]
    return sums


def add_frozen(state: Params, params: Params) -> Params:
    return params | {"layers": params["layers"] | state["frozen"]["layers"]} if "frozen" in state else params


def step(variant: str, state: Params, batch: Params) -> tuple[Params, jax.Array]:
    own = variant.replace("accumulated", "").strip() or "plain"
    if own != variant:
        value, grads = accumulate(own, state["params"], batch)
    else:
        value, grads = jax.value_and_grad(lambda params: loss(own, add_frozen(state, params), batch))(state["params"])
    if variant.endswith("clipped"):
        size = jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(grads)))
        grads = jax.tree.map(lambda g: g / jnp.maximum(1.0, size), grads)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, state["momentum"], grads)
    params = jax.tree.map(lambda p, m: p - 0.01 * m, state["params"], momentum)
    return state | {"params": params, "momentum": momentum}, value


def decode(layers: int, state: Params, batch: Params) -> jax.Array:
    """Tokens one after the other: the loop over them is outside of the layers."""
    params = state["params"]

    def token(x: jax.Array, _: None) -> tuple[jax.Array, None]:
        return lax.fori_loop(0, layers, lambda i, x: jnp.tanh(x @ params["layers"]["out"][i]), x), None

    return lax.scan(token, params["embed"][batch["tokens"]], None, length=3)[0]


def prefill(variant: str, state: Params, batch: Params) -> tuple[jax.Array, Any]:
    """A prompt runs through the layers, each of which writes its keys and values to its cache."""
    params = state["params"]
    rows, length = batch["tokens"].shape

    def layer(x: jax.Array, own: tuple[Params, Params]) -> tuple[jax.Array, Params]:
        weights, cache = own
        qkv = (norm(x) @ weights["qkv"]).reshape(rows, length, 3, HEADS, -1)
        q, new = qkv[:, :, 0], {"k": qkv[:, :, 1], "v": qkv[:, :, 2]}
        cache = {name: lax.dynamic_update_slice(cache[name], new[name], (0, 0, 0, 0)) for name in new}
        scores = jnp.einsum("bthd,bshd->bhts", q, cache["k"])
        seen = jnp.arange(scores.shape[-1]) <= jnp.arange(length)[:, None]
        out = jnp.einsum("bhts,bshd->bthd", jax.nn.softmax(jnp.where(seen, scores, -1e9), axis=-1), cache["v"])
        x = x + out.reshape(rows, length, -1) @ weights["out"]
        return x + feed("plain", weights, x, jnp.zeros(())), cache

    x = params["embed"][batch["tokens"]]
    if not variant.startswith(UNROLLED):
        x, caches = lax.scan(layer, x, (params["layers"], state["cache"]))
        return norm(x[:, -1]) @ params["head"], caches
    caches = []
    for own in zip(params["layers"], state["cache"], strict=True):
        x, cache = layer(x, own)
        caches.append(cache)
    return norm(x[:, -1]) @ params["head"], caches


def init_cache(variant: str, layers: int, batch: int) -> Any:
    shape = (batch, 2 * LENGTH, HEADS, WIDTH // HEADS)
    if variant.startswith(UNROLLED):
        return [{name: jnp.zeros(shape) for name in "kv"} for _ in range(layers)]
    return {name: jnp.zeros((layers, *shape)) for name in "kv"}


def make(variant: str, layers: int, batch: int) -> tuple[Callable[..., Any], tuple[Any, Any]]:
    """The function and its arguments."""
    generator = np.random.default_rng(1)
    params = init(variant, layers, generator)
    tokens = jnp.asarray(generator.integers(0, VOCABULARY, (batch, LENGTH), np.int32))
    inputs = {"tokens": tokens, "targets": jnp.roll(tokens, 1, axis=1)}
    if variant.endswith("forward"):
        return lambda state, batch: loss(variant, state["params"], batch), ({"params": params}, inputs)
    if variant.endswith("prefill"):
        state = {"params": params, "cache": init_cache(variant, layers, batch)}
        return functools.partial(prefill, variant), (state, inputs)
    if variant == "decode":
        used = {"embed": params["embed"], "layers": {"out": params["layers"]["out"]}}
        return functools.partial(decode, layers), ({"params": used}, {"tokens": tokens})
    state = {"params": params, "momentum": jax.tree.map(jnp.zeros_like, params)}
    if variant == "lora":
        state["frozen"] = {"layers": init_layers("plain", generator, layers)}
    return functools.partial(step, variant), (state, inputs)


def build(variant: str, layers: int, batch: int) -> str:
    """The program's text."""
    function, arguments = make(variant, layers, batch)

    def program(state: Any, batch: Any) -> Any:
        return function(state, batch)

    return str(jax.jit(program, keep_unused=True).lower(*arguments).as_text(debug_info=True))
