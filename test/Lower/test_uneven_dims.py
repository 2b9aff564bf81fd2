"""Several dims that no axis divides, in one program: what is reduced, searched, moved or indexed along both.

`test_uneven_cases.py` has programs of which one dim is uneven. Here rows are split over one axis and columns over
another, or rows over more devices than there are, and what ops do along one dim meets the padding of the other. Each
function is held against the original in exact mode, and run by XLA on virtual devices.
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


def integers(x: jax.Array) -> jax.Array:
    return x.astype(jnp.int32)


def first(x: jax.Array) -> jax.Array:
    """A number that is known at run time alone."""
    return integers(jnp.abs(x[0, 0]))


def squares(function: Function) -> Function:
    """The gradient of the squares of what `function` gives."""
    gradient: Function = jax.grad(lambda x: sum((leaf**2).sum() for leaf in jax.tree.leaves(function(x))))
    return gradient


def volumes(x: jax.Array, **how: Any) -> jax.Array:
    """A 3D convolution: rows, columns and two planes are space."""
    size = how.pop("size", (3, 3, 2))
    kernel = (np.arange(np.prod(size) * 6, dtype=np.float32) % 5 - 2).reshape(*size, 2, 3)
    stacked = jnp.stack([jnp.stack([x, 1 - x], axis=-1)] * 2, axis=2)[None]
    how = {"window_strides": (1, 1, 1), "padding": "SAME", **how}
    return lax.conv_general_dilated(stacked, kernel, dimension_numbers=("NHWDC", "HWDIO", "NHWDC"), **how)


def images(x: jax.Array, **how: Any) -> jax.Array:
    """Rows are images, columns their features or their groups, or both are space."""
    layout = how.pop("layout", "HWNC")
    spatial = x.reshape(x.shape[0], x.shape[1], 1, 1) * jnp.asarray([1.0, -2, 3, 1])
    groups = how.get("feature_group_count", 1)
    shape = {"H": 3, "W": 2, "I": spatial.shape[layout.index("C")] // groups, "O": 2 * groups}
    kernel = (np.arange(np.prod(list(shape.values())), dtype=np.float32) % 5 - 2).reshape(list(shape.values()))
    how = {"window_strides": (1, 1), "padding": "SAME", **how}
    return lax.conv_general_dilated(spatial, kernel, dimension_numbers=(layout, "HWIO", layout), **how)


def windows(x: jax.Array, combine: Any, start: Any, **how: Any) -> Any:
    how = {"window_dimensions": (3, 2), "window_strides": (1, 1), "padding": "SAME", **how}
    return lax.reduce_window(x, np.asarray(start, x.dtype), combine, **how)


def equal_everywhere(x: jax.Array) -> Any:
    """All elements are equal, to what padding is filled with, too: the first place is the answer."""
    same = x * 0
    kinds = [same, same - jnp.inf, same + jnp.inf, same * jnp.nan, jnp.full_like(x, np.finfo(np.float32).min)]
    kinds += [jnp.full(x.shape, value, dtype) + x.astype(dtype) * dtype(0) for dtype in (jnp.int8, jnp.uint8)
              for value in (jnp.iinfo(dtype).min, jnp.iinfo(dtype).max)]  # fmt: skip
    return [[jnp.argmax(kind, axis), jnp.argmin(kind, axis)] for kind in kinds for axis in (0, 1, None)]


def reductions(x: jax.Array) -> Any:
    """Of both dims at once, whose padding overlaps."""
    small = integers(x)
    numbers = [x.sum(), x.max(), x.min(), jnp.abs(x).max(), (small & 5).max(), x.mean(), (x > 9).any(), (x < 9).all()]
    return *numbers, jnp.prod(jnp.sign(small) * 2 + 3 * (small == 0)), (x @ x.T).sum()


def products(x: jax.Array) -> Any:
    """Rows, columns and what is contracted are uneven; infinities in one operand meet no padding of the other."""
    far = jnp.where(x > 3, jnp.inf, jnp.exp(x * 0) - 1)
    return x @ x.T, x.T @ x, jnp.einsum("ij,kj->ik", x, far > 0), jnp.einsum("ij,ij->", x, x), jnp.outer(x[0], x[:, 0])


def sorts(x: jax.Array) -> Any:
    """Beside padded dims, several operands together, stable."""
    place = jnp.broadcast_to(jnp.arange(x.shape[1]), x.shape)
    pairs = lax.sort((integers(x) % 3, place, -x), dimension=1, num_keys=1)
    return pairs, jnp.sort(x, axis=0), jnp.argsort(-x, axis=1), jnp.median(x), jnp.percentile(x, 30, axis=1)


def searches(x: jax.Array) -> Any:
    edges = jnp.sort(x[:, 0])
    return jnp.searchsorted(edges, x), jnp.digitize(x, edges), jnp.bincount(integers(x).ravel() + 9, length=23)


def moving_windows(x: jax.Array) -> Any:
    """Where they begin is known at run time; they are as long as a dim, as all but one row, or one row."""
    rows, columns = x.shape
    start = first(x)
    sizes = [(rows, 1), (rows - 1, columns), (1, columns), (1, 1), (rows - 2, columns - 1)]
    starts = [(start, start), (start - 9, start + 99), (rows - start, columns)]
    cut = [lax.dynamic_slice(x, at, size) for at in starts for size in sizes]
    put = [lax.dynamic_update_slice(x, -x[: size[0], : size[1]], at) for at in starts for size in sizes]
    return cut, put


def gathers(x: jax.Array) -> Any:
    """Indices before and behind both dims, as vectors, of windows of two rows, and of bytes."""
    rows, columns = x.shape
    places = jnp.stack([integers(x) * 5, integers(x).T.reshape(rows, columns) * 3], axis=-1)
    modes = [x.at[places[..., 0], places[..., 1]].get(mode=mode, fill_value=-7) for mode in ("clip", "fill")]
    two = lax.gather(x, places[:, 0], lax.GatherDimensionNumbers((1, 2), (), (0, 1)), (2, 2), mode="clip")
    bytes_ = places[..., 0].astype(jnp.uint8)
    return *modes, two, jnp.take(x, bytes_, axis=0, mode="clip"), jnp.take_along_axis(x, places[..., 1], 1, mode="clip")


def scatters(x: jax.Array) -> Any:
    """Many updates of few places, updates of nothing, windows that leave the operand; updates are uneven, too."""
    rows = len(x)
    same = integers(x[:, 0]) % 3
    kept = [getattr(x.at[same], how)(x * 2, mode="drop") for how in ("add", "max", "min")]
    signs = jnp.sign(x) + (x == 0)
    outside = integers(x[:, 0]) * rows
    two = lax.scatter_add(
        x, outside[:, None], jnp.stack([x, -x], axis=1),
        lax.ScatterDimensionNumbers((1, 2), (), (0,)), mode=lax.GatherScatterMode.FILL_OR_DROP,
    )  # fmt: skip
    sums = jax.ops.segment_sum(x, same.astype(jnp.uint8), num_segments=rows + 2)
    return *kept, signs.at[same].multiply(signs), x.at[outside].set(0, mode="drop"), two, sums, x.at[:, same].add(1.0)


def cumulative(x: jax.Array) -> Any:
    kept = [how(x, axis, reverse=back) for how in (lax.cumsum, lax.cummax, lax.cummin) for axis in (0, 1)
            for back in (False, True)]  # fmt: skip
    return kept, jnp.cumsum(jnp.cumsum(x, 0), 1), lax.cumprod(jnp.sign(x), 1, reverse=True), jnp.cumsum(x > 0, 0)


def moved(x: jax.Array) -> Any:
    """Along both dims at once; by as much as is known at run time, too."""
    by = first(x)
    turned = jnp.rot90(x), jnp.rot90(x, 2), x[::-1, ::-1], jnp.roll(x, (2, -3), (0, 1)), jnp.roll(x, by, axis=1)
    cut = x[1:-1, 1:], x[::2, ::3], x[::-2, 1::2], lax.pad(x, x[0, 0], ((1, -2, 0), (-1, 3, 1)))
    return *turned, *cut, jnp.pad(x, 2, mode="reflect"), jnp.pad(x, ((3, 0), (0, 2)), mode="symmetric")


def joined(x: jax.Array) -> Any:
    many = [x[i % x.shape[0]][None] * i for i in range(11)]
    blocks = jnp.block([[x, -x[:, :1]], [x[:1] * 2, jnp.ones((1, 1))]])
    return jnp.concatenate(many), blocks, jnp.stack([x, x * 2], axis=1).reshape(-1, x.shape[1]), jnp.tile(x, (2, 3))


def reshaped(x: jax.Array) -> Any:
    rows, columns = x.shape
    flat = x.reshape(-1)
    return (
        flat,
        flat.reshape(columns, rows),
        x.T.reshape(rows, columns),
        x.reshape(rows, 1, columns, 1),
        flat[::2],
        x.ravel("F"),
    )


def random_numbers(x: jax.Array) -> Any:
    """Each element's number depends on its place among all."""
    key = jax.random.key(3)
    bits = jax.random.bits(key, x.shape, "uint32"), jax.random.bits(key, x.shape, "uint8")
    return *bits, jax.random.permutation(key, x.shape[0]) * integers(x[:, 0]), jax.random.bernoulli(key, 0.4, x.shape)


