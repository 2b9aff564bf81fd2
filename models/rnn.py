"""A recurrent language model: stacked LSTM or GRU layers, each a scan over time, trained with Adam.

The `large` size has 4 layers of 2048 on a vocabulary of 32768.

Arrays of one layer: w_x w_h b for an LSTM (P = 3, Q = 2), w_x w_h b_x b_h for a GRU (P = 4, Q = 2: its candidate's
recurrent part is gated before the bias is shared). Outside: embed, unembed (O = 2). If every gradient and the loss
are reduced separately, BP needs L·P + O + 1 all-reduces, provided that gradients summed over time are carried as
partial sums through the backward loop; reduced inside it they cost `sequence` times as many for w_h.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from models.layers import cast, cross_entropy, matrix, token_batch
from models.program import Model, Params, Program
from models.train import init_state, training


@dataclass(frozen=True)
class Config:
    cell: str
    vocab: int
    layers: int
    width: int
    batch: int
    sequence: int
    dtype: Any = jnp.bfloat16


def init_layer(config: Config, key: jax.Array) -> Params:
    x, h = jax.random.split(key)
    gates = {"lstm": 4, "gru": 3}[config.cell] * config.width
    weights = {"w_x": matrix(x, config.width, gates), "w_h": matrix(h, config.width, gates)}
    if config.cell == "lstm":
        return weights | {"b": jnp.zeros(gates)}
    return weights | {"b_x": jnp.zeros(gates), "b_h": jnp.zeros(gates)}


def init_params(config: Config, key: jax.Array) -> Params:
    embed, unembed, *layers = jax.random.split(key, 2 + config.layers)
    return {
        "embed": matrix(embed, config.vocab, config.width, fan_in=config.width),
        "layers": [init_layer(config, k) for k in layers],
        "unembed": matrix(unembed, config.width, config.vocab),
    }


def lstm(params: Params, xs: jax.Array) -> jax.Array:
    """`xs: [sequence, batch, width]`. The input's part of the gates is computed for all times at once."""

    def step(carry: tuple[jax.Array, jax.Array], gates_x: jax.Array) -> tuple[tuple[jax.Array, jax.Array], jax.Array]:
        hidden, cell = carry
        i, f, g, o = jnp.split(gates_x + hidden @ params["w_h"], 4, axis=-1)
        cell = jax.nn.sigmoid(f + 1) * cell + jax.nn.sigmoid(i) * jnp.tanh(g)
        hidden = jax.nn.sigmoid(o) * jnp.tanh(cell)
        return (hidden, cell), hidden

    zero = jnp.zeros(xs.shape[1:], xs.dtype)
    return lax.scan(step, (zero, zero), xs @ params["w_x"] + params["b"])[1]


def gru(params: Params, xs: jax.Array) -> jax.Array:
    """`xs: [sequence, batch, width]`."""

    def step(hidden: jax.Array, gates_x: jax.Array) -> tuple[jax.Array, jax.Array]:
        rx, zx, nx = jnp.split(gates_x, 3, axis=-1)
        rh, zh, nh = jnp.split(hidden @ params["w_h"] + params["b_h"], 3, axis=-1)
        update = jax.nn.sigmoid(zx + zh)
        candidate = jnp.tanh(nx + jax.nn.sigmoid(rx + rh) * nh)
        hidden = update * hidden + (1 - update) * candidate
        return hidden, hidden

    return lax.scan(step, jnp.zeros(xs.shape[1:], xs.dtype), xs @ params["w_x"] + params["b_x"])[1]


def loss(config: Config, params: Params, batch: Params) -> jax.Array:
    params = cast(params, config.dtype)
    cell = {"lstm": lstm, "gru": gru}[config.cell]
    xs = jnp.swapaxes(params["embed"][batch["tokens"]], 0, 1)
    for layer in params["layers"]:
        xs = cell(layer, xs)
    return cross_entropy(jnp.swapaxes(xs, 0, 1) @ params["unembed"], batch["targets"])


def build(config: Config) -> Program:
    def init(key: jax.Array) -> tuple[Any, ...]:
        return init_state(init_params(config, key)), token_batch(key, config.vocab, config.batch, config.sequence)

    return Program(training(functools.partial(loss, config)), init, donate_argnums=(0,))


def variant(cell: str, layer_params: int, notes: str) -> Model:
    sizes = {
        "tiny": Config(cell, vocab=128, layers=2, width=32, batch=8, sequence=16, dtype=jnp.float32),
        "large": Config(cell, vocab=32768, layers=4, width=2048, batch=256, sequence=128),
    }
    strategies = ("BP", "BP+Z2", "BP+Z3", "BP+VOCAB")
    return Model(f"rnn_{cell}", sizes, build, layer_params, 2, 2, "state/params/layers/0/.*", "rnn", strategies, notes)


MODELS = [variant("lstm", 3, "LSTM, scan over time"), variant("gru", 4, "GRU, scan over time")]
