"""flax linen: its examples' models (an LSTM seq2seq, a VAE, a decoder with a cache), and convolutions over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from flax import struct
from flax.training.train_state import TrainState

from models.others.case import Case, Row, cross_entropy, random_floats, random_tokens, random_weights, train

BATCH, LENGTH, VOCABULARY, HIDDEN = 8, 12, 96, 64


class Seq2Seq(nn.Module):
    """An encoder LSTM whose last state starts the decoder LSTM."""

    @nn.compact
    def __call__(self, source: jax.Array, target: jax.Array) -> jax.Array:
        embed = nn.Embed(VOCABULARY, HIDDEN)
        encoder, decoder = nn.RNN(nn.OptimizedLSTMCell(HIDDEN), return_carry=True), nn.RNN(nn.OptimizedLSTMCell(HIDDEN))
        carry, _ = encoder(embed(source))
        return nn.Dense(VOCABULARY, name="head")(decoder(embed(target), initial_carry=carry))


def seq2seq() -> Case:
    model = Seq2Seq()
    batch = {
        "source": random_tokens((BATCH, LENGTH), VOCABULARY),
        "target": random_tokens((BATCH, LENGTH), VOCABULARY, 1),
    }
    shapes = jax.eval_shape(model.init, jax.random.PRNGKey(0), batch["source"], batch["target"])
    params = random_weights(shapes["params"])

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        logits = model.apply({"params": params}, batch["source"], batch["target"][:, :-1])
        return cross_entropy(logits, batch["target"][:, 1:])

    return train(loss, params, batch)


class VAE(nn.Module):
    """Of flax's examples, with fewer pixels."""

    @nn.compact
    def __call__(self, x: jax.Array, key: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array]:
        h = nn.relu(nn.Dense(128, name="encoder_in")(x))
        mean, spread = nn.Dense(16, name="mean")(h), nn.Dense(16, name="spread")(h)
        z = mean + jnp.exp(0.5 * spread) * jax.random.normal(key, mean.shape)
        h = nn.relu(nn.Dense(128, name="decoder_in")(z))
        return nn.Dense(x.shape[-1], name="decoder_out")(h), mean, spread


def vae() -> Case:
    """With a random key among the arguments, which every device has whole."""
    model = VAE()
    pixels = jax.nn.sigmoid(random_floats((BATCH, 64)))
    key = jax.random.PRNGKey(1)
    params = random_weights(jax.eval_shape(model.init, jax.random.PRNGKey(0), pixels, key)["params"])

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        logits, mean, spread = model.apply({"params": params}, batch["pixels"], batch["key"])
        distance = -0.5 * jnp.sum(1 + spread - mean**2 - jnp.exp(spread), axis=-1).mean()
        return optax.sigmoid_binary_cross_entropy(logits, batch["pixels"]).sum(-1).mean() + distance

    batch = {"pixels": pixels, "key": key}
    return train(loss, params, batch, batch="batch/pixels")


class Decoder(nn.Module):
    """A decoder layer with linen's cache of keys and values, one token at a time."""

    @nn.compact
    def __call__(self, tokens: jax.Array) -> jax.Array:
        x = nn.Embed(VOCABULARY, HIDDEN)(tokens)
        for number in range(2):
            x = x + nn.MultiHeadDotProductAttention(4, decode=True)(nn.LayerNorm()(x))
            y = nn.gelu(nn.Dense(4 * HIDDEN, name=f"wide_in_{number}")(nn.LayerNorm()(x)))
            x = x + nn.Dense(HIDDEN, name=f"wide_out_{number}")(y)
        return nn.Dense(VOCABULARY, name="head")(x)


def decode() -> Case:
    """A scan over time that samples with a key; the cache is carried."""
    model = Decoder()
    shapes = jax.eval_shape(model.init, jax.random.PRNGKey(0), jnp.zeros((BATCH, LENGTH), jnp.int32))
    weights = random_weights(shapes["params"])
    cache = jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), shapes["cache"])

    def generate(params: Any, cache: Any, first: jax.Array, key: jax.Array) -> tuple[Any, jax.Array]:
        def step(carry: tuple[Any, jax.Array], key: jax.Array) -> tuple[tuple[Any, jax.Array], jax.Array]:
            cache, token = carry
            logits, new = model.apply({"params": params, "cache": cache}, token, mutable=["cache"])
            token = jax.random.categorical(key, logits[:, -1])[:, None].astype(jnp.int32)
            return (new["cache"], token), token[:, 0]

        (cache, _), tokens = jax.lax.scan(step, (cache, first), jax.random.split(key, LENGTH - 1))
        return cache, tokens

    first = random_tokens((BATCH, 1), VOCABULARY)
    arguments = (weights, cache, first, jax.random.PRNGKey(2))
    return Case(generate, arguments, weights, "first|cache/.*/cached_(key|value)", state="params/.*", training=False)


