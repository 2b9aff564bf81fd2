"""Algorithms around networks: differential equations (diffrax), search (mctx), sampling (blackjax)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import blackjax
import diffrax
import equinox as eqx
import jax
import jax.numpy as jnp
import mctx
import numpy as np

from models.others.case import Case, Row, random_floats, random_weights, train

BATCH, HIDDEN, ACTIONS = 8, 64, 4


def differential_equation() -> Case:
    """A neural differential equation, solved in steps whose size follows the error of each sample."""
    network = eqx.filter_eval_shape(eqx.nn.MLP, HIDDEN, HIDDEN, 128, 2, activation=jnp.tanh, key=jax.random.PRNGKey(0))
    shapes, static = eqx.partition(network, lambda leaf: isinstance(leaf, jax.ShapeDtypeStruct))

    def loss(params: Any, batch: Mapping[str, jax.Array]) -> jax.Array:
        field = eqx.combine(params, static)

        def solve(start: jax.Array) -> jax.Array:
            # Without `throw=False` failures are reported by a callback.
            solution = diffrax.diffeqsolve(
                diffrax.ODETerm(lambda t, y, _: field(y)), diffrax.Tsit5(), 0.0, 0.5, 0.1, start, max_steps=16,
                stepsize_controller=diffrax.PIDController(rtol=1e-3, atol=1e-4), throw=False,
            )  # fmt: skip
            return solution.ys[0]

        return jnp.mean((jax.vmap(solve)(batch["x"]) - batch["y"]) ** 2)

    batch = {"x": random_floats((BATCH, HIDDEN)), "y": random_floats((BATCH, HIDDEN), 1)}
    return train(loss, random_weights(shapes), batch)


def tree_search() -> Case:
    """MuZero's search: a tree for each sample, grown by eight simulations with a learned model."""
    params = {
        "dynamics": random_floats((HIDDEN + ACTIONS, HIDDEN)) / 8,
        "hidden": random_floats((HIDDEN, 128), 1) / 8,
        "policy": random_floats((128, ACTIONS), 2) / 11,
        "value": random_floats((128, 1), 3) / 11,
    }

    def predict(params: Any, state: jax.Array) -> tuple[jax.Array, jax.Array]:
        x = jax.nn.relu(state @ params["hidden"])
        return x @ params["policy"], (x @ params["value"])[:, 0]

    def advance(params: Any, key: Any, action: jax.Array, state: jax.Array) -> tuple[Any, jax.Array]:
        joined = jnp.concatenate([state, jax.nn.one_hot(action, ACTIONS)], axis=-1)
        state = jnp.tanh(joined @ params["dynamics"])
        logits, value = predict(params, state)
        ones = jnp.ones_like(value)
        return mctx.RecurrentFnOutput(reward=0 * ones, discount=0.99 * ones, prior_logits=logits, value=value), state

    def act(params: Any, first: jax.Array, key: jax.Array) -> tuple[jax.Array, jax.Array]:
        logits, value = predict(params, first)
        root = mctx.RootFnOutput(prior_logits=logits, value=value, embedding=first)
        output = mctx.gumbel_muzero_policy(params, key, root, advance, num_simulations=8)
        return output.action, output.action_weights

    arguments = (params, random_floats((BATCH, HIDDEN), 4), jax.random.PRNGKey(0))
    return Case(act, arguments, params, "first", state="params/.*", training=False)


def hamiltonian() -> Case:
    """A step of blackjax's Hamiltonian Monte Carlo for a Bayesian network, accepted or not; its key is state."""
    start = {"first": random_floats((16, 32)), "second": random_floats((32, 32), 1), "last": random_floats((32, 1), 2)}
    count = sum(leaf.size for leaf in start.values())

    def step(state: Any, x: jax.Array, y: jax.Array) -> tuple[Any, jax.Array]:
        def log_density(weights: Any) -> jax.Array:
            mean = jnp.tanh(jnp.tanh(x @ weights["first"]) @ weights["second"]) @ weights["last"]
            prior = sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(weights))
            return -0.5 * (jnp.sum((mean[:, 0] - y) ** 2) + prior)

        kernel = blackjax.hmc(log_density, step_size=1e-3, inverse_mass_matrix=jnp.ones(count), num_integration_steps=5)
        key, own = jax.random.split(state["key"])
        drawn, information = kernel.step(own, kernel.init(state["weights"]))
        return {"weights": drawn.position, "key": key}, information.energy

    state = {"weights": start, "key": np.asarray(jax.random.PRNGKey(0))}
    return Case(
        step, (state, random_floats((64, 16), 3), random_floats((64,), 4)), start, "x|y", state="state/weights/.*"
    )


ROWS = [
    Row("Neural ODE", "diffrax", differential_equation),
    Row("MuZero search", "mctx", tree_search),
    Row("Hamiltonian Monte Carlo", "blackjax", hamiltonian),
]
