"""Reductions, arg-reductions, windows, cumulative operations and their gradients."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax

from .registry import Family, bf16, boolean, c64, f32, i32, shaped, u32

reduce = Family("reduce")
for _name in ["sum", "prod", "max", "min", "mean", "var", "std", "logsumexp", "median", "ptp"]:
    _function = jax.nn.logsumexp if _name == "logsumexp" else getattr(jnp, _name)
    reduce.add(f"{_name}_f32", lambda x, f=_function: f(x, axis=1), f32(3, 4))
for _name in ["sum", "prod", "max", "min", "bitwise_and", "bitwise_or", "bitwise_xor", "any", "all"]:
    _function = {"any": jnp.any, "all": jnp.all}.get(_name) or getattr(jnp, _name, None)
    if _name.startswith("bitwise"):
        _function = getattr(jnp, _name).reduce
    reduce.add(f"{_name}_i32", lambda x, f=_function: f(x, axis=0), i32(3, 4))
for _name in ["any", "all"]:
    reduce.add(f"{_name}_pred", lambda x, n=_name: getattr(jnp, n)(x), boolean(3, 4))
for _name in ["sum", "max", "min", "prod"]:
    reduce.add(f"{_name}_bf16", lambda x, n=_name: getattr(jnp, n)(x, axis=(0, 2)), bf16(2, 3, 4))
reduce.add("max_u32", lambda x: x.max(), u32(3, 4))
reduce.add("sum_c64", lambda x: x.sum(), c64(3))
reduce.add("max_c64", lambda x: x.max(), c64(3))
reduce.add("sum_keepdims", lambda x: x.sum(axis=1, keepdims=True), f32(3, 4))
reduce.add("sum_empty_axes", lambda x: lax.reduce_sum_p.bind(x, axes=(), out_sharding=None), f32(3))
reduce.add("custom", lambda x: lax.reduce(x, jnp.float32(0), lambda a, b: a * b + a, (0,)), f32(3, 4))
reduce.add(
    "variadic",
    lambda x, y: lax.reduce(
        (x, y), (jnp.float32(0), jnp.int32(0)), lambda a, b: (a[0] + b[0], jnp.maximum(a[1], b[1])), (1,)
    ),
    f32(3, 4),
    i32(3, 4),
)
reduce.add("custom_init_argument", lambda x, i: lax.reduce(x, i, lax.max, (0, 1)), f32(3, 4), f32())
reduce.add(
    "custom_with_constants",
    lambda x: lax.reduce(x, jnp.float32(0), lambda a, b: jnp.where(a > b, a, b + 2), (1,)),
    f32(3, 4),
)
for _name in ["argmax", "argmin"]:
    reduce.add(f"{_name}_f32", lambda x, n=_name: getattr(jnp, n)(x, axis=1), f32(3, 4))
    reduce.add(f"{_name}_i32_flat", lambda x, n=_name: getattr(jnp, n)(x), i32(3, 4))
    reduce.add(f"{_name}_index_type", lambda x, n=_name: getattr(lax, n)(x, 0, jnp.uint8), f32(3))
reduce.add("grads", jax.grad(lambda x: x.max() + x.prod() + jnp.linalg.norm(x) + jax.nn.logsumexp(x)), f32(4))
reduce.add("histogram_bincount", lambda x, n: (jnp.histogram(x, 4), jnp.bincount(n, length=5)), f32(9), i32(9))
reduce.add("percentile", lambda x: jnp.percentile(x, 30.0), f32(9))
reduce.add("nan_reductions", lambda x: (jnp.nanmax(x), jnp.nansum(x), jnp.nanargmin(x)), f32(9))

window = Family("window")
window.add(
    "max_pool", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), f32(2, 8, 8, 3)
)
window.add("min_pool", lambda x: lax.reduce_window(x, jnp.inf, lax.min, (2,), (1,), "SAME"), f32(8))
window.add(
    "sum_dilated",
    lambda x: lax.reduce_window(x, 0.0, lax.add, (2, 3), (1, 2), ((1, 0), (0, 2)), (2, 1), (1, 2)),
    f32(6, 7),
)
window.add("max_int", lambda x: lax.reduce_window(x, jnp.iinfo(jnp.int32).min, lax.max, (2,), (1,), "VALID"), i32(8))
window.add(
    "custom", lambda x: lax.reduce_window(x, jnp.float32(1), lambda a, b: a * b + 1, (3,), (1,), "VALID"), f32(8)
)
window.add(
    "variadic",
    lambda x, y: lax.reduce_window(
        (x, y), (jnp.float32(0), jnp.int32(0)), lambda a, b: (a[0] + b[0], a[1] * b[1]), (2,), (1,), "VALID"
    ),
    f32(8),
    i32(8),
)
window.add(
    "grad_max_pool",
    jax.grad(lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (2, 2), "VALID").sum()),
    f32(8, 8),
)
window.add(
    "grad_min_pool_same", jax.grad(lambda x: lax.reduce_window(x, jnp.inf, lax.min, (3,), (2,), "SAME").sum()), f32(8)
)
window.add("grad_sum_pool", jax.grad(lambda x: lax.reduce_window(x, 0.0, lax.add, (2,), (2,), "VALID").sum()), f32(8))
window.add(
    "jvp_max_pool",
    lambda x, t: jax.jvp(lambda v: lax.reduce_window(v, -jnp.inf, lax.max, (2,), (1,), "VALID"), (x,), (t,)),
    f32(8),
    f32(8),
)
window.add(
    "hessian_max_pool",
    jax.hessian(lambda x: (lax.reduce_window(x, -jnp.inf, lax.max, (2,), (1,), "VALID") ** 3).sum()),
    f32(4),
)

cumulative = Family("cumulative")
for _name in ["cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"]:
    for _platform in ("cpu", "tpu", "cuda"):
        cumulative.add(
            f"{_name}_{_platform}", lambda x, n=_name: getattr(lax, n)(x, axis=1), f32(3, 8), platforms=(_platform,)
        )
    cumulative.add(
        f"{_name}_reverse", lambda x, n=_name: getattr(lax, n)(x, axis=0, reverse=True), f32(5), platforms=("tpu",)
    )
    cumulative.add(f"{_name}_grad", jax.grad(lambda x, n=_name: getattr(lax, n)(x).sum()), f32(5))
cumulative.add("cumsum_i8", lambda x: lax.cumsum(x), shaped("int8", 5), platforms=("tpu",))
cumulative.add("associative_scan", lambda x: lax.associative_scan(jnp.matmul, x), f32(7, 2, 2))
cumulative.add(
    "associative_scan_pair",
    lambda a, b: lax.associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (a, b), reverse=True),
    f32(6),
    f32(6),
)
