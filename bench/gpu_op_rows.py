"""Single ops and short fused tails at the shapes that real programs have: rows of `gpu_ops.py`.

A row is a name, a function and the types of its arguments, nothing else: who measures it on a GPU and who predicts it
without one build the same program from it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax

from gpu_layer_rows import attention, convolutions, decoding
from gpu_op_row import Argument, OpRow, Shape, gradients, simple
from gpu_product_rows import product_rows


def build_rows() -> list[OpRow]:
    rows = [
        *product_rows(),
        *orders(),
        *indexing(),
        *reductions(),
        *transforms(),
        *elementwise(),
        *randoms(),
        *convolutions(),
        *attention(),
        *decoding(),
        *tails(),
        *chains(),
    ]
    assert len({row.name for row in rows}) == len(rows)
    return rows


# ======================================================================================================================
# What moves and reduces
# ======================================================================================================================


def orders() -> Iterator[OpRow]:
    shape: Shape
    for shape in ((4096,), (1 << 16,), (1 << 20,), (1 << 24,), (8192, 128), (1024, 4096), (64, 50304), (8, 1 << 17)):
        yield simple("sort", "sort", lambda x: jnp.sort(x, -1), (shape, "float32"))
    for shape in ((1 << 16,), (1 << 20,), (8192, 64)):
        yield simple("sort", "argsort", lambda x: jnp.argsort(x, -1), (shape, "float32"))
    for shape, k in (
        ((8192, 64), 2),
        ((8192, 64), 8),
        ((64, 50304), 1),
        ((64, 50304), 50),
        ((8, 128256), 64),
        ((1024, 8192), 4),
        ((1 << 20,), 128),
    ):
        yield simple("top-k", f"top {k}", lambda x, k=k: lax.top_k(x, k), (shape, "float32"))
    for shape in ((64, 50304), (8192, 4096), (8, 128256)):
        yield simple("argmax", "argmax", lambda x: jnp.argmax(x, -1), (shape, "bfloat16"))


def indexing() -> Iterator[OpRow]:
    shape: Shape
    for rows, width, count in (
        (50304, 768, 8192),
        (128256, 4096, 8192),
        (128256, 4096, 64),
        (32768, 512, 131072),
        (1000000, 64, 65536),
    ):
        table, index = ((rows, width), "bfloat16"), ((count,), "int32")
        yield simple("gather", "gather", lambda t, i: t[i], table, index)
        yield simple(
            "scatter", "scatter-add", lambda t, i, u: t.at[i].add(u), table, index, ((count, width), "bfloat16")
        )
        wide = ((rows, width), "float32")
        if rows * width <= 1 << 27:
            yield simple(
                "scatter", "scatter-add", lambda t, i, u: t.at[i].add(u), wide, index, ((count, width), "float32")
            )
    for nodes, edges, width in ((10000, 100000, 128), (100000, 1000000, 64)):
        yield simple(
            "scatter",
            "segment sum",
            lambda x, i, n=nodes: jax.ops.segment_sum(x, i, n),
            ((edges, width), "float32"),
            ((edges,), "int32"),
        )
    yield simple(
        "gather",
        "take along",
        lambda x, i: jnp.take_along_axis(x, i[:, None], 1),
        ((8192, 50304), "float32"),
        ((8192,), "int32"),
    )
    for shape in ((32, 4096, 4096), (80, 2048, 1024)):
        place: Argument = ((), "int32")
        yield simple(
            "slice",
            "dynamic slice",
            lambda x, i: lax.dynamic_index_in_dim(x, i, keepdims=False),
            (shape, "bfloat16"),
            place,
        )
    for shape in ((64, 2048, 8, 128), (8, 8192, 1, 128)):
        step: Argument = ((shape[0], 1, *shape[2:]), "bfloat16")
        update = lambda c, x, i: lax.dynamic_update_slice_in_dim(c, x, i, 1)  # noqa: E731
        yield simple("slice", "cache update", update, (shape, "bfloat16"), step, ((), "int32"))


def reductions() -> Iterator[OpRow]:
    shape: Shape
    for shape in ((8192, 4096), (512, 1024), (64, 1 << 20), (1 << 20, 64), (32, 32, 4096), (1 << 26,), (1 << 16,)):
        for kind in ("bfloat16", "float32"):
            yield simple("reduce", "sum of last dim", lambda x: jnp.sum(x, -1), (shape, kind))
            if len(shape) > 1:
                yield simple("reduce", "sum of first dim", lambda x: jnp.sum(x, 0), (shape, kind))
    for shape in ((8192, 4096), (2, 4096, 32, 128), (512, 512), (128, 77, 12, 64), (1 << 13, 1 << 13)):
        order = (0, 2, 1, 3) if len(shape) == 4 else (1, 0)
        for kind in ("bfloat16", "float32"):
            yield simple("transpose", "transpose", lambda x, o=order: lax.transpose(x, o), (shape, kind))


def transforms() -> Iterator[OpRow]:
    shape: Shape
    for shape in ((64, 1 << 16), (1024, 1024), (8, 512, 512), (1 << 22,)):
        yield simple("fft", "fft", jnp.fft.fft, (shape, "complex64"))
        yield simple("fft", "rfft", jnp.fft.rfft, (shape, "float32"))
    for shape in ((512, 512), (2048, 2048), (8192, 8192), (64, 128, 128), (1024, 32, 32)):
        yield simple(
            "cholesky",
            "cholesky",
            lambda x: lax.linalg.cholesky(x @ x.mT + 1000 * jnp.eye(x.shape[-1])),
            (shape, "float32"),
        )
    for shape in ((512, 512), (2048, 2048), (64, 128, 128)):
        solve = lambda a, b: lax.linalg.triangular_solve(a + 100 * jnp.eye(a.shape[-1]), b, left_side=True, lower=True)  # noqa: E731
        yield simple("cholesky", "triangular solve", solve, (shape, "float32"), (shape, "float32"))
    for text, factorize in (
        ("lu", lax.linalg.lu),
        ("qr", lambda a: lax.linalg.qr(a, full_matrices=False)),
        ("eigh", lambda a: lax.linalg.eigh(a, symmetrize_input=True)),
        ("svd", lambda a: lax.linalg.svd(a, full_matrices=False)),
    ):
        for shape in ((128, 128), (512, 512), (1024, 1024), (2048, 2048), (4096, 4096), (4096, 512), (64, 128, 128)):
            if (text != "eigh" or shape[-1] == shape[-2]) and not (text == "svd" and shape == (4096, 4096)):
                yield simple("factorization", text, factorize, (shape, "float32"))
    for shape in ((8192, 64), (1 << 20,), (64, 16384), (16, 2048, 1024)):
        yield simple(
            "scan", "cumsum", lambda x: jnp.cumsum(x, 0 if x.ndim == 2 and x.shape[1] == 64 else -1), (shape, "float32")
        )


def elementwise() -> Iterator[OpRow]:
    for size in (1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 28):
        yield simple("elementwise", "add", jnp.add, ((size,), "bfloat16"), ((size,), "bfloat16"))
        yield simple("elementwise", "gelu", jax.nn.gelu, ((size,), "bfloat16"))
        yield simple("elementwise", "exp of", jnp.exp, ((size,), "float32"))
        yield simple(
            "random",
            "threefry uniform like",
            lambda x: jax.random.uniform(jax.random.key(0), x.shape),
            ((size,), "float32"),
        )
    yield simple(
        "elementwise", "concatenate", lambda a, b: jnp.concatenate([a, b], -1), *[((8192, 4096), "bfloat16")] * 2
    )


def randoms() -> Iterator[OpRow]:
    for shape in ((1 << 14,), (1 << 18,), (1 << 22,), (1 << 26,), (2048, 4096), (16, 512, 768)):
        for text, draw in (
            ("normal", lambda x: jax.random.normal(jax.random.key(1), x.shape, x.dtype)),
            ("dropout", lambda x: jnp.where(jax.random.bernoulli(jax.random.key(2), 0.9, x.shape), x / 0.9, 0)),
        ):
            yield simple("random", text, draw, (shape, "bfloat16"))


# ======================================================================================================================
# What XLA fuses
# ======================================================================================================================


def cross_entropy(logits: Any, labels: Any) -> Any:
    wide = logits.astype(jnp.float32)
    return jnp.mean(jax.nn.logsumexp(wide, -1) - jnp.take_along_axis(wide, labels[:, None], 1)[:, 0])


def rms_norm(x: Any, scale: Any) -> Any:
    wide = x.astype(jnp.float32)
    return (wide * lax.rsqrt(jnp.mean(wide * wide, -1, keepdims=True) + 1e-5)).astype(x.dtype) * scale


def layer_norm(x: Any, scale: Any, bias: Any) -> Any:
    wide = x.astype(jnp.float32)
    centred = wide - jnp.mean(wide, -1, keepdims=True)
    return (centred * lax.rsqrt(jnp.mean(centred * centred, -1, keepdims=True) + 1e-5)).astype(x.dtype) * scale + bias


def adam(p: Any, g: Any, m: Any, v: Any) -> Any:
    g = g.astype(jnp.float32)
    m, v = 0.9 * m + 0.1 * g, 0.95 * v + 0.05 * g * g
    return (p - 1e-3 * (m / (jnp.sqrt(v) + 1e-8) + 0.1 * p)).astype(p.dtype), m, v


def adam_all(*state: Any) -> Any:
    """Clipped by the norm of all gradients."""
    count = len(state) // 4
    gradients_ = state[count : 2 * count]
    norm = jnp.sqrt(sum(jnp.sum(jnp.square(g.astype(jnp.float32))) for g in gradients_))
    scale = jnp.minimum(1.0, 1.0 / norm)
    return [adam(state[i], gradients_[i] * scale, state[2 * count + i], state[3 * count + i]) for i in range(count)]


def tails() -> Iterator[OpRow]:
    for tokens, vocab in ((1024, 50304), (8192, 50304), (2048, 128256), (8192, 16032), (512, 32000), (4096, 32000)):
        labels: Argument = ((tokens,), "int32")
        for kind in ("bfloat16", "float32"):
            yield simple("cross-entropy", "cross-entropy", cross_entropy, ((tokens, vocab), kind), labels)
            step = lambda x, y: jax.value_and_grad(cross_entropy)(x, y)  # noqa: E731
            yield simple("cross-entropy", "cross-entropy step", step, ((tokens, vocab), kind), labels)
        width = 1024 if vocab < 100000 else 4096

        def head(x: Any, w: Any, y: Any) -> Any:
            return jax.value_and_grad(lambda a, b: cross_entropy(a @ b, y), argnums=(0, 1))(x, w)

        inputs = (((tokens, width), "bfloat16"), ((width, vocab), "bfloat16"), labels)
        yield OpRow("cross-entropy", f"head and cross-entropy step {tokens}x{width}x{vocab}", head, inputs)
    for tokens, width in (
        (512, 768), (8192, 768), (8192, 4096), (2048, 8192), (64, 4096), (65536, 1024), (4096, 1024), (16384, 2048),
        (1024, 16384), (256, 512), (32768, 256), (128, 8192),
    ):  # fmt: skip
        x, s = ((tokens, width), "bfloat16"), ((width,), "bfloat16")
        yield simple("norm", "rms norm", rms_norm, x, s)
        yield simple("norm", "rms norm step", gradients(rms_norm, (0, 1)), x, s)
        yield simple("norm", "layer norm", layer_norm, x, s, s)
        yield simple("norm", "layer norm step", gradients(layer_norm, (0, 1, 2)), x, s, s)
        yield simple("norm", "softmax", lambda a: jax.nn.softmax(a.astype(jnp.float32), -1).astype(a.dtype), x)
    for size in (768, 1 << 16, 1 << 20, 1 << 24, 1 << 27):
        f32: Argument = ((size,), "float32")
        yield simple("optimizer", "adamw", adam, f32, f32, f32, f32)
        yield simple("optimizer", "adamw of bf16", adam, ((size,), "bfloat16"), ((size,), "bfloat16"), f32, f32)
    layer: list[Shape] = [(768, 2304), (768, 768), (768, 3072), (3072, 768), (768,), (768,), (2304,), (3072,)]
    for layers in (2, 12):
        shapes = layer * layers
        state: tuple[Argument, ...] = tuple((shape, "float32") for shape in shapes * 4)
        yield OpRow("optimizer", f"clipped adamw of {layers} layers of GPT-2", adam_all, state)


# ======================================================================================================================
# Many small kernels, one behind the other
# ======================================================================================================================

LINKS = 64


def chains() -> Iterator[OpRow]:
    """What a kernel costs beside its own time: in straight code, in a loop, between other kernels."""

    def unrolled(step: Callable[..., Any]) -> Callable[..., Any]:
        def run(x: Any, *rest: Any) -> Any:
            for _ in range(LINKS):
                x = step(x, *rest)
            return x

        return run

    def looped(step: Callable[..., Any]) -> Callable[..., Any]:
        def run(x: Any, *rest: Any) -> Any:
            return lax.scan(lambda carry, _: (step(carry, *rest), None), x, length=LINKS)[0]

        return run

    def multiply(x: Any, w: Any) -> Any:
        return x @ w

    def normalize(x: Any) -> Any:
        return jax.nn.softmax(x, -1) * x

    for size in (64, 256, 512, 1024, 2048):
        pair = (((size, size), "bfloat16"),) * 2
        for name, build in (("straight", unrolled), ("loop", looped)):
            yield OpRow("chain", f"chain of {LINKS} products of {size} in {name} code", build(multiply), pair)
    for rows in (8, 64, 256, 1024, 4096, 16384):
        one: tuple[Argument, ...] = (((rows, 1024), "float32"),)
        for name, build in (("straight", unrolled), ("loop", looped)):
            yield OpRow("chain", f"chain of {LINKS} softmaxes of {rows} rows in {name} code", build(normalize), one)
