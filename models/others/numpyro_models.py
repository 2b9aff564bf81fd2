"""numpyro: a step of variational inference for a Bayesian network, and one of Hamiltonian Monte Carlo's leapfrogs."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.infer import SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal
from numpyro.infer.util import initialize_model

from models.others.case import Case, Row, random_floats

SAMPLES, FEATURES, HIDDEN = 64, 16, 32


def _network(x: jax.Array, y: jax.Array | None = None) -> None:
    """Regression by two layers with normal priors."""
    first = numpyro.sample("first", dist.Normal(0, 1).expand([FEATURES, HIDDEN]).to_event(2))
    second = numpyro.sample("second", dist.Normal(0, 1).expand([HIDDEN, HIDDEN]).to_event(2))
    last = numpyro.sample("last", dist.Normal(0, 1).expand([HIDDEN, 1]).to_event(2))
    mean = jnp.tanh(jnp.tanh(x @ first) @ second) @ last
    numpyro.sample("y", dist.Normal(mean[:, 0], 0.5).to_event(1), obs=y)


def _data() -> tuple[Any, Any]:
    return random_floats((SAMPLES, FEATURES)), random_floats((SAMPLES,), 1)


def variational() -> Case:
    """The whole state of numpyro's SVI, its key among it, through `SVI.update`."""
    x, y = _data()
    inference = SVI(_network, AutoNormal(_network), numpyro.optim.Adam(1e-3), Trace_ELBO())
    state = jax.jit(inference.init)(jax.random.PRNGKey(0), x, y)

    def step(state: Any, x: jax.Array, y: jax.Array) -> tuple[Any, jax.Array]:
        return inference.update(state, x, y)

    parameters = inference.get_params(state)
    return Case(step, (state, x, y), parameters, "x|y", state="state/optim_state/.*")


def leapfrog() -> Case:
    """Ten steps of a Hamiltonian trajectory in a fori loop: gradients of the log density, no optimizer."""
    x, y = _data()
    model = initialize_model(jax.random.PRNGKey(0), _network, model_args=(x, y), dynamic_args=True)
    start = model.param_info.z
    momentum = jax.tree.map(lambda leaf: random_floats(leaf.shape, 2), start)

    def trajectory(state: Any, x: jax.Array, y: jax.Array) -> tuple[Any, jax.Array]:
        potential = model.potential_fn(x, y)

        def kick(_: Any, state: Any) -> Any:
            half = jax.tree.map(lambda p, g: p - 5e-4 * g, state["momentum"], jax.grad(potential)(state["position"]))
            position = jax.tree.map(lambda q, p: q + 1e-3 * p, state["position"], half)
            momentum = jax.tree.map(lambda p, g: p - 5e-4 * g, half, jax.grad(potential)(position))
            return {"position": position, "momentum": momentum}

        state = jax.lax.fori_loop(0, 10, kick, state)
        return state, potential(state["position"])

    return Case(trajectory, ({"position": start, "momentum": momentum}, x, y), start, "x|y")


ROWS = [Row("Bayesian network (SVI)", "numpyro", variational), Row("Hamiltonian trajectory", "numpyro", leapfrog)]