class WaveNet(nn.Module):
    """Gated convolutions over time, each twice as far apart as those before."""

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        x = nn.Conv(32, (1,))(x)
        skip = jnp.zeros_like(x)
        for distance in (1, 2, 4):
            values, gates = jnp.split(nn.Conv(64, (2,), kernel_dilation=distance, padding="CAUSAL")(x), 2, axis=-1)
            y = jnp.tanh(values) * nn.sigmoid(gates)
            skip, x = skip + nn.Conv(32, (1,))(y), x + nn.Conv(32, (1,))(y)
        return nn.Conv(16, (1,))(nn.relu(skip))


def wave_net() -> Case:
    model = WaveNet()
    batch = {"levels": random_tokens((BATCH, 32), 16)}
    shapes = jax.eval_shape(model.init, jax.random.PRNGKey(0), jnp.zeros((BATCH, 32, 16)))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        logits = model.apply({"params": params}, jax.nn.one_hot(batch["levels"], 16))
        return cross_entropy(logits[:, :-1], batch["levels"][:, 1:])

    return train(loss, random_weights(shapes["params"]), batch)


class WeightNorm(nn.Module):
    """Matrices that are scaled by their own columns before they are multiplied."""

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        x = nn.relu(nn.WeightNorm(nn.Dense(128))(x))
        return nn.Dense(8)(nn.relu(nn.WeightNorm(nn.Dense(64))(x)))


def weight_norm() -> Case:
    model = WeightNorm()
    batch = {"x": random_floats((BATCH, 32)), "labels": random_tokens((BATCH,), 8)}
    shapes = jax.eval_shape(model.init, jax.random.PRNGKey(0), batch["x"])

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        return cross_entropy(model.apply({"params": params}, batch["x"]), batch["labels"])

    return train(loss, random_weights(shapes["params"]), batch)


class Classifier(nn.Module):
    """Two wide layers, and a flag that changes what is computed."""

    rate: float = 0.1

    @nn.compact
    def __call__(self, x: jax.Array, key: jax.Array | None = None) -> jax.Array:
        for number in range(2):
            y = nn.gelu(nn.Dense(4 * HIDDEN, name=f"wide_in_{number}")(nn.LayerNorm()(x)))
            y = nn.Dense(HIDDEN, name=f"wide_out_{number}")(y)
            x = x + (y if key is None else nn.Dropout(self.rate, deterministic=False)(y, rng=key))
        return nn.Dense(8, name="head")(x)


class State(TrainState):
    """With a random key, and more that is static."""

    key: jax.Array
    smoothing: float = struct.field(pytree_node=False, default=0.1)


def make_state(params: Any) -> State:
    """As each process makes it: `apply_fn` and `tx` are functions of its own."""
    rule = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))
    return State.create(apply_fn=Classifier().apply, params=params, tx=rule, key=jax.random.PRNGKey(3))


def _make_classified() -> dict[str, Any]:
    return {"x": random_floats((BATCH, HIDDEN)), "labels": random_tokens((BATCH,), 8)}


def train_state() -> Case:
    """Planned for one state, and run with another, whose static fields are made anew."""
    batch = _make_classified()
    params = random_weights(jax.eval_shape(Classifier().init, jax.random.PRNGKey(0), batch["x"])["params"])

    def step(state: State, batch: Mapping[str, jax.Array]) -> tuple[State, jax.Array]:
        key, used = jax.random.split(state.key)

        def loss(params: Any) -> jax.Array:
            logits = state.apply_fn({"params": params}, batch["x"], used)
            labels = optax.smooth_labels(jax.nn.one_hot(batch["labels"], 8), state.smoothing)
            return optax.softmax_cross_entropy(logits, labels).mean()

        value, gradients = jax.value_and_grad(loss)(state.params)
        return state.apply_gradients(grads=gradients).replace(key=key), value

    def make_arguments() -> tuple[Any, ...]:
        return make_state(params), batch

    return Case(
        step, make_arguments(), params, state="state/(params|opt_state)/.*", make_again=make_arguments
    )  # fmt: skip


def initialize() -> Case:
    """The initialization of that state, which follows the plan of its step."""

    def init(key: jax.Array) -> State:
        return make_state(Classifier().init(key, jnp.zeros((1, HIDDEN)))["params"])

    leader = train_state()
    return Case(init, (jax.random.PRNGKey(5),), leader.parameters, training=False, follows=leader)


def evaluate() -> Case:
    """What that state predicts, by a function that follows the plan of its step."""
    leader = train_state()

    def predict(state: State, batch: Mapping[str, jax.Array]) -> tuple[jax.Array, jax.Array]:
        logits = state.apply_fn({"params": state.params}, batch["x"])
        return logits, cross_entropy(logits, batch["labels"])

    return Case(
        predict, leader.arguments, leader.parameters, training=False, make_again=leader.make_again, follows=leader
    )  # fmt: skip


ROWS = [
    Row("LSTM seq2seq", "flax linen", seq2seq),
    Row("VAE", "flax linen", vae),
    Row("Decoder (scan, sampling)", "flax linen", decode),
    Row("WaveNet", "flax linen", wave_net),
    Row("Weight norm", "flax linen", weight_norm),
    Row("TrainState, made anew", "flax linen", train_state),
    Row("TrainState, initialized", "flax linen", initialize),
    Row("TrainState, evaluated", "flax linen", evaluate),
]
