"""Reductions whose bodies compute numbers: pairs of a maximum and a sum of exponentials, Welford's variance, others.

The dim that is reduced is split; devices fold partial results of all. Exact mode, XLA on virtual devices and JAX on one
agree. Bodies that are not associative stay whole.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from test_exchanges import MESHES, run

LEAST = float(np.finfo(np.float32).min)


def exponentials(a: Any, b: Any) -> Any:
    """(maximum, sum of exponentials)"""
    (m, s), (n, t) = a, b
    top = jnp.maximum(m, n)
    return top, s * jnp.exp(m - top) + t * jnp.exp(n - top)


def guarded_exponentials(a: Any, b: Any) -> Any:
    """The same, where all may be minus infinity."""
    (m, s), (n, t) = a, b
    top = jnp.maximum(m, n)
    at = jnp.where(jnp.isinf(top), 0.0, top)
    return top, s * jnp.exp(m - at) + t * jnp.exp(n - at)


def attention(a: Any, b: Any) -> Any:
    """(maximum, sum of exponentials, weighted sum)"""
    (m, s, o), (n, t, p) = a, b
    top = jnp.maximum(m, n)
    left, right = jnp.exp(m - top), jnp.exp(n - top)
    return top, s * left + t * right, o * left + p * right


def welford(a: Any, b: Any) -> Any:
    """(count, mean, sum of squared differences)"""
    (n, x, p), (m, y, q) = a, b
    count, by = n + m, y - x
    return count, x + by * m / count, p + q + by * by * n * m / count


def guarded_welford(a: Any, b: Any) -> Any:
    (n, x, p), (m, y, q) = a, b
    count, by = n + m, y - x
    share = m / jnp.where(count == 0, 1.0, count)
    return count, x + by * share, p + q + by * by * n * share


def affine(a: Any, b: Any) -> Any:
    """x -> a x + c, one function after the other: the order of elements counts."""
    (f, c), (g, d) = a, b
    return f * g, c * g + d


def counted(a: Any, b: Any) -> Any:
    """(maximum, how often)"""
    (m, c), (n, d) = a, b
    top = jnp.maximum(m, n)
    return top, jnp.where(m == top, c, 0.0) + jnp.where(n == top, d, 0.0)


def reduced(body: Callable[..., Any], inits: tuple[float, ...], make: Callable[..., Any]) -> Callable[..., Any]:
    def function(x: jax.Array, dims: tuple[int, ...] = (1,)) -> Any:
        return lax.reduce(make(x), tuple(np.float32(init) for init in inits), body, dims)

    return function


def with_ones(x: jax.Array) -> Any:
    return x, jnp.ones_like(x)


def with_count(x: jax.Array) -> Any:
    return jnp.ones_like(x), x, jnp.zeros_like(x)


CASES = {
    "exponentials": reduced(exponentials, (LEAST, 0), with_ones),
    "any sums": reduced(exponentials, (LEAST, 0), lambda x: (x, jnp.abs(x) + 1)),
    "guarded": reduced(guarded_exponentials, (-np.inf, 0), with_ones),
    "attention": reduced(attention, (LEAST, 0, 0), lambda x: (x, jnp.ones_like(x), jnp.sin(x))),
    "logaddexp": reduced(lambda a, b: (jnp.logaddexp(a[0], b[0]),), (-np.inf,), lambda x: (x,)),
    "guarded welford": reduced(guarded_welford, (0, 0, 0), with_count),
    "counted": reduced(counted, (-np.inf, 0), with_ones),
    "norm": reduced(lambda a, b: (jnp.sqrt(a[0] * a[0] + b[0] * b[0]),), (0,), lambda x: (jnp.abs(x),)),
}
"""With an init value that adds nothing: pieces may be padded."""

ORDERED = {
    "affine": reduced(affine, (1, 0), lambda x: (x / 4, x)),
    "welford": reduced(welford, (0, 0, 0), with_count),
}
"""`affine` is not commutative; `welford` divides by the count, which is zero where init meets init."""

WHOLE = {
    "subtract": reduced(lambda a, b: (a[0] - b[0],), (0,), lambda x: (x,)),
    "mean of two": reduced(lambda a, b: ((a[0] + b[0]) / 2,), (0,), lambda x: (x,)),
    "no neutral init": reduced(exponentials, (0, 1), with_ones),
    "unguarded": reduced(exponentials, (-np.inf, 0), with_ones),
    "any counts": reduced(welford, (0, 0, 0), lambda x: (x, x, x)),
    "beyond a bound": reduced(lambda a, b: (jnp.where(a[0] > 1000, a[0], a[0] + b[0]),), (0,), lambda x: (x,)),
    "sum of roots": reduced(lambda a, b: (jnp.sqrt(jnp.abs(a[0])) + b[0],), (0,), lambda x: (x,)),
}


def numbers(rows: int, columns: int) -> np.ndarray:
    return (3 * np.random.default_rng(0).standard_normal((rows, columns))).astype(np.float32)


def masked(rows: int, columns: int) -> np.ndarray:
    """Rows with minus infinity in whole pieces, as masks leave it."""
    made = numbers(rows, columns)
    made[1, columns // 2 :] = -np.inf
    made[2, : columns // 2] = -np.inf
    made[3, 1:] = -np.inf
    return made


def gathers(local: str, shape: str = "") -> list[str]:
    """The gathers; those of a result of this shape."""
    return [line for line in local.splitlines() if "stablehlo.all_gather" in line and f"-> tensor<{shape}" in line]


@pytest.mark.parametrize(("mesh", "dims"), MESHES, ids=[mesh for mesh, _ in MESHES])
@pytest.mark.parametrize("name", [*CASES, *ORDERED])
def test_folds(name: str, mesh: str, dims: dict[str, int], tmp_path: Path) -> None:
    function = {**CASES, **ORDERED}[name]
    tiles = {axis: [["x", dim]] for axis, dim in dims.items()}
    local = run(function, [numbers(6, 16)], mesh, tiles, tmp_path, exact=False)
    assert gathers(local)
    assert not gathers(local, "6x16x")
    assert not gathers(local, "3x16x")


@pytest.mark.parametrize("name", ["exponentials", "guarded"])
def test_rows_of_masks(name: str, tmp_path: Path) -> None:
    run(CASES[name], [masked(6, 16)], "m=4", {"m": [["x", 1]]}, tmp_path, exact=False)


@pytest.mark.parametrize("name", WHOLE)
def test_other_bodies_stay_whole(name: str, tmp_path: Path) -> None:
    rows = np.abs(numbers(6, 16)) + 1
    local = run(WHOLE[name], [rows], "m=4", {"m": [["x", 1]]}, tmp_path, exact=False)
    assert gathers(local, "6x16x")


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("rows", "parts"), [(17, 4), (18, 8), (2, 8), (9, 8)])
def test_uneven_folds(name: str, rows: int, parts: int, tmp_path: Path) -> None:
    """Padding and empty pieces: 9 in pieces of 2, 2 over 8 devices."""
    local = run(CASES[name], [numbers(6, rows)], f"m={parts}", {"m": [["x", 1]]}, tmp_path, exact=False)
    assert gathers(local)


@pytest.mark.parametrize("mesh", ["a=2,b=2", "a=4,b=2"])
def test_folds_over_two_dims(mesh: str, tmp_path: Path) -> None:
    def function(x: jax.Array) -> Any:
        return CASES["exponentials"](x, (0, 1)), CASES["guarded welford"](x, (0, 1))  # type: ignore[call-arg]

    local = run(function, [numbers(8, 16)], mesh, {"a": [["x", 0]], "b": [["x", 1]]}, tmp_path, exact=False)
    assert len(gathers(local)) == 10


@pytest.mark.parametrize("dim", [0, 1])
def test_only_the_major_dim_where_order_counts(dim: int, tmp_path: Path) -> None:
    def function(x: jax.Array) -> Any:
        return ORDERED["affine"](x, (0, 1))  # type: ignore[call-arg]

    local = run(function, [numbers(4, 4)], "a=2", {"a": [["x", dim]]}, tmp_path, exact=False)
    assert bool(gathers(local, "4x4x")) == (dim == 1)
