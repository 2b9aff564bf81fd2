"""Programs in the manner of other libraries: a policy trained on a simulated environment, a solver, plain JAX."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import jax
import jax.numpy as jnp
import optax

from models.others.case import Case, Row, cross_entropy, random_floats, random_tokens, train

BATCH, HIDDEN = 8, 64


def _dense(sizes: tuple[int, ...], seed: int) -> list[dict[str, Any]]:
    return [
        {"w": random_floats((m, n), seed + i) / m**0.5, "b": random_floats((n,), seed + 50 + i) * 0.1}
        for i, (m, n) in enumerate(itertools.pairwise(sizes))
    ]


def _mlp(layers: list[dict[str, Any]], x: jax.Array) -> jax.Array:
    for number, layer in enumerate(layers):
        x = x @ layer["w"] + layer["b"]
        x = jnp.tanh(x) if number + 1 < len(layers) else x
    return x


def policy() -> Case:
    """As brax trains: the policy acts in many pendulums for 16 steps, and the gradient goes through the physics."""

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        def act(state: tuple[jax.Array, jax.Array], _: None) -> tuple[tuple[jax.Array, jax.Array], jax.Array]:
            angle, speed = state
            features = jnp.stack([jnp.cos(angle), jnp.sin(angle), speed, jnp.ones_like(angle)], axis=-1)
            torque = 2 * jnp.tanh(_mlp(params, features)[:, 0])
            speed = jnp.clip(speed + 0.05 * (15 * jnp.sin(angle) + 3 * torque), -8, 8)
            angle = angle + 0.05 * speed
            return (angle, speed), angle**2 + 0.1 * speed**2 + 1e-3 * torque**2

        return jax.lax.scan(act, (batch["angle"], batch["speed"]), None, length=16)[1].mean()

    batch = {"angle": random_floats((16,)) * 0.1, "speed": random_floats((16,), 1) * 0.1}
    return train(loss, _dense((4, HIDDEN, HIDDEN, 8), 0), batch)


def ppo() -> Case:
    """Advantages by a reverse scan, a clipped objective, epochs over shuffled minibatches in loops."""
    params = {"policy": _dense((16, HIDDEN, HIDDEN, 4), 0), "value": _dense((16, HIDDEN, HIDDEN, 1), 9)}
    rule = optax.adam(1e-3)
    time, many = 8, 16

    def loss(params: Any, batch: Any) -> jax.Array:
        chosen = jnp.take_along_axis(
            jax.nn.log_softmax(_mlp(params["policy"], batch["seen"])), batch["act"][..., None], -1
        )
        ratio = jnp.exp(chosen[..., 0] - batch["log"])
        gain = jnp.minimum(ratio * batch["advantage"], jnp.clip(ratio, 0.8, 1.2) * batch["advantage"])
        error = _mlp(params["value"], batch["seen"])[..., 0] - batch["target"]
        return jnp.mean(error**2) - jnp.mean(gain)

    def step(state: Any, batch: Any) -> tuple[Any, jax.Array]:
        values = _mlp(state["params"]["value"], batch["seen"])[..., 0]

        def advantage(later: Any, now: Any) -> Any:
            value, reward = now
            total = reward + 0.95 * later
            return total, total - value

        _, advantages = jax.lax.scan(advantage, jnp.zeros(many), (values, batch["reward"]), reverse=True)
        data = {**batch, "advantage": advantages, "target": advantages + values}

        def epoch(_: int, carry: Any) -> Any:
            params, moments = carry
            updates, moments = rule.update(jax.grad(loss)(params, data), moments)
            return optax.apply_updates(params, updates), moments

        params, moments = jax.lax.fori_loop(0, 3, epoch, (state["params"], state["optimizer"]))
        return {"params": params, "optimizer": moments}, loss(params, data)

    batch = {
        "seen": random_floats((time, many, 16)),
        "act": random_tokens((time, many), 4),
        "log": random_floats((time, many)),
        "reward": random_floats((time, many), 1),
    }
    return Case(step, ({"params": params, "optimizer": rule.init(params)}, batch), params, batch_dim=1)


def mixture() -> Case:
    """A mixture of experts with top-2 routing and dense dispatch, adafactor."""
    experts, tokens = 4, 32
    params = {
        "router": random_floats((HIDDEN, experts)),
        "w_in": random_floats((experts, HIDDEN, 128), 1) / 8,
        "w_out": random_floats((experts, 128, HIDDEN), 2) / 11,
    }

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        gates, chosen = jax.lax.top_k(jax.nn.softmax(batch["x"] @ params["router"]), 2)
        weights = jnp.sum(jax.nn.one_hot(chosen, experts) * gates[..., None], axis=-2)
        hidden = jax.nn.gelu(jnp.einsum("td,edf->etf", batch["x"], params["w_in"]))
        out = jnp.einsum("etf,efd,te->td", hidden, params["w_out"], weights)
        return jnp.mean((out - batch["y"]) ** 2)

    batch = {"x": random_floats((tokens, HIDDEN), 3), "y": random_floats((tokens, HIDDEN), 4)}
    return train(loss, params, batch, optimizer=optax.adafactor(1e-3))


def three_heads() -> Case:
    """Attention with 3 heads and 10 classes: nothing that 4 divides but the wide layers; plain SGD."""
    width = 48
    params = {
        "qkv": random_floats((width, 3 * width)) / 7, "out": random_floats((width, width), 1) / 7,
        "w_in": random_floats((width, 192), 2) / 7, "w_out": random_floats((192, width), 3) / 14,
        "head": random_floats((width, 10), 4) / 7,
    }  # fmt: skip

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        x = batch["x"]
        q, k, v = jnp.split((x @ params["qkv"]).reshape(*x.shape[:2], 3, width), 3, axis=-1)
        weights = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) / 4)
        x = x + jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(x.shape) @ params["out"]
        x = x + jax.nn.gelu(x @ params["w_in"]) @ params["w_out"]
        return cross_entropy(x.mean(axis=1) @ params["head"], batch["labels"])

    batch = {"x": random_floats((BATCH, 12, width)), "labels": random_tokens((BATCH,), 10)}
    return train(loss, params, batch, optimizer=optax.sgd(1e-2))


def conjugate_gradient() -> Case:
    """Implicit differentiation through a linear solve: two while loops, one of them behind custom_linear_solve."""
    params = {"w": random_floats((64, 64)) / 8, "b": random_floats((64,), 1)}

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        def apply(x: jax.Array) -> jax.Array:
            return x + (x @ params["w"]) @ params["w"].T

        solution, _ = jax.scipy.sparse.linalg.cg(apply, batch["x"] + params["b"], maxiter=8, tol=0.0)
        return jnp.mean(solution**2)

    batch = {"x": random_floats((BATCH, 64), 2)}
    return train(loss, params, batch, optimizer=optax.sgd(1e-2))


def ragged_experts() -> Case:
    """Tokens sorted by their expert, and products of groups of rows with a matrix each."""
    experts, tokens = 4, 64
    params = {
        "router": random_floats((HIDDEN, experts)),
        "w_in": random_floats((experts, HIDDEN, 128), 1) / 8,
        "w_out": random_floats((experts, 128, HIDDEN), 2) / 11,
    }

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        gates, chosen = jax.lax.top_k(jax.nn.softmax(batch["x"] @ params["router"]), 1)
        order = jnp.argsort(chosen[:, 0])
        rows = jnp.bincount(chosen[:, 0], length=experts)
        hidden = jax.nn.gelu(jax.lax.ragged_dot(batch["x"][order], params["w_in"], rows))
        out = jax.lax.ragged_dot(hidden, params["w_out"], rows)[jnp.argsort(order)]
        return jnp.mean((batch["x"] + out * gates - batch["y"]) ** 2)

    batch = {"x": random_floats((tokens, HIDDEN), 3), "y": random_floats((tokens, HIDDEN), 4)}
    return train(loss, params, batch)


def selective_scan() -> Case:
    """A Mamba block: a depthwise convolution, and a state for each channel that inputs open and close."""
    channels, states, rank = 128, 8, 8
    params = {
        "w_in": random_floats((HIDDEN, 2 * channels)) / 8,
        "convolution": random_floats((4, 1, channels), 1) / 2,
        "w_select": random_floats((channels, rank + 2 * states), 2) / 11,
        "w_step": random_floats((rank, channels), 3) / 3,
        "decay": random_floats((channels, states), 4),
        "w_out": random_floats((channels, HIDDEN), 5) / 11,
    }

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        x, gate = jnp.split(batch["x"] @ params["w_in"], 2, axis=-1)
        x = jax.nn.silu(jax.lax.conv_general_dilated(
            x, params["convolution"], (1,), [(3, 0)], dimension_numbers=("NWC", "WIO", "NWC"),
            feature_group_count=channels,
        ))  # fmt: skip
        step, write, read = jnp.split(x @ params["w_select"], [rank, rank + states], axis=-1)
        step = jax.nn.softplus(step @ params["w_step"])

        def advance(state: jax.Array, now: tuple[jax.Array, ...]) -> tuple[jax.Array, jax.Array]:
            x, step, write, read = now
            kept = jnp.exp(-jnp.exp(params["decay"]) * step[..., None]) * state
            state = kept + (step * x)[..., None] * write[:, None]
            return state, jnp.einsum("bcs,bs->bc", state, read)

        by_time = tuple(jnp.swapaxes(each, 0, 1) for each in (x, step, write, read))
        _, y = jax.lax.scan(advance, jnp.zeros((x.shape[0], channels, states)), by_time)
        out = (jnp.swapaxes(y, 0, 1) * jax.nn.silu(gate)) @ params["w_out"]
        return jnp.mean((out - batch["y"]) ** 2)

    shape = (BATCH, 16, HIDDEN)
    return train(loss, params, {"x": random_floats(shape, 6), "y": random_floats(shape, 7)})


ROWS = [
    Row("Policy through physics", "brax-like", policy),
    Row("PPO", "brax-like", ppo),
    Row("Mixture of experts (adafactor)", "plain JAX", mixture),
    Row("3 heads, 10 classes (SGD)", "plain JAX", three_heads),
    Row("Conjugate gradients", "plain JAX", conjugate_gradient),
    Row("Experts by ragged products", "plain JAX", ragged_experts),
    Row("Selective scan", "plain JAX", selective_scan),
]
