"""Attention by kernels: that of the platform, and one of Pallas, which CPUs interpret; a ragged mixture of experts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

import partita
from models.others.case import Case, Row, cross_entropy, random_floats, random_tokens, train

BATCH, SEQUENCE, WIDTH, HEADS, KEY_HEADS, LAYERS, WORDS = 8, 16, 64, 8, 4, 2, 96
EXPERTS = 4


def _make_params(key_heads: int) -> dict[str, Any]:
    head = WIDTH // HEADS
    return {
        "embedding": random_floats((WORDS, WIDTH)) / 8,
        "layers": {
            "q": random_floats((LAYERS, WIDTH, HEADS, head), 1) / 8,
            "k": random_floats((LAYERS, WIDTH, key_heads, head), 2) / 8,
            "v": random_floats((LAYERS, WIDTH, key_heads, head), 3) / 8,
            "o": random_floats((LAYERS, HEADS, head, WIDTH), 4) / 8,
            "w_in": random_floats((LAYERS, WIDTH, 4 * WIDTH), 5) / 8,
            "w_out": random_floats((LAYERS, 4 * WIDTH, WIDTH), 6) / 16,
        },
    }


def _make_decoder(attend: Callable[..., jax.Array], key_heads: int) -> Case:
    """A decoder with scanned layers, Adam."""

    def layer(x: jax.Array, w: Mapping[str, jax.Array]) -> tuple[jax.Array, None]:
        normal = jax.nn.standardize(x)
        q, k, v = (jnp.einsum("btm,mnh->btnh", normal, w[name]) for name in "qkv")
        x = x + jnp.einsum("btnh,nhm->btm", attend(q, k, v), w["o"])
        return x + jax.nn.gelu(jax.nn.standardize(x) @ w["w_in"]) @ w["w_out"], None

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        x, _ = jax.lax.scan(layer, params["embedding"][batch["tokens"]], params["layers"])
        return cross_entropy(x @ params["embedding"].T, jnp.roll(batch["tokens"], -1, axis=1))

    return train(loss, _make_params(key_heads), {"tokens": random_tokens((BATCH, SEQUENCE), WORDS)})


def of_platform() -> Case:
    """cuDNN's attention on GPUs, splash on TPUs, XLA here; two heads share keys."""
    return _make_decoder(lambda q, k, v: partita.attention(q, k, v, is_causal=True, sliding_window=12), KEY_HEADS)


def _attend_plainly(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    """One head, causal."""
    scores = q @ k.T / q.shape[-1] ** 0.5
    seen = jnp.arange(q.shape[0])[:, None] >= jnp.arange(k.shape[0])[None]
    return jax.nn.softmax(jnp.where(seen, scores, -1e30), axis=-1) @ v


@jax.custom_vjp
def _attend_by_pallas(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    """One head, causal: a step of the grid for each block of queries."""
    block = 8
    rows = pl.BlockSpec((block, q.shape[1]), lambda i: (i, 0))
    whole = pl.BlockSpec(k.shape, lambda i: (0, 0))

    def body(q_ref: Any, k_ref: Any, v_ref: Any, o_ref: Any) -> None:
        scores = q_ref[...] @ k_ref[...].T / q_ref.shape[1] ** 0.5
        here = pl.program_id(0) * block + jax.lax.broadcasted_iota(jnp.int32, scores.shape, 0)
        seen = here >= jax.lax.broadcasted_iota(jnp.int32, scores.shape, 1)
        o_ref[...] = jax.nn.softmax(jnp.where(seen, scores, -1e30), axis=-1) @ v_ref[...]

    call = pl.pallas_call(
        body, out_shape=jax.ShapeDtypeStruct(q.shape, q.dtype), grid=(q.shape[0] // block,),
        in_specs=[rows, whole, whole], out_specs=rows, interpret=True,
    )  # fmt: skip
    result: jax.Array = call(q, k, v)
    return result


_attend_by_pallas.defvjp(
    lambda *operands: (_attend_by_pallas(*operands), operands),
    lambda operands, cotangent: jax.vjp(_attend_plainly, *operands)[1](cotangent),
)


def by_pallas() -> Case:
    """A Pallas kernel that knows neither batch nor heads, which `vmap` gives it."""
    return _make_decoder(jax.vmap(jax.vmap(_attend_by_pallas, in_axes=1, out_axes=1)), HEADS)


def by_kernel() -> Case:
    """The same with a rule, as one kernel of batch and heads, whose gradient is a kernel, too."""
    attend = jax.vmap(jax.vmap(_attend_by_pallas, in_axes=1, out_axes=1))
    plain = jax.vmap(jax.vmap(_attend_plainly, in_axes=1, out_axes=1))
    kernel = partita.kernel(
        "attention", attend, plain, rule="b t n h, b s n h, b s n h -> b t n h", whole="t s h",
        backward=lambda q, k, v, g: jax.vjp(plain, q, k, v)[1](g),
    )  # fmt: skip
    return _make_decoder(kernel, HEADS)


def _dispatch(x: jax.Array, router: jax.Array, w_in: jax.Array, w_out: jax.Array) -> jax.Array:
    """Tokens sorted by their expert, which takes as many as come."""
    scores = jax.nn.softmax(x @ router)
    chosen = jnp.argmax(scores, axis=-1)
    order = jnp.argsort(chosen)
    sizes = jnp.bincount(chosen, length=EXPERTS).astype(jnp.int32)
    hidden = jax.nn.gelu(jax.lax.ragged_dot(x[order], w_in, sizes))
    results = jax.lax.ragged_dot(hidden, w_out, sizes)
    weight = jnp.take_along_axis(scores, chosen[:, None], axis=-1)
    return jnp.zeros_like(x).at[order].set(results) * weight


def ragged_experts() -> Case:
    """A mixture of experts that drops no tokens, by `jax.lax.ragged_dot`."""
    params = {
        "embedding": random_floats((WORDS, WIDTH)) / 8,
        "router": random_floats((WIDTH, EXPERTS), 1) / 8,
        "w_in": random_floats((EXPERTS, WIDTH, 4 * WIDTH), 2) / 8,
        "w_out": random_floats((EXPERTS, 4 * WIDTH, WIDTH), 3) / 16,
    }

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        x = params["embedding"][batch["tokens"]]
        flat = jax.nn.standardize(x).reshape(-1, WIDTH)
        x = x + _dispatch(flat, params["router"], params["w_in"], params["w_out"]).reshape(x.shape)
        return cross_entropy(x @ params["embedding"].T, jnp.roll(batch["tokens"], -1, axis=1))

    batch = {"tokens": random_tokens((BATCH, SEQUENCE), WORDS)}
    return train(loss, params, batch, tensor=[("state/params/w_in", 2), ("state/params/w_out", 1)])


ROWS = [
    Row("Attention of the platform (cuDNN, splash)", "kernels", of_platform),
    Row("Attention by Pallas, mapped", "kernels", by_pallas),
    Row("Attention by Pallas, with a rule", "kernels", by_kernel),
    Row("Ragged mixture of experts", "kernels", ragged_experts),
]
