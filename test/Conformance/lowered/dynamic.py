"""Programs with symbolic dimensions, as `jax.export` keeps them."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax import export, lax
from jax._src.core import max_dim
from jax._src.interpreters.mlir import make_ir_context

from .registry import Family

dynamic = Family("dynamic")


def _exported_text(function: Any, shapes: Any, dtypes: Any, platforms: Any) -> Any:
    scope = export.SymbolicScope()
    args = [
        jax.ShapeDtypeStruct(export.symbolic_shape(s, scope=scope), jnp.dtype(d))
        for s, d in zip(shapes, dtypes, strict=True)
    ]
    checks = [export.DisabledSafetyCheck.custom_call("my_call")]
    with jax.enable_x64(False):
        exported = export.export(jax.jit(function), platforms=platforms, disabled_checks=checks)(*args)
    with make_ir_context():
        return exported.mlir_module(serialized=False).operation.get_asm(enable_debug_info=True)


def _add(name: Any, function: Any, *shapes: Any, dtypes: Any = None, platforms: Any = ("cpu",)) -> Any:
    types = dtypes or ["float32"] * len(shapes)
    dynamic.add_text(name, lambda: _exported_text(function, shapes, types, platforms))


_add("elementwise", lambda x: jnp.sin(x) * 2, "b, 4")
_add("two_arguments", lambda x, y: x + y, "a, b", "a, b")
_add("broadcast", lambda x: jnp.broadcast_to(x, (3, *x.shape)), "b, 4")
_add("broadcast_rows", lambda x, y: x + y, "b, 4", "4")
_add("iota", lambda x: x + jnp.arange(x.shape[0]), "b")
_add("iota_scaled", lambda x: jnp.arange(2 * x.shape[0] + 1), "b")
_add("reshape", lambda x: x.reshape(-1, 2), "b, 4")
_add("reshape_merge", lambda x: x.reshape(-1), "a, b")
_add("slice", lambda x: x[1 : x.shape[0] - 1], "b + 2, 3")
_add("slice_strided", lambda x: x[::2], "2 * b, 3")
_add(
    "dynamic_slice",
    lambda x, i: lax.dynamic_slice(x, (i, 0), (x.shape[0] - 1, 2)),
    "b + 1, 3",
    "",
    dtypes=["float32", "int32"],
)
_add(
    "dynamic_update",
    lambda x, u, i: lax.dynamic_update_slice(x, u, (i, 0)),
    "b + 4, 3",
    "b, 3",
    "",
    dtypes=["float32", "float32", "int32"],
)
_add("gather", lambda x, i: x[i], "b, 3", "n", dtypes=["float32", "int32"])
_add(
    "gather_window",
    lambda x, i: lax.gather(x, i, lax.GatherDimensionNumbers((1,), (0,), (0,)), (1, x.shape[1]), mode="clip"),
    "8, b",
    "5, 1",
    dtypes=["float32", "int32"],
)
_add("scatter", lambda x, i, u: x.at[i].add(u), "b, 3", "n", "n, 3", dtypes=["float32", "int32", "float32"])
_add("pad", lambda x: jnp.pad(x, ((0, x.shape[0]), (1, 1))), "b, 3")
_add("concatenate", lambda x, y: jnp.concatenate([x, y]), "a, 3", "b, 3")
_add("matmul", lambda x, w: x @ w, "b, k", "k, 5")
_add("batched_matmul", lambda x, w: x @ w, "b, 3, 4", "b, 4, 5")
_add("conv", lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME"), "b, 4, h, w", "6, 4, 3, 3")
_add("conv_strided", lambda x, w: lax.conv_general_dilated(x, w, (2, 2), "SAME"), "b, 4, 2 * h, 2 * w", "6, 4, 3, 3")
_add(
    "conv_dynamic_groups",
    lambda x, w: lax.conv_general_dilated(x, w, (2,), "SAME", feature_group_count=2),
    "b, 4, h",
    "6, 2, 3",
)
_add("max_pool", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2), (1, 2), "VALID"), "b, 8")
_add("avg_pool_same", lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2), (1, 1), "SAME"), "b, h")
_add("reduce", lambda x: (x.sum(), x.max(axis=0), x.mean()), "b, c")
_add("softmax", jax.nn.softmax, "b, 10")
_add("argmax_sort", lambda x: (jnp.argmax(x, 1), jnp.sort(x, 0)), "b, 4")
_add("top_k", lambda x: lax.top_k(x, 2), "b, 4 + k")
_add("cumsum", lambda x: jnp.cumsum(x, 0), "b, 4")
_add("transpose_reverse", lambda x: x.T[::-1], "b, 4")
_add("select_clamp", lambda x: jnp.where(x > 0, jnp.clip(x, 0, 1), x), "b")
_add("scan", lambda x: lax.scan(lambda c, v: (c + v, c), jnp.zeros(4), x), "b, 4")
_add("fori", lambda x: lax.fori_loop(0, x.shape[0], lambda i, v: v + x[i], jnp.zeros(4)), "b, 4")
_add("while", lambda x: lax.while_loop(lambda v: v.sum() < 10, lambda v: v * 2, x), "b")
_add("cond", lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), "", "b", dtypes=["bool", "float32"])
_add("random_threefry", lambda k, x: jax.random.normal(k, x.shape), "2", "b, 3", dtypes=["uint32", "float32"])
_add("rng_bit_generator", lambda k, x: lax.rng_bit_generator(k, x.shape), "4", "b, 3", dtypes=["uint32", "float32"])
_add("fft", jnp.fft.rfft, "b, 8")
_add("cholesky", jnp.linalg.cholesky, "b, 4, 4")
_add("qr_batched", jnp.linalg.qr, "b, 4, 4")
_add("svd_dynamic", lambda x: jnp.linalg.svd(x, full_matrices=False), "b, 4, 3")
_add("erf_inv_lgamma", lambda x: (lax.erf_inv(x), lax.lgamma(x), lax.zeta(x, x), lax.nextafter(x, x)), "b")
_add("dimension_value", lambda x: x * x.shape[0] // 2, "b")
_add("dimension_floor_mod", lambda x: jnp.ones((x.shape[0] // 2 + x.shape[0] % 3,)), "b")
_add("dimension_max", lambda x: jnp.ones((max_dim(x.shape[0], 4),)), "b")
_add("constraint", lambda x: x + 1, "b, mod(b, 3)")
_add("tile_repeat", lambda x: jnp.tile(x, (2, 3)), "b, 2")
_add("split_stack", lambda x: jnp.stack([x[:, 0], x[:, 1]]), "b, 2")
_add("einsum", lambda x, y: jnp.einsum("bij,bkj->bik", x, y), "b, i, 4", "b, k, 4")
_add("grad", jax.grad(lambda x: jnp.tanh(x @ x.T).sum()), "b, 4")
_add("layer_norm", lambda x: (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-6), "b, s, 8")
_add("two_platforms", lambda x: jnp.linalg.cholesky(x) + lax.erf_inv(x), "b, 4, 4", platforms=("cpu", "tpu"))
_add("static_export", lambda x: jnp.sin(x), "4")
_add("ffi", lambda x: jax.ffi.ffi_call("my_call", jax.ShapeDtypeStruct(x.shape, x.dtype))(x), "b, 3")
