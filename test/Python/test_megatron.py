"""Attention in every layout that people keep its weights in: heads are split, head_dim never, and the collectives are
Megatron's, two all-reduces forward and two backward a layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from small_steps import tensor  # isort: skip  (sets up the virtual devices before JAX starts)
import equinox
import flax.linen
import flax.nnx
import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.sharding import PartitionSpec as P

import partita
from partita import presets

# Fewer heads than a head has dims: the largest dim is the wrong one.
BATCH, TOKENS, WIDTH, HEADS, HEAD_DIM = 4, 6, 128, 8, 16
MODEL = 4
Params = dict[str, Any]


def attend(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    """Of [batch, tokens, heads, head_dim]."""
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 4
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1), v)


def attend_grouped(q: jax.Array, k: jax.Array, v: jax.Array) -> jax.Array:
    """Of queries [batch, tokens, kv_heads, group, head_dim]."""
    scores = jnp.einsum("bqhgd,bkhd->bhgqk", q, k) / 4
    return jnp.einsum("bhgqk,bkhd->bqhgd", jax.nn.softmax(scores, axis=-1), v)


def outputs_last(p: Params, x: jax.Array) -> jax.Array:
    q, k, v = (jnp.einsum("btd,dhk->bthk", x, p[name]) for name in ("q", "k", "v"))
    return jnp.einsum("bthk,hkd->btd", attend(q, k, v), p["o"])


def outputs_first(p: Params, x: jax.Array) -> jax.Array:
    q, k, v = (jnp.einsum("btd,hkd->bthk", x, p[name]) for name in ("q", "k", "v"))
    return jnp.einsum("bthk,dhk->btd", attend(q, k, v), p["o"])


def heads_first(p: Params, x: jax.Array) -> jax.Array:
    q, k, v = (jnp.einsum("btd,hdk->bthk", x, p[name]) for name in ("q", "k", "v"))
    return jnp.einsum("bthk,hkd->btd", attend(q, k, v), p["o"])


def fused(p: Params, x: jax.Array) -> jax.Array:
    qkv = jnp.einsum("btd,dshk->sbthk", x, p["qkv"])
    return jnp.einsum("bthk,hkd->btd", attend(qkv[0], qkv[1], qkv[2]), p["o"])


def fused_in_the_middle(p: Params, x: jax.Array) -> jax.Array:
    q, k, v = jnp.unstack(jnp.einsum("btd,dshk->btshk", x, p["qkv"]), axis=2)
    return jnp.einsum("bthk,hkd->btd", attend(q, k, v), p["o"])


def flat(p: Params, x: jax.Array) -> jax.Array:
    """Haiku's: matrices, and heads after them."""
    q, k, v = ((x @ p[name]).reshape(*x.shape[:2], HEADS, HEAD_DIM) for name in ("q", "k", "v"))
    return attend(q, k, v).reshape(x.shape) @ p["o"]


def grouped(p: Params, x: jax.Array) -> jax.Array:
    q = jnp.einsum("btd,dhgk->bthgk", x, p["q"])
    k, v = (jnp.einsum("btd,dhk->bthk", x, p[name]) for name in ("k", "v"))
    return jnp.einsum("bthgk,hgkd->btd", attend_grouped(q, k, v), p["o"])


def grouped_after(p: Params, x: jax.Array) -> jax.Array:
    q, k, v = (jnp.einsum("btd,dhk->bthk", x, p[name]) for name in ("q", "k", "v"))
    mixed = attend_grouped(q.reshape(*q.shape[:2], k.shape[2], -1, HEAD_DIM), k, v)
    return jnp.einsum("bthk,hkd->btd", mixed.reshape(q.shape), p["o"])