def types(x: jax.Array) -> Any:
    """Small and complex elements, and those whose bits are taken apart."""
    turned = lax.complex(x, -x)
    halves = lax.bitcast_convert_type(x, jnp.uint16)
    narrow = [x.astype(dtype).sum(axis) for dtype in (jnp.bfloat16, jnp.float16, jnp.int8) for axis in (0, 1)]
    wide = [(integers(x).astype(jnp.uint8) * 99).sum(axis, dtype=jnp.uint8) for axis in (0, 1, None)]
    return turned.sum(0), (turned @ turned.T).real, halves.max(0), halves.sum(-1), narrow, wide, (x > 1).sum(1)


def turns(x: jax.Array) -> Any:
    """Loops that step through padded rows, write to them, and stop when a sum along them says so."""

    def body(carried: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
        turn, rows = carried
        row = lax.dynamic_index_in_dim(rows, turn % x.shape[0], keepdims=False)
        rows = lax.dynamic_update_index_in_dim(rows, row[::-1] + 1, (turn + 2) % x.shape[0], axis=0)
        return turn + 1, rows

    def goes_on(carried: tuple[jax.Array, ...]) -> jax.Array:
        return (carried[0] < 9) & (carried[1].max() < 12)

    _, total = lax.scan(lambda sum, row: (sum + row, jnp.cumsum(row)), x[0], x)
    return lax.while_loop(goes_on, body, (first(x) * 0, x)), total, lax.map(lambda row: row[::-1] * row.max(), x)


def chosen(x: jax.Array) -> Any:
    """Branches whose values are padded, and one of which is not."""
    branches = [lambda v: v * 2, lambda v: jnp.zeros_like(v), lambda v: jnp.sort(v, axis=0), lambda v: v[::-1]]
    return lax.switch(first(x) % 4, branches, x), lax.cond(x.sum() > 0, lambda v: v.max(0), lambda v: v.sum(0), x)


def logarithms(x: jax.Array) -> Any:
    masked = jnp.where(jnp.eye(*x.shape) > 0, -jnp.inf, x)
    return jax.nn.softmax(masked, axis=0), jax.nn.logsumexp(masked, axis=1), jax.nn.logsumexp(x), jax.nn.log_softmax(x)


def norms(x: jax.Array) -> Any:
    centered = x - x.mean(0, keepdims=True)
    return centered / jnp.sqrt(x.var(0) + 1), x / jnp.linalg.norm(x, axis=1, keepdims=True).clip(1), jnp.cov(x)


def batches(x: jax.Array) -> Any:
    """Matrices and transforms of which the batch alone may be longer."""
    matrices = jnp.einsum("ij,k,l->ijkl", jnp.abs(x), jnp.arange(3.0), jnp.ones(3)) + 5 * jnp.eye(3)
    return matrices @ jnp.swapaxes(matrices, 2, 3), jnp.fft.fft(matrices, axis=-1).real, jnp.fft.rfft(x, axis=1).imag


CASES: dict[str, Function] = {
    "volumes": volumes,
    "volumes, dilated": lambda x: volumes(x, rhs_dilation=(2, 1, 1)),
    "volumes, spread": lambda x: volumes(x, lhs_dilation=(2, 1, 1), window_strides=(1, 2, 1), padding=[(2, 1)] * 3),
    "volumes, VALID": lambda x: volumes(x, size=(2, 2, 1), padding="VALID"),
    "volumes, gradient": squares(lambda x: volumes(x, rhs_dilation=(1, 2, 1)) / 8),
    "images": lambda x: images(x, rhs_dilation=(2, 2)),
    "images, features": lambda x: images(x, layout="NCHW"),
    "images, groups": lambda x: images(x, layout="NCHW", feature_group_count=x.shape[1]),
    "images, gradient": squares(lambda x: images(x, layout="CNHW") / 8),
    "windows": lambda x: (windows(x, lax.max, -np.inf), windows(x, lax.add, 0), windows(integers(x), lax.min, 99)),
    "windows, dilated": lambda x: windows(x, lax.add, 0, window_dilation=(2, 3)),
    "windows, spread": lambda x: windows(x, lax.max, -np.inf, base_dilation=(2, 1), padding=((1, 2), (0, 1))),
    "windows, strided": lambda x: windows(x, lax.add, 0, window_strides=(2, 2), padding="VALID"),
    "windows from one": lambda x: windows(x, lax.add, 1, padding=((2, 0), (0, 1))),
    "windows, gradient": squares(lambda x: windows(x, lax.max, -np.inf, window_strides=(2, 1))),
    "equal everywhere": equal_everywhere,
    "reductions": reductions,
    "products": products,
    "sorts": sorts,
    "searches": searches,
    "moving windows": moving_windows,
    "gathers": gathers,
    "gathers, gradient": squares(lambda x: gathers(lax.stop_gradient(x))[0] * x),
    "scatters": scatters,
    "cumulative": cumulative,
    "cumulative, gradient": squares(lambda x: lax.cumsum(jnp.cumsum(x, 1), 0, reverse=True)),
    "moved": moved,
    "joined": joined,
    "reshaped": reshaped,
    "random numbers": random_numbers,
    "types": types,
    "turns": turns,
    "chosen": chosen,
    "logarithms": logarithms,
    "norms": norms,
    "batches": batches,
    "largest": lambda x: (lax.top_k(x, 2), lax.top_k(-x.T, 3), lax.top_k(integers(x).reshape(-1), 4)),
}  # fmt: skip

INEXACT = ("logarithms", "norms", "batches", "sorts", "reductions")
LAYOUTS = {
    "11 x 7 over 4 x 2": (11, 7, "rows=4,columns=2"),
    "3 x 5 over 8": (3, 5, "rows=8"),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", CASES)
def test_uneven_rows_and_columns(name: str, layout: str, tmp_path: Path) -> None:
    rows, columns, mesh = LAYOUTS[layout]

    def function(x: jax.Array) -> Any:
        return CASES[name](x * 3 - 1)

    tiles = {axis: [["x", dim]] for dim, axis in enumerate(("rows", "columns")) if axis in mesh}
    run(function, [whole_numbers(rows, columns)], mesh, tiles, tmp_path, not name.startswith(INEXACT))
