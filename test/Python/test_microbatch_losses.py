"""Microbatches of losses that people train with: which run in one loop, which keep something, which are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from small_steps import close, tensor  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import pytest
from jax import lax

import partita

VOCAB, WIDTH, LAYERS, EXPERTS = 12, 8, 3, 4
MESH = {"data": 2}
BP = partita.tile(r"batch\[.*", dim=0, axis="data")

Params = dict[str, jax.Array]
Batch = dict[str, jax.Array]
Loss = Callable[[Params, Batch], tuple[jax.Array, dict[str, jax.Array]]]

PARAMS: Params = {
    "table": tensor(VOCAB, WIDTH, seed=1) / 3,
    "layers": tensor(LAYERS, WIDTH, WIDTH, seed=2) / 3,
    "router": tensor(LAYERS, WIDTH, EXPERTS, seed=3) / 3,
    "scale": jnp.ones((LAYERS, WIDTH)),
}
TOKENS = jnp.arange(8 * 6).reshape(8, 6) * 5 % VOCAB
BATCH: Batch = {
    "tokens": TOKENS,
    "targets": (TOKENS + 1) % VOCAB,
    "weights": (jnp.arange(8 * 6).reshape(8, 6) % 4 != 0).astype(jnp.float32),
    "image": tensor(8, WIDTH, seed=4),
}

Body = Callable[[jax.Array, Params], tuple[jax.Array, jax.Array]]


def dense(h: jax.Array, layer: Params) -> tuple[jax.Array, jax.Array]:
    return h + jnp.tanh(h @ layer["layers"]) * layer["scale"], jnp.zeros(())


def run_layers(params: Params, batch: Batch, body: Body = dense) -> tuple[jax.Array, jax.Array]:
    """The logits, by the table that embeds the tokens, and the sum of what the layers give beside."""
    stacks = {name: params[name] for name in ("layers", "router", "scale")}
    h = params["table"][batch["tokens"]] + batch["image"][:, None]
    h, extra = lax.scan(body, h, stacks)
    return h @ params["table"].T, jnp.sum(extra)


def cross_entropy(logits: jax.Array, batch: Batch) -> jax.Array:
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), batch["targets"][..., None], axis=-1)[..., 0]


def mean_with_metrics(params: Params, batch: Batch) -> tuple[jax.Array, dict[str, jax.Array]]:
    """Tied embeddings, several inputs, and metrics that are a mean, a maximum and a count."""
    logits, _ = run_layers(params, batch)
    each = cross_entropy(logits, batch)
    right = jnp.argmax(logits, axis=-1) == batch["targets"]
    return jnp.mean(each), {"accuracy": jnp.mean(right), "worst": jnp.max(each), "right": jnp.sum(right)}


def masked_mean(params: Params, batch: Batch) -> tuple[jax.Array, dict[str, jax.Array]]:
    each = cross_entropy(run_layers(params, batch)[0], batch) * batch["weights"]
    return jnp.sum(each) / jnp.maximum(jnp.sum(batch["weights"]), 1), {}


def z_loss(params: Params, batch: Batch) -> tuple[jax.Array, dict[str, jax.Array]]:
    logits, _ = run_layers(params, batch)
    z = jnp.mean(jax.nn.logsumexp(logits, axis=-1) ** 2)
    return jnp.mean(cross_entropy(logits, batch)) + 1e-2 * z, {"z": z}


def route(h: jax.Array, layer: Params) -> tuple[jax.Array, jax.Array]:
    """Weights of the experts for each token, and how often each is the first."""
    weights = jax.nn.softmax(h @ layer["router"])
    return weights, jax.nn.one_hot(jnp.argmax(weights, axis=-1), EXPERTS)


def balance_of_each_sequence(h: jax.Array, layer: Params) -> tuple[jax.Array, jax.Array]:
    weights, first = route(h, layer)
    balance = jnp.mean(jnp.sum(jnp.mean(weights, axis=1) * jnp.mean(first, axis=1), axis=-1))
    return dense(h, layer)[0] * jnp.max(weights, axis=-1, keepdims=True), balance


def balanced(params: Params, batch: Batch) -> tuple[jax.Array, dict[str, jax.Array]]:
    logits, extra = run_layers(params, batch, balance_of_each_sequence)
    return jnp.mean(cross_entropy(logits, batch)) + 0.01 * extra, {"balance": extra}


def contrastive(params: Params, batch: Batch) -> tuple[jax.Array, dict[str, jax.Array]]:
    logits, _ = run_layers(params, batch)
    rows = jnp.mean(logits, axis=1) @ params["table"]
    return -jnp.mean(jnp.diag(jax.nn.log_softmax(rows @ batch["image"].T))), {}


def normed_by_the_batch(params: Params, batch: Batch) -> tuple[jax.Array, dict[str, jax.Array]]:
    def body(h: jax.Array, layer: Params) -> tuple[jax.Array, jax.Array]:
        h = dense(h, layer)[0]
        return h * lax.rsqrt(jnp.mean(h**2, axis=(0, 1)) + 1e-5), jnp.zeros(())

    return jnp.mean(cross_entropy(run_layers(params, batch, body)[0], batch)), {}


def balance_of_the_batch(params: Params, batch: Batch) -> tuple[jax.Array, dict[str, jax.Array]]:
    def body(h: jax.Array, layer: Params) -> tuple[jax.Array, jax.Array]:
        weights, first = route(h, layer)
        return dense(h, layer)[0], jnp.sum(jnp.mean(weights, axis=(0, 1)) * jnp.mean(first, axis=(0, 1)))

    logits, extra = run_layers(params, batch, body)
    return jnp.mean(cross_entropy(logits, batch)) + 0.01 * extra, {}


def capacity_of_the_batch(params: Params, batch: Batch) -> tuple[jax.Array, dict[str, jax.Array]]:
    def body(h: jax.Array, layer: Params) -> tuple[jax.Array, jax.Array]:
        _, first = route(h, layer)
        place = jnp.cumsum(first.reshape(-1, EXPERTS), axis=0).reshape(first.shape)
        kept = jnp.sum(first * (place <= 16), axis=-1, keepdims=True)
        return h + kept * jnp.tanh(h @ layer["layers"]), jnp.zeros(())

    return jnp.mean(cross_entropy(run_layers(params, batch, body)[0], batch)), {}


def dropout_of_rbg(params: Params, batch: Batch) -> tuple[jax.Array, dict[str, jax.Array]]:
    logits, _ = run_layers(params, batch)
    kept = jax.random.bernoulli(jax.random.key(3, impl="rbg"), 0.9, logits.shape)
    return jnp.mean(cross_entropy(logits * kept, batch)), {}


def make_step(loss: Loss) -> Callable[[Params, Batch], Any]:
    """Gradients are clipped by their norm over all parameters."""

    def step(params: Params, batch: Batch) -> Any:
        (value, metrics), grads = jax.value_and_grad(loss, has_aux=True)(params, batch)
        norm = jnp.sqrt(sum(jnp.sum(g**2) for g in jax.tree.leaves(grads)))
        grads = jax.tree.map(lambda g: g * jnp.minimum(1, 0.3 / norm), grads)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), {"loss": value, "norm": norm, **metrics}

    return step


def cut(loss: Loss, count: int) -> partita.Plan:
    return partita.plan(make_step(loss), PARAMS, BATCH, mesh=MESH, schedule=[partita.accumulate(count), BP])


@pytest.mark.parametrize(
    ("loss", "loops"),
    [(mean_with_metrics, 1), (masked_mean, 2), (z_loss, 1), (balanced, 1), (contrastive, 2)],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_losses_run_in_microbatches(loss: Loss, loops: int) -> None:
    plan = cut(loss, 2)
    assert plan.report.figures["accumulate"]["loops"] == loops
    assert plan.verify().equal
    options = {"xla_backend_optimization_level": 0}
    close(plan.jit(compiler_options=options)(PARAMS, BATCH), jax.jit(make_step(loss))(PARAMS, BATCH))


@pytest.mark.parametrize(
    ("loss", "reason"),
    [
        (normed_by_the_batch, "needs a sum over the whole batch inside of a loop"),
        (balance_of_the_batch, "over the whole batch inside of a loop"),
        (capacity_of_the_batch, "needs all rows of the batch at once inside of a loop"),
        (dropout_of_rbg, "rbg keys"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_losses_are_refused_with_their_line(loss: Loss, reason: str) -> None:
    with pytest.raises(partita.UnsupportedError, match=rf"test_microbatch_losses\.py:\d+.*{reason}"):
        cut(loss, 2)


def test_frozen_layers_beside_trained_ones_are_no_batch() -> None:
    """The backward pass of a checkpointed layer slices the frozen stack again: no sum over the layers, or the width."""
    stacks = {"frozen": tensor(LAYERS, WIDTH, WIDTH, seed=5) / 3}
    trained = {"down": tensor(LAYERS, WIDTH, 2, seed=6) / 3, "up": tensor(LAYERS, 2, WIDTH, seed=7) / 3}
    batch = {"x": tensor(8, 6, WIDTH, seed=8), "y": tensor(8, 6, WIDTH, seed=9)}

    def step(stacks: Params, trained: Params, batch: Batch) -> tuple[Params, jax.Array]:
        def layer(h: jax.Array, weights: Params) -> tuple[jax.Array, None]:
            normal = h * lax.rsqrt(jnp.mean(h * h, -1, keepdims=True) + 1e-5)
            return h + jnp.tanh(normal @ weights["frozen"] + normal @ weights["down"] @ weights["up"]), None

        def loss(trained: Params) -> jax.Array:
            h, _ = lax.scan(jax.checkpoint(layer), batch["x"], {**stacks, **trained})
            return jnp.mean((h - batch["y"]) ** 2)

        value, gradients = jax.value_and_grad(loss)(trained)
        return jax.tree.map(lambda w, g: w - g, trained, gradients), value

    plan = partita.plan(step, stacks, trained, batch, mesh=MESH, schedule=[partita.accumulate(2), BP])
    close(plan.jit()(stacks, trained, batch), jax.jit(step)(stacks, trained, batch))