def repeated(p: Params, x: jax.Array) -> jax.Array:
    """Keys and values are repeated for each query head of their group."""
    q, k, v = (jnp.einsum("btd,dhk->bthk", x, p[name]) for name in ("q", "k", "v"))
    k, v = (jnp.repeat(each, q.shape[2] // each.shape[2], axis=2) for each in (k, v))
    return jnp.einsum("bthk,hkd->btd", attend(q, k, v), p["o"])


def jax_attention(p: Params, x: jax.Array) -> jax.Array:
    q, k, v = (jnp.einsum("btd,dhk->bthk", x, p[name]) for name in ("q", "k", "v"))
    mixed = jax.nn.dot_product_attention(q, k, v, implementation="xla")
    return jnp.einsum("bthk,hkd->btd", mixed, p["o"])


def weights(shapes: dict[str, tuple[int, ...]]) -> Params:
    return {name: tensor(*shape, seed=number) / 12 for number, (name, shape) in enumerate(shapes.items())}


def alike(shape: tuple[int, ...], out: tuple[int, ...], names: str = "qkv") -> dict[str, tuple[int, ...]]:
    return dict.fromkeys(names, shape) | {"o": out}


D, H, K = WIDTH, HEADS, HEAD_DIM
DENSE = alike((D, H, K), (H, K, D))
SECOND = P(None, "model")
QKVO = {"q": SECOND, "k": SECOND, "v": SECOND, "o": P("model")}
FIRST = dict.fromkeys("qkvo", P("model"))
Attention = Callable[[Params, jax.Array], jax.Array]
LAYOUTS: dict[str, tuple[Attention, dict[str, tuple[int, ...]], dict[str, P]]] = {
    "outputs last, as flax and Keras": (outputs_last, DENSE, QKVO),
    "outputs first": (outputs_first, alike((H, K, D), (D, H, K)), FIRST | {"o": SECOND}),
    "heads first": (heads_first, alike((H, D, K), (H, K, D)), FIRST),
    "fused": (fused, {"qkv": (D, 3, H, K), "o": (H, K, D)}, {"qkv": P(None, None, "model"), "o": P("model")}),
    "fused, cut behind": (
        fused_in_the_middle,
        {"qkv": (D, 3, H, K), "o": (H, K, D)},
        {"qkv": P(None, None, "model"), "o": P("model")},
    ),
    "flat, as haiku": (flat, alike((D, H * K), (H * K, D)), QKVO),
    "grouped": (grouped, alike((D, 4, K), (4, 2, K, D)) | {"q": (D, 4, 2, K)}, QKVO),
    "grouped after the product": (grouped_after, alike((D, 4, K), (H, K, D)) | {"q": (D, H, K)}, QKVO),
    "repeated": (repeated, alike((D, 4, K), (H, K, D)) | {"q": (D, H, K)}, QKVO),
    "jax.nn": (jax_attention, DENSE, QKVO),
}


def normalize(x: jax.Array) -> jax.Array:
    return x * lax.rsqrt(jnp.mean(x**2, axis=-1, keepdims=True) + 1e-6)


def train(attention: Attention) -> Callable[[Params, jax.Array], tuple[Params, jax.Array]]:
    """A step of one layer: attention, then a feed-forward network, behind something that is learned."""

    def loss_of(p: Params, x: jax.Array) -> jax.Array:
        x = x + p["place"]
        x = x + attention(p["attention"], normalize(x))
        x = x + jnp.tanh(normalize(x) @ p["up"]) @ p["down"]
        return jnp.mean(x**2)

    def step(p: Params, x: jax.Array) -> tuple[Params, jax.Array]:
        loss, grads = jax.value_and_grad(loss_of)(p, x)
        return jax.tree.map(lambda p, g: p - 0.1 * g, p, grads), loss

    return step


def with_network(attention: Any) -> Params:
    network = weights({"place": (TOKENS, WIDTH), "up": (WIDTH, 4 * WIDTH), "down": (4 * WIDTH, WIDTH)})
    return network | {"attention": attention}


def plan_megatron(attention: Attention, params: Any, model: int = MODEL) -> partita.Plan:
    x = tensor(BATCH, TOKENS, WIDTH)
    return partita.plan(
        train(attention), with_network(params), x, mesh={"model": model}, machine=f"h100-sxm:1x{model}",
        schedule=presets.megatron("model"), platform="cpu",
    )  # fmt: skip


def check_collectives(plan: partita.Plan, layers: int = 1) -> None:
    found = [(entry["kind"], entry["count"]) for entry in plan.report.collectives]
    assert found == [("all_reduce", 4 * layers)], plan.report


@pytest.mark.parametrize("layout", LAYOUTS)
def test_heads_are_split(layout: str) -> None:
    attention, shapes, specs = LAYOUTS[layout]
    plan = plan_megatron(attention, weights(shapes))
    assert plan.in_specs[0]["attention"] == specs
    assert plan.in_specs[0]["up"] == SECOND and plan.in_specs[0]["down"] == P("model")
    check_collectives(plan)
    found = plan.verify()
    assert found.equal


def flat_shared(p: Params, x: jax.Array) -> jax.Array:
    q = (x @ p["q"]).reshape(*x.shape[:2], 1, HEADS, HEAD_DIM)
    k, v = ((x @ p[name]).reshape(*x.shape[:2], 1, HEAD_DIM) for name in ("k", "v"))
    return attend_grouped(q, k, v).reshape(x.shape) @ p["o"]


@pytest.mark.parametrize("attention", [grouped_after, repeated, flat_shared])
def test_one_key_head_for_all_stays_whole(attention: Attention) -> None:
    """What keys and values there are is on every device, as Megatron does it; head_dim would be summed over."""
    shapes = alike((D, 1, K), (H, K, D)) | {"q": (D, H, K)}
    if attention is flat_shared:
        shapes = alike((D, K), (H * K, D)) | {"q": (D, H * K)}
    plan = plan_megatron(attention, weights(shapes))
    assert plan.in_specs[0]["attention"] == QKVO | {"k": P(), "v": P()}


def test_groups_are_split_where_key_heads_do_not_divide() -> None:
    plan = plan_megatron(grouped, weights(alike((D, 2, K), (2, 4, K, D)) | {"q": (D, 2, 4, K)}))
    assert plan.in_specs[0]["attention"] == {"q": P(None, None, "model"), "k": P(), "v": P(), "o": SECOND}


def test_heads_that_do_not_divide_stay_whole() -> None:
    plan = plan_megatron(outputs_last, weights(alike((D, 3, K), (3, K, D))), model=2)
    assert plan.in_specs[0]["attention"] == dict.fromkeys("qkvo", P())
    assert plan.in_specs[0]["up"] == SECOND
    assert [(entry["kind"], entry["count"]) for entry in plan.report.collectives] == [("all_reduce", 2)]


def test_what_heads_are_made_of_stays_whole() -> None:
    """A latent of few dims, of which keys and values are made: one more all-reduce, of its gradient."""

    def latent(p: Params, x: jax.Array) -> jax.Array:
        q, common = jnp.einsum("btd,dhk->bthk", x, p["q"]), x @ p["latent"]
        k, v = (jnp.einsum("btr,rhk->bthk", common, p[name]) for name in ("k", "v"))
        return jnp.einsum("bthk,hkd->btd", attend(q, k, v), p["o"])

    shapes = alike((32, H, K), (H, K, D)) | {"q": (D, H, K), "latent": (D, 32)}
    plan = plan_megatron(latent, weights(shapes))
    assert plan.in_specs[0]["attention"] == QKVO | {"latent": P()}
    assert [(entry["kind"], entry["count"]) for entry in plan.report.collectives] == [("all_reduce", 5)]


def test_norms_of_gradients_change_nothing() -> None:
    """The loss is not the only result: the backward pass is one that untied results depend on, too."""

    def step(p: Params, x: jax.Array) -> tuple[Params, Any]:
        new, loss = train(outputs_last)(p, x)
        moved = jax.tree.map(lambda a, b: jnp.sum((a - b) ** 2), p, new)
        return new, {"loss": loss, "norm": jnp.sqrt(sum(jax.tree.leaves(moved)))}

    params, x = with_network(weights(DENSE)), tensor(BATCH, TOKENS, WIDTH)
    plan = partita.plan(step, params, x, mesh={"model": MODEL}, schedule=presets.megatron("model"))
    assert plan.in_specs[0]["attention"] == QKVO
    assert plan.in_specs[0]["up"] == SECOND and plan.in_specs[0]["down"] == P("model")


def test_layers_in_a_loop() -> None:
    layers = 3
    stacked = weights({name: (layers, *shape) for name, shape in DENSE.items()})

    def attention(p: Params, x: jax.Array) -> jax.Array:
        return lax.scan(lambda x, layer: (x + outputs_last(layer, x), None), x, p)[0]

    plan = plan_megatron(attention, stacked)
    split = P(None, None, "model")
    assert plan.in_specs[0]["attention"] == {"q": split, "k": split, "v": split, "o": SECOND}


def test_layers_of_flax_linen() -> None:
    layer = flax.linen.MultiHeadDotProductAttention(num_heads=HEADS)
    params = layer.init(jax.random.key(0), tensor(BATCH, TOKENS, WIDTH))
    plan = plan_megatron(lambda p, x: layer.apply(p, x), params)
    specs = plan.in_specs[0]["attention"]["params"]
    assert {name: specs[name]["kernel"] for name in specs} == {
        "query": SECOND,
        "key": SECOND,
        "value": SECOND,
        "out": P("model"),
    }
    assert specs["query"]["bias"] == P("model") and specs["out"]["bias"] == P()
    check_collectives(plan)


def test_layers_of_flax_nnx() -> None:
    layer = flax.nnx.MultiHeadAttention(num_heads=HEADS, in_features=WIDTH, decode=False, rngs=flax.nnx.Rngs(0))
    graph, params, rest = flax.nnx.split(layer, flax.nnx.Param, ...)
    pure = flax.nnx.to_pure_dict(params)

    def attention(p: Any, x: jax.Array) -> jax.Array:
        state = jax.tree.unflatten(jax.tree.structure(params), jax.tree.leaves(p))
        return flax.nnx.merge(graph, state, rest)(x)

    specs = plan_megatron(attention, pure).in_specs[0]["attention"]
    assert [specs[name]["kernel"] for name in ("query", "key", "value", "out")] == [SECOND, SECOND, SECOND, P("model")]


def test_layers_of_equinox() -> None:
    layer = equinox.nn.MultiheadAttention(HEADS, WIDTH, key=jax.random.key(0))
    arrays, rest = equinox.partition(layer, equinox.is_array)
    leaves, structure = jax.tree.flatten(arrays)

    def attention(p: Params, x: jax.Array) -> jax.Array:
        whole = equinox.combine(jax.tree.unflatten(structure, list(p.values())), rest)
        return jax.vmap(lambda each: whole(each, each, each))(x)

    plan = plan_megatron(attention, {f"w{number}": leaf for number, leaf in enumerate(leaves)})
    # Rows of a weight are its outputs.
    assert list(plan.in_specs[0]["attention"].values()) == [P("model"), P("model"), P("model"), SECOND]
    check_collectives(plan)


def test_batches_of_any_form() -> None:
    def step(p: jax.Array, batch: Params, mask: jax.Array) -> tuple[Any, jax.Array]:
        def accumulate(total: jax.Array, micro: Any) -> tuple[jax.Array, None]:
            x, y, m = micro
            return total + jax.grad(lambda w: jnp.sum(m[..., None] * (x @ w["w"] - y) ** 2))(p)["w"], None

        grads, _ = lax.scan(accumulate, jnp.zeros_like(p["w"]), (batch["x"], batch["y"], mask))
        return {"w": p["w"] - grads, "b": p["b"]}, grads.sum()

    params = {"w": tensor(16, 16), "b": tensor(16)}
    batch = {"x": tensor(3, 8, 5, 16), "y": tensor(3, 8, 5, 16)}
    mesh = {"data": 4}
    second = P(None, "data")
    for preset in (
        presets.data_parallel("data"),
        presets.fsdp("data"),
        presets.fsdp("data", batch="batch.*|mask", dim=1),
    ):
        plan = partita.plan(step, params, batch, tensor(3, 8, 5), mesh=mesh, schedule=preset)
        assert plan.in_specs[1:] == ({"x": second, "y": second}, second)
    plan = partita.plan(
        step, params, batch, tensor(3, 8, 5), mesh=mesh, schedule=presets.data_parallel("data", batch="mask")
    )
    assert plan.in_specs[2] == second
    # Nothing is found, and that may be.
    scalar = partita.plan(lambda x: x * 2, jnp.ones(()), mesh=mesh, schedule=presets.fsdp("data", optional=True))
    assert scalar.in_specs == (P(),)
