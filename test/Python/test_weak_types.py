"""Numbers of Python's take the type of what they meet: a plan for one is none for an array of one number, unless the
program is the same."""

from __future__ import annotations

import gc
import weakref
from typing import Any

from small_steps import MESH, X_ROWS, tensor  # isort: skip  (sets up the virtual devices before JAX starts)
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import partita


def scale(x: jax.Array, factor: Any) -> jax.Array:
    return x * factor


X = tensor(8, 16)
WEAK = jax.jit(lambda: 2.0)()  # an array that takes the type of what it meets
CASES = [
    # x, planned with, called with, whether it is the same program
    (X.astype(jnp.bfloat16), 2.0, jnp.float32(2), False),
    (X.astype(jnp.bfloat16), jnp.float32(2), 2.0, False),
    (X.astype(jnp.bfloat16), np.float32(2), WEAK, False),
    (X.astype(jnp.int8), 2, jnp.int32(2), False),
    (X.astype(jnp.float16), 2.0, np.float32(2), False),
    (X, 2.0, jnp.float32(2), True),
    (X, jnp.float32(2), 2.0, True),
    (X, WEAK, 2.0, True),
    (X, jax.ShapeDtypeStruct((), "float32"), 0.5, True),
    (X.astype(jnp.int32), 2, jnp.int32(2), True),
]


@pytest.mark.parametrize(("x", "planned", "called", "same"), CASES)
def test_a_plan_is_for_the_weak_types_that_it_was_made_for(x: Any, planned: Any, called: Any, same: bool) -> None:
    plan = partita.plan(scale, x, planned, mesh=MESH, schedule=[X_ROWS])
    for run in (plan.jit(), plan.jit(partitioner="shardy")):
        if same:
            got, want = run(x, called), jax.jit(scale)(x, called)
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got, want)
        else:
            for call in (run, run.lower, jax.jit(run)):
                with pytest.raises(partita.UsageError, match=r"(?s)factor is .*computes in other types.*partita\.jit"):
                    call(x, called)


def test_partita_jit_plans_for_each() -> None:
    run = partita.jit(scale, mesh=MESH, schedule=[X_ROWS])
    for x, planned, called, _ in CASES:
        for factor in (planned, called):
            if not isinstance(factor, jax.ShapeDtypeStruct):
                got, want = run(x, factor), jax.jit(scale)(x, factor)
                assert got.dtype == want.dtype
                np.testing.assert_array_equal(got, want)


def test_what_was_traced_before_is_for_what_it_was_traced_for() -> None:
    x = X.astype(jnp.bfloat16)
    for given in (jax.jit(scale).trace(x, 2.0), jax.jit(scale, keep_unused=True).lower(x, 2.0)):
        run = partita.plan(given, mesh=MESH, schedule=[X_ROWS]).jit()
        assert run(x, jnp.float32(2)).dtype == jnp.bfloat16


def test_arrays_are_not_kept_for_a_second_trace() -> None:
    x = jnp.ones((8, 16))
    plan, kept = partita.plan(scale, x, 2.0, mesh=MESH, schedule=[X_ROWS]), weakref.ref(x)
    del x
    gc.collect()
    assert plan.axes == MESH and kept() is None
