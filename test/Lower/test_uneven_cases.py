"""Sizes, edges and values that partitioners are known to get wrong, in programs of our own.

What was reported of other partitioners (issues of XLA's, JAX's and DTensor's): transposed rolls with one element for
each device, cumulative sums along a split dim, concatenations of unequal or replicated parts, argmax that combines
places as if they were values, results that see padding, edges longer than a piece. Each function is planned with its
rows split over devices that do not divide them, held against the original in exact mode, and run by XLA on virtual
devices.
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

from test_exchanges import run, whole_numbers

Function = Callable[[jax.Array], Any]
NONE = (0, 0, 0)


def pad_rows(low: int, high: int, interior: int = 0, value: float = 7) -> Function:
    return lambda x: lax.pad(x, jnp.float32(value), ((low, high, interior), NONE))


def transposed_roll(x: jax.Array) -> Any:
    """Two concatenations share operands that are cut to one element and to all but one."""
    n = len(x)
    first = jnp.concatenate([pad_rows(1 - n, 0)(x), pad_rows(0, -1)(x)])
    return first, jnp.concatenate([pad_rows(-1, 0)(x), pad_rows(0, 1 - n)(x)])


def convolve(x: jax.Array, size: int, **how: Any) -> jax.Array:
    """Rows are positions; the input's channels are as many as columns."""
    groups, batches = how.pop("groups", 1), how.pop("batches", 1)
    shape = (size, x.shape[1] // groups, 2 * x.shape[1])
    kernel = (np.arange(np.prod(shape), dtype=np.float32) % 5 - 2).reshape(shape)
    how = {"window_strides": (1,), "padding": "SAME", "dimension_numbers": ("NTC", "TIO", "NTC"), **how}
    stacked = jnp.stack([x, x * 2 - 1])
    return lax.conv_general_dilated(stacked, kernel, feature_group_count=groups, batch_group_count=batches, **how)


def squares(function: Function) -> Function:
    """The gradient of the squares of what `function` gives."""
    gradient: Function = jax.grad(lambda x: sum((leaf**2).sum() for leaf in jax.tree.leaves(function(x))))
    return gradient


def pool(x: jax.Array, combine: Any, start: float, size: int, stride: int, padding: str) -> jax.Array:
    return lax.reduce_window(x, np.float32(start), combine, (size, 1), (stride, 1), padding)


def means_of_windows(x: jax.Array) -> jax.Array:
    """Windows at the ends have fewer elements."""
    return pool(x, lax.add, 0, 3, 1, "SAME") / pool(jnp.ones_like(x), lax.add, 0, 3, 1, "SAME")


def extreme(x: jax.Array) -> jax.Array:
    """Columns of nothing but the least value, of NaN and of infinities."""
    return x.at[:, 0].set(-jnp.inf).at[:, 1].set(jnp.inf).at[len(x) - 1, 2].set(jnp.nan)


def integers(x: jax.Array) -> jax.Array:
    return x.astype(jnp.int32)


def arguments_of_extremes(x: jax.Array) -> Any:
    x = extreme(x)
    least = jnp.full_like(integers(x), np.iinfo(np.int32).min)
    return jnp.argmax(x, 0), jnp.argmin(x, 0), jnp.argmax(least, 0), jnp.argmin(~least, 0), jnp.nanargmax(x[:, 3:], 0)


def largest_of_least(x: jax.Array) -> Any:
    """What is as small as padding stands before it. NaN with a sign is smaller (docs/schedules.md)."""
    least = jnp.full_like(x, -jnp.inf).at[1, :].set(jnp.nan).at[len(x) - 1, :].set(-3e38)
    each = jnp.where(x > 99, x, least), jnp.where(x > 99, x, -jnp.inf)
    narrow = [
        (integers(jnp.minimum(x, -99)) * 0 + least).astype(type) for type, least in ((jnp.int8, -128), (jnp.uint8, 0))
    ]
    return [lax.top_k(values.T, 4) for values in (*each, *narrow)]


def take_ends(x: jax.Array) -> Any:
    """Rows at the ends, behind them and before them."""
    n = len(x)
    places = jnp.array([0, n - 1, n, n + 1, n + 3, -1, -n, -n - 1, 2**31 - 1])
    kept = [jnp.take(x, places, axis=0, mode=mode) for mode in ("clip", "fill", "wrap")]
    return *kept, jnp.take(x, jnp.arange(2 * n) % n, axis=0)


def put_at_ends(x: jax.Array) -> Any:
    """What is written behind the end is dropped, not kept in the padding and summed up."""
    n = len(x)
    places = jnp.array([0, n - 1, n, n + 1, n + 7, -1, 2**31 - 1])
    rows = jnp.arange(7 * x.shape[1], dtype=jnp.float32).reshape(7, -1)
    added = x.at[places].add(rows, mode="drop")
    return added, added.sum(), x.at[places].max(rows, mode="drop"), x.at[n - 1].set(9), x.at[-1].mul(3)


def windows_at_ends(x: jax.Array) -> Any:
    """Starts behind the last window are moved back to it: by the number of elements, not by what is stored."""
    n, start = len(x), integers(x[0, 0]) * 0
    size = max(1, n // 2)
    cut = [lax.dynamic_slice(x, (start + place, 0), (size, x.shape[1])) for place in (0, n - 2, n + 5, -3)]
    put = [lax.dynamic_update_slice(x, -x[:size], (start + place, start)) for place in (n - 1, n + 9, -2)]
    return cut, put


def reductions(x: jax.Array) -> Any:
    """Without NaN: XLA's all_reduce of maxima lost one between CPUs."""
    x = extreme(x).at[len(x) - 1, 2].set(-jnp.inf)
    signs = jnp.sign(jnp.where(jnp.isfinite(x), x, 1)) * 2
    whole = jnp.where(jnp.isfinite(x), x, 0)
    values = x.max(0), x.min(0), whole.sum(0), signs.prod(0), (x < 4).all(0), (x > 3).any(0), whole.mean(0)
    return *values, whole.var(0), integers(whole).min(0), (integers(whole) & 6).max(0), jnp.median(whole, axis=0)


def attend(x: jax.Array) -> jax.Array:
    """Some queries see nothing but one key; masks come from counters."""
    scores = jnp.where(jnp.tril(jnp.ones((len(x), len(x)), bool)), x @ x.T / 8, -jnp.inf)
    return jax.nn.softmax(scores, axis=-1) @ x


def loop(x: jax.Array) -> Any:
    def turn(carried: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
        longer = jnp.roll(carried, 1, axis=0) + carried.max(0)
        return longer, longer.sum(0)

    return lax.scan(turn, x, None, length=3)


def reshapes(x: jax.Array) -> Any:
    n, m = x.shape
    return x.reshape(-1), x.reshape(n, 2, m // 2).transpose(1, 0, 2), x.T.reshape(m // 2, 2 * n), x.reshape(1, n, m, 1)


def alone(x: jax.Array) -> Any:
    """Ops that need a dim whole, and have others that may be split."""
    rows = x @ x.T + 8 * jnp.eye(len(x)) * x.shape[1]
    return (
        jnp.sort(x, axis=0),
        jnp.sort(x, axis=1),
        jnp.argsort(x, axis=0),
        jnp.tril(rows),
        jnp.fft.rfft(x, axis=0).real,
    )


def nothing(x: jax.Array) -> Any:
    """Values without elements."""
    none = x[:0]
    return none, none.sum(0), none.max(0, initial=-1), jnp.concatenate([none, x, none]), x[:, :0].sum(1), x[:, :0]


def counters(x: jax.Array) -> Any:
    n = len(x)
    return jnp.arange(n) * integers(x[:, 0]), jnp.eye(n)[:, ::-1] * x[:, :1], jax.nn.one_hot(integers(x[:, 0]) % n, n)


CASES: dict[str, Function] = {
    "roll, transposed": transposed_roll,
    "roll by more than a piece": lambda x: (jnp.roll(x, len(x) - 2, axis=0), jnp.roll(x, -1, axis=0)),
    "roll, gradient": squares(lambda x: jnp.roll(x, 2, axis=0) * x),
    "pad, negative": lambda x: (pad_rows(-3, -1)(x), pad_rows(-1, 4)(x), pad_rows(2, -3)(x)),
    "pad, more than all rows": lambda x: (pad_rows(len(x), 1)(x), pad_rows(1 - len(x), len(x))(x)),
    "pad, interior": lambda x: (pad_rows(0, 0, 2)(x), pad_rows(1, 2, 1)(x)),
    "pad, interior and negative": lambda x: (pad_rows(-2, 1, 1)(x), pad_rows(1, -3, 2)(x)),
    "pad, interior, gradient": squares(pad_rows(1, -1, 1, 0)),
    "pad, modes": lambda x: [jnp.pad(x, ((2, 3), (0, 0)), mode=mode) for mode in ("edge", "reflect", "wrap")],
    "slice": lambda x: (x[1:], x[:-1], x[2:4], x[len(x) - 1 :]),
    "slice with a stride": lambda x: (x[::2], x[1::3], x[2 : len(x) - 1 : 2]),
    "slice with a stride, gradient": squares(lambda x: x[1::2]),
    "slice, backwards": lambda x: (x[::-2], x[-2:0:-1]),
    "differences": lambda x: (jnp.diff(x, axis=0), x[2:] - 2 * x[1:-1] + x[:-2]),
    "concatenate": lambda x: jnp.concatenate([x, x[:1] * 2, x[1:], x * 3]),
    "concatenate with what is whole": lambda x: jnp.concatenate([jnp.ones((1, x.shape[1])), x, jnp.arange(8.0)[None]]),
    "concatenate one row": lambda x: jnp.concatenate([x[:1] * 2, x[1:], x]) * 2,
    "concatenate halves": lambda x: jnp.concatenate([-x[len(x) // 2 :], x[: len(x) // 2]], axis=0),
    "concatenate, gradient": squares(lambda x: jnp.concatenate([x[:2], x * x, x[3:]])),
    "reverse": lambda x: (lax.rev(x, (0,)), lax.rev(x, (0, 1)), lax.rev(x, (0,)) * x),
    "cumulative sum": lambda x: (jnp.cumsum(x, 0), lax.cumsum(x, 0, reverse=True), jnp.cumsum(integers(x) > 0, 0)),
    "cumulative maximum": lambda x: (lax.cummax(extreme(x), 0), lax.cummin(x, 0, reverse=True)),
    "cumulative product": lambda x: jnp.cumprod(jnp.sign(x), 0),
    "cumulative sum, gradient": squares(lambda x: jnp.cumsum(x, 0)),
    "scan by halves": lambda x: lax.associative_scan(jnp.add, x, axis=0),
    "argmax": arguments_of_extremes,
    "top_k": lambda x: (lax.top_k(extreme(x).T, 3), lax.top_k(-integers(x).T, 2)),
    "top_k of the least": largest_of_least,
    "gather at the ends": take_ends,
    "gather at the ends, gradient": squares(lambda x: take_ends(x)[0]),
    "scatter at the ends": put_at_ends,
    "dynamic slices at the ends": windows_at_ends,
    "reductions": reductions,
    "attention": attend,
    "loop": loop,
    "reshapes": reshapes,
    "ops that need a dim whole": alone,
    "no elements": nothing,
    "counters": counters,
    "convolution": lambda x: (convolve(x, 3), convolve(x, 4), convolve(x, 3, padding="VALID")),
    "convolution, strided": lambda x: (convolve(x, 3, window_strides=(2,)), convolve(x, 2, window_strides=(3,))),
    "convolution, edges longer than a piece": lambda x: convolve(x, 5, rhs_dilation=(2,)),
    "convolution, dilated input": lambda x: convolve(x, 3, lhs_dilation=(2,), padding=[(1, 2)]),
    "convolution, negative padding": lambda x: convolve(x, 2, padding=[(-1, 2)]),
    "convolution, groups": lambda x: (convolve(x, 3, groups=4), convolve(x, 3, batches=2)),
    "convolution, gradient": squares(lambda x: convolve(x, 3, window_strides=(2,)) / 8),
    "convolution, gradient of groups": squares(lambda x: convolve(x, 3, groups=8) / 8),
    "maximum of windows": lambda x: pool(x - 9, lax.max, -np.inf, 3, 2, "SAME"),
    "minimum of windows": lambda x: pool(x + 9, lax.min, np.inf, 2, 1, "VALID"),
    "maximum of windows, gradient": squares(lambda x: pool(x - 9, lax.max, -np.inf, 3, 2, "SAME")),
    "means of windows": means_of_windows,
    "means of windows, gradient": squares(means_of_windows),
}  # fmt: skip

INEXACT = ("attention", "ops that", "reductions", "means", "convolution, gradient", "scan")


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize(("rows", "devices"), [(13, 4), (5, 8)], ids=["13 over 4", "5 over 8"])
def test_known_cases(name: str, rows: int, devices: int, tmp_path: Path) -> None:
    def function(x: jax.Array) -> Any:
        return CASES[name](x * 3 - 1)

    run(function, [whole_numbers(rows, 8)], f"d={devices}", {"d": [["x", 0]]}, tmp_path, not name.startswith(INEXACT))


def test_there_are_many() -> None:
    assert len(CASES) >= 25
