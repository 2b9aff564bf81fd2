"""Compares the results of two runs of one function, leaf by leaf, in ‖a - b‖ / ‖b‖.

Some results cannot be compared so: the gradient of a key's bias is zero but for rounding, and Adam makes a number of
order one of it. Such leaves are found by running the original once more with every input changed in its last bits: a
leaf that answers by more than the bound has no digits to compare, and must not be many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

BOUND = 1e-5


@dataclass(frozen=True)
class Compared:
    """The largest error among the leaves that can be compared, its name, and the names of those that cannot."""

    worst: float
    where: str
    unstable: tuple[str, ...]
    leaves: int


def relative_error(a: Any, b: Any) -> float:
    """Integers and keys must be equal; 0 / 0 is 0."""
    if jnp.issubdtype(a.dtype, jax.dtypes.prng_key):
        a, b = jax.random.key_data(a), jax.random.key_data(b)
    left, right = np.asarray(a), np.asarray(b)
    if left.shape != right.shape or left.dtype != right.dtype:
        return float("inf")
    if left.dtype.kind in "iub":
        return 0.0 if np.array_equal(left, right) else float("inf")
    left, right = left.astype(np.complex128), right.astype(np.complex128)
    if not np.array_equal(np.isfinite(left), np.isfinite(right)):
        return float("inf")
    left, right = np.nan_to_num(left), np.nan_to_num(right)
    scale = float(np.linalg.norm(right))
    error = float(np.linalg.norm(left - right))
    return error if scale == 0 else error / scale


def jitter(tree: Any, seed: int = 0) -> Any:
    """Every f32 changed by about one unit in its last place."""
    random = np.random.default_rng(seed)

    def change(leaf: Any) -> Any:
        if not hasattr(leaf, "dtype") or leaf.dtype != np.float32:
            return leaf
        array = np.asarray(leaf)
        return jnp.asarray((array * (1 + 1.2e-7 * random.choice([-1.0, 0.0, 1.0], array.shape))).astype(np.float32))

    return jax.tree.map(change, tree)


def compare(got: Any, want: Any, again: Any) -> Compared:
    """`got` against `want`; `again` is what the original gave for jittered inputs."""
    worst, where = 0.0, ""
    unstable = []
    named = jax.tree_util.tree_flatten_with_path(want)[0]
    assert jax.tree.structure(got) == jax.tree.structure(want)
    for (path, b), a, c in zip(named, jax.tree.leaves(got), jax.tree.leaves(again), strict=True):
        name = jax.tree_util.keystr(path)
        own = relative_error(c, b)
        error = relative_error(a, b)
        if own > BOUND and np.isfinite(error):
            unstable.append(name)
        elif error > worst:
            worst, where = error, name
    return Compared(worst, where, tuple(unstable), len(named))


def run_both(
    original: Callable[..., Any], planned: Callable[..., Any], arguments: Sequence[Any], steps: int, feeds_back: bool
) -> Compared:
    """Runs both for some steps; the first result is the next first argument if `feeds_back`. Compares the last
    results."""

    def run(function: Callable[..., Any], values: Sequence[Any]) -> Any:
        values = list(values)
        for _ in range(steps):
            result = function(*values)
            if feeds_back:
                values[0] = result[0] if isinstance(result, tuple) else result
        return jax.tree.map(lambda leaf: leaf, result)

    want = run(original, arguments)
    again = run(original, jitter(tuple(arguments)))
    return compare(run(planned, arguments), want, again)
