"""Planned functions are transformed by nothing: what stands around them is refused, however deep they lie in it; what
does not concern them is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from small_steps import BATCH, DEVICES, MESH, X_ROWS, close, make_params, mlp, tensor  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import pytest
from jax import lax
from jax.sharding import PartitionSpec as P

import partita

PARAMS, X = make_params(), BATCH["x"]
PLAN = partita.plan(mlp, PARAMS, X, mesh=MESH, schedule=[X_ROWS])
RUNS = [PLAN.jit(), PLAN.jit(partitioner="shardy"), partita.jit(mlp, mesh=MESH, schedule=[X_ROWS])]
AROUND: list[Callable[..., Any]] = [
    lambda run: run,
    jax.jit,
    jax.checkpoint,
    lambda run: lambda p, x: lax.cond(x[0, 0] > 0, run, lambda p, x: x, p, x),
    lambda run: lambda p, x: lax.scan(lambda carry, _: (run(p, carry), None), x, length=2)[0],
]


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("around", AROUND)
def test_derivatives_and_vmap_are_refused(run: Any, around: Any) -> None:
    hidden = around(run)
    derivatives: list[Callable[[], Any]] = [
        lambda: jax.grad(lambda p: hidden(p, X).sum())(PARAMS),
        lambda: jax.jvp(lambda x: hidden(PARAMS, x), (X,), (X,)),
        lambda: jax.linearize(lambda x: hidden(PARAMS, x), X),
        lambda: jax.vjp(lambda x: hidden(PARAMS, x), X),
        lambda: jax.jit(jax.grad(lambda p: hidden(p, X).sum()))(PARAMS),
    ]
    for derive in derivatives:
        with pytest.raises(
            partita.UnsupportedError, match=r"mlp was planned as it is and cannot be differentiated\n.*"
        ):
            derive()
    with pytest.raises(partita.UnsupportedError, match="mlp was planned as it is and cannot be vectorised"):
        jax.vmap(hidden, in_axes=(None, 0))(PARAMS, X[None])


@pytest.mark.parametrize("run", RUNS)
def test_transposition_is_refused(run: Any) -> None:
    for hidden in (run, jax.jit(run)):
        with pytest.raises(partita.UnsupportedError, match="mlp was planned as it is and cannot be transposed"):
            jax.linear_transpose(lambda x, f=hidden: f(PARAMS, x), X)(X)


@pytest.mark.parametrize("run", RUNS)
def test_it_may_have_a_derivative_of_its_own(run: Any) -> None:
    """That a custom_vjp around it gives, with plans for both passes."""

    def pull(params: Any, x: jax.Array, cotangent: jax.Array) -> Any:
        return jax.vjp(mlp, params, x)[1](cotangent)

    backward = partita.plan(pull, PARAMS, X, X, mesh=MESH, schedule=[X_ROWS]).jit()
    forward = jax.custom_vjp(lambda p, x: run(p, x))
    forward.defvjp(lambda p, x: (run(p, x), (p, x)), lambda kept, cotangent: backward(*kept, cotangent))
    close(jax.jit(jax.grad(lambda p: forward(p, X).sum()))(PARAMS), jax.grad(lambda p: mlp(p, X).sum())(PARAMS))


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("outer", [lambda f: f, jax.jit])
def test_shard_map_is_refused(run: Any, outer: Any) -> None:
    for inner in (run, jax.jit(run), lambda p, x: run(PARAMS, X)):
        for specs in (P(), P("data")):
            mapped = jax.shard_map(inner, mesh=DEVICES, in_specs=(P(), specs), out_specs=specs, check_vma=False)
            with pytest.raises(partita.UnsupportedError, match=r"cannot run on each of a shard_map over data, model"):
                outer(mapped)(PARAMS, jnp.concatenate([X] * 4) if specs else X)


@pytest.mark.parametrize("run", RUNS)
def test_what_does_not_pass_through_it_is_differentiated(run: Any) -> None:
    def loss(scale: jax.Array) -> jax.Array:
        return scale * run(PARAMS, lax.stop_gradient(scale * X)).sum()

    one = jnp.float32(1)
    close(jax.grad(loss)(one), run(PARAMS, X).sum())
    close(jax.vmap(lambda s: s * run(PARAMS, X))(tensor(3)), tensor(3)[:, None, None] * mlp(PARAMS, X))


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("around", AROUND)
def test_it_runs_inside_of_others(run: Any, around: Any) -> None:
    close(jax.jit(around(run))(PARAMS, X), around(mlp)(PARAMS, X))
