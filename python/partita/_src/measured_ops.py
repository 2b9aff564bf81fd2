"""Programs of a kernel or a few, which `partita.measure` times on one device: rows of the kind `op`.

Each stands for a family of ops whose price a machine's file scales (`device.op_ppm`). Shapes are those of real
programs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from partita._src.kernel_times import Program


@dataclass(frozen=True)
class MeasuredOp:
    name: str
    program: Program


def list_ops(scale: int) -> list[MeasuredOp]:
    """`scale`: how many times fewer rows there are than on a GPU."""
    return [
        *_rows(scale),
        *_spelt_out(scale),
        *_slow(scale),
        *_windows(scale),
    ]


def _rows(scale: int) -> Iterator[MeasuredOp]:
    """Rows that are combined and used again."""
    import jax
    import jax.numpy as jnp

    def softmax(x: Any) -> Any:
        return jax.nn.softmax(x.astype(jnp.float32), -1).astype(x.dtype)

    def rms_norm(x: Any) -> Any:
        wide = x.astype(jnp.float32)
        return (wide * jax.lax.rsqrt(jnp.mean(wide * wide, -1, keepdims=True) + 1e-5)).astype(x.dtype)

    def rms_norm_step(x: Any, g: Any) -> Any:
        return jax.vjp(rms_norm, x)[1](g)[0]

    def draw(x: Any) -> Any:
        return jnp.where(jax.random.bernoulli(jax.random.key(2), 0.9, x.shape), x / 0.9, 0)

    for rows, width in ((3072, 1536), (12288, 1280), (6144, 5120), (24576, 640), (1536, 12288)):
        shape = (max(1, rows // scale), width)
        for kind in ("bfloat16", "float32"):
            yield MeasuredOp(f"softmax {kind} {shape}", (softmax, ((shape, kind),)))
            yield MeasuredOp(f"norm {kind} {shape}", (rms_norm, ((shape, kind),)))
        yield MeasuredOp(f"step of a norm {shape}", (rms_norm_step, ((shape, "bfloat16"),) * 2))
        yield MeasuredOp(f"dropout {shape}", (draw, ((shape, "bfloat16"),)))
        yield MeasuredOp(f"sum of columns {shape}", (lambda x: jnp.sum(x, 0), ((shape, "float32"),)))
        yield MeasuredOp(f"largest of a row {shape}", (lambda x: jnp.argmax(x, -1), ((shape, "bfloat16"),)))


def _spelt_out(scale: int) -> Iterator[MeasuredOp]:
    """Attention, of whole sequences and of one token."""
    import jax
    import jax.numpy as jnp

    def attend(q: Any, k: Any, v: Any) -> Any:
        scores = jnp.einsum("btgrk,bsgk->bgrts", q, k).astype(jnp.float32) / math.sqrt(q.shape[-1])
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -1e30)
        return jnp.einsum("bgrts,bsgk->btgrk", jax.nn.softmax(scores, -1).astype(q.dtype), v)

    def attend_step(q: Any, k: Any, v: Any) -> Any:
        return jax.grad(lambda *all: jnp.sum(jnp.square(attend(*all).astype(jnp.float32))), argnums=(0, 1, 2))(q, k, v)

    for batch, length, groups, share, depth in ((6, 1024, 10, 1, 64), (1, 3072, 4, 4, 128), (24, 384, 12, 1, 64)):
        batch, length = max(1, batch // scale), max(32, length // scale)
        q, k = (batch, length, groups, share, depth), (batch, length, groups, depth)
        for name, function in (("attention", attend), ("step of attention", attend_step)):
            yield MeasuredOp(f"{name} {q}", (function, ((q, "bfloat16"), (k, "bfloat16"), (k, "bfloat16"))))
        one = (batch * 4, 1, groups, share, depth)
        cache = (batch * 4, length, groups, depth)
        shapes = ((one, "bfloat16"), (cache, "bfloat16"), (cache, "bfloat16"))
        yield MeasuredOp(f"decoding {one} of {length}", (attend, shapes))


def _slow(scale: int) -> Iterator[MeasuredOp]:
    """Ops that take longer than their traffic."""
    import jax
    import jax.numpy as jnp

    for rows, width in ((1536, 6144), (48, 40960), (12288, 96)):
        shape = (max(1, rows // scale), width)
        given = ((shape, "float32"),)
        yield MeasuredOp(f"sort {shape}", (lambda x: jnp.sort(x, -1), given))
        yield MeasuredOp(f"top 6 {shape}", (lambda x: jax.lax.top_k(x, 6), given))
        yield MeasuredOp(f"sums up to each {shape}", (lambda x: jnp.cumsum(x, -1), given))
    for rows, width, count in ((40000, 640, 6144), (100000, 1536, 12288), (300000, 96, 50000)):
        count = max(1, count // scale)
        table, index, update = ((rows // scale, width), "float32"), ((count,), "int32"), ((count, width), "float32")
        yield MeasuredOp(f"gather {table} {count}", (lambda t, i: t[i], (table, index)))
        yield MeasuredOp(f"scatter {table} {count}", (lambda t, i, u: t.at[i].add(u), (table, index, update)))


def _windows(scale: int) -> Iterator[MeasuredOp]:
    from jax import lax

    for batch, size, cin, cout, window, stride, groups in (
        (48, 48, 96, 96, 3, 1, 1), (24, 28, 192, 384, 3, 2, 1), (24, 28, 768, 192, 1, 1, 1), (48, 192, 3, 48, 7, 2, 1),
        (24, 56, 120, 120, 5, 1, 120), (48, 28, 160, 160, 3, 1, 160), (24, 28, 256, 256, 3, 1, 32),
        (6, 96, 160, 160, 3, 1, 1),
    ):  # fmt: skip
        image, kernel = (max(1, batch // scale), size, size, cin), (window, window, cin // groups, cout)

        def run(x: Any, w: Any, stride: int = stride, groups: int = groups) -> Any:
            dims = ("NHWC", "HWIO", "NHWC")
            return lax.conv_general_dilated(
                x, w, (stride, stride), "SAME", dimension_numbers=dims, feature_group_count=groups
            )

        def step(x: Any, w: Any, run: Any = run) -> Any:
            import jax
            import jax.numpy as jnp

            return jax.grad(lambda *both: jnp.sum(jnp.square(run(*both).astype(jnp.float32))), argnums=(0, 1))(x, w)

        shapes = ((image, "bfloat16"), (kernel, "bfloat16"))
        for name, function in (("convolution", run), ("step of a convolution", step)):
            yield MeasuredOp(f"{name} {image} by {kernel} stride {stride}", (function, shapes))
