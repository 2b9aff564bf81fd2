"""Small training steps that recompute in different ways, for scripts/check_memory_actions.py.

`trace(form, policy)` is the StableHLO text of a step. Forms:

    scan        a scan over layers, each checkpointed
    unrolled    the same layers, one after the other
    groups      a scan over groups of two layers, each group checkpointed
    dropout     a scan over layers with dropout, keys split before
    custom_vjp  a scan over layers whose activation has a derivative of its own
    unroll      a scan that runs two layers in each turn

Policies are those of `jax.checkpoint`: none (no checkpoint), full, dots (results of products are kept) and names (one
value of each layer is kept).
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.ad_checkpoint import checkpoint_name

FORMS = ("scan", "unrolled", "groups", "dropout", "custom_vjp", "unroll")
POLICIES = ("full", "dots", "names")
LAYERS, BATCH, SEQUENCE, WIDTH, HEADS, HIDDEN, VOCAB = 4, 2, 8, 16, 2, 32, 24

Params = dict[str, jax.Array]


@jax.custom_vjp  # type: ignore[untyped-decorator]
def squared_relu(x: jax.Array) -> jax.Array:
    return jnp.square(jax.nn.relu(x))


def squared_relu_forward(x: jax.Array) -> tuple[jax.Array, jax.Array]:
    positive = jax.nn.relu(x)
    return jnp.square(positive), positive


def squared_relu_backward(positive: jax.Array, cotangent: jax.Array) -> tuple[jax.Array]:
    return (2 * positive * cotangent,)


squared_relu.defvjp(squared_relu_forward, squared_relu_backward)


def norm(x: jax.Array, scale: jax.Array) -> jax.Array:
    return x * lax.rsqrt(jnp.mean(jnp.square(x), axis=-1, keepdims=True) + 1e-5) * scale


def attention(params: Params, x: jax.Array) -> jax.Array:
    q, k, v = (jnp.einsum("bsd,dhk->bshk", x, params[name]) for name in ("wq", "wk", "wv"))
    weights = jax.nn.softmax(jnp.einsum("bthk,bshk->bhts", q, k), axis=-1)
    mixed = checkpoint_name(jnp.einsum("bhts,bshk->bthk", weights, v), "mixed")
    return jnp.einsum("bthk,hkd->btd", mixed, params["wo"])


def dropout(x: jax.Array, key: jax.Array | None) -> jax.Array:
    return x if key is None else jnp.where(jax.random.bernoulli(key, 0.9, x.shape), x / 0.9, 0.0)


def layer(activation: Callable[[jax.Array], jax.Array], params: Params, x: jax.Array, key: Any = None) -> jax.Array:
    with jax.named_scope("attention"):
        x = x + dropout(attention(params, norm(x, params["norm1"])), key)
    with jax.named_scope("mlp"):
        hidden = activation(norm(x, params["norm2"]) @ params["up"])
        return x + dropout(hidden @ params["down"], key)


def checkpoint(block: Callable[..., jax.Array], policy: str) -> Callable[..., jax.Array]:
    if policy == "none":
        return block
    policies = {
        "full": None,
        "dots": jax.checkpoint_policies.dots_saveable,
        "names": jax.checkpoint_policies.save_only_these_names("mixed"),
    }
    return jax.checkpoint(block, policy=policies[policy])  # type: ignore[no-any-return]


def take(layers: Params, number: int) -> Params:
    return jax.tree.map(lambda a: a[number], layers)  # type: ignore[no-any-return]


def run_groups(block: Callable[..., jax.Array], layers: Params, x: jax.Array, policy: str) -> jax.Array:
    def group(params: Params, y: jax.Array) -> jax.Array:
        for number in range(2):
            y = block(take(params, number), y)
        return y

    groups = jax.tree.map(lambda a: a.reshape(LAYERS // 2, 2, *a.shape[1:]), layers)
    run = checkpoint(group, policy)
    return lax.scan(lambda carry, params: (run(params, carry), None), x, groups)[0]


def run_layers(form: str, policy: str, layers: Params, x: jax.Array) -> jax.Array:
    block = functools.partial(layer, squared_relu if form == "custom_vjp" else jax.nn.silu)
    if form == "groups":
        return run_groups(block, layers, x, policy)
    run = checkpoint(block, policy)
    if form == "unrolled":
        for number in range(LAYERS):
            x = run(take(layers, number), x)
        return x
    keys = jax.random.split(jax.random.key(0), LAYERS) if form == "dropout" else None
    unroll = 2 if form == "unroll" else 1
    return lax.scan(lambda carry, each: (run(each[0], carry, each[1]), None), x, (layers, keys), unroll=unroll)[0]


def make_step(form: str, policy: str) -> Callable[[Any, jax.Array], tuple[Any, jax.Array]]:
    def loss(params: Any, tokens: jax.Array) -> jax.Array:
        x = run_layers(form, policy, params["layers"], params["embed"][tokens[:, :-1]])
        logits = x @ params["embed"].T
        chosen = jnp.take_along_axis(logits, tokens[:, 1:, None], axis=-1)[..., 0]
        return jnp.mean(jax.nn.logsumexp(logits, axis=-1) - chosen)

    def step(params: Any, tokens: jax.Array) -> tuple[Any, jax.Array]:
        value, gradients = jax.value_and_grad(loss)(params, tokens)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients), value

    return step


def make_arguments() -> tuple[Any, jax.ShapeDtypeStruct]:
    def array(*shape: int) -> jax.ShapeDtypeStruct:
        return jax.ShapeDtypeStruct(shape, jnp.float32)

    size = WIDTH // HEADS
    projections = {name: array(LAYERS, WIDTH, HEADS, size) for name in ("wq", "wk", "wv")}
    layers = projections | {
        "wo": array(LAYERS, HEADS, size, WIDTH),
        "up": array(LAYERS, WIDTH, HIDDEN),
        "down": array(LAYERS, HIDDEN, WIDTH),
        "norm1": array(LAYERS, WIDTH),
        "norm2": array(LAYERS, WIDTH),
    }
    tokens = jax.ShapeDtypeStruct((BATCH, SEQUENCE + 1), jnp.int32)
    return {"layers": layers, "embed": array(VOCAB, WIDTH)}, tokens


def trace(form: str, policy: str) -> str:
    """The step as StableHLO, with locations."""
    return str(jax.jit(make_step(form, policy)).lower(*make_arguments()).as_text(debug_info=True))
